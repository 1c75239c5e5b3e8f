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
