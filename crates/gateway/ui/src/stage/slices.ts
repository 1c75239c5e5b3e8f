// Sessions to be drawn: where nothing happens, and what a test says differs.

import type { GoalSlice, Slices } from "../wire/frames";

const IDLE: Slices = {
  plan: { active: false, pending: null, proposal: null, approved: null, review: null },
  goal: null,
  todos: null,
  turn: { number: 1, phase: "idle", step: 0, cancelled: false, last_end: null },
  inbox: [],
  questions: [],
  usage: { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, requests: 0 },
  title: null,
  session: { workspace: "/home/ada/sum", parent: null, archived: false, deleted: false, damage: null },
};

const ARMED: GoalSlice = {
  id: "g1",
  revision: 3,
  objective: "Ship v1",
  phase: "active",
  blocked_reason: null,
  rounds_max: 8,
  rounds_started: 1,
  round_in_flight: { round: 1, state: "running" },
  activation: "armed",
  waiting: null,
  evidence: null,
  created_at_ms: 0,
  updated_at_ms: 0,
  cap_reached: false,
  budgets: {
    tokens_max: null, tokens_used: 0, tokens_estimated: false, time_ms_max: null, time_ms_used: 0,
    no_progress_max: null, rounds_without_progress: 0,
  },
  back_off: null,
  judged: null,
};

export function slices(change: Partial<Slices> = {}): Slices {
  return { ...IDLE, ...change };
}

export function goal(change: Partial<GoalSlice> = {}): GoalSlice {
  return { ...ARMED, ...change };
}

export function plan(change: Partial<Slices["plan"]>): Slices["plan"] {
  return { ...IDLE.plan, ...change };
}

export function turn(phase: Slices["turn"]["phase"]): Slices["turn"] {
  return { ...IDLE.turn, phase };
}
