// @vitest-environment happy-dom

import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { Server } from "../stage/server";
import { slices } from "../stage/slices";
import { Dock } from "./Dock";
import { retryText } from "./Retrying";

const retry = { attempt: 2, class: "rate-limit", until_ms: 5_000, falls_back: false };

describe("a model that is asked again", () => {
  afterEach(cleanup);

  test("the_wait_counts_down_and_names_why", () => {
    expect(retryText(retry, 900)).toBe("retrying in 5 s (rate limit)");
    expect(retryText(retry, 5_000)).toBe("retrying now (rate limit)");
    expect(retryText({ ...retry, class: "overloaded", falls_back: true }, 6_000)).toBe("retrying now with the fallback model (overloaded)");
  });

  test("the_wait_is_shown_until_the_model_answers", async () => {
    const server = new Server();
    const there = slices({});
    await server.opens(slices({ turn: { ...there.turn, phase: "running", retry } }));
    render(<Dock session={server.session} />);
    expect(screen.getByRole("timer").textContent).toBe("retrying now (rate limit)");
    await server.changes({ turn: { ...there.turn, phase: "running" } });
    expect(screen.queryByRole("timer")).toBeNull();
  });
});
