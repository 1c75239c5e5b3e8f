// What cannot be understood is said so, and nothing that was typed is lost.

import { strict as assert } from "node:assert";

export async function an_unknown_command_keeps_the_draft_and_shows_its_code(stage) {
  const [a, b] = await stage.twoTabs();
  await a.prompt.fill("/nosuch thing");
  await a.prompt.press("Enter");
  await a.alerts.getByText("UNKNOWN_COMMAND").waitFor();
  assert.equal(await a.prompt.inputValue(), "/nosuch thing");
  assert.equal(await b.alerts.count(), 0, "another tab is told of it");
  await a.lookOver("refused");
  await a.prompt.fill("What is in this folder?");
  await a.prompt.press("Enter");
  await a.alerts.waitFor({ state: "detached" });
  await stage.both((tab) => tab.seesTurnEnd(1));
  await a.lookOver("look-around");
}
