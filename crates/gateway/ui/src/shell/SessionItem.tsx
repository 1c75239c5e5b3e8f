// One line of the session list, and what can be done with it.

import { useEffect, useRef } from "react";
import { remove } from "../state/intents";
import { submitOrAlert } from "../state/live";
import type { SessionRow } from "../wire/frames";
import { Icon } from "./Icon";
import { markOf, titleOf, type Listed } from "./order";
import { TitleField } from "./TitleField";
import { ago } from "./time";

/** What is open under or in a line. */
export type Doing = null | "actions" | "rename" | "delete";

interface Props {
  entry: Listed;
  isSelected: boolean;
  now: number;
  doing: Doing;
  onDo: (doing: Doing) => void;
  onChoose: (session: string) => void;
}

export function SessionItem({ entry: { row, depth }, isSelected, now, doing, onDo, onChoose }: Props) {
  const mark = markOf(row);
  const { session } = row;
  return (
    <div className="session-line" data-depth={depth} data-archived={row.archived || undefined} data-doing={doing ?? undefined}>
      {doing === "rename" ? (
        <TitleField session={session} title={row.title} onDone={() => onDo(null)} />
      ) : (
        <a
          className="session"
          href={`#/s/${session}`}
          aria-current={isSelected ? "page" : undefined}
          title={`${titleOf(row)} · ${row.problem ?? mark.words}`}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            onChoose(session);
          }}
        >
          <span className="mark" data-mark={mark.kind} role="img" aria-label={mark.words} />
          <span className={row.title ? "session-title" : "session-title untitled"}>{titleOf(row)}</span>
          <time className="session-time">{ago(row.updated_at_ms, now)}</time>
          {mark.note && <span className="session-note">{mark.note}</span>}
        </a>
      )}
      {doing !== "rename" && (
        <button
          className="button quiet square small session-more"
          aria-label={`Actions for ${titleOf(row)}`}
          aria-expanded={doing !== null}
          title="Rename, archive, delete"
          onClick={() => onDo(doing ? null : "actions")}
        >
          <Icon name="more" />
        </button>
      )}
      {doing === "actions" && <Actions row={row} onDo={onDo} />}
      {doing === "delete" && <Confirm row={row} onDo={onDo} />}
    </div>
  );
}

function Actions({ row, onDo }: { row: SessionRow; onDo: (doing: Doing) => void }) {
  const archive = () => {
    void submitOrAlert(row.session, { type: "archive", archived: !row.archived });
    onDo(null);
  };
  const isReadable = row.status !== "damaged";
  return (
    <div className="session-actions" role="group" aria-label="Actions" onKeyDown={(event) => { if (event.key === "Escape") onDo(null); }}>
      {isReadable && <button className="button quiet small" onClick={() => onDo("rename")}>Rename</button>}
      {isReadable && <button className="button quiet small" onClick={archive}>{row.archived ? "Unarchive" : "Archive"}</button>}
      <button className="button quiet small danger" onClick={() => onDo("delete")}>Delete</button>
    </div>
  );
}

function Confirm({ row, onDo }: { row: SessionRow; onDo: (doing: Doing) => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  const isAtWork = row.status === "running" || row.goal?.armed;
  return (
    <div className="session-confirm" role="alertdialog" aria-label={`Delete ${titleOf(row)}?`} onKeyDown={(event) => { if (event.key === "Escape") onDo(null); }}>
      <p>Delete this session for good? {isAtWork ? "What it is doing stops. " : ""}Forks keep what they share with it.</p>
      <div>
        <button className="button small bad" onClick={() => { onDo(null); void remove(row.session); }}>Delete</button>
        <button ref={keep} className="button small" onClick={() => onDo(null)}>Keep</button>
      </div>
    </div>
  );
}
