// @vitest-environment happy-dom

import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { doubleClick } from "../stage/hand";
import { Server } from "../stage/server";
import { plan, slices } from "../stage/slices";
import { usePage } from "../state/store";
import type { Envelope } from "../wire/events";
import type { Hello } from "../wire/frames";
import { Dock } from "../dock/Dock";

const VERSION = { plan_id: "p1", revision: 1, sha256: "5ca1ab1e00" };
const PROPOSED: Envelope = {
  seq: 1, batch_end: 1, epoch: 1, at_ms: 0, actor: { kind: "model" }, type: "plan/proposed",
  data: { ...VERSION, title: "Sum", markdown: "# Sum\n\nAdd them up.", from: "text" },
};
const APPROVAL = { type: "plan-review", ...VERSION, verdict: "approve" };

const HELLO: Hello = {
  type: "hello", log: "l", version: "0", model: "m", provider: "p", workspace: "/w", role: "owner", commands: [],
};

const BUTTONS = ["Chat about it", "Keep planning…", "Approve"];
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const areDisabled = () => BUTTONS.map((name) => button(name).disabled);

describe("the plan review", () => {
  afterEach(cleanup);

  test("a_viewer_reads_it_and_cannot_act", async () => {
    const server = new Server();
    const review = { ...VERSION, question_id: "q1", question_revision: 1 };
    await server.opens(slices({ plan: plan({ active: true, review }) }), [PROPOSED]);
    usePage.setState({ hello: { ...HELLO, role: "viewer" } });
    render(<Dock session={server.session} />);
    expect(button("Approve").closest("[inert]")).not.toBeNull();
    expect(screen.queryByLabelText("Prompt")).toBeNull();
    screen.getByText(/You can look at this session/);
    act(() => usePage.setState({ hello: HELLO }));
    expect(button("Approve").closest("[inert]")).toBeNull();
    screen.getByLabelText("Prompt");
  });

  test("a_refused_verdict_is_shown_and_can_be_given_again", async () => {
    const server = new Server();
    const review = { ...VERSION, question_id: "q1", question_revision: 1 };
    await server.opens(slices({ plan: plan({ active: true, review }) }), [PROPOSED]);
    render(<Dock session={server.session} />);
    doubleClick(button("Approve"));
    expect(server.commands).toEqual([APPROVAL]);
    expect(areDisabled()).toEqual([true, true, true]);
    await server.refuses("PLAN_REVIEW_GONE", "no plan waits for review");
    expect(screen.getByRole("alert").textContent).toBe("no plan waits for review PLAN_REVIEW_GONE");
    expect(areDisabled()).toEqual([false, false, false]);
    fireEvent.click(button("Approve"));
    expect(server.commands).toEqual([APPROVAL, APPROVAL]);
    expect(screen.queryByRole("alert")).toBeNull();
    await server.accepts();
    expect(areDisabled()).toEqual([true, true, true]);
  });
});
