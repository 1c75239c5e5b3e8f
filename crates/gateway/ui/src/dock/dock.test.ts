import { describe, expect, test } from "vitest";
import { matching } from "./Palette";
import { summary } from "./Todos";
import { isSo } from "./wanted";

const todo = (status: "pending" | "in_progress" | "completed") => ({ content: status, status });

describe("the dock", () => {
  test("a_status_without_items_is_left_out_of_the_summary", () => {
    expect(summary([todo("completed"), todo("in_progress"), todo("pending"), todo("pending")])).toBe(
      "1 completed\u2002·\u20021 in progress\u2002·\u20022 pending",
    );
    expect(summary([todo("completed")])).toBe("1 completed");
  });
  test("the_palette_offers_what_the_line_may_still_become", () => {
    const commands = [{ name: "plan", hint: "", help: "" }, { name: "goal", hint: "", help: "" }];
    const names = (text: string) => matching(commands, text).map((command) => command.name);
    expect(names("/")).toEqual(["plan", "goal"]);
    expect(names("/g")).toEqual(["goal"]);
    expect(names("/goal ship")).toEqual([]);
    expect(names("see /g")).toEqual([]);
  });
  test("a_wish_that_another_tab_fulfilled_first_is_no_complaint", () => {
    const stale = (current: unknown) => ({ code: "GOAL_STALE_REVISION", current });
    expect(isSo("goal-pause", stale({ phase: "paused" }))).toBe(true);
    expect(isSo("goal-pause", stale({ phase: "complete" }))).toBe(false);
    expect(isSo("goal-resume", stale({ phase: "active", activation: "armed" }))).toBe(true);
    expect(isSo("goal-resume", stale({ phase: "active", activation: "disarmed" }))).toBe(false);
    expect(isSo("goal-clear", { code: "GOAL_NOT_FOUND", current: null })).toBe(true);
    expect(isSo("goal-clear", stale({ phase: "paused" }))).toBe(false);
  });
});
