import { useEffect, useState } from "react";
import type { PlanReview } from "../wire/frames";
import type { PlanRow } from "../fold/rows";
import { useFlight } from "../state/flight";
import { planText } from "../state/http";
import { submit } from "../state/live";
import { useView } from "../state/store";
import { Refusal } from "../shell/Refusal";
import { Markdown } from "../transcript/Markdown";

type Verdict = "approve" | "keep-planning" | "dismiss";

export function PlanReviewCard({ session, review }: { session: string; review: PlanReview }) {
  const plan = usePlan(session, review.sha256);
  const flight = useFlight(review.sha256);
  const [isDone, setDone] = useState(false);
  const [feedback, setFeedback] = useState<string | null>(null);
  const isLocked = flight.isBusy || isDone;

  const give = async (verdict: Verdict) => {
    const { plan_id, revision, sha256 } = review;
    const said = verdict === "keep-planning" && feedback?.trim() ? { feedback: feedback.trim() } : {};
    setDone(await flight.run(() => submit(session, { type: "plan-review", plan_id, revision, sha256, verdict, ...said })));
  };

  return (
    <section className="card plan-card" role="region" aria-label="Plan review">
      <header className="card-strip">
        <strong>Plan review</strong>
        {review.revision > 1 && <span>revision {review.revision}</span>}
        <code title={`SHA-256 ${review.sha256}`}>{review.sha256.slice(0, 8)}</code>
      </header>
      <div className="card-scroll" tabIndex={0} aria-label="The plan">
        {plan.markdown !== null ? <Markdown text={plan.markdown} /> : <p role="status">{plan.failure ?? "Loading the plan…"}</p>}
      </div>
      {feedback !== null && (
        <textarea
          className="field" rows={2} autoFocus aria-label="What should change" placeholder="What should change? (optional)" value={feedback}
          onChange={(event) => setFeedback(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setFeedback(null);
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void give("keep-planning");
          }}
        />
      )}
      <Refusal refusal={flight.refusal} />
      <footer className="card-foot">
        <button className="button quiet" disabled={isLocked} title="Puts the review aside; plan mode stays on" onClick={() => void give("dismiss")}>Chat about it</button>
        {feedback === null ? (
          <button className="button" disabled={isLocked} onClick={() => setFeedback("")}>Keep planning…</button>
        ) : (
          <button className="button" disabled={isLocked} onClick={() => void give("keep-planning")}>{feedback.trim() ? "Send and keep planning" : "Keep planning"}</button>
        )}
        <button className="button primary" disabled={isLocked || plan.markdown === null} onClick={() => void give("approve")}>Approve</button>
      </footer>
    </section>
  );
}

/** The text with exactly that hash: from the transcript if it is there, else from the server. */
function usePlan(session: string, sha256: string): { markdown: string | null; failure: string | null } {
  const { transcript } = useView();
  const row = transcript.rows.findLast((other): other is PlanRow => other.kind === "plan" && other.sha256 === sha256);
  const [fetched, setFetched] = useState<{ markdown: string | null; failure: string | null }>({ markdown: null, failure: null });
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
