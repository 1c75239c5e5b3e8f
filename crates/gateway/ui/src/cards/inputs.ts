import { textOf } from "../fold/answers";
import type { Block, Envelope } from "../wire/events";
import type { InboxItem } from "../wire/frames";

/** Previews may be cut at this many bytes. */
const PREVIEW_BYTES_MAX = 512;
/** A cut falls on a character's edge and may add an ellipsis. */
const SLACK_BYTES = 8;

/** Returns a waiting input's whole text, or null when only the cut preview is known: editing that would lose the rest. */
export function wholeText(events: readonly Envelope[], item: InboxItem): string | null {
  const told = events.findLast((event) => (event.type === "input/queued" || event.type === "input/edited") && inputOf(event) === item.input_id);
  if (told) return textOf((told.data as { content: Block[] }).content);
  const isCut = new TextEncoder().encode(item.preview).length > PREVIEW_BYTES_MAX - SLACK_BYTES;
  return isCut ? null : item.preview;
}

function inputOf(event: Envelope): string {
  return (event.data as { input_id: string }).input_id;
}
