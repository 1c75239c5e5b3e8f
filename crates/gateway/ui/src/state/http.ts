// The few things that are asked for over HTTP.

import type { Envelope } from "../wire/events";
import type { PlanVersion } from "../wire/frames";

/** A typed no of the server, or a failure on the way to it. */
export class HttpRefusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

function ask<T>(path: string, body?: object): Promise<T> {
  return send(path, body ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {});
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: "same-origin" });
  } catch {
    throw new HttpRefusal("UNREACHABLE", "The server cannot be reached; try again when the page has reconnected.");
  }
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer as T;
  const refusal = answer as { code?: string; message?: string } | null;
  throw new HttpRefusal(refusal?.code ?? String(response.status), refusal?.message ?? `The server answered ${response.status}.`);
}

export function createSession(session: string): Promise<unknown> {
  return ask("/v1/sessions", { session });
}

export function forkSession(parent: string, session: string, atSeq: number): Promise<{ session: string; cut: number }> {
  return ask(`/v1/sessions/${parent}/fork`, { session, at_seq: atSeq });
}

export function deleteSession(session: string): Promise<unknown> {
  return send(`/v1/sessions/${session}`, { method: "DELETE" });
}

export function olderEvents(session: string, before: number): Promise<{ events: Envelope[]; more: boolean }> {
  return ask(`/v1/sessions/${session}/events?before=${before}&limit=500`);
}

export interface PlanText {
  markdown: string;
  title: string;
  plan_id: string;
  revision: number;
}

export function planText(session: string, sha256: string): Promise<PlanText> {
  return ask(`/v1/sessions/${session}/plans/${sha256}`);
}

/** Every version at hand, newest first. */
export function planVersions(session: string): Promise<{ versions: PlanVersion[] }> {
  return ask(`/v1/sessions/${session}/plans`);
}

export function planDiff(session: string, sha256: string, from: string): Promise<{ diff: string }> {
  return ask(`/v1/sessions/${session}/plans/${sha256}/diff?from=${from}`);
}

/** Says false only when the server answers that the sign-in is not valid. */
export async function isSignedIn(): Promise<boolean> {
  try {
    const response = await fetch("/v1/health", { credentials: "same-origin" });
    return response.status !== 401;
  } catch {
    return true;
  }
}
