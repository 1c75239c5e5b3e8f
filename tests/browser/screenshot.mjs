// Takes docs/screenshot.png: `node tests/browser/screenshot.mjs [goal|plan] [light|dark]` from the root. Not part of the tests.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { launch } from "./browser.mjs";
import { Tab, until } from "./tab.mjs";
import { Waymark } from "./waymark.mjs";

const [scene = "plan", colorScheme = "light"] = process.argv.slice(2);
const WORKSPACE = "/tmp/demo/json-tool";
const PICTURE = fileURLToPath(new URL("../../docs/screenshot.png", import.meta.url));

const FILES = {
  "README.md": "# json-tool\n\nPrints what a build did: targets, time, warnings.\n",
  "Cargo.toml": '[package]\nname = "json-tool"\nversion = "0.3.0"\nedition = "2024"\n',
  "src/main.rs": 'fn main() {\n    let report = json_tool::report(std::env::args().skip(1));\n    println!("{report}");\n}\n',
  "src/report.rs": "//! The report as a person reads it; there is no --json yet.\n\npub struct Report {\n    pub targets: u32,\n    pub warnings: u32,\n}\n",
};

const SCENES = { plan, goal };

/** A plan that waits for its review, one comment later; behind it a goal that waits for plan mode to end. */
async function plan(tab) {
  await tab.say("Write a note on what the report holds");
  await tab.seesTurnEnd(1);
  await tab.say("/plan");
  await tab.say("/goal Make every report machine-readable");
  await tab.say("Add a --json flag");
  await tab.press("Keep planning…", tab.review);
  await tab.page.getByLabel("What should change").fill("Keep the text output as the default.");
  await tab.press("Send and keep planning", tab.review);
  await tab.review.getByText("revision 2").waitFor();
  await tab.button("Approve", tab.review).waitFor();
  await named(tab, "Add a --json flag", "Waiting for you");
}

/** A goal at work, its to-do list open. */
async function goal(tab) {
  await tab.say("/goal Cover every report with a test");
  await tab.transcript.getByRole("separator", { name: "Round 2/256" }).waitFor();
  await tab.todos.getByRole("button").click();
  await until("the round is at work", async () => (await tab.todos.innerText()).includes("1 in progress"));
  await tab.transcript.getByText("goal-round-2.md").last().waitFor();
}

await layOut();
const waymark = await Waymark.fresh({ workspace: WORKSPACE, paceMs: 8 });
const browser = await launch();
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme, reducedMotion: "reduce" });
  const tab = new Tab("A", await context.newPage(), []);
  await tab.page.goto(waymark.url);
  await tab.prompt.waitFor();
  await others(tab);
  await SCENES[scene](tab);
  await tab.page.mouse.move(700, 20);
  await tab.prompt.focus();
  await tab.page.screenshot({ path: PICTURE });
} finally {
  await browser.close();
  await waymark.dispose();
  await rm(WORKSPACE, { recursive: true });
}

/** A small project; a folder that is there already is somebody's, and stays. */
async function layOut() {
  await mkdir(join(WORKSPACE, ".."), { recursive: true });
  await mkdir(WORKSPACE);
  await mkdir(join(WORKSPACE, "src"));
  for (const [path, text] of Object.entries(FILES)) await writeFile(join(WORKSPACE, path), text);
}

/** What else goes on in this house. */
async function others(tab) {
  await tab.say("Explain the report");
  await tab.seesTurnEnd(1);
  await fresh(tab);
  await tab.say("/goal Write the release notes rounds=2");
  await tab.goal.getByText("Goal met").waitFor();
  await named(tab, "Write the release notes");
  await fresh(tab);
  await tab.say("Ask me how warnings count");
  await tab.question.waitFor();
  await named(tab, "Warnings in reports", "Waiting for you");
  await fresh(tab);
  if (scene === "goal") return;
  await tab.say("/goal Every fixture parses rounds=never");
  await tab.transcript.getByRole("separator", { name: "Round 2/256" }).waitFor();
  await named(tab, "Every fixture parses");
  await fresh(tab);
}

/** Gives the session a title, and waits until the list has it. */
async function named(tab, title, note = "") {
  await tab.rename(title);
  await tab.page.getByRole("navigation").getByRole("link").filter({ hasText: title }).filter({ hasText: note }).waitFor();
}

async function fresh(tab) {
  const before = tab.session;
  await tab.press("New session");
  await until("another session is shown", () => tab.session !== before);
  await tab.transcript.getByText("What should be done?").waitFor();
}
