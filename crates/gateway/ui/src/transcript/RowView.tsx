import { memo } from "react";
import type { Row } from "../fold/rows";
import { Assistant } from "./Assistant";
import { Command, Prompt, Reply } from "./Bubbles";
import { Note, Round, TurnEnd } from "./Marks";
import { ProposedPlan } from "./ProposedPlan";
import { Asked } from "./Asked";
import { Tool } from "./Tool";

export const RowView = memo(function RowView({ row, session }: { row: Row; session: string }) {
  return (
    <div className="row" data-row={row.kind}>
      <Content row={row} session={session} />
    </div>
  );
});

function Content({ row, session }: { row: Row; session: string }) {
  switch (row.kind) {
    case "user": return <Prompt row={row} />;
    case "command": return <Command row={row} />;
    case "reply": return <Reply row={row} />;
    case "assistant": return <Assistant row={row} session={session} />;
    case "tool": return <Tool row={row} session={session} />;
    case "plan": return <ProposedPlan row={row} session={session} />;
    case "question": return <Asked row={row} />;
    case "round": return <Round row={row} session={session} />;
    case "note": return <Note row={row} session={session} />;
    case "turn-end": return <TurnEnd row={row} session={session} />;
  }
}
