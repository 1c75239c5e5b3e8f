// Who may open the page.

import { strict as assert } from "node:assert";

export async function the_printed_address_signs_in_and_a_reload_needs_no_token(stage) {
  const tab = await stage.tab("A", stage.waymark.url);
  await tab.prompt.waitFor();
  assert.ok(!tab.page.url().includes("token"), "the token stays in the address bar");
  await tab.page.reload();
  await tab.prompt.waitFor();
  await tab.lookOver("empty");
}

export async function a_wrong_token_is_told_what_to_do(stage) {
  const tab = await stage.tab("A", "about:blank");
  tab.faults = [];
  const answer = await tab.page.goto(`${stage.waymark.origin}/?token=wrong`);
  assert.equal(answer.status(), 401);
  await tab.page.getByRole("heading", { name: "Not signed in" }).waitFor();
  await tab.page.getByText("Open the address that waymark printed").waitFor();
  await tab.lookOver("sign-in");
  assert.ok(tab.faults.every((fault) => fault.includes("401")), tab.faults.join("\n"));
}

export async function a_guest_sees_what_happens_and_cannot_act(stage) {
  const owner = await stage.tab("A", stage.waymark.url);
  await owner.prompt.waitFor();
  const guest = await stage.guest("B", owner.session);
  await guest.page.getByText("You can look at this session").waitFor();
  await owner.say("/goal keep the notes up to date rounds=never");
  await guest.goal.getByText("keep the notes up to date").waitFor();
  await owner.press("Pause", owner.goal);
  await guest.goal.getByText("Paused goal").waitFor();
  for (const name of ["Resume", "Clear", "New session"]) {
    assert.equal(await guest.button(name).count(), 0, `a guest is offered “${name}”`);
  }
  assert.equal(await guest.prompt.count(), 0);
  await guest.lookOver("guest");
}
