import type { NoteRow, RoundRow, TurnEndRow } from "../fold/rows";
import { fork } from "../state/intents";
import { Icon } from "../shell/Icon";
import { duration } from "../shell/time";
import { ending } from "./endings";
import { Fold } from "./Fold";

export function Round({ row, session }: { row: RoundRow; session: string }) {
  const label = row.max === null ? `Round ${row.round}` : `Round ${row.round}/${row.max}`;
  return (
    <div className="round" role="separator" aria-label={label}>
      <Fold id={`${session}:${row.key}`} className="round-fold" label={label}>
        <pre className="output">{row.prompt}</pre>
      </Fold>
    </div>
  );
}

export function Note({ row, session }: { row: NoteRow; session: string }) {
  if (!row.detail) return <p className="note" data-tone={row.tone}>{row.text}</p>;
  return (
    <div className="note" data-tone={row.tone}>
      <Fold id={`${session}:${row.key}`} className="note-fold" label={row.text}>
        <pre className="output">{row.detail}</pre>
      </Fold>
    </div>
  );
}

export function TurnEnd({ row, session }: { row: TurnEndRow; session: string }) {
  const end = ending(row.reason);
  return (
    <div className="turn-end" data-tone={end.tone}>
      {end.text && (
        <p className="ending" role={end.tone === "bad" ? "alert" : undefined}>
          <strong>{end.text}</strong>
          {end.advice && <span>{end.advice}</span>}
          {row.reason.code && <small className="code">{row.reason.code}</small>}
        </p>
      )}
      <div className="turn-line">
        <span>Turn {row.turn}</span>
        {row.durationMs !== null && row.durationMs >= 1000 && <span>{duration(row.durationMs)}</span>}
        <button className="link fork" onClick={() => void fork(session, row.cut)} title="A new session that goes on from here">
          <Icon name="fork" />Fork from here
        </button>
      </div>
    </div>
  );
}
