import { useEffect, useMemo, useState } from "react";
import { newSession, select, toggleTheme } from "../state/intents";
import { moreSessions, watchList } from "../state/live";
import { usePage } from "../state/store";
import { Icon } from "./Icon";
import { listed } from "./order";
import { SessionItem, type Doing } from "./SessionItem";

/** A search waits for the end of a word, or nearly. */
const SEARCH_AFTER_MS = 120;

export function Sidebar({ onChosen }: { onChosen: () => void }) {
  const version = usePage((page) => page.hello?.version);
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
      <Search />
      <List onChoose={choose} />
      <div className="side-foot">
        <ArchivedToggle />
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

function Search() {
  const [words, setWords] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => watchList({ query: words.trim() }), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <input
      className="field filter"
      type="search"
      placeholder="Search titles"
      aria-label="Search sessions"
      maxLength={60}
      value={words}
      onChange={(event) => setWords(event.target.value)}
      onKeyDown={(event) => { if (event.key === "Escape") setWords(""); }}
    />
  );
}

function List({ onChoose }: { onChoose: (session: string) => void }) {
  const sessions = usePage((page) => page.sessions);
  const selected = usePage((page) => page.selected);
  const [open, setOpen] = useState<{ session: string; doing: Doing } | null>(null);
  const now = useNow();
  const entries = useMemo(() => listed(sessions?.rows ?? []), [sessions]);
  return (
    <nav className="sessions" aria-label="Session list">
      {entries.map((entry) => (
        <SessionItem
          key={entry.row.session}
          entry={entry}
          isSelected={entry.row.session === selected}
          now={now}
          doing={open?.session === entry.row.session ? open.doing : null}
          onDo={(doing) => setOpen(doing && { session: entry.row.session, doing })}
          onChoose={onChoose}
        />
      ))}
      {sessions?.next && <button className="button quiet small more-sessions" onClick={moreSessions}>Show older sessions</button>}
      {sessions && entries.length === 0 && <p className="side-empty">{sessions.query ? "No title has all of these words." : "No sessions yet."}</p>}
    </nav>
  );
}

function ArchivedToggle() {
  const sessions = usePage((page) => page.sessions);
  if (!sessions || (sessions.archivedTotal === 0 && !sessions.archived)) return null;
  return (
    <button className="link" aria-pressed={sessions.archived} onClick={() => watchList({ archived: !sessions.archived })}>
      {sessions.archived ? "Hide archived" : `Show archived (${sessions.archivedTotal})`}
    </button>
  );
}

/** The clock for relative times: it moves every half minute, and whenever the list changes it is read anew. */
function useNow(): number {
  const sessions = usePage((page) => page.sessions);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [sessions]);
  return now;
}
