import { useState } from "react";
import type { TurnSlice } from "../wire/frames";
import { submitOrAlert } from "../state/live";
import { Icon } from "../shell/Icon";

/** Stops the turn that is shown. A second press within the turn also drops what is queued. */
export function StopButton({ session, turn }: { session: string; turn: TurnSlice }) {
  const [pressedIn, setPressedIn] = useState(0);
  const isSecond = pressedIn === turn.number;
  const stop = () => {
    setPressedIn(turn.number);
    void submitOrAlert(session, { type: "stop", turn: turn.number, keep_inbox: !isSecond });
  };
  return (
    <button type="button" className="button small stop" onClick={stop} title={isSecond ? "Also drops queued prompts" : "Stops the turn; queued prompts stay"}>
      <Icon name="stop" />{isSecond ? "Stop and drop queue" : "Stop"}
    </button>
  );
}
