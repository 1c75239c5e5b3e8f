import { describe, expect, test } from "vitest";
import type { Envelope } from "../wire/events";
import { EMPTY, extend, touches } from "./fold";
import type { Row } from "./rows";

let next = 1;

function log(...facts: [type: string, data: object][]): Envelope[] {
  next = 1;
  return facts.map(([type, data]) => event(type, data));
}

function event(type: string, data: object, batchEnd?: number): Envelope {
  const seq = next;
  next += 1;
  return { seq, batch_end: batchEnd ?? seq, epoch: 1, at_ms: seq * 1000, actor: { kind: "host" }, type, data };
}

function rows(events: Envelope[]): readonly Row[] {
  return extend(EMPTY, events).rows;
}

/** One line a row: what a person would see of it. */
function seen(row: Row): string {
  switch (row.kind) {
    case "user": return `user: ${row.text}`;
    case "command": return `command: ${row.line}`;
    case "reply": return `reply ${row.ok ? "ok" : "refused"}: ${row.text}`;
    case "assistant": return `assistant ${row.state}: ${[row.reasoning, row.text, row.plan].map((part) => part.text).join("|")}`;
    case "tool": return `tool ${row.name ?? row.callId} ${row.state}: ${row.result}`;
    case "plan": return `plan ${row.title} ${row.verdict ?? "open"}`;
    case "question": return `question ${row.answers?.flatMap((answer) => answer.selected).join() ?? row.withdrawn ?? "open"}`;
    case "round": return `round ${row.round}/${row.max ?? "?"}`;
    case "note": return `note: ${row.text}`;
    case "turn-end": return `turn ${row.turn} ${row.reason.kind} cut ${row.cut}`;
  }
}

function check(events: Envelope[], lines: string[]): void {
  expect(rows(events).map(seen)).toEqual(lines);
}

const text = (value: string) => [{ type: "text", text: value }];
const delta = (offset: number, value: string, more: object = {}): [string, object] => [
  "assistant/delta",
  { turn: 1, step: 1, attempt: 1, offset, channel: "text", text: value, ...more },
];
const message = (content: object[], more: object = {}): [string, object] => [
  "assistant/message",
  { turn: 1, step: 1, message_id: "x", content, ...more },
];
const call = (id: string, name: string): [string, object] => [
  "tool/call",
  { turn: 1, step: 1, call_id: id, name, arguments: "{}" },
];
const result = (id: string, value: string, more: object = {}): [string, object] => [
  "tool/result",
  { call_id: id, outcome: "ok", content: text(value), ...more },
];
const turnEnd = (kind: string): [string, object] => ["turn/end", { turn: 1, reason: { kind } }];

describe("streaming", () => {
  test("deltas_join_by_their_byte_offset", () => {
    check(log(delta(0, "grün "), delta(6, "und blau")), ["assistant streaming: |grün und blau|"]);
  });
  test("a_piece_that_overlaps_adds_only_its_new_bytes", () => {
    check(log(delta(0, "grün "), delta(4, "n und")), ["assistant streaming: |grün und|"]);
  });
  test("a_piece_that_is_wholly_known_changes_nothing", () => {
    check(log(delta(0, "abc"), delta(1, "b")), ["assistant streaming: |abc|"]);
  });
  test("a_stream_whose_head_is_in_an_older_page_begins_with_an_ellipsis", () => {
    check(log(delta(40, "the rest")), ["assistant streaming: |…the rest|"]);
  });
  test("channels_are_counted_apart", () => {
    check(log(delta(0, "hm", { channel: "reasoning" }), delta(0, "yes"), delta(0, "# P", { channel: "plan" })), [
      "assistant streaming: hm|yes|# P",
    ]);
  });
  test("a_later_attempt_starts_over_and_an_older_one_is_ignored", () => {
    check(log(delta(0, "first"), delta(0, "second", { attempt: 2 }), delta(5, " late")), ["assistant streaming: |second|"]);
  });
  test("the_message_replaces_what_streamed", () => {
    check(log(delta(0, "rough"), message(text("final")), delta(5, " late")), ["assistant final: |final|"]);
  });
  test("an_interrupted_message_says_so", () => {
    check(log(delta(0, "half"), message(text("half"), { interrupted: true })), ["assistant interrupted: |half|"]);
  });
  test("a_stream_without_a_message_is_interrupted_by_its_turns_end", () => {
    check(log(delta(0, "half"), turnEnd("aborted")), ["assistant interrupted: |half|", "turn 1 aborted cut 2"]);
  });
  test("a_plan_block_in_the_message_is_shown_as_a_plan", () => {
    check(log(message(text("So:\n<proposed_plan>\n# P\n</proposed_plan>\nOk?"))), ["assistant final: |So:\n\nOk?|# P"]);
  });
  test("a_message_of_calls_alone_leaves_no_empty_answer", () => {
    const blocks = [{ type: "tool-call", call_id: "k", name: "read_file", arguments: "{}" }];
    check(log(delta(0, " "), message(blocks)), ["tool read_file called: "]);
  });
});

