import { useState } from "react";
import type { InboxItem } from "../wire/frames";
import { useFlight } from "../state/flight";
import { submit } from "../state/live";
import { useView } from "../state/store";
import { Refusal } from "../shell/Refusal";
import { wholeText } from "./inputs";

/** Prompts that wait. What a restart left behind is held: it runs only when a person sends it. */
export function Queue({ session, items }: { session: string; items: InboxItem[] }) {
  const shown = items.filter((item) => item.source !== "notice");
  if (shown.length === 0) return null;
  return (
    <section className="strip queue" aria-label="Waiting prompts">
      {shown.map((item) => <Waiting key={item.input_id} session={session} item={item} />)}
    </section>
  );
}

function Waiting({ session, item }: { session: string; item: InboxItem }) {
  const flight = useFlight(item.input_id);
  const [draft, setDraft] = useState<string | null>(null);
  const { transcript } = useView();
  const whole = wholeText(transcript.events, item);
  const isOwn = item.source !== "goal";
  const { input_id } = item;
  const save = async () => {
    const text = draft?.trim();
    if (text && (await flight.run(() => submit(session, { type: "input-edit", input_id, text })))) setDraft(null);
  };
  if (draft !== null) {
    return (
      <div className="waiting">
        <textarea
          className="field" rows={2} autoFocus aria-label="Queued prompt" value={draft} onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === "Escape") setDraft(null);
            if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); void save(); }
          }}
        />
        <button className="button small" disabled={!draft.trim() || flight.isBusy} onClick={() => void save()}>Save</button>
        <button className="button quiet small" onClick={() => setDraft(null)}>Cancel</button>
        <Refusal refusal={flight.refusal} />
      </div>
    );
  }
  return (
    <div className="waiting" data-held={item.held || undefined}>
      <span className="strip-label" title={item.held ? "Left by a restart: it runs only when you send it" : undefined}>{label(item)}</span>
      <span className="strip-text" title={item.preview}>{item.preview}</span>
      {isOwn && (
        <span className="waiting-buttons">
          {(item.held || item.target === "next-turn") && (
            <button className="button quiet small" disabled={flight.isBusy} onClick={() => void flight.run(() => submit(session, { type: "input-send", input_id }))}>Send now</button>
          )}
          <button className="button quiet small" disabled={flight.isBusy || whole === null} title={whole === null ? "Its whole text is in earlier history" : undefined} onClick={() => setDraft(whole)}>Edit</button>
          <button className="button quiet small" disabled={flight.isBusy} onClick={() => void flight.run(() => submit(session, { type: "input-withdraw", input_id }))}>Drop</button>
        </span>
      )}
      <Refusal refusal={flight.refusal} />
    </div>
  );
}

function label(item: InboxItem): string {
  if (item.held) return "Held";
  if (item.source === "goal") return "Next round";
  return item.target === "next-step" ? "Steering" : "Queued";
}
