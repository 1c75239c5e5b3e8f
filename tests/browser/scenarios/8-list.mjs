// The session list: searched, renamed, put away, deleted, in every tab, and longer than a page.

import { strict as assert } from "node:assert";
import { until } from "../tab.mjs";

/** More than a page of the list takes. */
const MANY = 130;

/** Creates sessions as a script would that is signed in as this tab is. */
function create(tab, titles) {
  return tab.page.evaluate(async (titles) => {
    for (const title of titles) {
      const session = crypto.randomUUID();
      const body = JSON.stringify({ session, title });
      const answer = await fetch("/v1/sessions", { method: "POST", headers: { "content-type": "application/json" }, body });
      if (!answer.ok) throw new Error(await answer.text());
    }
  }, titles);
}

export async function the_list_is_searched_renamed_and_put_away_in_every_tab(stage) {
  const [a, b] = await stage.twoTabs();
  await create(a, ["Fix the login flow", "Write the docs", "修复登录流程"]);
  await stage.both((tab) => tab.seesSessions(["修复登录流程", "Write the docs", "Fix the login flow", "New session"]));
  await a.search("FLOW fix");
  await a.seesSessions(["Fix the login flow"]);
  await a.search("登录");
  await a.seesSessions(["修复登录流程"]);
  await a.search("nothing like it");
  await a.page.getByText("No title has all of these words.").waitFor();
  await a.lookOver("list-nothing-found");
  await a.search("");

  await a.actOn("Write the docs", "Rename");
  const field = a.page.getByLabel("Session title");
  await field.fill("Write the guide");
  await field.press("Enter");
  await stage.both((tab) => tab.seesSessions(["Write the guide", "修复登录流程", "Fix the login flow", "New session"]));

  await b.actOn("Fix the login flow", "Archive");
  await stage.both((tab) => tab.seesSessions(["Write the guide", "修复登录流程", "New session"]));
  await a.press("Show archived (1)");
  await until("A sees what is put away", async () => (await a.sessions()).includes("Fix the login flow"));
  await a.line("修复登录流程").hover();
  await a.button("Actions for 修复登录流程").click();
  await a.lookOver("list-actions");
  await a.button("Actions for 修复登录流程").click();
  await a.actOn("Fix the login flow", "Unarchive");
  await b.seesSessions(["Fix the login flow", "Write the guide", "修复登录流程", "New session"]);
}

export async function a_deleted_session_is_gone_in_every_tab(stage) {
  const [a, b] = await stage.twoTabs();
  await create(a, ["Another"]);
  await a.say("/goal keep the notes up to date rounds=never");
  await until("a round has begun", async () => (await a.roundsStarted()) > 0);
  const title = await a.title.innerText();
  await a.actOn(title, "Delete");
  await a.page.getByText("What it is doing stops.").waitFor();
  await a.lookOver("list-delete");
  await a.button("Keep").press("Enter");
  await stage.both(async (tab) => assert.ok((await tab.sessions()).includes(title)));
  await a.actOn(title, "Delete");
  await a.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).press("Enter");
  await a.title.getByText("Another").waitFor();
  await b.page.getByText("This session was deleted").waitFor();
  await b.lookOver("deleted");
  await stage.both((tab) => tab.seesSessions(["Another"]));
  await b.page.reload();
  await b.page.getByText("This session cannot be shown").waitFor();
}

// Slow enough for a person to press what they mean to.
a_deleted_session_is_gone_in_every_tab.settings = { paceMs: 30 };

export async function a_long_list_is_shown_page_by_page(stage) {
  const a = await stage.tab("A", stage.waymark.url);
  await a.prompt.waitFor();
  await create(a, Array.from({ length: MANY }, (_, number) => `Session ${number}`));
  await a.page.reload();
  await until("a page is shown", async () => (await a.sessions()).length === 100);
  await a.press("Show older sessions");
  await until("all are shown", async () => (await a.sessions()).length === MANY + 1);
  await a.button("Show older sessions").waitFor({ state: "detached" });
  await a.search("session 12");
  await until("what fits is shown", async () => (await a.sessions()).length === 12);
}
