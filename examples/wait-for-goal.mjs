// Gives an agent a goal and waits for what becomes of it: `node examples/wait-for-goal.mjs "make the tests pass" 20`.
// WAYMARK_URL is the address of the server, WAYMARK_TOKEN a token of `waymark token new`.
// Ends with 0 when the goal is met, and with 1 when it is blocked, paused or gone.

import { randomUUID } from "node:crypto";
import { at, follow, headers } from "./follow.mjs";

const [objective, rounds] = process.argv.slice(2);
const session = randomUUID();
await post("", { session });
const goal = { type: "goal-create", objective, rounds_max: rounds ? Number(rounds) : undefined };
await post(`/${session}/commands`, { id: randomUUID(), command: goal });
console.log(`session ${session}`);

let told = "";
for await (const { slices } of follow(session)) {
  const { goal, questions } = slices;
  const now = goal ? `${goal.phase}, round ${goal.rounds_started} of ${goal.rounds_max}` : "gone";
  const line = questions.length > 0 ? `${now}, waits for an answer in the page` : now;
  if (line !== told) console.log((told = line));
  if (goal?.phase !== "active") process.exit(goal?.phase === "complete" ? 0 : 1);
}

async function post(path, body) {
  const type = { "content-type": "application/json" };
  const answer = await fetch(at(path), { method: "POST", headers: { ...headers, ...type }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}
