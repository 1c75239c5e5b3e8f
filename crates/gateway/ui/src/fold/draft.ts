// The transcript while events are folded into it. It is copied before the first change, never shared.

import type { Envelope } from "../wire/events";
import type { Row } from "./rows";

export interface Draft {
  rows: Row[];
  /** The batch in which the last slash line was recorded: its own facts need no note beside the reply. */
  slashBatch: number;
  /** Rounds of the goal as last seen; absent when the goal lies in an older page. */
  roundsMax: number | null;
  /** When the running turn began, in milliseconds. */
  turnStartedMs: number | null;
}

export function at(envelope: Envelope, key: string): { key: string; seq: number; atMs: number } {
  return { key, seq: envelope.seq, atMs: envelope.at_ms };
}

/** Finds a row from the end: what an event speaks of is nearly always among the newest rows. */
export function lastIndex(draft: Draft, wanted: (row: Row) => boolean): number {
  for (let index = draft.rows.length - 1; index >= 0; index -= 1) {
    const row = draft.rows[index];
    if (row && wanted(row)) return index;
  }
  return -1;
}

/** Replaces the newest row with that key, or adds the row. */
export function put(draft: Draft, row: Row): void {
  const index = lastIndex(draft, (other) => other.key === row.key);
  if (index < 0) draft.rows.push(row);
  else draft.rows[index] = row;
}

/** Returns the newest row with that key, if it is of that kind. */
export function find<K extends Row["kind"]>(draft: Draft, kind: K, key: string): Extract<Row, { kind: K }> | null {
  const row = draft.rows[lastIndex(draft, (other) => other.key === key)];
  return row?.kind === kind ? (row as Extract<Row, { kind: K }>) : null;
}
