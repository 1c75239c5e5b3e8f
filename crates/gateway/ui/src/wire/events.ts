// The recorded facts as they arrive on the wire. Unknown types pass through and are ignored by the fold.

export interface Actor {
  kind: "user" | "model" | "driver" | "host" | "tool";
  client?: string;
}

export interface Envelope {
  seq: number;
  batch_end: number;
  epoch: number;
  at_ms: number;
  cause?: unknown;
  actor: Actor;
  type: string;
  data: unknown;
  ignorable?: boolean;
}

export type Block =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; call_id: string; name: string; arguments: string }
  | { type: "image"; object: string; media_type: string; bytes: number };

export interface Source {
  kind: string;
  goal_id?: string;
  revision?: number;
  round?: number;
  about?: string;
  summary?: string;
}

export interface EndReason {
  kind: string;
  code?: string;
  message?: string;
}

export type Channel = "text" | "reasoning" | "plan";

export interface GoalSnapshot {
  id: string;
  revision: number;
  objective: string;
  phase: GoalPhase;
  blocked_reason?: { code: string; message: string } | null;
  budgets?: { rounds: number };
  evidence?: string | null;
}

export type GoalPhase = "active" | "paused" | "blocked" | "complete";

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

export interface QuestionOption {
  label: string;
  description?: string;
  recommended?: boolean;
}

export interface QuestionItem {
  id: string;
  header: string;
  question: string;
  detail?: string;
  options: QuestionOption[];
  multi_select?: boolean;
}

export interface Answer {
  id: string;
  selected: string[];
  custom?: string;
}

/** The data of each event type that the page looks into. */
export interface EventData {
  "user/message": { message_id: string; input_id?: string; source?: Source; content: Block[] };
  "assistant/delta": { turn: number; step: number; attempt: number; offset: number; channel: Channel; text: string };
  "assistant/message": { turn: number; step: number; content: Block[]; interrupted?: boolean };
  "tool/call": { turn: number; step: number; call_id: string; name: string; arguments: string };
  "tool/started": { call_id: string; class: string; sandbox?: { by: string; profile: string; network?: boolean } };
  "tool/result": {
    call_id: string;
    outcome: "ok" | "error";
    content: Block[];
    error?: { code: string; message: string };
    diff?: string;
    duration_ms?: number;
  };
  "turn/start": { turn: number };
  "turn/end": { turn: number; reason: EndReason };
  "request/attempt": { turn: number; step: number; attempt: number; class: string; message: string; delay_ms: number; fallback?: string };
  "plan/mode": { active: boolean };
  "plan/proposed": { plan_id: string; revision: number; title: string; markdown: string; sha256: string; from: "tool" | "text" };
  "plan/reviewed": { plan_id: string; revision: number; verdict: string; feedback?: string };
  "goal/change": { operation: string; goal?: GoalSnapshot; rounds_started?: number };
  "question/asked": { question_id: string; revision: number; call_id?: string; intent: Intent; items: QuestionItem[] };
  "question/answered": { question_id: string; revision: number; answers: Answer[]; by?: Actor };
  "question/withdrawn": { question_id: string; why: string };
  "command/run": { command_id: string; name: string; args: string };
  "command/done": { command_id: string; kind: "success" | "error"; text?: string };
  "compaction/summary": { first_seq: number; last_seq: number; text: string };
}

/** An intent is a word in a slice and an object with a `kind` in an event. */
export type Intent = string | { kind: string };

export function intentName(intent: Intent): string {
  return typeof intent === "string" ? intent : intent.kind;
}
