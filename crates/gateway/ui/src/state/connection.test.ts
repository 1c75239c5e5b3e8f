import { describe, expect, test } from "vitest";
import { Connection, PING_EVERY_MS, retryDelayMs, SILENCE_MAX_MS, type LinkState, type Socket } from "./connection";

class Wire implements Socket {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  sent: string[] = [];
  isClosed = false;
  send(text: string): void { this.sent.push(text); }
  close(): void { this.isClosed = true; }
}

function world(signedIn = true) {
  const wires: Wire[] = [];
  const states: LinkState[] = [];
  const timers: { run: () => void; at: number }[] = [];
  let now = 0;
  const connection = new Connection({
    connect: () => { const wire = new Wire(); wires.push(wire); return wire; },
    isSignedIn: () => Promise.resolve(signedIn),
    now: () => now,
    random: () => 0.5,
    later: (run, ms) => { const timer = { run, at: now + ms }; timers.push(timer); return timer; },
    never: (timer) => { const index = timers.indexOf(timer as never); if (index >= 0) timers.splice(index, 1); },
    onState: (state) => states.push(state),
    onFrame: () => undefined,
  });
  const pass = (ms: number) => {
    now += ms;
    for (const due of timers.filter((timer) => timer.at <= now)) { timers.splice(timers.indexOf(due), 1); due.run(); }
  };
  connection.start();
  return { connection, wires, states, pass };
}

describe("the connection", () => {
  test("waits_longer_after_each_failure_up_to_five_seconds", () => {
    expect([0, 1, 2, 3, 9].map((attempt) => retryDelayMs(attempt, 1))).toEqual([300, 600, 1200, 2400, 5000]);
    expect(retryDelayMs(0, 0)).toBe(300);
    expect(retryDelayMs(9, 0)).toBe(3000);
  });
  test("says_lost_at_once_and_comes_back", () => {
    const { wires, states, pass } = world();
    wires[0]?.onopen?.();
    wires[0]?.onclose?.();
    expect(states).toEqual(["open", "lost"]);
    pass(300);
    wires[1]?.onopen?.();
    expect(states).toEqual(["open", "lost", "open"]);
  });
  test("pings_and_gives_up_a_silent_socket", () => {
    const { wires, states, pass } = world();
    wires[0]?.onopen?.();
    pass(PING_EVERY_MS);
    expect(wires[0]?.sent).toEqual(['{"type":"ping","n":1}']);
    pass(SILENCE_MAX_MS - PING_EVERY_MS);
    expect(wires[0]?.isClosed).toBe(true);
    expect(states.at(-1)).toBe("lost");
  });
  test("stops_when_the_sign_in_is_no_longer_valid", async () => {
    const { wires, states, pass } = world(false);
    wires[0]?.onclose?.();
    await Promise.resolve();
    await Promise.resolve();
    pass(60_000);
    expect(states.at(-1)).toBe("unauthorised");
    expect(wires.length).toBe(1);
  });
  test("does_not_send_without_an_open_socket", () => {
    const { connection } = world();
    expect(connection.send({ type: "ping", n: 1 })).toBe(false);
  });
});
