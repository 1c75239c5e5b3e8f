// @vitest-environment happy-dom

import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { doubleClick } from "../stage/hand";
import { Server } from "../stage/server";
import { plan, slices } from "../stage/slices";
import { Dock } from "./Dock";

const chip = () => screen.queryByRole<HTMLButtonElement>("button", { name: /^Plan mode on/ });

function drawn(): Server {
  const server = new Server();
  render(<Dock session={server.session} />);
  return server;
}

describe("the plan chip", () => {
  afterEach(cleanup);

  test("there_is_no_chip_unless_plan_mode_is_on_or_coming", async () => {
    const server = drawn();
    expect(chip()).toBeNull();
    await server.opens(slices());
    expect(chip()).toBeNull();
    await server.changes({ plan: plan({ active: true }) });
    expect(chip()).not.toBeNull();
    await server.changes({ plan: plan({ active: true, pending: { target: false, by: "user" } }) });
    expect(chip()).toBeNull();
  });
  test("plan_mode_and_its_coming_are_one_chip_that_says_plan", async () => {
    const server = drawn();
    await server.opens(slices({ plan: plan({ active: true }) }));
    expect(chip()?.textContent).toBe("Plan");
    await server.changes({ plan: plan({ active: false, pending: { target: true, by: "user" } }) });
    expect(chip()?.textContent).toBe("Plan");
  });
  test("a_double_click_leaves_plan_mode_once_and_the_chip_goes_with_it", async () => {
    const server = drawn();
    await server.opens(slices({ plan: plan({ active: true }) }));
    const drawnChip = chip()!;
    doubleClick(drawnChip);
    expect(server.commands).toEqual([{ type: "slash", line: "/plan off" }]);
    expect(drawnChip.disabled).toBe(true);
    await server.accepts();
    expect(chip()).not.toBeNull();
    await server.changes({ plan: plan({ active: false }) });
    expect(chip()).toBeNull();
    expect(server.commands).toHaveLength(1);
  });
});
