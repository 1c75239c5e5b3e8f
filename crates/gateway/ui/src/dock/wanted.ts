import type { GoalSlice } from "../wire/frames";

export type Verb = "goal-pause" | "goal-resume" | "goal-clear";

/** Says whether a refused wish has come true all the same, by another tab's doing or the model's. */
export function isSo(verb: Verb, refused: { code: string; current: unknown }): boolean {
  const now = refused.current as Partial<GoalSlice> | null;
  switch (verb) {
    case "goal-pause": return now?.phase === "paused";
    case "goal-resume": return now?.phase === "active" && now.activation === "armed";
    case "goal-clear": return refused.code === "GOAL_NOT_FOUND";
  }
}
