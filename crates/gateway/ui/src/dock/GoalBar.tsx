import { useState } from "react";
import type { Command, GoalSlice } from "../wire/frames";
import { isSo, type Verb } from "./wanted";
import { useFlight } from "../state/flight";
import { submit, type Outcome } from "../state/live";
import { usePage, viewOf } from "../state/store";
import { Icon } from "../shell/Icon";
import { Refusal } from "../shell/Refusal";
import { Meters } from "./Meters";

const LABELS = { active: "Goal", paused: "Paused goal", blocked: "Blocked goal", complete: "Goal met" };

const JUDGED = { accepted: "Judged as met", refused: "Not met, says the judge", unjudged: "Not judged" };

export function GoalBar({ session, goal }: { session: string; goal: GoalSlice }) {
  const flight = useFlight(goal.id);
  const [isOpen, setOpen] = useState(false);
  const [edit, setEdit] = useState<{ goal: string; text: string } | null>(null);
  const [cleared, setCleared] = useState<string | null>(null);
  const draft = edit?.goal === goal.id ? edit.text : null;

  const act = async (type: Verb) => {
    const isDone = await flight.run(async () => {
      const outcome = await onNewest(session, (ref) => ({ type, goal: ref }));
      // Whoever was faster wanted the same: there is nothing to complain of.
      return !outcome.ok && isSo(type, outcome) ? { ok: true, seq: 0, reply: null } : outcome;
    });
    if (isDone && type === "goal-clear") setCleared(goal.id);
  };
  const save = async () => {
    const objective = draft?.trim();
    if (!objective) return;
    const isSaved = await flight.run(() => onNewest(session, (ref) => ({ type: "goal-edit", goal: ref, objective })));
    if (isSaved) setEdit(null);
  };
  // The receipt says that it is gone; the slice that says so may be on its way.
  if (cleared === goal.id) return null;

  return (
    <section className="strip goal" data-phase={goal.phase} aria-label={LABELS[goal.phase]}>
      <div className="goal-line">
        <span className="strip-label">{LABELS[goal.phase]}</span>
        {draft === null ? (
          <button className="goal-objective" aria-expanded={isOpen} title={goal.objective} onClick={() => setOpen(!isOpen)}>{goal.objective}</button>
        ) : (
          <input
            className="field goal-edit" aria-label="Objective" autoFocus value={draft} disabled={flight.isBusy}
            onChange={(event) => setEdit({ goal: goal.id, text: event.target.value })}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (event.key === "Enter") void save();
              if (event.key === "Escape") setEdit(null);
            }}
          />
        )}
        {draft === null && <Progress goal={goal} />}
        <span className="goal-buttons">
          {draft !== null ? (
            <>
              <button className="button small" disabled={flight.isBusy || !draft.trim()} onClick={() => void save()}>Save</button>
              <button className="button quiet small" onClick={() => setEdit(null)}>Cancel</button>
            </>
          ) : (
            <Verbs goal={goal} isBusy={flight.isBusy} act={(verb) => void act(verb)} onEdit={() => setEdit({ goal: goal.id, text: goal.objective })} />
          )}
        </span>
      </div>
      <Meters goal={goal} />
      <Reason goal={goal} isOpen={isOpen} />
      <Refusal refusal={flight.refusal} />
    </section>
  );
}

/** Names the goal as it is at the moment of the click, not as it was drawn. */
async function onNewest(session: string, command: (ref: { id: string; revision: number }) => Command): Promise<Outcome> {
  const goal = viewOf(usePage.getState(), session).slices?.goal;
  if (!goal) return { ok: false, code: "GOAL_NOT_FOUND", message: "There is no goal any more.", current: null };
  const outcome = await submit(session, command({ id: goal.id, revision: goal.revision }));
  return outcome.ok ? outcome : { ...outcome, message: `${outcome.message}.${changed(goal, outcome.current)}` };
}

/** Says what another tab, or the model, made of the goal meanwhile. */
function changed(before: GoalSlice, current: unknown): string {
  const now = current as Partial<GoalSlice> | null;
  if (!now?.phase || now.revision === before.revision) return "";
  const objective = now.objective && now.objective !== before.objective ? `, “${now.objective}”` : "";
  return ` Now: ${LABELS[now.phase].toLowerCase()}${objective}.`;
}

function Progress({ goal }: { goal: GoalSlice }) {
  if (goal.phase === "complete") return null;
  const isArmed = goal.activation === "armed";
  return (
    <>
      <span className="rounds" data-cap={goal.cap_reached || undefined}>round {goal.rounds_started}/{goal.rounds_max}</span>
      {goal.phase === "active" && <span className="chip" data-armed={isArmed} title={goal.waiting ?? undefined}>{isArmed ? "armed" : "disarmed"}</span>}
    </>
  );
}

interface VerbsProps {
  goal: GoalSlice;
  isBusy: boolean;
  act: (verb: Verb) => void;
  onEdit: () => void;
}

function Verbs({ goal, isBusy, act, onEdit }: VerbsProps) {
  const isOver = goal.phase === "complete";
  const runs = goal.phase === "active" && goal.activation === "armed";
  return (
    <>
      {runs && <button className="button quiet small" disabled={isBusy} onClick={() => act("goal-pause")}><Icon name="pause" />Pause</button>}
      {!runs && !isOver && <button className="button quiet small" disabled={isBusy} onClick={() => act("goal-resume")}><Icon name="play" />Resume</button>}
      {!isOver && <button className="button quiet square small" disabled={isBusy} title="Edit the objective" aria-label="Edit the objective" onClick={onEdit}><Icon name="pencil" /></button>}
      <button className="button quiet small" disabled={isBusy} onClick={() => act("goal-clear")}>Clear</button>
    </>
  );
}

/** Why it does not run, or what shows that it is met. */
function Reason({ goal, isOpen }: { goal: GoalSlice; isOpen: boolean }) {
  const blocked = goal.phase === "blocked" ? goal.blocked_reason : null;
  const waits = goal.phase === "active" && !goal.round_in_flight ? goal.waiting : null;
  const backOff = waits && goal.activation === "armed" ? goal.back_off : null;
  const judged = goal.phase === "complete" || goal.judged?.verdict === "refused" ? goal.judged : null;
  return (
    <>
      {blocked && <p className="goal-reason bad"><span className="code">{blocked.code}</span>: {blocked.message}</p>}
      {backOff && <p className="goal-reason">Waits: the provider has an outage (<span className="code">{backOff.code}</span>); try {backOff.retry + 1} starts at {new Date(backOff.until_ms).toLocaleTimeString()}</p>}
      {waits && !backOff && <p className="goal-reason">{goal.activation === "armed" ? `Waits: ${waits}` : waits}</p>}
      {judged && <p className="goal-reason">{JUDGED[judged.verdict]}: {judged.reason}</p>}
      {(isOpen || goal.phase === "complete") && goal.evidence && <p className="goal-whole"><strong>Evidence</strong> {goal.evidence}</p>}
    </>
  );
}
