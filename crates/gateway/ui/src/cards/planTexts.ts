import { useEffect, useState } from "react";
import type { PlanRow } from "../fold/rows";
import { planText } from "../state/http";
import { useView } from "../state/store";

interface Loaded {
  markdown: string | null;
  failure: string | null;
}

/** The text with exactly that hash: from the transcript if it is there, else from the server. */
export function usePlan(session: string, sha256: string): Loaded {
  const { transcript } = useView();
  const row = transcript.rows.findLast((other): other is PlanRow => other.kind === "plan" && other.sha256 === sha256);
  const [fetched, setFetched] = useState<Loaded>({ markdown: null, failure: null });
  const isHere = row !== undefined;
  useEffect(() => {
    if (isHere) return undefined;
    let isCurrent = true;
    planText(session, sha256).then(
      (plan) => { if (isCurrent) setFetched({ markdown: plan.markdown, failure: null }); },
      (error: unknown) => { if (isCurrent) setFetched({ markdown: null, failure: `The plan could not be loaded: ${String(error)}` }); },
    );
    return () => { isCurrent = false; };
  }, [session, sha256, isHere]);
  return row ? { markdown: row.markdown, failure: null } : fetched;
}
