import { describe, expect, test } from "vitest";
import type { SessionRow } from "../wire/frames";
import { withChanges, withHead, withMore } from "./list";

function row(session: string, title = session): SessionRow {
  return { session, title, status: "idle", updated_at_ms: 1, workspace: "/", parent: null, archived: false, goal: null };
}

const head = withHead({ type: "sessions", query: "a", archived: false, rows: [row("a"), row("b")], next: "1.b", archived_total: 3 });
const seen = (list: { rows: readonly SessionRow[] }) => list.rows.map((row) => row.title);

describe("the session list of a tab", () => {
  test("a_page_joins_what_is_held", () => {
    const list = withMore(head, { type: "sessions-more", rows: [row("c")], next: null, archived_total: 3 });
    expect([seen(list), list.next, list.query]).toEqual([["a", "b", "c"], null, "a"]);
  });
  test("a_changed_row_replaces_the_one_held_and_a_new_one_is_added", () => {
    const list = withChanges(head, { type: "sessions-changed", rows: [row("b", "B"), row("d")], gone: [], archived_total: 3 });
    expect([seen(list), list.next]).toEqual([["a", "B", "d"], "1.b"]);
  });
  test("what_is_gone_is_gone_also_when_it_was_never_held", () => {
    const list = withChanges(head, { type: "sessions-changed", rows: [], gone: ["a", "z"], archived_total: 4 });
    expect([seen(list), list.archivedTotal]).toEqual([["b"], 4]);
  });
});
