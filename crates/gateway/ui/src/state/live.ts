// The live side: the socket, what its frames change, and commands on their way.

import { uuid } from "../wire/ids";
import type { Command, CommandFrame, ServerFrame } from "../wire/frames";
import { Connection, type Socket } from "./connection";
import { isSignedIn } from "./http";
import { keepDraft, keepOutbox, keptDraft, keptOutbox } from "./kept";
import { withChanges, withHead, withMore, type SessionList } from "./list";
import { alert, changeView, usePage, viewOf } from "./store";
import { withSnapshot, withUpdate } from "./view";

/** What became of a command: recorded at a seq, or refused with the state that refused it. */
export type Outcome =
  | { ok: true; seq: number; reply: string | null }
  | { ok: false; code: string; message: string; current: unknown };

const waiting = new Map<string, (outcome: Outcome) => void>();
let opened: string | null = null;

const connection = new Connection({
  connect: () => new WebSocket(`${location.origin.replace(/^http/, "ws")}/v1/ws`, "waymark.v1") as Socket,
  isSignedIn,
  now: () => performance.now(),
  random: Math.random,
  later: (run, ms) => window.setTimeout(run, ms),
  never: (timer) => window.clearTimeout(timer as number),
  onState: (link) => {
    usePage.setState({ link });
    if (link === "open") greet();
    else opened = null;
  },
  onFrame: receive,
});

export function connect(): void {
  usePage.setState({ outbox: keptOutbox() });
  connection.start();
  window.addEventListener("online", () => connection.start());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connection.start();
  });
}

function greet(): void {
  connection.send({ type: "watch-sessions", ...usePage.getState().wantedList });
  openSelected();
  for (const frame of usePage.getState().outbox) connection.send(frame);
}

/** Watches the selected session, and no other. */
export function openSelected(): void {
  const page = usePage.getState();
  if (opened === page.selected) return;
  if (opened) connection.send({ type: "close", session: opened });
  opened = null;
  if (page.selected) open(page.selected);
}

function open(session: string): void {
  const view = viewOf(usePage.getState(), session);
  const cursor = view.stale ? null : view.cursor;
  if (connection.send({ type: "open", session, ...(cursor ? { cursor } : {}) })) opened = session;
}

/** Asks for the session again, after the server let it go. */
export function reopen(session: string): void {
  changeView(session, (view) => ({ ...view, closed: null }));
  opened = null;
  open(session);
}

function openAfresh(session: string): void {
  changeView(session, (view) => ({ ...view, stale: true }));
  if (opened === session) open(session);
}

function receive(frame: ServerFrame): void {
  switch (frame.type) {
    case "hello": usePage.setState({ hello: frame }); return;
    case "sessions": usePage.setState({ sessions: withHead(frame) }); return;
    case "sessions-more": return changeList((list) => withMore(list, frame));
    case "sessions-changed": return changeList((list) => withChanges(list, frame));
    case "snapshot": changeView(frame.session, (view) => withSnapshot(view, frame)); return;
    case "update": return update(frame);
    case "receipt": return settle(frame.id, { ok: true, seq: frame.seq, reply: frame.reply });
    case "refused": return refuse(frame);
    case "resync": return openAfresh(frame.session);
    case "closed": return close(frame);
    case "pong": return;
  }
}

function changeList(change: (list: SessionList) => SessionList): void {
  usePage.setState(({ sessions }) => (sessions ? { sessions: change(sessions) } : {}));
}

/** Asks for another list than the one that is watched. */
export function watchList(change: { query?: string; archived?: boolean }): void {
  const before = usePage.getState().wantedList;
  const wantedList = { ...before, ...change };
  if (wantedList.query === before.query && wantedList.archived === before.archived) return;
  usePage.setState({ wantedList });
  connection.send({ type: "watch-sessions", ...wantedList });
}

/** Asks for the rows behind those that are held. */
export function moreSessions(): void {
  const next = usePage.getState().sessions?.next;
  if (next) connection.send({ type: "more-sessions", after: next });
}

function close(frame: Extract<ServerFrame, { type: "closed" }>): void {
  const deleted = frame.code === "SESSION_DELETED";
  changeView(frame.session, (view) => ({ ...view, closed: frame.why, deleted }));
}

function update(frame: Extract<ServerFrame, { type: "update" }>): void {
  if (frame.session !== opened) return;
  const view = viewOf(usePage.getState(), frame.session);
  const next = withUpdate(view, frame);
  if (next) changeView(frame.session, () => next);
  // Before the first snapshot there is nothing to bring up to date; after it a gap means to start again.
  else if (view.slices && !view.stale) openAfresh(frame.session);
}

function refuse(frame: Extract<ServerFrame, { type: "refused" }>): void {
  const { code, message, current } = frame;
  if (frame.id) settle(frame.id, { ok: false, code, message, current });
  // A cursor that is not honoured is followed by a resync, which opens the session afresh.
  else if (code.startsWith("CURSOR_")) return;
  else if (frame.session) changeView(frame.session, (view) => ({ ...view, closed: message || code }));
  else alert(message, code);
}

function setOutbox(change: (outbox: CommandFrame[]) => CommandFrame[]): void {
  const outbox = change(usePage.getState().outbox);
  usePage.setState({ outbox });
  keepOutbox(outbox);
}

function settle(id: string, outcome: Outcome): void {
  const frame = usePage.getState().outbox.find((entry) => entry.id === id);
  setOutbox((outbox) => outbox.filter((entry) => entry.id !== id));
  if (frame && outcome.ok) clearSent(frame);
  const resolve = waiting.get(id);
  waiting.delete(id);
  if (resolve) resolve(outcome);
  // Sent before a reload: nobody waits for it any more, but a refusal must still be seen.
  else if (frame && !outcome.ok) alert(outcome.message, outcome.code);
}

/** A draft goes only once the server has it. */
function clearSent({ session, command }: CommandFrame): void {
  const sent = command.type === "prompt" ? command.text : command.type === "slash" ? command.line : null;
  if (sent !== null && draftOf(session).trim() === sent.trim()) setDraft(session, "");
}

export function draftOf(session: string): string {
  return usePage.getState().drafts[session] ?? keptDraft(session);
}

export function setDraft(session: string, text: string): void {
  keepDraft(session, text);
  usePage.setState((page) => ({ drafts: { ...page.drafts, [session]: text } }));
}

/** Sends a command and waits for its receipt or refusal, over reconnects if need be. */
export function submit(session: string, command: Command): Promise<Outcome> {
  const frame: CommandFrame = { type: "command", id: uuid(), session, command };
  setOutbox((outbox) => [...outbox, frame]);
  connection.send(frame);
  return new Promise((resolve) => waiting.set(frame.id, resolve));
}

/** Like `submit`; a refusal is shown as an alert. */
export async function submitOrAlert(session: string, command: Command): Promise<Outcome> {
  const outcome = await submit(session, command);
  if (!outcome.ok) alert(outcome.message, outcome.code);
  return outcome;
}
