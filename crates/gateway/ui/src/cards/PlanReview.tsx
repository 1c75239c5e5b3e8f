import { useState } from "react";
import type { PlanReview } from "../wire/frames";
import { useFlight } from "../state/flight";
import { submit } from "../state/live";
import { Refusal } from "../shell/Refusal";
import { Markdown } from "../transcript/Markdown";
import { PlanChanges } from "./PlanChanges";
import { usePlan } from "./planTexts";

type Verdict = "approve" | "keep-planning" | "dismiss";

export function PlanReviewCard({ session, review }: { session: string; review: PlanReview }) {
  const plan = usePlan(session, review.sha256);
  const flight = useFlight(review.sha256);
  const [isDone, setDone] = useState(false);
  const [feedback, setFeedback] = useState<string | null>(null);
  const [isComparing, setComparing] = useState(false);
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
        {review.revision > 1 && (
          <button className="link" aria-pressed={isComparing} onClick={() => setComparing(!isComparing)}>
            {isComparing ? "Show the plan" : "Show what changed"}
          </button>
        )}
        <code title={`SHA-256 ${review.sha256}`}>{review.sha256.slice(0, 8)}</code>
      </header>
      <div className="card-scroll" tabIndex={0} aria-label="The plan">
        {isComparing && <PlanChanges session={session} sha256={review.sha256} />}
        {!isComparing && (plan.markdown !== null ? <Markdown text={plan.markdown} /> : <p role="status">{plan.failure ?? "Loading the plan…"}</p>)}
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
