// @vitest-environment happy-dom

import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { doubleClick } from "../stage/hand";
import { Server } from "../stage/server";
import { goal, slices } from "../stage/slices";
import type { GoalSlice } from "../wire/frames";
import { Dock } from "./Dock";
import { GoalBar } from "./GoalBar";

const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const press = (name: string) => fireEvent.click(button(name));
const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Objective" });
const write = (value: string) => fireEvent.change(field(), { target: { value } });
const edit = () => press("Edit the objective");
const said = () => screen.queryByRole("alert")?.textContent;

async function drawn(there: GoalSlice): Promise<Server> {
  const server = new Server();
  await server.opens(slices({ goal: there }));
  render(<Dock session={server.session} />);
  return server;
}

describe("the goal bar", () => {
  afterEach(cleanup);

  test("a_double_clear_is_sent_once_and_takes_the_bar_away_until_another_goal_comes", async () => {
    const server = await drawn(goal());
    const clear = button("Clear");
    doubleClick(clear);
    expect(server.commands).toEqual([{ type: "goal-clear", goal: { id: "g1", revision: 3 } }]);
    expect([clear, button("Pause"), button("Edit the objective")].map(({ disabled }) => disabled)).toEqual([true, true, true]);
    await server.accepts();
    expect(screen.queryByText("Ship v1")).toBeNull();
    await server.changes({ goal: null });
    await server.changes({ goal: goal({ id: "g2", revision: 1, objective: "Ship v2" }) });
    expect(screen.queryByText("Ship v2")).not.toBeNull();
    expect(button("Clear").disabled).toBe(false);
  });
  test("a_refused_clear_leaves_the_bar_and_its_buttons", async () => {
    const server = await drawn(goal());
    press("Clear");
    await server.refuses("STORE_FAILED", "nothing can be recorded now");
    expect(said()).toContain("nothing can be recorded now");
    press("Clear");
    expect(server.commands).toHaveLength(2);
  });
  test("an_edit_begins_with_the_objective_and_enter_saves_what_is_not_blank", async () => {
    const server = await drawn(goal());
    edit();
    expect(field().value).toBe("Ship v1");
    write("  ");
    expect(button("Save").disabled).toBe(true);
    fireEvent.keyDown(field(), { key: "Enter" });
    expect(server.commands).toEqual([]);
    write(" Ship v2 ");
    fireEvent.keyDown(field(), { key: "Enter" });
    expect(server.commands).toEqual([{ type: "goal-edit", goal: { id: "g1", revision: 3 }, objective: "Ship v2" }]);
    await server.accepts();
    expect(screen.queryByRole("textbox", { name: "Objective" })).toBeNull();
  });
  test("another_goal_ends_the_edit_of_the_one_before", async () => {
    const server = await drawn(goal());
    edit();
    write("Half a thou");
    await server.changes({ goal: goal({ revision: 4 }) });
    expect(field().value).toBe("Half a thou");
    await server.changes({ goal: goal({ id: "g2", revision: 1, objective: "Rest" }) });
    expect(screen.queryByRole("textbox", { name: "Objective" })).toBeNull();
    edit();
    expect(field().value).toBe("Rest");
  });
  test("a_refused_edit_keeps_what_was_typed_and_says_why", async () => {
    const server = await drawn(goal());
    edit();
    write("Ship v2");
    press("Save");
    await server.refuses("GOAL_STALE_REVISION", "the goal has changed", goal({ revision: 4, phase: "paused" }));
    expect(field().value).toBe("Ship v2");
    expect(said()).toBe("the goal has changed. Now: paused goal. GOAL_STALE_REVISION");
    press("Save");
    expect(server.commands).toHaveLength(2);
    expect(said()).toBeUndefined();
  });
  test("every_verb_names_the_goal_as_it_is_at_the_click", async () => {
    const sent = async (there: GoalSlice, act: () => void) => {
      const server = new Server();
      await server.opens(slices({ goal: { ...there, revision: 5 } }));
      const { unmount } = render(<GoalBar session={server.session} goal={there} />);
      act();
      unmount();
      return server.commands;
    };
    const now = { id: "g1", revision: 5 };
    expect(await sent(goal(), () => press("Pause"))).toEqual([{ type: "goal-pause", goal: now }]);
    expect(await sent(goal({ phase: "paused" }), () => press("Resume"))).toEqual([{ type: "goal-resume", goal: now }]);
    expect(await sent(goal(), () => press("Clear"))).toEqual([{ type: "goal-clear", goal: now }]);
    expect(await sent(goal(), () => { edit(); write("Ship v2"); press("Save"); })).toEqual([
      { type: "goal-edit", goal: now, objective: "Ship v2" },
    ]);
  });
  test("a_verb_without_a_goal_is_not_sent", async () => {
    const of = async (there: GoalSlice, act: () => void) => {
      const server = new Server();
      await server.opens(slices({ goal: null }));
      const { unmount } = render(<GoalBar session={server.session} goal={there} />);
      act();
      await server.changes({});
      const answer = said();
      unmount();
      expect(server.commands).toEqual([]);
      return answer;
    };
    const gone = "There is no goal any more. GOAL_NOT_FOUND";
    expect(await of(goal(), () => press("Pause"))).toBe(gone);
    expect(await of(goal({ phase: "paused" }), () => press("Resume"))).toBe(gone);
    expect(await of(goal(), () => { edit(); write("Ship v2"); press("Save"); })).toBe(gone);
    // It is cleared, as was wished.
    expect(await of(goal(), () => press("Clear"))).toBeUndefined();
  });
});
