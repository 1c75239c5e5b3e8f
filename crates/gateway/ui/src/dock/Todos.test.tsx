// @vitest-environment happy-dom

import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { Server } from "../stage/server";
import { slices, turn } from "../stage/slices";
import type { Todo } from "../wire/events";
import { Dock } from "./Dock";

const TODOS: Todo[] = [
  { content: "Read", status: "completed" },
  { content: "Write", status: "in_progress" },
  { content: "Test", status: "pending" },
];
const panel = () => screen.queryByRole("region", { name: "To-dos" });
const glyphs = () => within(panel()!).getAllByRole("img").map((glyph) => glyph.getAttribute("aria-label"));

function drawn(): Server {
  const server = new Server();
  render(<Dock session={server.session} />);
  return server;
}

describe("the to-do panel", () => {
  afterEach(cleanup);

  test("an_empty_list_has_no_panel", async () => {
    const server = drawn();
    await server.opens(slices({ todos: [] }));
    expect(panel()).toBeNull();
    await server.changes({ todos: TODOS });
    expect(panel()).not.toBeNull();
    await server.changes({ todos: [] });
    expect(panel()).toBeNull();
  });
  test("the_panel_comes_and_goes_with_the_list", async () => {
    const server = drawn();
    expect(panel()).toBeNull();
    await server.opens(slices({ todos: TODOS, turn: turn("running") }));
    expect(panel()?.textContent).toBe("To-dos1 completed\u2002·\u20021 in progress\u2002·\u20021 pending");
    await server.changes({ todos: null });
    expect(panel()).toBeNull();
  });
  test("what_a_turn_leaves_in_progress_is_not_finished_once_it_is_over", async () => {
    const server = drawn();
    await server.opens(slices({ todos: TODOS, turn: turn("running") }));
    fireEvent.click(within(panel()!).getByRole("button"));
    expect(glyphs()).toEqual(["completed", "in progress", "pending"]);
    await server.changes({ turn: turn("waiting") });
    expect(glyphs()).toEqual(["completed", "in progress", "pending"]);
    await server.changes({ turn: turn("idle") });
    expect(glyphs()).toEqual(["completed", "not finished", "pending"]);
    expect(panel()?.textContent).toContain("1 completed\u2002·\u20021 not finished\u2002·\u20021 pending");
  });
});
