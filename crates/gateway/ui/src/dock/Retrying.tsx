import { useEffect, useState } from "react";
import type { RetrySlice } from "../wire/frames";

/** Says when the model is asked again; stopping the turn ends the wait. */
export function Retrying({ retry }: { retry: RetrySlice }) {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, [retry.attempt]);
  return (
    <section className="strip waiting" aria-label="Retry">
      <span className="strip-label">Model</span>
      <span className="strip-text" role="timer">{retryText(retry, nowMs)}</span>
    </section>
  );
}

/** Returns what the next attempt comes to, in words. */
export function retryText(retry: RetrySlice, nowMs: number): string {
  const seconds = Math.ceil((retry.until_ms - nowMs) / 1000);
  const when = seconds > 0 ? `retrying in ${seconds} s` : "retrying now";
  const whom = retry.falls_back ? " with the fallback model" : "";
  return `${when}${whom} (${retry.class.replaceAll("-", " ")})`;
}
