import type { PlanRow } from "../fold/rows";
import { Fold } from "./Fold";
import { Markdown } from "./Markdown";

const VERDICTS: Record<string, string> = {
  approved: "approved",
  "keep-planning": "sent back",
  dismissed: "put aside",
  withdrawn: "withdrawn",
};

export function ProposedPlan({ row, session }: { row: PlanRow; session: string }) {
  const verdict = row.verdict ? (VERDICTS[row.verdict] ?? row.verdict) : "proposed";
  return (
    <div className="planned" data-verdict={row.verdict ?? "open"}>
      <Fold
        id={`${session}:${row.key}`}
        className="plan-fold"
        label={<>Plan {row.revision > 1 && <small>revision {row.revision}</small>}</>}
        hint={row.title}
        side={<span className="verdict">{verdict}</span>}
      >
        <div className="plan-text"><Markdown text={row.markdown} /></div>
      </Fold>
      {row.feedback && <blockquote className="feedback">{row.feedback}</blockquote>}
    </div>
  );
}
