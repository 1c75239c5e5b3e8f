// The far end of the page's socket, in the hands of a test: what is drawn is the page itself, and what it sends is kept.

import { act } from "@testing-library/react";
import type { Socket } from "../state/connection";
import { connect, openSelected } from "../state/live";
import { usePage } from "../state/store";
import type { Envelope } from "../wire/events";
import type { ClientFrame, CommandFrame, ServerFrame, Slices } from "../wire/frames";

class Wire implements Socket {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  sent: ClientFrame[] = [];
  send(text: string): void { this.sent.push(JSON.parse(text) as ClientFrame); }
  close(): void { this.onclose?.(); }
}

const wire = new Wire();
let sessions = 0;

/** Serves one session, which this tab has chosen and has not been told of yet. */
export class Server {
  readonly session = `s${(sessions += 1)}`;
  private seq = 0;

  constructor() {
    if (!wire.onopen) dial();
    usePage.setState({ selected: this.session });
    openSelected();
  }

  /** The page's commands so far, oldest first. */
  get commands() {
    return this.frames.map((frame) => frame.command);
  }

  private get frames(): CommandFrame[] {
    return wire.sent.filter((frame): frame is CommandFrame => frame.type === "command" && frame.session === this.session);
  }

  /** Tells the whole of the session. */
  async opens(slices: Slices, events: Envelope[] = []): Promise<void> {
    await tell({ type: "snapshot", session: this.session, cursor: this.next(), slices, history: { events, more: false } });
  }

  /** Tells what has changed. */
  async changes(slices: Partial<Slices>): Promise<void> {
    await tell({ type: "update", session: this.session, cursor: this.next(), events: [], slices });
  }

  /** Says of the newest command that it is recorded. */
  async accepts(): Promise<void> {
    await tell({ type: "receipt", id: this.newestId(), session: this.session, seq: this.seq, reply: null });
  }

  /** Says no to the newest command. */
  async refuses(code: string, message: string, current: unknown = null): Promise<void> {
    await tell({ type: "refused", id: this.newestId(), session: this.session, code, message, current });
  }

  private newestId(): string {
    const frame = this.frames.at(-1);
    if (!frame) throw new Error("the page has sent no command");
    return frame.id;
  }

  private next() {
    this.seq += 1;
    return { log: "log", seq: this.seq };
  }
}

function dial(): void {
  Object.assign(globalThis, { WebSocket: function WebSocket() { return wire; } });
  connect();
  wire.onopen?.();
}

async function tell(frame: ServerFrame): Promise<void> {
  await act(async () => { wire.onmessage?.({ data: JSON.stringify(frame) }); });
}
