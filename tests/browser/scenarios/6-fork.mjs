// A fork begins with the same past and has a future of its own.

import { strict as assert } from "node:assert";
import { until } from "../tab.mjs";

export async function a_fork_shares_the_past_and_nothing_else(stage) {
  const [a, b] = await stage.twoTabs();
  // The list draws what is near the window: here everything.
  for (const tab of stage.tabs) await tab.page.setViewportSize({ width: 1280, height: 3000 });
  const parent = a.session;
  await a.say("/goal keep the notes up to date rounds=never");
  await stage.both((tab) => until(`${tab.name} shows that turn 1 is over`, async () => (await tab.roundsStarted()) >= 2));
  await b.press("Pause", b.goal);
  await stage.both((tab) => tab.goal.getByText("Paused goal").waitFor());
  await stage.both((tab) => tab.stop.waitFor({ state: "detached" }));
  await a.scrollsUpTo("/goal keep the notes");
  const past = await until("A shows turn 1 from its first row to its last", () => firstTurn(a));
  const title = await a.title.innerText();

  await a.transcript.locator(".row", { has: a.page.getByText("Turn 1", { exact: true }) }).getByRole("button", { name: "Fork from here" }).click();
  await until("A shows the fork", () => a.session !== parent);
  await b.page.goto(a.page.url());
  await stage.both(async (tab) => {
    await tab.page.getByText("forked from its parent").waitFor();
    await tab.goal.getByText("disarmed", { exact: true }).waitFor();
    await tab.seesTurnEnd(1);
    await tab.seesRows(past);
  });
  await a.lookOver("fork");

  await b.rename("Another way");
  await stage.both((tab) => tab.title.getByText("Another way").waitFor());
  await a.page.getByRole("button", { name: /forked from its parent/ }).click();
  await until("A shows the parent", () => a.session === parent);
  await a.goal.getByText("Paused goal").waitFor();
  assert.equal(await a.title.innerText(), title);
  assert.equal(await b.title.innerText(), "Another way");
}

/** Returns the rows of the first turn once all of them are drawn; the list draws them bit by bit. */
async function firstTurn(tab) {
  const rows = await tab.rows();
  const end = rows.findIndex((row) => row.startsWith("Turn 1\n"));
  return end > 0 && rows[0].startsWith("/goal keep the notes") && rows.slice(0, end + 1);
}
