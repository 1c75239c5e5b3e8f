// What a tab knows of one session, and how a frame changes it. Pure.

import { EMPTY, extend, touches, type Transcript } from "../fold/fold";
import type { Envelope } from "../wire/events";
import type { Cursor, ServerFrame, Slices } from "../wire/frames";

export interface View {
  slices: Slices | null;
  transcript: Transcript;
  /** Where to go on from after a lost socket. */
  cursor: Cursor | null;
  /** Whether older history exists. */
  more: boolean;
  loadingOlder: boolean;
  /** The next snapshot replaces the transcript, whatever it holds. */
  stale: boolean;
  /** Why the server no longer serves the session to this tab. */
  closed: string | null;
  deleted: boolean;
}

export const UNSEEN: View = {
  slices: null,
  transcript: EMPTY,
  cursor: null,
  more: false,
  loadingOlder: false,
  stale: false,
  closed: null,
  deleted: false,
};

type Frame<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

/** Slices replace all; history joins what is held if it follows on from it, and else replaces it. */
export function withSnapshot(view: View, frame: Frame<"snapshot">): View {
  const { events, more } = frame.history;
  const joins =
    !view.stale &&
    view.cursor !== null &&
    view.cursor.log === frame.cursor.log &&
    frame.cursor.seq >= view.transcript.lastSeq &&
    (frame.history.follows || (events.length > 0 ? touches(view.transcript, events) : frame.cursor.seq === view.cursor.seq));
  const held = joins ? view.transcript : EMPTY;
  const reachesFurther = !joins || (events[0]?.seq ?? Infinity) < held.firstSeq;
  return {
    ...view,
    slices: frame.slices,
    transcript: extend(held, events),
    cursor: frame.cursor,
    more: reachesFurther ? more : view.more,
    loadingOlder: false,
    stale: false,
    closed: null,
  };
}

/** Returns null when the update does not follow on from what is held: the session must be opened again. */
export function withUpdate(view: View, frame: Frame<"update">): View | null {
  if (!view.slices || !touches(view.transcript, frame.events)) return null;
  return {
    ...view,
    slices: { ...view.slices, ...frame.slices },
    transcript: extend(view.transcript, frame.events),
    cursor: frame.cursor,
  };
}

export function withOlder(view: View, page: { events: Envelope[]; more: boolean }): View {
  if (!touches(view.transcript, page.events)) return { ...view, loadingOlder: false };
  return { ...view, transcript: extend(view.transcript, page.events), more: page.more, loadingOlder: false };
}
