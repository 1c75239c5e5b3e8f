import type { GoalSlice } from "../wire/frames";
import { durationText, tokensText } from "./amounts";

interface Budget {
  name: string;
  used: number;
  most: number;
  text: string;
}

/** One thin meter for each budget that the goal can run out of. */
export function Meters({ goal }: { goal: GoalSlice }) {
  if (goal.phase === "complete") return null;
  return (
    <div className="meters">
      {budgetsOf(goal).map(({ name, used, most, text }) => (
        <div
          key={name} className="meter" role="meter" aria-label={name} aria-valuemin={0} aria-valuemax={most}
          aria-valuenow={Math.min(used, most)} aria-valuetext={text} title={`${name}: ${text}`}
          data-full={used >= most || undefined}
        >
          <span className="meter-name">{name} {text}</span>
          <span className="meter-bar"><span style={{ width: `${Math.min(100, (100 * used) / most)}%` }} /></span>
        </div>
      ))}
    </div>
  );
}

export function budgetsOf({ rounds_max, rounds_started, budgets }: Pick<GoalSlice, "rounds_max" | "rounds_started" | "budgets">): Budget[] {
  const shown: Budget[] = [{ name: "rounds", used: rounds_started, most: rounds_max, text: `${rounds_started}/${rounds_max}` }];
  const { tokens_max, tokens_used, time_ms_max, time_ms_used, no_progress_max, rounds_without_progress } = budgets;
  if (tokens_max !== null) {
    const about = budgets.tokens_estimated ? "about " : "";
    shown.push({ name: "tokens", used: tokens_used, most: tokens_max, text: `${about}${tokensText(tokens_used)}/${tokensText(tokens_max)}` });
  }
  if (time_ms_max !== null) {
    shown.push({ name: "time", used: time_ms_used, most: time_ms_max, text: `${durationText(time_ms_used)}/${durationText(time_ms_max)}` });
  }
  if (no_progress_max !== null && rounds_without_progress > 0) {
    shown.push({ name: "without progress", used: rounds_without_progress, most: no_progress_max, text: `${rounds_without_progress}/${no_progress_max}` });
  }
  return shown;
}
