// @vitest-environment happy-dom

import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import type { ToolRow } from "../fold/rows";
import { Tool } from "./Tool";

function row(todos: object[]): ToolRow {
  return {
    kind: "tool", key: "c1", seq: 4, atMs: 0, turn: 1, callId: "c1", name: "todo_write", args: JSON.stringify({ todos }),
    state: "ok", sandbox: null, result: "", error: null, diff: null, durationMs: null,
  };
}

describe("a drawn tool row", () => {
  afterEach(cleanup);

  test("how_many_more_are_active_stands_outside_the_text_that_is_cut_short", () => {
    const active = ["Read", "Write", "Test"].map((content) => ({ content, status: "in_progress" }));
    render(<Tool session="s" row={row([...active, { content: "Rest", status: "pending" }])} />);
    const cut = screen.getByText("0/4 completed · Read").closest(".fold-hint");
    expect(cut?.textContent).toBe("0/4 completed · Read");
    expect(screen.getByText("+2").closest(".tool-side")?.previousElementSibling).toBe(cut);
  });
});
