import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { isSpeech } from "../wire/frames";
import type { CommandHelp, Slices, Target, TurnSlice } from "../wire/frames";
import { keptDraft } from "../state/kept";
import { draftOf, setDraft, submit, submitOrAlert } from "../state/live";
import { alert, clearAlerts, usePage } from "../state/store";
import { Icon } from "../shell/Icon";
import { matching, Palette } from "./Palette";
import { PlanChip } from "./PlanChip";
import { StopButton } from "./StopButton";

/** A leading space makes a prompt of a line that begins with a path. */
const SLASH = /^\/[a-z]/;

export function Composer({ session, slices }: { session: string; slices: Slices }) {
  const text = usePage((page) => page.drafts[session]) ?? keptDraft(session);
  const isSending = usePage((page) => page.outbox.some((frame) => frame.session === session && isSpeech(frame.command)));
  const commands = usePage((page) => page.hello?.commands) ?? [];
  const field = useRef<HTMLTextAreaElement>(null);
  const [steers, setSteers] = useState(false);
  const [choice, setChoice] = useState(0);
  const [isPaletteShut, shutPalette] = useState(false);
  const isRunning = slices.turn.phase !== "idle";
  // While a question is open the text answers it in its own way: it goes into the same turn.
  const isAsked = slices.turn.phase === "waiting";
  const isQueueing = isRunning && !isAsked;
  const isPlanning = slices.plan.pending?.target ?? slices.plan.active;
  const options = isPaletteShut ? [] : matching(commands, text).map((command) => forGoal(command, slices.goal !== null));

  useGrowth(field, text);
  useEffect(() => { if (matchMedia("(hover: hover)").matches) field.current?.focus({ preventScroll: true }); }, []);

  const write = (value: string) => {
    setDraft(session, value);
    setChoice(0);
    shutPalette(false);
  };
  const send = (target: Target) => {
    const draft = draftOf(session);
    if (!draft.trim() || isSending) return;
    clearAlerts();
    void submit(session, SLASH.test(draft) ? { type: "slash", line: draft.trimEnd() } : { type: "prompt", text: draft, target })
      .then((outcome) => { if (!outcome.ok) alert(outcome.message, outcome.code); });
  };
  const usual: Target = isAsked || (isRunning && steers) ? "next-step" : "next-turn";
  const complete = () => {
    const option = options[choice];
    if (option) write(`/${option.name} `);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const isPaletteOpen = options.length > 0;
    const isExact = options.some((option) => text === `/${option.name}`);
    if (event.key === "Tab" && event.shiftKey) {
      event.preventDefault();
      void submitOrAlert(session, { type: "plan-set", active: !isPlanning });
    } else if (isPaletteOpen && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      setChoice((choice + (event.key === "ArrowDown" ? 1 : options.length - 1)) % options.length);
    } else if (isPaletteOpen && (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && !isExact))) {
      event.preventDefault();
      complete();
    } else if (isPaletteOpen && event.key === "Escape") {
      shutPalette(true);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send(event.ctrlKey || event.metaKey ? (isRunning ? "next-step" : "next-turn") : usual);
    }
  };

  return (
    <form className="composer" data-planning={isPlanning || undefined} onSubmit={(event) => { event.preventDefault(); send(usual); }}>
      <Palette options={options} choice={choice} onChoose={(name) => { write(`/${name} `); field.current?.focus(); }} />
      <textarea
        ref={field} rows={1} value={text} readOnly={isSending} aria-busy={isSending} aria-label="Prompt"
        aria-controls={options.length > 0 ? "palette" : undefined}
        aria-activedescendant={options[choice] ? `palette-${options[choice].name}` : undefined}
        placeholder={placeholder(isPlanning, slices.turn.phase, steers)}
        onChange={(event) => write(event.target.value)} onKeyDown={onKeyDown}
      />
      <div className="composer-foot">
        <PlanChip session={session} isPlanning={isPlanning} isPending={slices.plan.pending !== null} />
        {isQueueing && (
          <button type="button" className="chip steer" aria-pressed={steers} title="Ctrl+Enter steers once" onClick={() => setSteers(!steers)}>
            {steers ? "Steers the running turn" : "Queues for the next turn"}
          </button>
        )}
        <span className="composer-end">
          <span className="keys">{isSending ? "Sending…" : keys(slices.turn.phase)}</span>
          {isRunning && <StopButton session={session} turn={slices.turn} />}
          <button className="button primary square" aria-label={isQueueing ? (steers ? "Steer" : "Queue") : "Send"} disabled={!text.trim() || isSending}><Icon name="up" /></button>
        </span>
      </div>
    </form>
  );
}

/** With a goal there, the line changes it. */
function forGoal(command: CommandHelp, hasGoal: boolean): CommandHelp {
  return command.name === "goal" && hasGoal ? { ...command, help: "Change, pause, resume or clear the goal" } : command;
}

function keys(phase: TurnSlice["phase"]): string {
  if (phase === "waiting") return "";
  return phase === "running" ? "Ctrl+Enter steers" : "Shift+Tab plans";
}

function placeholder(isPlanning: boolean, phase: TurnSlice["phase"], steers: boolean): string {
  if (phase === "waiting") return "Or say something else";
  const isRunning = phase === "running";
  if (isRunning && steers) return "Tell the running turn something";
  if (isPlanning) return "Describe the task to plan";
  return isRunning ? "Queue a prompt for the next turn" : "Ask for something, or type /";
}

/** Grows the field with its text, up to the limit that the style sheet sets. */
function useGrowth(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.setProperty("height", "auto");
    element.style.setProperty("height", `${element.scrollHeight}px`);
  }, [field, text]);
}
