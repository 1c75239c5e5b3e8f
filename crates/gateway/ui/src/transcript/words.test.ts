import { describe, expect, test } from "vitest";
import { closed } from "./closed";
import { parseDiff, tally } from "./diff";
import { toolWords } from "./toolWords";

const todos = (...items: unknown[]) => toolWords("todo_write", JSON.stringify({ todos: items }), "call");
const item = (content: unknown, status: string) => ({ content, status });

describe("tool rows", () => {
  test("a_call_names_its_main_argument", () => {
    expect(toolWords("read_file", '{"path":"a.rs","start_line":3}', "c")).toEqual({ verb: "Read", main: "a.rs", isCode: true, extra: "" });
    expect(toolWords("run_command", '{"command":"a\\n  b"}', "c").main).toBe("a ⏎ b");
  });
  test("an_unknown_tool_shows_its_first_text", () => {
    expect(toolWords("deploy", '{"n":1,"where":"here"}', "c")).toMatchObject({ verb: "deploy", main: "here", extra: "" });
  });
  test("unreadable_arguments_are_shown_as_they_are", () => {
    expect(toolWords("read_file", "{oops", "c").main).toBe("{oops");
    expect(toolWords("todo_write", "null", "c")).toMatchObject({ verb: "todo_write", main: "null", extra: "" });
    expect(toolWords("todo_write", '{"todos":[null]}', "c").verb).toBe("todo_write");
  });
  test("a_lost_head_shows_the_call_id", () => {
    expect(toolWords(null, "", "call_7").main).toBe("call_7");
  });
  test("a_todo_row_counts_and_names_the_first_active_item", () => {
    const words = todos(item("a", "completed"), item("b", "in_progress"), item("c", "in_progress"), item("d", "pending"));
    expect(words).toEqual({ verb: "Update to-do list", main: "1/4 completed · b", isCode: false, extra: "+1" });
  });
  test("an_unusable_first_active_item_leaves_the_counts_alone", () => {
    expect(todos(item(" ", "in_progress"), item("b", "in_progress"))).toMatchObject({ main: "0/2 completed", extra: "" });
    expect(todos()).toMatchObject({ main: "0/0 completed", extra: "" });
  });
});

describe("diffs", () => {
  const text = "--- a/x.rs\n+++ b/x.rs\n@@ -3,3 +3,3 @@ fn x\n a\n-b\n+c\n \n--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+hi\n";
  test("lines_carry_the_numbers_of_their_sides", () => {
    const [first, second] = parseDiff(text);
    expect(first?.path).toBe("x.rs");
    expect(first?.lines.map((line) => [line.kind, line.before, line.after])).toEqual([
      ["hunk", null, null], ["same", 3, 3], ["remove", 4, null], ["add", null, 4], ["same", 5, 5],
    ]);
    expect(second?.path).toBe("new.md");
  });
  test("a_removed_line_of_dashes_is_no_file_head", () => {
    expect(tally("@@ -1 +1 @@\n--- a\n+x\n")).toEqual({ added: 1, removed: 1 });
  });
});

describe("growing text", () => {
  test("what_the_last_paragraph_has_begun_is_closed", () => {
    expect(closed("*I am the ")).toBe("*I am the*");
    expect(closed("So **this")).toBe("So **this**");
    expect(closed("In `a.rs")).toBe("In `a.rs`");
    expect(closed("*One* and `two` and **three")).toBe("*One* and `two` and **three**");
  });
  test("what_is_whole_or_no_mark_stays_as_it_is", () => {
    for (const text of ["*One* is `two`.", "* item", "2 * 3", "```\n*x", "*open\n\nNext", "**", "a_b"]) expect(closed(text)).toBe(text);
  });
});
