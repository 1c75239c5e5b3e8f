// The process is killed and started again: what was shown is there, nothing runs, everything can be taken up.

import { strict as assert } from "node:assert";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../tab.mjs";

const PROMPT = "What is in this folder?";

export async function a_killed_round_leaves_its_text_a_held_prompt_and_nothing_running(stage) {
  const [a, b] = await stage.twoTabs();
  await a.say("/goal keep the notes up to date rounds=never");
  await streams(b);
  await a.say(PROMPT);
  await stage.both((tab) => tab.queue.getByText("Queued", { exact: true }).waitFor());
  const shown = await streams(b);
  await stage.crash();
  await b.lookOver("reconnecting");
  await stage.restart();

  await stage.both(async (tab) => {
    await tab.reads(shown);
    await tab.reads("Interrupted: this answer is not complete.");
    await tab.seesTurnEnd(1);
    await tab.queue.getByText("Held", { exact: true }).waitFor();
    await tab.goal.getByText("disarmed", { exact: true }).waitFor();
  });
  await b.lookOver("restarted");
  await a.rename("After the power cut");
  await stage.both(async (tab) => {
    await tab.title.getByText("After the power cut").waitFor();
    await tab.seesTurnEnd(1);
    await tab.queue.getByText("Held", { exact: true }).waitFor();
    assert.equal(await tab.roundsStarted(), 1);
  });

  await b.press("Send now", b.queue);
  await stage.both(async (tab) => {
    await tab.queue.waitFor({ state: "detached" });
    await tab.transcript.getByRole("article", { name: "Your prompt" }).getByText(PROMPT).waitFor();
    await tab.seesTurnEnd(2);
    assert.equal(await tab.roundsStarted(), 1);
  });
  const resumed = stage.both((tab) => tab.watchForRound(2));
  await Promise.all([resumed, a.press("Resume", a.goal)]);
}

// Slow enough that the first answer still streams when the process is killed, even on a machine that is busy.
a_killed_round_leaves_its_text_a_held_prompt_and_nothing_running.settings = { paceMs: 300 };

/** Waits for an answer that streams, and returns the words that it shows. */
async function streams(tab) {
  const answer = tab.transcript.locator(".answer[aria-busy=true] .prose").last();
  return until("an answer streams", async () => {
    const text = (await answer.count()) > 0 ? await answer.innerText({ timeout: 1000 }).catch(() => "") : "";
    return text.length > 20 && text.split("\n")[0];
  });
}

export async function a_plan_put_forward_before_a_crash_can_be_approved_after_it(stage) {
  const [a, b] = await stage.twoTabs();
  await a.say("/plan add a --json flag to this tool");
  await stage.both((tab) => tab.button("Approve", tab.review).waitFor());
  await stage.crash();
  await stage.restart();
  await stage.both((tab) => tab.button("Approve", tab.review).waitFor());
  await b.press("Approve", b.review);
  await stage.both(async (tab) => {
    await tab.review.waitFor({ state: "detached" });
    await tab.planChip.waitFor({ state: "detached" });
    await tab.todos.getByText("3 completed").waitFor();
  });
  assert.equal((await readdir(join(stage.waymark.workspace, "waymark-rehearsal"))).length, 1);
  await a.lookOver("approved-after-restart");
}
