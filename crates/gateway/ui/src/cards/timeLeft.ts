/** What a question's time limit comes to, in words. */
export function timeLeft(isRunning: boolean, leftMs: number): string {
  if (!isRunning) return "expired, waiting for you";
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  const amount = seconds >= 120 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`;
  return `what is recommended stands in ${amount}`;
}
