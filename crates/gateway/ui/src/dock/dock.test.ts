import { describe, expect, test } from "vitest";
import { matching } from "./Palette";
import { summary } from "./Todos";

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
});
