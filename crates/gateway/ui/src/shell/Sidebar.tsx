import { useEffect, useMemo, useState } from "react";
import { newSession, select, toggleTheme } from "../state/intents";
import { usePage } from "../state/store";
import { Icon } from "./Icon";
import { listed, markOf, titleOf, type Listed } from "./order";
import { ago } from "./time";

export function Sidebar({ onChosen }: { onChosen: () => void }) {
  const rows = usePage((page) => page.sessions);
  const selected = usePage((page) => page.selected);
  const version = usePage((page) => page.hello?.version);
  const [filter, setFilter] = useState("");
  const [showArchived, setShowArchived] = useState(false);
  const now = useNow();
  const list = useMemo(() => listed(rows ?? [], filter, showArchived), [rows, filter, showArchived]);
  const archived = rows?.filter((row) => row.archived).length ?? 0;
  const choose = (session: string) => {
    select(session);
    onChosen();
  };
  return (
    <aside className="side" aria-label="Sessions">
      <div className="side-top">
        <span className="brand"><Blaze />Waymark</span>
        <button className="button quiet square" title="Switch between dark and light" aria-label="Switch between dark and light" onClick={toggleTheme}>
          <Icon name="theme" />
        </button>
      </div>
      <button className="button new" onClick={() => { void newSession(); onChosen(); }}>
        <Icon name="plus" />New session
      </button>
      <input className="field filter" type="search" placeholder="Filter" aria-label="Filter sessions" value={filter} onChange={(event) => setFilter(event.target.value)} />
      <nav className="sessions" aria-label="Session list">
        {list.map((entry) => (
          <SessionItem key={entry.row.session} entry={entry} isSelected={entry.row.session === selected} now={now} onChoose={choose} />
        ))}
        {rows && list.length === 0 && <p className="side-empty">{filter ? "No session has that in its title." : "No sessions yet."}</p>}
      </nav>
      <div className="side-foot">
        {archived > 0 && (
          <button className="link" aria-pressed={showArchived} onClick={() => setShowArchived(!showArchived)}>
            {showArchived ? "Hide archived" : `Show archived (${archived})`}
          </button>
        )}
        {version && <span className="version">{version}</span>}
      </div>
    </aside>
  );
}

function Blaze() {
  return (
    <svg className="blaze" viewBox="0 0 12 16" width="12" height="16" aria-hidden="true">
      <rect x="0" y="0" width="5" height="9" rx="1" />
      <rect x="7" y="7" width="5" height="9" rx="1" />
    </svg>
  );
}

interface ItemProps {
  entry: Listed;
  isSelected: boolean;
  now: number;
  onChoose: (session: string) => void;
}

function SessionItem({ entry: { row, depth }, isSelected, now, onChoose }: ItemProps) {
  const mark = markOf(row);
  return (
    <a
      className="session"
      href={`#/s/${row.session}`}
      data-depth={depth}
      data-archived={row.archived || undefined}
      aria-current={isSelected ? "page" : undefined}
      title={`${titleOf(row)} · ${row.problem ?? mark.words}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onChoose(row.session);
      }}
    >
      <span className="mark" data-mark={mark.kind} role="img" aria-label={mark.words} />
      <span className={row.title ? "session-title" : "session-title untitled"}>{titleOf(row)}</span>
      <time className="session-time">{ago(row.updated_at_ms, now)}</time>
      {mark.note && <span className="session-note">{mark.note}</span>}
    </a>
  );
}

/** The clock for relative times: it moves every half minute, and whenever the list changes it is read anew. */
function useNow(): number {
  const rows = usePage((page) => page.sessions);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [rows]);
  return now;
}