describe("tools", () => {
  test("a_result_finds_its_call_between_other_calls", () => {
    check(log(call("a", "read_file"), call("b", "search"), result("b", "two"), result("a", "one")), [
      "tool read_file ok: one",
      "tool search ok: two",
    ]);
  });
  test("a_result_without_its_call_shows_the_call_id", () => {
    check(log(result("lost", "text")), ["tool lost ok: text"]);
  });
  test("a_call_that_never_started_is_stopped_not_failed", () => {
    const error = { code: "TOOL_NOT_STARTED", message: "no" };
    check(log(call("a", "x"), result("a", "", { outcome: "error", error })), ["tool x stopped: "]);
  });
  test("a_call_without_result_stops_with_its_turn", () => {
    check(log(call("a", "x"), ["tool/started", { call_id: "a", class: "exec" }], turnEnd("interrupted")), [
      "tool x stopped: ",
      "turn 1 interrupted cut 3",
    ]);
  });
  test("a_question_takes_the_place_of_its_call", () => {
    const asked = { question_id: "q", revision: 1, call_id: "a", intent: { kind: "ask-user" }, items: [] };
    const answered = { question_id: "q", revision: 1, answers: [{ id: "1", selected: ["Yes"] }] };
    check(log(call("a", "ask_user_question"), ["question/asked", asked], ["question/answered", answered], result("a", "Yes")), [
      "question Yes",
    ]);
  });
});

describe("course", () => {
  const run = { command_id: "c", name: "goal", args: " ship it\nsoon \n" };
  const done = { command_id: "c", kind: "success", text: "Goal set." };

  test("a_slash_line_is_a_bubble_with_its_reply", () => {
    check(log(["command/run", run], ["command/done", done]), ["command: /goal ship it\nsoon", "reply ok: Goal set."]);
  });
  test("a_reply_without_its_line_stands_alone", () => {
    check(log(["command/done", { ...done, kind: "error" }]), ["reply refused: Goal set."]);
  });
  test("what_a_slash_line_did_needs_no_note_beside_its_reply", () => {
    const goal = { operation: "create", goal: { objective: "ship it", budgets: { rounds: 8 } }, rounds_started: 0 };
    next = 1;
    const batch = [event("command/run", run, 3), event("goal/change", goal, 3), event("command/done", done, 3)];
    check(batch, ["command: /goal ship it\nsoon", "reply ok: Goal set."]);
  });
  test("the_message_of_a_plan_line_is_shown_once", () => {
    const line: [string, object] = ["command/run", { command_id: "c", name: "plan", args: " add a flag" }];
    const reply: [string, object] = ["command/done", { command_id: "c", kind: "success", text: "Soon." }];
    const said = (words: string): [string, object] => ["user/message", { message_id: words, source: { kind: "user" }, content: text(words) }];
    const shown = ["command: /plan add a flag", "reply ok: Soon."];
    check(log(line, reply, ["plan/mode", { active: true }], said("add a flag")), [...shown, "note: Plan mode on"]);
    check(log(line, reply, said("something else")), [...shown, "user: something else"]);
    check(log(line, reply, said("something else"), said("add a flag")), [...shown, "user: something else", "user: add a flag"]);
  });
  test("a_round_knows_the_goals_limit", () => {
    const goal = { operation: "create", goal: { objective: "o", budgets: { rounds: 8 } } };
    const round = { message_id: "m", source: { kind: "goal", goal_id: "g", revision: 1, round: 2 }, content: text("go on") };
    check(log(["goal/change", goal], ["user/message", round]), ["note: Goal set: o", "round 2/8"]);
    check(log(["user/message", round]), ["round 2/?"]);
  });
  test("a_reviewed_plan_carries_its_verdict", () => {
    const proposed = { plan_id: "p", revision: 1, title: "T", markdown: "# T", sha256: "s", from: "tool" };
    const reviewed = { plan_id: "p", revision: 1, verdict: "approved" };
    check(log(call("a", "exit_plan_mode"), ["plan/proposed", proposed], ["plan/reviewed", reviewed], result("a", "ok")), [
      "plan T approved",
    ]);
    const block = message(text("Here:\n<proposed_plan>\n# T\n</proposed_plan>"));
    const told: [string, object] = ["plan/proposed", { ...proposed, from: "text" }];
    check(log(block, told), ["assistant final: |Here:|", "plan T open"]);
    check(log(told, block), ["plan T open", "assistant final: |Here:|"]);
    check(log(["plan/reviewed", reviewed]), ["note: Plan approved"]);
  });
  test("a_fork_cuts_at_the_end_of_the_turns_batch", () => {
    next = 1;
    check([event("turn/end", { turn: 4, reason: { kind: "completed" } }, 9)], ["turn 4 completed cut 9"]);
  });
  test("unknown_types_are_ignored", () => {
    check(log(["future/thing", { a: 1 }]), []);
  });
});

