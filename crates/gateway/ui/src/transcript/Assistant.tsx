import type { AssistantRow } from "../fold/rows";
import { Fold } from "./Fold";
import { GrowingMarkdown, Markdown } from "./Markdown";

export function Assistant({ row, session }: { row: AssistantRow; session: string }) {
  const isStreaming = row.state === "streaming";
  const Text = row.state === "final" ? Markdown : GrowingMarkdown;
  const isThinking = isStreaming && !row.text.text && !row.plan.text;
  return (
    <article className="answer" aria-label="Answer" aria-busy={isStreaming}>
      {row.reasoning.text && (
        <Fold id={`${session}:${row.key}:r`} className="thought" label={isThinking ? "Thinking…" : "Thought"} hint={hint(row.reasoning.text, isThinking)}>
          <div className="thought-text"><Text text={row.reasoning.text} /></div>
        </Fold>
      )}
      {row.text.text && <Text text={row.text.text} />}
      {row.plan.text && <div className="plan-text"><Text text={row.plan.text} /></div>}
      {isStreaming && <span className="caret" aria-hidden="true" />}
      {row.state === "interrupted" && <p className="cut">Interrupted: this answer is not complete.</p>}
    </article>
  );
}

/** The line worth showing while folded: the newest as it streams, the first one afterwards. */
function hint(text: string, isStreaming: boolean): string {
  const lines = text.trim().split("\n");
  return ((isStreaming ? lines.at(-1) : lines[0]) ?? "").slice(0, 200);
}
