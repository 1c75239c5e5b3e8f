import { intentName } from "../wire/events";
import type { Slices } from "../wire/frames";
import { usePage, useView } from "../state/store";
import { PlanReviewCard } from "../cards/PlanReview";
import { QuestionCard } from "../cards/QuestionCard";
import { Queue } from "../cards/Queue";
import { ApprovedPlan } from "./ApprovedPlan";
import { Composer } from "./Composer";
import { GoalBar } from "./GoalBar";
import { Retrying } from "./Retrying";
import { Todos } from "./Todos";

/** Everything between the transcript and the bottom edge: what waits for a person first, the composer last. */
export function Dock({ session }: { session: string }) {
  const { slices } = useView();
  const isViewer = usePage((page) => page.hello?.role === "viewer");
  if (!slices) return <div className="dock" aria-busy="true" />;
  const { review } = slices.plan;
  return (
    <div className="dock">
      <div className="column">
        <div className="dock-upper">
          <div inert={isViewer}>
            {review && <PlanReviewCard key={review.plan_id + review.revision} session={session} review={review} />}
            {openQuestions(slices).map((question) => (
              <QuestionCard key={`${question.question_id}.${question.revision}`} session={session} question={question} />
            ))}
          </div>
          <div className="strips">
            {slices.plan.approved && !review && <ApprovedPlan key={slices.plan.approved.sha256} session={session} plan={slices.plan.approved} />}
            {slices.turn.retry && <Retrying retry={slices.turn.retry} />}
            <Todos todos={slices.todos} isIdle={slices.turn.phase === "idle"} />
            {slices.goal && <GoalBar session={session} goal={slices.goal} />}
            <div inert={isViewer}><Queue session={session} items={slices.inbox} /></div>
          </div>
        </div>
        {isViewer ? <p className="viewing">You can look at this session. Acting takes a token that is not a viewer's.</p> : <Composer session={session} slices={slices} />}
      </div>
    </div>
  );
}

/** A plan's review has its own card; without one its question is asked like any other. */
function openQuestions({ questions, plan }: Slices) {
  return questions.filter((question) => intentName(question.intent) !== "plan-review" || !plan.review);
}
