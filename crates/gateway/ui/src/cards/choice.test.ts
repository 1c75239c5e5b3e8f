import { describe, expect, test } from "vitest";
import { chosen, isAnswered, toAnswer, typed } from "./choice";

const item = (multi_select: boolean) => ({ id: "i", header: "", question: "", options: [{ label: "A" }, { label: "B" }], multi_select });

describe("an answer", () => {
  test("a_single_choice_and_own_words_exclude_each_other", () => {
    const picked = chosen(item(false), undefined, "A");
    expect(typed(item(false), picked, "else")).toEqual({ selected: [], custom: "else" });
    expect(chosen(item(false), { selected: [], custom: "else" }, "B")).toEqual({ selected: ["B"], custom: "" });
  });
  test("several_choices_go_out_in_the_order_offered_with_own_words", () => {
    const both = typed(item(true), chosen(item(true), chosen(item(true), undefined, "B"), "A"), " more ");
    expect(toAnswer(item(true), both)).toEqual({ id: "i", selected: ["A", "B"], custom: "more" });
  });
  test("blank_words_are_no_answer", () => {
    expect(isAnswered(typed(item(false), undefined, "  "))).toBe(false);
    expect(isAnswered(undefined)).toBe(false);
  });
});
