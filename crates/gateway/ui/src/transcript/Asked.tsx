import type { Answer } from "../wire/events";
import type { QuestionRow } from "../fold/rows";

/** A question in the transcript, with what was answered. */
export function Asked({ row }: { row: QuestionRow }) {
  if (!row.answers && row.withdrawn === null) {
    return <p className="asking">{row.items.length === 1 ? "Asks you a question" : `Asks you ${row.items.length} questions`}</p>;
  }
  return (
    <dl className="asked">
      {row.items.map((item) => (
        <div key={item.id}>
          <dt>{item.question}</dt>
          <dd>{verdict(row, row.answers?.find((answer) => answer.id === item.id))}</dd>
        </div>
      ))}
    </dl>
  );
}

function verdict(row: QuestionRow, answer: Answer | undefined) {
  if (row.withdrawn) return <em>{row.withdrawn === "dismissed" ? "skipped" : `withdrawn: ${row.withdrawn}`}</em>;
  const parts = [...(answer?.selected ?? []), ...(answer?.custom ? [answer.custom] : [])];
  if (parts.length === 0) return <em>no answer</em>;
  const said = parts.join(" · ");
  if (row.by?.kind === "host") return <>{said} <em>nobody answered in time</em></>;
  return <span title={row.by?.client ? `answered in tab ${row.by.client}` : undefined}>{said}</span>;
}
