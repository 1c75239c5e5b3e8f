import type { Stream } from "./rows";

export const NOTHING_STREAMED: Stream = { text: "", end: 0 };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Adds a piece that starts `offset` bytes into the channel. Bytes that are already here are skipped; a hole
 * (its piece lies in an older page, or was lost) is shown as an ellipsis until the final message fills it.
 */
export function appendPiece(stream: Stream, offset: number, text: string): Stream {
  const bytes = encoder.encode(text);
  const end = offset + bytes.length;
  if (end <= stream.end) return stream;
  if (offset > stream.end) return { text: `${stream.text}…${text}`, end };
  const fresh = offset === stream.end ? text : decoder.decode(bytes.subarray(stream.end - offset));
  return { text: stream.text + fresh, end };
}

/** Returns a stream that is whole. */
export function whole(text: string): Stream {
  return { text, end: encoder.encode(text).length };
}
