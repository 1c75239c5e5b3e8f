import type { ToolRow } from "../fold/rows";
import { duration } from "../shell/time";
import { Diff } from "./Diff";
import { tally } from "./diff";
import { Fold } from "./Fold";
import { toolWords } from "./toolWords";

const STATES: Record<ToolRow["state"], string> = {
  called: "waiting to start",
  running: "running",
  ok: "done",
  error: "failed",
  stopped: "stopped",
};

/** Diffs up to this many lines are open from the start. */
const SMALL_DIFF_LINES = 16;

export function Tool({ row, session }: { row: ToolRow; session: string }) {
  const words = toolWords(row.name, row.args, row.callId);
  const isSmall = row.diff !== null && row.diff.split("\n").length <= SMALL_DIFF_LINES;
  return (
    <div className="tool" data-state={row.state}>
      <span className="tick" role="img" aria-label={STATES[row.state]} />
      <Fold
        id={`${session}:${row.key}`}
        className="tool-fold"
        isOpenAtFirst={isSmall}
        label={words.verb}
        hint={<span className="tool-main" data-code={words.isCode}>{words.main}</span>}
        side={<Side row={row} extra={words.extra} />}
      >
        <Body row={row} />
      </Fold>
    </div>
  );
}

function Side({ row, extra }: { row: ToolRow; extra: string }) {
  const lines = row.diff ? tally(row.diff) : null;
  return (
    <span className="tool-side">
      {extra && <span>{extra}</span>}
      {lines && <span className="lines">{lines.added > 0 && <ins>+{lines.added}</ins>} {lines.removed > 0 && <del>−{lines.removed}</del>}</span>}
      {row.state === "stopped" && <span className="code">stopped</span>}
      {row.error && row.state !== "stopped" && <span className="code">{row.error.code}</span>}
      {row.durationMs !== null && <span className="took">{duration(row.durationMs)}</span>}
      {row.state === "running" && <span className="spinner" aria-hidden="true" />}
    </span>
  );
}

function Body({ row }: { row: ToolRow }) {
  return (
    <>
      {row.diff && <Diff text={row.diff} />}
      {row.error && <p className="tool-error">{row.error.message}</p>}
      {row.result && !row.diff && <pre className="output" tabIndex={0}>{row.result}</pre>}
      {row.args && !row.diff && <Arguments text={row.args} />}
      {row.sandbox && <p className="tool-meta">sandbox: {row.sandbox}</p>}
    </>
  );
}

function Arguments({ text }: { text: string }) {
  if (text === "{}") return null;
  return <details className="arguments"><summary>Arguments</summary><pre className="output">{pretty(text)}</pre></details>;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
