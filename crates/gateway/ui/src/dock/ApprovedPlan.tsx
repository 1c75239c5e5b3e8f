import { useState } from "react";
import type { PlanVersion } from "../wire/frames";
import { usePlan } from "../cards/planTexts";
import { Icon } from "../shell/Icon";
import { Markdown } from "../transcript/Markdown";

/** The plan that work follows, one click away. */
export function ApprovedPlan({ session, plan }: { session: string; plan: PlanVersion }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="strip approved-plan" aria-label="Approved plan">
      <button className="strip-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="strip-label">Plan</span>
        <span className="strip-text">{plan.title}</span>
        <Icon name="chevron" />
      </button>
      {isOpen && <div className="approved-text" tabIndex={0}><Text session={session} sha256={plan.sha256} /></div>}
    </section>
  );
}

function Text({ session, sha256 }: { session: string; sha256: string }) {
  const plan = usePlan(session, sha256);
  if (plan.markdown === null) return <p role="status">{plan.failure ?? "Loading the plan…"}</p>;
  return <Markdown text={plan.markdown} />;
}
