// The session list as a person reads it: newest first, forks under what they were forked from.

import type { SessionRow } from "../wire/frames";

export interface Listed {
  row: SessionRow;
  depth: number;
}

export function listed(rows: readonly SessionRow[]): Listed[] {
  const ids = new Set(rows.map((row) => row.session));
  const children = new Map<string | null, SessionRow[]>();
  for (const row of rows) {
    const parent = row.parent && ids.has(row.parent) ? row.parent : null;
    const family = children.get(parent);
    if (family) family.push(row);
    else children.set(parent, [row]);
  }
  return below(null, 0, children);
}

function below(parent: string | null, depth: number, children: Map<string | null, SessionRow[]>): Listed[] {
  const rows = (children.get(parent) ?? []).map((row) => ({ row, at: newest(row, children) }));
  rows.sort((left, right) => right.at - left.at || (left.row.session < right.row.session ? -1 : 1));
  return rows.flatMap(({ row }) => [{ row, depth: Math.min(depth, 3) }, ...below(row.session, depth + 1, children)]);
}

/** A family stands where its newest member would. */
function newest(row: SessionRow, children: Map<string | null, SessionRow[]>): number {
  return Math.max(row.updated_at_ms, ...(children.get(row.session) ?? []).map((child) => newest(child, children)));
}

export function titleOf(row: SessionRow): string {
  return row.title ?? "New session";
}

export interface Mark {
  kind: "waiting" | "running" | "goal" | "error" | "idle";
  words: string;
  /** A line under the title, where a person is waited for. */
  note: string;
}

/** What waits for a person outranks what runs. */
export function markOf(row: SessionRow): Mark {
  if (row.status === "damaged") return { kind: "error", words: "damaged", note: "Damaged" };
  if (row.status === "waiting") return { kind: "waiting", words: "waiting for you", note: "Waiting for you" };
  if (row.status === "running") return { kind: "running", words: row.goal?.armed ? "working on its goal" : "running", note: "" };
  if (row.status === "error") return { kind: "error", words: "last turn failed", note: "" };
  if (row.goal?.phase === "blocked") return { kind: "waiting", words: "goal blocked", note: "Goal blocked" };
  if (row.goal?.armed) return { kind: "goal", words: "goal armed", note: "" };
  return { kind: "idle", words: "idle", note: "" };
}
