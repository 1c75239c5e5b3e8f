import { describe, expect, test } from "vitest";
import { matching } from "./Palette";
import { durationText, tokensText } from "./amounts";
import { budgetsOf } from "./Meters";
import { summary } from "./Todos";
import { isSo } from "./wanted";

const todo = (status: "pending" | "in_progress" | "completed") => ({ content: status, status });

describe("the dock", () => {
  test("a_status_without_items_is_left_out_of_the_summary", () => {
    expect(summary([todo("completed"), todo("in_progress"), todo("pending"), todo("pending")], false)).toBe(
      "1 completed\u2002·\u20021 in progress\u2002·\u20022 pending",
    );
    expect(summary([todo("completed")], false)).toBe("1 completed");
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
  test("amounts_are_shown_as_people_write_them", () => {
    expect([0, 999, 1_250, 15_900, 1_500_000].map(tokensText)).toEqual(["0", "999", "1.2k", "15k", "1.5M"]);
    expect([0, 45_000, 5_400_000, 7_200_000, 93_784_000].map(durationText)).toEqual(["0s", "45s", "1h30m", "2h", "1d2h"]);
  });
  test("a_budget_that_is_unlimited_or_not_touched_has_no_meter", () => {
    const budgets = {
      tokens_max: null, tokens_used: 7, tokens_estimated: true, time_ms_max: null, time_ms_used: 9,
      no_progress_max: 3, rounds_without_progress: 0,
    };
    const shown = (change: object) => budgetsOf({ rounds_max: 8, rounds_started: 2, budgets: { ...budgets, ...change } }).map(({ name, text }) => `${name} ${text}`);
    expect(shown({})).toEqual(["rounds 2/8"]);
    expect(shown({ tokens_max: 10, time_ms_max: 60_000, rounds_without_progress: 2 })).toEqual([
      "rounds 2/8", "tokens about 7/10", "time 0s/1m", "without progress 2/3",
    ]);
  });
});
