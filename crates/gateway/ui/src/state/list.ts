// The session list as far as this tab has it: its head, the pages that were asked for, and what changed since.

import type { ServerFrame, SessionRow } from "../wire/frames";

export interface SessionList {
  rows: readonly SessionRow[];
  /** Where the page behind these rows begins; none when there is no more. */
  next: string | null;
  /** Sessions that are put away, whatever is searched for. */
  archivedTotal: number;
  /** What it was searched for. */
  query: string;
  archived: boolean;
}

type Frame<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

export function withHead(frame: Frame<"sessions">): SessionList {
  const { rows, next, archived_total: archivedTotal, query, archived } = frame;
  return { rows, next, archivedTotal, query, archived };
}

export function withMore(list: SessionList, frame: Frame<"sessions-more">): SessionList {
  return { ...list, rows: joined(list.rows, frame.rows), next: frame.next };
}

export function withChanges(list: SessionList, frame: Frame<"sessions-changed">): SessionList {
  const gone = new Set(frame.gone);
  const rows = joined(list.rows, frame.rows).filter((row) => !gone.has(row.session));
  return { ...list, rows, archivedTotal: frame.archived_total };
}

/** Each row once, the newest word on it. */
function joined(held: readonly SessionRow[], told: readonly SessionRow[]): SessionRow[] {
  const rows = new Map(held.map((row) => [row.session, row]));
  for (const row of told) rows.set(row.session, row);
  return [...rows.values()];
}
