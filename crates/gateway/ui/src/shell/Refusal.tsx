/** Why the last click here was refused, beside what was clicked. */
export function Refusal({ refusal }: { refusal: { code: string; message: string } | null }) {
  if (!refusal) return null;
  return (
    <p className="refusal" role="alert">
      {refusal.message} <small className="code">{refusal.code}</small>
    </p>
  );
}
