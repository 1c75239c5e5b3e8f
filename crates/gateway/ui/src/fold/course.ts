// Folds what a person and the session decide: prompts, slash lines, plans, goals, questions, turn ends.

import { intentName, type Envelope, type EventData } from "../wire/events";
import { takeCall, textOf } from "./answers";
import { at, find, lastIndex, put, type Draft } from "./draft";
import type { NoteRow } from "./rows";
import { NOTHING_STREAMED } from "./stream";

function note(draft: Draft, envelope: Envelope, tone: NoteRow["tone"], text: string, detail = ""): void {
  put(draft, { ...at(envelope, `n${envelope.seq}`), kind: "note", tone, text, detail });
}

export function foldUser(draft: Draft, envelope: Envelope, data: EventData["user/message"]): void {
  const text = textOf(data.content);
  const source = data.source ?? { kind: "user" };
  const here = at(envelope, `m${data.message_id}`);
  if (source.kind === "user") {
    const images = data.content.filter((block) => block.type === "image").length;
    if (images === 0 && repeatsCommand(draft, text)) return;
    put(draft, { ...here, kind: "user", text, images });
  } else if (source.kind === "goal") {
    put(draft, { ...here, kind: "round", round: source.round ?? 0, max: draft.roundsMax, prompt: text });
  } else if (source.kind === "plan") {
    put(draft, { ...here, kind: "note", tone: "plan", text: "Carrying out the approved plan", detail: text });
  } else {
    const line = source.summary ?? text.trim().split("\n")[0] ?? "";
    put(draft, { ...here, kind: "note", tone: "plain", text: `Model told: ${line}`, detail: text });
  }
}

/** The message of `/plan <message>` stands in that line: directly under it, it is not shown a second time. */
function repeatsCommand(draft: Draft, text: string): boolean {
  const above = draft.rows[lastIndex(draft, (row) => row.kind !== "reply" && !(row.kind === "note" && row.tone === "plan"))];
  return above?.kind === "command" && /^\/plan\s/.test(above.line) && above.line.slice("/plan".length).trim() === text.trim();
}

export function foldRun(draft: Draft, envelope: Envelope, data: EventData["command/run"]): void {
  draft.slashBatch = envelope.batch_end;
  const args = (/^\s/.test(data.args) ? data.args : ` ${data.args}`).trimEnd();
  put(draft, { ...at(envelope, `c${data.command_id}`), kind: "command", line: `/${data.name}${args}` });
}

export function foldDone(draft: Draft, envelope: Envelope, data: EventData["command/done"]): void {
  const ok = data.kind === "success";
  const text = data.text ?? (ok ? "Done." : "Refused.");
  put(draft, { ...at(envelope, `r${data.command_id}`), kind: "reply", ok, text });
}

export function foldPlanMode(draft: Draft, envelope: Envelope, data: EventData["plan/mode"]): void {
  if (draft.slashBatch === envelope.batch_end) return;
  note(draft, envelope, "plan", data.active ? "Plan mode on" : "Plan mode off");
}

export function foldProposed(draft: Draft, envelope: Envelope, data: EventData["plan/proposed"]): void {
  const call = data.from === "tool" ? takeCall(draft, (row) => row.name === "exit_plan_mode" && isOpen(row.state)) : null;
  if (data.from === "text") dropRepeated(draft, data.markdown);
  put(draft, {
    ...at(envelope, `p${data.plan_id}.${data.revision}`),
    kind: "plan",
    planId: data.plan_id,
    revision: data.revision,
    title: data.title,
    markdown: data.markdown,
    sha256: data.sha256,
    callId: call?.callId ?? null,
    verdict: null,
    feedback: null,
  });
}

/** A plan that came as text is shown once: as a plan. */
function dropRepeated(draft: Draft, markdown: string): void {
  const index = lastIndex(draft, (row) => row.kind === "assistant");
  const row = draft.rows[index];
  if (row?.kind === "assistant" && row.plan.text.trim() === markdown.trim()) draft.rows[index] = { ...row, plan: NOTHING_STREAMED };
}

function isOpen(state: string): boolean {
  return state === "called" || state === "running";
}

