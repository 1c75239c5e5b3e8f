import { useState } from "react";
import { submitOrAlert } from "../state/live";

interface Props {
  session: string;
  title: string | null;
  onDone: () => void;
}

/** The field that a session is renamed in: Enter or leaving it saves, Escape does not. */
export function TitleField({ session, title, onDone }: Props) {
  const [draft, setDraft] = useState(title ?? "");
  const save = () => {
    const next = draft.trim();
    if (next && next !== title) void submitOrAlert(session, { type: "set-title", title: next });
    onDone();
  };
  return (
    <input
      className="field title-edit"
      aria-label="Session title"
      autoFocus
      maxLength={80}
      value={draft}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") save();
        if (event.key === "Escape") onDone();
      }}
    />
  );
}
