import { describe, expect, test } from "vitest";
import type { Envelope } from "../wire/events";
import type { Slices } from "../wire/frames";
import { UNSEEN, withOlder, withSnapshot, withUpdate } from "./view";

const slices = { title: null } as Slices;

function events(from: number, to: number): Envelope[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index, batch_end: from + index, epoch: 1, at_ms: 0, actor: { kind: "user" as const },
    type: "user/message", data: { message_id: String(from + index), content: [{ type: "text", text: "x" }] },
  }));
}

function snapshot(from: number, to: number, more: boolean, log = "L") {
  return { type: "snapshot" as const, session: "S", cursor: { log, seq: to }, slices, history: { events: events(from, to), more } };
}

const opened = withSnapshot(UNSEEN, snapshot(11, 20, true));
const span = (view: { transcript: { firstSeq: number; lastSeq: number } }) => [view.transcript.firstSeq, view.transcript.lastSeq];

describe("a view", () => {
  test("history_that_follows_the_cursor_joins_what_is_held", () => {
    const again = withSnapshot(opened, snapshot(21, 25, true));
    expect(span(again)).toEqual([11, 25]);
    expect(again.transcript.rows.length).toBe(15);
  });
  test("a_fresh_page_that_does_not_touch_restarts_the_transcript", () => {
    expect(span(withSnapshot(opened, snapshot(30, 40, true)))).toEqual([30, 40]);
  });
  test("another_log_restarts_the_transcript", () => {
    expect(span(withSnapshot(opened, snapshot(15, 22, false, "M")))).toEqual([15, 22]);
  });
  test("a_snapshot_after_a_resync_restarts_the_transcript", () => {
    expect(span(withSnapshot({ ...opened, stale: true }, snapshot(15, 22, true)))).toEqual([15, 22]);
  });
  test("an_empty_history_at_the_same_cursor_keeps_everything", () => {
    const same = { ...snapshot(21, 20, false), cursor: { log: "L", seq: 20 } };
    expect(span(withSnapshot(opened, same))).toEqual([11, 20]);
    expect(withSnapshot(opened, same).more).toBe(true);
  });
  test("an_update_with_a_gap_asks_to_open_again", () => {
    const update = (from: number) => ({ type: "update" as const, session: "S", cursor: { log: "L", seq: from }, events: events(from, from), slices: {} });
    expect(withUpdate(opened, update(22))).toBeNull();
    expect(withUpdate(opened, update(21))?.transcript.lastSeq).toBe(21);
    expect(withUpdate(UNSEEN, update(21))).toBeNull();
  });
  test("an_older_page_goes_in_front", () => {
    const older = withOlder(opened, { events: events(1, 10), more: false });
    expect(span(older)).toEqual([1, 20]);
    expect(older.more).toBe(false);
  });
});
