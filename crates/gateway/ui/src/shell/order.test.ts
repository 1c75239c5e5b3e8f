import { describe, expect, test } from "vitest";
import type { SessionRow } from "../wire/frames";
import { listed, markOf } from "./order";

function row(session: string, at: number, more: Partial<SessionRow> = {}): SessionRow {
  return { session, title: session, status: "idle", updated_at_ms: at, workspace: "/", parent: null, archived: false, goal: null, ...more };
}

const seen = (rows: SessionRow[]) => listed(rows).map((entry) => "-".repeat(entry.depth) + entry.row.session);

describe("the session list", () => {
  test("a_fork_stands_under_its_parent_and_lifts_it", () => {
    expect(seen([row("a", 1), row("b", 2), row("fork", 3, { parent: "a" })])).toEqual(["a", "-fork", "b"]);
  });
  test("a_fork_without_its_parent_in_sight_stands_alone", () => {
    expect(seen([row("b", 1), row("fork", 3, { parent: "a" })])).toEqual(["fork", "b"]);
  });
  test("rows_of_one_moment_stand_by_id", () => {
    expect(seen([row("b", 1), row("a", 1), row("c", 1)])).toEqual(["a", "b", "c"]);
  });
  test("waiting_for_a_person_outranks_an_armed_goal", () => {
    const goal = { phase: "active" as const, armed: true };
    expect(markOf(row("a", 1, { status: "waiting", goal })).kind).toBe("waiting");
    expect(markOf(row("a", 1, { goal })).kind).toBe("goal");
  });
});