describe("pages", () => {
  const whole = log(
    ["turn/start", { turn: 1 }],
    ["user/message", { message_id: "m", source: { kind: "user" }, content: text("do it") }],
    delta(0, "On "),
    delta(3, "it"),
    ["command/run", { command_id: "c", name: "todo", args: "" }],
    ["command/done", { command_id: "c", kind: "error" }],
    message([...text("On it."), { type: "tool-call", call_id: "a", name: "read_file", arguments: "{}" }]),
    call("a", "read_file"),
    ["tool/started", { call_id: "a", class: "read" }],
    result("a", "1: x", { duration_ms: 3 }),
    turnEnd("completed"),
  );

  test("repeats_change_nothing", () => {
    const once = extend(EMPTY, whole);
    expect(extend(once, whole)).toBe(once);
    expect(extend(extend(EMPTY, whole.slice(0, 6)), whole).rows).toEqual(once.rows);
  });
  test("order_within_a_page_does_not_matter", () => {
    expect(rows([...whole].reverse())).toEqual(rows(whole));
  });
  test("any_cut_into_an_older_and_a_newer_page_gives_the_same_rows", () => {
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const newer = extend(EMPTY, whole.slice(cut));
      expect(extend(newer, whole.slice(0, cut)).rows).toEqual(rows(whole));
    }
  });
  test("any_cut_into_two_batches_gives_the_same_rows", () => {
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const first = extend(EMPTY, whole.slice(0, cut));
      expect(extend(first, whole.slice(cut)).rows).toEqual(rows(whole));
    }
  });
  test("replaced_deltas_are_let_go_without_a_trace", () => {
    const folded = extend(EMPTY, whole);
    expect(folded.events.length).toBe(whole.length - 1);
    expect(extend(EMPTY, [...folded.events]).rows).toEqual(folded.rows);
  });
  test("a_row_that_did_not_change_stays_the_same_value", () => {
    const before = extend(EMPTY, whole.slice(0, 8));
    const after = extend(before, whole.slice(8));
    expect(after.rows[0]).toBe(before.rows[0]);
  });
  test("a_page_with_a_gap_does_not_touch", () => {
    const held = extend(EMPTY, whole.slice(0, 4));
    expect(touches(held, whole.slice(4))).toBe(true);
    expect(touches(held, whole.slice(5))).toBe(false);
    expect(touches(held, whole.slice(2))).toBe(true);
  });
});
