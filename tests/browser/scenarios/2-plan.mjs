// Planning: nothing is written before a person approves, and every tab sees the same review.

import { strict as assert } from "node:assert";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const COMMENT = "Also say what happens when the disk is full.";

export async function a_plan_is_sent_back_in_one_tab_and_approved_in_the_other(stage) {
  const { workspace } = stage.waymark;
  await writeFile(join(workspace, "README.md"), "# Sum\n\nAdds up the numbers it is given.\n");
  const [a, b] = await stage.twoTabs();
  await a.say("/plan add a --json flag to this tool");
  await stage.both(async (tab) => {
    await tab.planChip.waitFor();
    await tab.review.getByText("add a --json flag", { exact: false }).first().waitFor();
  });
  assert.equal(await b.transcript.getByText("add a --json flag to this tool", { exact: true }).count(), 0, "the line's message is shown twice");
  await b.lookOver("plan-review");

  await b.press("Keep planning…", b.review);
  await b.page.getByLabel("What should change").fill(COMMENT);
  await b.press("Send and keep planning", b.review);
  await stage.both(async (tab) => {
    await tab.review.getByText("revision 2").waitFor();
    await tab.review.locator("blockquote").getByText(COMMENT).waitFor();
    await tab.planChip.waitFor();
  });
  assert.deepEqual(await readdir(workspace), ["README.md"], "something was written before the approval");

  await a.press("Approve", a.review);
  await stage.both(async (tab) => {
    await tab.review.waitFor({ state: "detached" });
    await tab.planChip.waitFor({ state: "detached" });
    await tab.todos.getByText("3 completed").waitFor();
    await tab.seesTurnEnd(1);
  });
  const [written] = await readdir(join(workspace, "waymark-rehearsal"));
  const text = await readFile(join(workspace, "waymark-rehearsal", written), "utf8");
  assert.match(text, /Verification/);
  assert.ok(text.includes(COMMENT), "the written file has lost the comment");
  await a.todos.getByRole("button").click();
  await a.todos.getByRole("listitem").nth(2).waitFor();
  await a.lookOver("plan-done");
}

export async function leaving_plan_mode_is_seen_in_the_other_tab(stage) {
  const [a, b] = await stage.twoTabs();
  await a.say("/plan");
  await b.planChip.click();
  await stage.both((tab) => tab.planChip.waitFor({ state: "detached" }));
}
