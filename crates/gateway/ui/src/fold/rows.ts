// What the transcript shows, one value a row. A row's key is stable: it never depends on the page it came in.

import type { Actor, Answer, EndReason, QuestionItem } from "../wire/events";

interface At {
  key: string;
  seq: number;
  atMs: number;
}

/** A prompt that a person wrote. */
export interface UserRow extends At {
  kind: "user";
  text: string;
  images: number;
}

/** A slash line as it was typed. */
export interface CommandRow extends At {
  kind: "command";
  line: string;
}

/** What came of a slash line. */
export interface ReplyRow extends At {
  kind: "reply";
  ok: boolean;
  text: string;
}

/** What streamed so far in one channel: `end` counts UTF-8 bytes from the start of the attempt. */
export interface Stream {
  text: string;
  end: number;
}

/** One answer of the model, streaming until its final message replaces it. */
export interface AssistantRow extends At {
  kind: "assistant";
  turn: number;
  step: number;
  /** The attempt that streams, from 1; 0 once the message is final. */
  attempt: number;
  text: Stream;
  reasoning: Stream;
  plan: Stream;
  state: "streaming" | "final" | "interrupted";
}

export interface ToolRow extends At {
  kind: "tool";
  turn: number;
  callId: string;
  /** Absent when the call lies in an older page. */
  name: string | null;
  args: string;
  state: "called" | "running" | "ok" | "error" | "stopped";
  sandbox: string | null;
  result: string;
  error: { code: string; message: string } | null;
  diff: string | null;
  durationMs: number | null;
}

/** A plan that was put forward. */
export interface PlanRow extends At {
  kind: "plan";
  planId: string;
  revision: number;
  title: string;
  markdown: string;
  sha256: string;
  callId: string | null;
  verdict: string | null;
  feedback: string | null;
}

/** A question to a person, with its answer once there is one. */
export interface QuestionRow extends At {
  kind: "question";
  questionId: string;
  callId: string | null;
  items: QuestionItem[];
  answers: Answer[] | null;
  /** Who answered; the host where the time was over. */
  by: Actor | null;
  withdrawn: string | null;
}

/** A goal round begins. */
export interface RoundRow extends At {
  kind: "round";
  round: number;
  /** Absent when the goal lies in an older page. */
  max: number | null;
  prompt: string;
}

/** One line about the session itself. */
export interface NoteRow extends At {
  kind: "note";
  tone: "plain" | "goal" | "plan" | "warn" | "bad";
  text: string;
  detail: string;
}

/** A turn is over; `cut` is where a fork may begin. */
export interface TurnEndRow extends At {
  kind: "turn-end";
  turn: number;
  reason: EndReason;
  cut: number;
  durationMs: number | null;
}

export type Row =
  | UserRow
  | CommandRow
  | ReplyRow
  | AssistantRow
  | ToolRow
  | PlanRow
  | QuestionRow
  | RoundRow
  | NoteRow
  | TurnEndRow;
