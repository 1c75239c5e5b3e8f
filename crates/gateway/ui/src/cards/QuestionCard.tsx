import { useEffect, useState } from "react";
import type { Answer, QuestionItem } from "../wire/events";
import { intentName } from "../wire/events";
import type { QuestionSlice } from "../wire/frames";
import { useFlight } from "../state/flight";
import { submit } from "../state/live";
import { Refusal } from "../shell/Refusal";
import { Markdown } from "../transcript/Markdown";
import { chosen, isAnswered, toAnswer, typed, type Choice } from "./choice";
import { timeLeft } from "./timeLeft";

const TITLES: Record<string, string> = { permission: "Permission", "plan-review": "Plan review" };

export function QuestionCard({ session, question }: { session: string; question: QuestionSlice }) {
  const flight = useFlight(question.question_id);
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const [isDone, setDone] = useState(false);
  const { question_id, revision, items } = question;
  const isLocked = flight.isBusy || isDone;
  const missing = items.filter((item) => !isAnswered(choices[item.id]));

  const send = async (answers: Answer[]) =>
    setDone(await flight.run(() => submit(session, { type: "answer", question_id, revision, answers })));
  const skip = async () => setDone(await flight.run(() => submit(session, { type: "dismiss-question", question_id, revision })));

  return (
    <form
      className="card question-card" aria-label="A question for you"
      onSubmit={(event) => { event.preventDefault(); if (missing.length === 0) void send(items.map((item) => toAnswer(item, choices[item.id]))); }}
    >
      <header className="card-strip">
        <strong>{TITLES[intentName(question.intent)] ?? "A question for you"}</strong>
        {question.from_epoch_is_current === false && question.deadline_at_ms === null && <span>from before the restart</span>}
        {question.deadline_at_ms !== null && <TimeLeft question={question} endsAtMs={question.deadline_at_ms} />}
      </header>
      <div className="card-scroll">
        {items.map((item) => (
          <Item key={item.id} item={item} choice={choices[item.id]} isLocked={isLocked} onChange={(choice) => setChoices((held) => ({ ...held, [item.id]: choice }))} />
        ))}
      </div>
      <Refusal refusal={flight.refusal} />
      <footer className="card-foot">
        {items.length > 1 && <span className="card-count">{items.length - missing.length}/{items.length} answered</span>}
        <button type="button" className="button quiet" disabled={isLocked} onClick={() => void skip()}>Skip</button>
        <button className="button primary" disabled={isLocked || missing.length > 0}>Answer</button>
      </footer>
    </form>
  );
}

/** How long the recommended answers wait; a restart of the server ends the limit, not the question. */
function TimeLeft({ question, endsAtMs }: { question: QuestionSlice; endsAtMs: number }) {
  const [nowMs, setNow] = useState(Date.now);
  const isRunning = question.from_epoch_is_current !== false;
  useEffect(() => {
    if (!isRunning) return undefined;
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, [isRunning]);
  return <span role="timer">{timeLeft(isRunning, endsAtMs - nowMs)}</span>;
}

interface ItemProps {
  item: QuestionItem;
  choice: Choice | undefined;
  isLocked: boolean;
  onChange: (choice: Choice) => void;
}

function Item({ item, choice, isLocked, onChange }: ItemProps) {
  const isMulti = item.multi_select ?? false;
  return (
    <fieldset className="item" disabled={isLocked}>
      <legend>{item.header && <span className="item-header">{item.header}</span>}{item.question}</legend>
      {item.detail && <div className="item-detail"><Markdown text={item.detail} /></div>}
      {item.options.map((option) => (
        <label className="option" key={option.label}>
          <input
            type={isMulti ? "checkbox" : "radio"} name={item.id}
            checked={choice?.selected.includes(option.label) ?? false}
            onChange={() => onChange(chosen(item, choice, option.label))}
          />
          <span className="option-label">{option.label}{option.recommended && <small>recommended</small>}</span>
          {option.description && <span className="option-help">{option.description}</span>}
        </label>
      ))}
      <input
        className="field other" type="text" aria-label={`${item.header || item.question}: another answer`}
        placeholder={isMulti ? "Something to add" : "Or in your own words"}
        value={choice?.custom ?? ""} onChange={(event) => onChange(typed(item, choice, event.target.value))}
      />
    </fieldset>
  );
}
