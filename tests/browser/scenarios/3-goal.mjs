// A goal goes on by itself until a person, in whichever tab, says otherwise.

import { strict as assert } from "node:assert";
import { until } from "../tab.mjs";

export async function pause_and_resume_hold_in_both_tabs(stage) {
  const [a, b] = await stage.twoTabs();
  await a.say("/goal keep the notes up to date rounds=never");
  await stage.both((tab) => until(`${tab.name} shows round 2`, async () => (await tab.roundsStarted()) >= 2));
  await stage.both((tab) => tab.todos.getByText(/\d (completed|in progress|not finished|pending)/).waitFor());
  await b.lookOver("goal-running");

  await b.press("Pause", b.goal);
  await stage.both(seesPaused);
  const paused = await a.roundsStarted();
  await a.rename("Notes that stay true");
  await stage.both((tab) => tab.title.getByText("Notes that stay true").waitFor());
  for (const tab of stage.tabs) assert.equal(await tab.roundsStarted(), paused, "a round started after the pause");
  await a.lookOver("goal-paused");

  const resumed = stage.both((tab) => tab.watchForRound(paused + 1));
  await Promise.all([resumed, a.press("Resume", a.goal)]);
  await b.press("Pause", b.goal);
  await stage.both(seesPaused);
  await b.press("Clear", b.goal);
  await stage.both((tab) => tab.goal.waitFor({ state: "detached" }));
}

export async function two_tabs_that_pause_at_once_both_see_it_paused(stage) {
  const [a, b] = await stage.twoTabs();
  const wires = [await a.holdable(), await b.holdable()];
  await a.say("/goal keep the notes up to date rounds=never");
  await stage.both((tab) => tab.button("Pause", tab.goal).waitFor());
  // Neither tab may hear of the other's press before its own.
  for (const wire of wires) wire.hold();
  await a.press("Pause", a.goal);
  await b.press("Pause", b.goal);
  for (const wire of wires) wire.release();
  await stage.both(seesPaused);
  await stage.both((tab) => tab.seesNoUnsent());
  for (const tab of stage.tabs) assert.deepEqual(await tab.alerts.allInnerTexts(), [], `${tab.name} is left with an error`);
  await a.lookOver("goal-both-paused");
}

async function seesPaused(tab) {
  await tab.goal.getByText("Paused goal").waitFor();
  await tab.button("Resume", tab.goal).waitFor();
  await tab.goal.getByText("armed", { exact: true }).waitFor({ state: "detached" });
  await tab.stop.waitFor({ state: "detached" });
}

export async function a_goal_that_is_met_says_so_in_both_tabs(stage) {
  const [a] = await stage.twoTabs();
  await a.say("/goal write two notes rounds=2");
  await stage.both(async (tab) => {
    await tab.goal.getByText("Goal met").waitFor();
    await tab.todos.getByText(/\d completed/).waitFor();
    await tab.seesTurnEnd(2);
  });
  await a.goal.getByRole("button", { expanded: false }).click();
  await a.goal.getByText("round 2 wrote").waitFor();
  await a.lookOver("goal-met");
}
