// Events to transcript rows. Pure: the same events give the same rows, whatever pages they came in and
// however often they are repeated.

import type { Envelope, EventData } from "../wire/events";
import * as answers from "./answers";
import * as course from "./course";
import type { Draft } from "./draft";
import type { Row } from "./rows";

export interface Transcript {
  /** Every event held, by seq; deltas that a message replaced are let go. */
  events: readonly Envelope[];
  rows: readonly Row[];
  /** First seq held; 0 when there is none. */
  firstSeq: number;
  /** Last seq held; 0 when there is none. */
  lastSeq: number;
  slashBatch: number;
  roundsMax: number | null;
  turnStartedMs: number | null;
}

export const EMPTY: Transcript = {
  events: [],
  rows: [],
  firstSeq: 0,
  lastSeq: 0,
  slashBatch: 0,
  roundsMax: null,
  turnStartedMs: null,
};

/** Brings the transcript up to date with a page or a batch, in whatever order and with whatever repeats. */
export function extend(transcript: Transcript, page: readonly Envelope[]): Transcript {
  const events = sortedOnce(page);
  const newer = events.filter((event) => event.seq > transcript.lastSeq);
  const older = events.filter((event) => event.seq < transcript.firstSeq);
  if (older.length > 0) return append(EMPTY, [...older, ...transcript.events, ...newer]);
  return newer.length > 0 ? append(transcript, newer) : transcript;
}

/** Says whether a page follows on, without a gap, from what is held. */
export function touches(transcript: Transcript, page: readonly Envelope[]): boolean {
  if (transcript.lastSeq === 0 || page.length === 0) return true;
  const seqs = page.map((event) => event.seq);
  return Math.min(...seqs) <= transcript.lastSeq + 1 && Math.max(...seqs) >= transcript.firstSeq - 1;
}

function sortedOnce(page: readonly Envelope[]): Envelope[] {
  const bySeq = new Map(page.map((event) => [event.seq, event]));
  return [...bySeq.values()].sort((left, right) => left.seq - right.seq);
}

function append(transcript: Transcript, events: readonly Envelope[]): Transcript {
  const draft: Draft = {
    rows: [...transcript.rows],
    slashBatch: transcript.slashBatch,
    roundsMax: transcript.roundsMax,
    turnStartedMs: transcript.turnStartedMs,
  };
  for (const event of events) foldEvent(draft, event);
  const held = events.length > 0 ? [...transcript.events, ...events] : transcript.events;
  return {
    ...draft,
    events: events.some((event) => event.type === "assistant/message") ? withoutReplaced(held) : held,
    firstSeq: transcript.firstSeq || (events[0]?.seq ?? 0),
    lastSeq: events.at(-1)?.seq ?? transcript.lastSeq,
  };
}

/**
 * Lets go of deltas whose step has its message: folding the rest again gives the same rows. The first delta
 * of a step stays, for it is what gives the answer its place.
 */
function withoutReplaced(events: readonly Envelope[]): Envelope[] {
  const steps = new Set(events.flatMap((event) => (event.type === "assistant/message" ? [stepOf(event)] : [])));
  const placed = new Set<string>();
  return events.filter((event) => {
    if (event.type !== "assistant/delta" || !steps.has(stepOf(event))) return true;
    const isFirst = !placed.has(stepOf(event));
    placed.add(stepOf(event));
    return isFirst;
  });
}

function stepOf(event: Envelope): string {
  const data = event.data as { turn: number; step: number };
  return `${data.turn}.${data.step}`;
}

function data<T extends keyof EventData>(event: Envelope): EventData[T] {
  return event.data as EventData[T];
}

function foldEvent(draft: Draft, event: Envelope): void {
  switch (event.type) {
    case "user/message": return course.foldUser(draft, event, data<"user/message">(event));
    case "assistant/delta": return answers.foldDelta(draft, event, data<"assistant/delta">(event));
    case "assistant/message": return answers.foldMessage(draft, event, data<"assistant/message">(event));
    case "tool/call": return answers.foldCall(draft, event, data<"tool/call">(event));
    case "tool/started": return answers.foldStarted(draft, event, data<"tool/started">(event));
    case "tool/result": return answers.foldResult(draft, event, data<"tool/result">(event));
    case "turn/start": draft.turnStartedMs = event.at_ms; return;
    case "turn/end": return course.foldTurnEnd(draft, event, data<"turn/end">(event));
    case "request/attempt": return course.foldAttempt(draft, event, data<"request/attempt">(event));
    case "plan/mode": return course.foldPlanMode(draft, event, data<"plan/mode">(event));
    case "plan/proposed": return course.foldProposed(draft, event, data<"plan/proposed">(event));
    case "plan/reviewed": return course.foldReviewed(draft, event, data<"plan/reviewed">(event));
    case "goal/change": return course.foldGoal(draft, event, data<"goal/change">(event));
    case "question/asked": return course.foldAsked(draft, event, data<"question/asked">(event));
    case "question/answered": return course.foldAnswered(draft, data<"question/answered">(event));
    case "question/withdrawn": return course.foldWithdrawn(draft, data<"question/withdrawn">(event));
    case "command/run": return course.foldRun(draft, event, data<"command/run">(event));
    case "command/done": return course.foldDone(draft, event, data<"command/done">(event));
    case "compaction/summary": return course.foldSummary(draft, event, data<"compaction/summary">(event));
    default: return;
  }
}