export function foldReviewed(draft: Draft, envelope: Envelope, data: EventData["plan/reviewed"]): void {
  const row = find(draft, "plan", `p${data.plan_id}.${data.revision}`);
  if (row) put(draft, { ...row, verdict: data.verdict, feedback: data.feedback ?? null });
  else note(draft, envelope, "plan", `Plan ${data.verdict.replace("-", " ")}`, data.feedback ?? "");
}

const GOAL_WORDS: Record<string, string> = {
  create: "Goal set",
  edit: "Goal edited",
  pause: "Goal paused",
  resume: "Goal resumed",
  complete: "Goal complete",
  block: "Goal blocked",
  clear: "Goal cleared",
};

export function foldGoal(draft: Draft, envelope: Envelope, data: EventData["goal/change"]): void {
  draft.roundsMax = data.goal?.budgets?.rounds ?? null;
  if (draft.slashBatch === envelope.batch_end) return;
  const words = GOAL_WORDS[data.operation] ?? "Goal changed";
  const reason = data.goal?.blocked_reason;
  if (data.operation === "block" && reason) {
    note(draft, envelope, "warn", `${words} · ${reason.code}: ${reason.message}`);
  } else if (data.operation === "create" || data.operation === "edit") {
    note(draft, envelope, "goal", `${words}: ${data.goal?.objective ?? ""}`);
  } else if (data.operation === "complete") {
    note(draft, envelope, "goal", words, data.goal?.evidence ?? "");
  } else {
    note(draft, envelope, "goal", words);
  }
}

export function foldAsked(draft: Draft, envelope: Envelope, data: EventData["question/asked"]): void {
  if (intentName(data.intent) === "plan-review") return;
  const asks = intentName(data.intent) === "ask-user" && data.call_id !== undefined;
  if (asks) takeCall(draft, (row) => row.callId === data.call_id);
  put(draft, {
    ...at(envelope, `q${data.question_id}`),
    kind: "question",
    questionId: data.question_id,
    // A permission's call goes on to have its own row and result.
    callId: asks ? (data.call_id ?? null) : null,
    items: data.items,
    answers: null,
    by: null,
    withdrawn: null,
  });
}

export function foldAnswered(draft: Draft, data: EventData["question/answered"]): void {
  const row = find(draft, "question", `q${data.question_id}`);
  if (row) put(draft, { ...row, answers: data.answers, by: data.by ?? null });
}

export function foldWithdrawn(draft: Draft, data: EventData["question/withdrawn"]): void {
  const row = find(draft, "question", `q${data.question_id}`);
  if (row) put(draft, { ...row, withdrawn: data.why });
}

export function foldTurnEnd(draft: Draft, envelope: Envelope, data: EventData["turn/end"]): void {
  settle(draft, data.turn);
  put(draft, {
    ...at(envelope, `e${data.turn}`),
    kind: "turn-end",
    turn: data.turn,
    reason: data.reason,
    cut: envelope.batch_end,
    durationMs: draft.turnStartedMs === null ? null : Math.max(0, envelope.at_ms - draft.turnStartedMs),
  });
  draft.turnStartedMs = null;
}

/** Nothing of a turn that is over still runs: what had no end of its own was cut short. */
function settle(draft: Draft, turn: number): void {
  const first = lastIndex(draft, (row) => row.kind === "turn-end" && row.turn < turn) + 1;
  for (let index = first; index < draft.rows.length; index += 1) {
    const row = draft.rows[index];
    if (row?.kind === "assistant" && row.state === "streaming") draft.rows[index] = { ...row, state: "interrupted" };
    if (row?.kind === "tool" && isOpen(row.state)) draft.rows[index] = { ...row, state: "stopped" };
  }
}

export function foldAttempt(draft: Draft, envelope: Envelope, data: EventData["request/attempt"]): void {
  const whom = data.fallback ? `Asking ${data.fallback} instead` : "Asking the model again";
  const wait = data.delay_ms >= 1000 ? ` after ${Math.round(data.delay_ms / 1000)} s` : "";
  note(draft, envelope, "warn", `${whom}${wait} (attempt ${data.attempt}) · ${data.class.replaceAll("-", " ")}: ${data.message}`);
}

export function foldSummary(draft: Draft, envelope: Envelope, data: EventData["compaction/summary"]): void {
  note(draft, envelope, "plain", "Earlier conversation summarised for the model", data.text);
}
