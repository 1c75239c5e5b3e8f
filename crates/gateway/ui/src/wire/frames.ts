// Frames of the WebSocket protocol `waymark.v1`, both directions.

import type { Answer, Envelope, GoalPhase, Intent, QuestionItem, Todo } from "./events";

export interface Cursor {
  log: string;
  seq: number;
}

export interface PlanReview {
  question_id: string;
  question_revision: number;
  plan_id: string;
  revision: number;
  sha256: string;
}

export interface PlanVersion {
  plan_id: string;
  revision: number;
  title: string;
  sha256: string;
  state: "open" | "approved" | "kept" | "dismissed" | "withdrawn";
  seq: number;
  from: "tool" | "text";
}

export interface PlanSlice {
  active: boolean;
  pending: null | { target: boolean; by: string };
  proposal: null | PlanVersion;
  /** Absent where the server does not tell. */
  approved?: null | PlanVersion;
  review: null | PlanReview;
}

export interface GoalSlice {
  id: string;
  revision: number;
  objective: string;
  phase: GoalPhase;
  blocked_reason: null | { code: string; message: string };
  rounds_max: number;
  rounds_started: number;
  round_in_flight: null | { round: number; state: "queued" | "running" };
  activation: "armed" | "disarmed";
  waiting: null | string;
  evidence: null | string;
  created_at_ms: number;
  updated_at_ms: number;
  cap_reached: boolean;
  budgets: BudgetsSlice;
  back_off: null | { retry: number; until_ms: number; code: string };
  judged: null | { verdict: "accepted" | "refused" | "unjudged"; reason: string };
}

export interface BudgetsSlice {
  tokens_max: null | number;
  tokens_used: number;
  tokens_estimated: boolean;
  time_ms_max: null | number;
  time_ms_used: number;
  no_progress_max: null | number;
  rounds_without_progress: number;
}

export interface TurnSlice {
  number: number;
  phase: "idle" | "running" | "waiting";
  step: number;
  cancelled: boolean;
  last_end: null | { kind: string; message?: string; code?: string };
  /** Set from a failed attempt to ask the model until the next one answers. */
  retry?: RetrySlice;
}

export interface RetrySlice {
  attempt: number;
  class: string;
  until_ms: number;
  falls_back: boolean;
}

export interface InboxItem {
  input_id: string;
  target: "next-turn" | "next-step";
  preview: string;
  source: string;
  held: boolean;
}

export interface QuestionSlice {
  question_id: string;
  revision: number;
  call_id: null | string;
  intent: Intent;
  items: QuestionItem[];
  deadline_at_ms: null | number;
  /** Absent where the server does not tell a restart apart. */
  from_epoch_is_current?: boolean;
}

export interface UsageSlice {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  requests: number;
}

export interface SessionSlice {
  workspace: string;
  parent: null | { session: string; fork_seq: number };
  archived: boolean;
  deleted: boolean;
  damage: null | { seq: number; code: string };
}

export interface Slices {
  plan: PlanSlice;
  goal: GoalSlice | null;
  todos: Todo[] | null;
  turn: TurnSlice;
  inbox: InboxItem[];
  questions: QuestionSlice[];
  usage: UsageSlice;
  title: string | null;
  session: SessionSlice;
}

export interface SessionRow {
  session: string;
  title: string | null;
  status: "idle" | "running" | "waiting" | "error" | "damaged";
  updated_at_ms: number;
  workspace: string;
  parent: string | null;
  archived: boolean;
  goal: null | { phase: GoalPhase; armed: boolean };
  /** Why it cannot be used. */
  problem?: string | null;
}

/** A part of the session list, newest first. */
export interface SessionPage {
  rows: SessionRow[];
  /** Where the next one begins. */
  next: string | null;
  archived_total: number;
}

export interface CommandHelp {
  name: string;
  hint: string;
  help: string;
}

export interface Hello {
  type: "hello";
  log: string;
  version: string;
  model: string;
  provider: string;
  workspace: string;
  /** A viewer may look, not act. */
  role: "owner" | "viewer";
  commands: CommandHelp[];
}

export type ServerFrame =
  | Hello
  | ({ type: "sessions"; query: string; archived: boolean } & SessionPage)
  | ({ type: "sessions-more" } & SessionPage)
  | { type: "sessions-changed"; rows: SessionRow[]; gone: string[]; archived_total: number }
  | { type: "snapshot"; session: string; cursor: Cursor; slices: Slices; history: { events: Envelope[]; more: boolean; follows?: boolean } }
  | { type: "update"; session: string; cursor: Cursor; events: Envelope[]; slices: Partial<Slices> }
  | { type: "receipt"; id: string; session: string; seq: number; reply: string | null }
  | { type: "refused"; id: string | null; session: string | null; code: string; message: string; current: unknown }
  | { type: "resync"; session: string; why: string }
  | { type: "closed"; session: string; code: string; why: string }
  | { type: "pong"; n: number };

export interface GoalRef {
  id: string;
  revision: number;
}

export type Target = "next-turn" | "next-step";

export type Command =
  | { type: "prompt"; text: string; target: Target }
  | { type: "slash"; line: string }
  | { type: "stop"; turn: number; keep_inbox: boolean }
  | { type: "plan-set"; active: boolean }
  | {
      type: "plan-review";
      plan_id: string;
      revision: number;
      sha256: string;
      verdict: "approve" | "keep-planning" | "dismiss";
      feedback?: string;
    }
  | { type: "goal-create"; objective: string; rounds_max?: number }
  | { type: "goal-edit"; goal: GoalRef; objective?: string; rounds_max?: number }
  | { type: "goal-pause" | "goal-resume" | "goal-clear" | "goal-complete"; goal: GoalRef }
  | { type: "answer"; question_id: string; revision: number; answers: Answer[] }
  | { type: "dismiss-question"; question_id: string; revision: number }
  | { type: "input-send" | "input-withdraw"; input_id: string }
  | { type: "input-edit"; input_id: string; text: string }
  | { type: "set-title"; title: string }
  | { type: "archive"; archived: boolean };

/** Says whether a command carries what a person typed into the composer. */
export function isSpeech(command: Command): boolean {
  return command.type === "prompt" || command.type === "slash";
}

export interface CommandFrame {
  type: "command";
  id: string;
  session: string;
  command: Command;
}

export type ClientFrame =
  | { type: "open"; session: string; cursor?: Cursor }
  | { type: "close"; session: string }
  | { type: "watch-sessions"; query: string; archived: boolean }
  | { type: "more-sessions"; after: string }
  | { type: "ping"; n: number }
  | CommandFrame;
