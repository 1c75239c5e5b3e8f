/** Tokens as people read them, rounded down: 999, 1.2k, 15k, 1.5M. */
export function tokensText(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? inUnits(tokens, 1_000, "k") : inUnits(tokens, 1_000_000, "M");
}

function inUnits(amount: number, unit: number, name: string): string {
  const whole = Math.floor(amount / unit);
  const tenth = Math.floor((amount % unit) / (unit / 10));
  return whole >= 10 || tenth === 0 ? `${whole}${name}` : `${whole}.${tenth}${name}`;
}

const UNITS: [string, number][] = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1_000]];

/** A duration as people read it, rounded down to its two largest units: 0s, 45s, 1h30m. */
export function durationText(ms: number): string {
  const first = UNITS.findIndex(([, scale]) => ms >= scale);
  if (first < 0) return "0s";
  let rest = ms;
  return UNITS.slice(first, first + 2).map(([unit, scale]) => {
    const amount = Math.floor(rest / scale);
    rest %= scale;
    return amount > 0 ? `${amount}${unit}` : "";
  }).join("");
}
