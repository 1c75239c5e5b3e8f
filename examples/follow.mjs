// Follows a session as it changes: `node examples/follow.mjs SESSION`, or `follow(SESSION)` from a script of your own.
// WAYMARK_URL is the address of the server, WAYMARK_TOKEN a token of `waymark token new --viewer`.
// Ends when the session is deleted; comes back by itself, and without missing anything, when the server was away.

import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const { WAYMARK_URL = "http://127.0.0.1:7420", WAYMARK_TOKEN } = process.env;
export const headers = { authorization: `Bearer ${WAYMARK_TOKEN}` };
export const at = (path) => `${WAYMARK_URL}/v1/sessions${path}`;

/** Yields each change: the events that happened, oldest first, and all that is true behind them. */
export async function* follow(session) {
  let [last, slices] = ["", {}];
  for (;;) {
    try {
      for await (const { id, frame } of frames(session, last)) {
        if (frame.type === "closed") return;
        if (frame.type === "snapshot") slices = {};
        Object.assign(slices, frame.slices);
        last = id;
        yield { events: frame.events ?? frame.history.events, slices };
      }
    } catch (error) {
      if (error.isFinal) throw error;
    }
    await pause(500 + Math.random() * 1500);
  }
}

/** Yields what one connection brings, from the event with the id `last` on. */
async function* frames(session, last) {
  const accept = { accept: "text/event-stream", "last-event-id": last };
  const answer = await fetch(at(`/${session}/events`), { headers: { ...headers, ...accept } });
  if (!answer.ok) throw Object.assign(new Error(await answer.text()), { isFinal: true });
  let text = "";
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + piece).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const field = (name) => block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (field("data")) yield { id: field("id"), frame: JSON.parse(field("data")) };
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for await (const { events } of follow(process.argv[2])) {
    for (const event of events) console.log(event.seq, event.type, JSON.stringify(event.data));
  }
}
