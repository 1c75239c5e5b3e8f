// Folds what the model says and does: deltas, messages, tool calls and their results.

import type { Block, Envelope, EventData } from "../wire/events";
import { at, find, lastIndex, put, type Draft } from "./draft";
import type { AssistantRow, ToolRow } from "./rows";
import { appendPiece, NOTHING_STREAMED, whole } from "./stream";

const PROPOSED = /<proposed_plan>\n?([\s\S]*?)(?:<\/proposed_plan>|$)/;

function assistantKey(turn: number, step: number): string {
  return `a${turn}.${step}`;
}

function toolKey(callId: string): string {
  return `t${callId}`;
}

function emptyAnswer(envelope: Envelope, data: { turn: number; step: number; attempt: number }): AssistantRow {
  return {
    ...at(envelope, assistantKey(data.turn, data.step)),
    kind: "assistant",
    turn: data.turn,
    step: data.step,
    attempt: data.attempt,
    text: NOTHING_STREAMED,
    reasoning: NOTHING_STREAMED,
    plan: NOTHING_STREAMED,
    state: "streaming",
  };
}

/** A later attempt starts empty, in the place of the one before. */
function placeOf(held: AssistantRow | null): { seq?: number; atMs?: number } {
  return held ? { seq: held.seq, atMs: held.atMs } : {};
}

export function foldDelta(draft: Draft, envelope: Envelope, data: EventData["assistant/delta"]): void {
  const held = find(draft, "assistant", assistantKey(data.turn, data.step));
  if (held && (held.state !== "streaming" || held.attempt > data.attempt)) return;
  const row = held && held.attempt === data.attempt ? held : { ...emptyAnswer(envelope, data), ...placeOf(held) };
  put(draft, { ...row, [data.channel]: appendPiece(row[data.channel], data.offset, data.text) });
}

export function foldMessage(draft: Draft, envelope: Envelope, data: EventData["assistant/message"]): void {
  const key = assistantKey(data.turn, data.step);
  const spoken = textOf(data.content);
  const reasoning = data.content.flatMap((block) => (block.type === "reasoning" ? [block.text] : [])).join("\n\n");
  const held = find(draft, "assistant", key);
  const planned = PROPOSED.exec(spoken)?.[1]?.trim() ?? "";
  const isRepeated = lastIndex(draft, (row) => row.kind === "plan" && row.markdown.trim() === planned) >= 0;
  if (spoken.trim() || reasoning.trim() || data.interrupted) {
    const base = held ?? emptyAnswer(envelope, { ...data, attempt: 1 });
    put(draft, {
      ...base,
      attempt: 0,
      text: whole(spoken.replace(PROPOSED, "").trim()),
      reasoning: whole(reasoning),
      plan: whole(isRepeated ? "" : planned),
      state: data.interrupted ? "interrupted" : "final",
    });
  } else if (held) {
    draft.rows.splice(draft.rows.indexOf(held), 1);
  }
  for (const block of data.content) {
    if (block.type === "tool-call") foldCall(draft, envelope, { ...block, turn: data.turn, step: data.step });
  }
}

function emptyTool(envelope: Envelope, callId: string): ToolRow {
  return {
    ...at(envelope, toolKey(callId)),
    kind: "tool",
    turn: 0,
    callId,
    name: null,
    args: "",
    state: "called",
    sandbox: null,
    result: "",
    error: null,
    diff: null,
    durationMs: null,
  };
}

/** Finds the row that shows a call, which may have become a plan's or a question's. */
function isShown(draft: Draft, callId: string): boolean {
  return lastIndex(draft, (row) => (row.kind === "plan" || row.kind === "question") && row.callId === callId) >= 0;
}

export function foldCall(
  draft: Draft,
  envelope: Envelope,
  data: { turn: number; step: number; call_id: string; name: string; arguments: string },
): void {
  if (isShown(draft, data.call_id)) return;
  const row = find(draft, "tool", toolKey(data.call_id)) ?? emptyTool(envelope, data.call_id);
  put(draft, { ...row, turn: data.turn, name: data.name, args: data.arguments });
}

export function foldStarted(draft: Draft, envelope: Envelope, data: EventData["tool/started"]): void {
  if (isShown(draft, data.call_id)) return;
  const row = find(draft, "tool", toolKey(data.call_id)) ?? emptyTool(envelope, data.call_id);
  put(draft, { ...row, state: "running", sandbox: data.sandbox ? `${data.sandbox.by}, ${data.sandbox.profile}` : null });
}

const STOPPED = new Set(["TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN", "TOOL_ABORTED", "ABORTED", "CANCELLED"]);

export function foldResult(draft: Draft, envelope: Envelope, data: EventData["tool/result"]): void {
  if (isShown(draft, data.call_id)) return;
  const row = find(draft, "tool", toolKey(data.call_id)) ?? emptyTool(envelope, data.call_id);
  const failed = data.outcome === "error";
  put(draft, {
    ...row,
    state: failed ? (STOPPED.has(data.error?.code ?? "") ? "stopped" : "error") : "ok",
    result: textOf(data.content),
    error: data.error ?? null,
    diff: data.diff ?? null,
    durationMs: data.duration_ms ?? null,
  });
}

/** Takes away the row of the call that a plan or a question now stands for. */
export function takeCall(draft: Draft, wanted: (row: ToolRow) => boolean): ToolRow | null {
  const index = lastIndex(draft, (row) => row.kind === "tool" && wanted(row));
  const row = draft.rows[index];
  if (row?.kind !== "tool") return null;
  draft.rows.splice(index, 1);
  return row;
}

export function textOf(content: Block[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}
