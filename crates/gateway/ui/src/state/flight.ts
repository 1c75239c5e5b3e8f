import { useEffect, useRef, useState } from "react";
import type { Outcome } from "./live";

export interface Flight {
  isBusy: boolean;
  refusal: { code: string; message: string } | null;
  /** Runs one command at a time: a second click in the same frame does nothing. Returns whether it was accepted. */
  run: (send: () => Promise<Outcome>) => Promise<boolean>;
}

/** Single flight for the buttons of one card. A new `identity` forgets the last refusal. */
export function useFlight(identity: string): Flight {
  const flying = useRef(false);
  const mounted = useRef(true);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Flight["refusal"]>(null);
  useEffect(() => {
    mounted.current = true;
    return () => { mounted.current = false; };
  }, []);
  useEffect(() => setRefusal(null), [identity]);
  const run = async (send: () => Promise<Outcome>): Promise<boolean> => {
    if (flying.current) return false;
    flying.current = true;
    setBusy(true);
    setRefusal(null);
    const outcome = await send();
    flying.current = false;
    if (!mounted.current) return outcome.ok;
    setBusy(false);
    if (!outcome.ok) setRefusal(outcome);
    return outcome.ok;
  };
  return { isBusy, refusal, run };
}
