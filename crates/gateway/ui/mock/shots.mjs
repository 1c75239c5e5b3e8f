// Walks through the page against the mock and takes pictures: `node mock/shots.mjs <folder> [scene…]`.
// Fails when the page logs an error, a refused style or script included.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [folder = "shots", ...only] = process.argv.slice(2);
const PORT = 4790;
const AT = `http://127.0.0.1:${PORT}/`;
const id = (index) => `${AT}#/s/01970000-0000-7000-8000-00000000000${index}`;
mkdirSync(folder, { recursive: true });

const server = spawn(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url))], {
  env: { ...process.env, PORT: String(PORT), SPEED: process.env.SPEED ?? "0.1", PAGE: "120" }, stdio: ["ignore", "pipe", "inherit"],
});
await new Promise((resolve) => server.stdout.once("data", resolve));
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const problems = [];

async function open(url, { scheme = "dark", width = 1280, height = 820, phone = false } = {}) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height }, deviceScaleFactor: phone ? 2 : 1, hasTouch: phone, isMobile: phone });
  const page = await context.newPage();
  page.on("console", (message) => { if (message.type() === "error" && !/WebSocket connection|401 \(Unauthorized\)/.test(message.text())) problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(url);
  await page.getByLabel("Prompt", { exact: true }).waitFor();
  return page;
}

const shot = (page, name) => page.screenshot({ path: `${folder}/${name}.png` });
async function say(page, text) {
  await page.getByLabel("Prompt", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}
async function wheel(page, distance) {
  const box = await page.locator(".transcript").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, distance);
}
const idle = (page, turn = 1) => page.getByText(`Turn ${turn}`, { exact: true }).last().waitFor({ timeout: 30_000 });

const SCENES = {
  async work() {
    const page = await open(id(0));
    await say(page, "Why does the program take so long to start? Make it faster.");
    await page.getByText("Search").waitFor();
    await shot(page, "streaming-dark");
    await idle(page);
    await page.waitForTimeout(300);
    await shot(page, "work-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await shot(page, "work-light");
    await wheel(page, -5000);
    await page.waitForTimeout(200);
    await shot(page, "top-light");
    await say(page, "this will fail");
    await idle(page, 2);
    await shot(page, "error-light");
    await page.keyboard.type("/");
    await shot(page, "palette-light");
    await page.getByLabel("Prompt", { exact: true }).fill("/nothing here");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("UNKNOWN_COMMAND").waitFor();
    await shot(page, "refused-light");
    await page.getByText("Fork from here").last().click();
    await page.getByText("forked from its parent").waitFor();
    await shot(page, "fork-light");
  },
  async plan() {
    const page = await open(id(5), { scheme: "light" });
    await say(page, "/plan cache the parsed manifest between runs");
    await page.getByRole("button", { name: "Approve" }).waitFor({ timeout: 20_000 });
    await page.waitForTimeout(300);
    await shot(page, "plan-light");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByRole("button", { name: "Keep planning…" }).click();
    await page.keyboard.type("Also say what happens on a read-only home folder.");
    await shot(page, "plan-feedback-dark");
    await page.getByRole("button", { name: "Send and keep planning" }).click();
    await idle(page);
    await shot(page, "plan-kept-dark");
    await say(page, "once more, with that in it");
    await page.getByRole("button", { name: "Approve" }).click({ timeout: 20_000 });
    await idle(page, 2);
    if (await page.getByText("Jump to latest").count()) problems.push("the transcript no longer follows after a review");
    await shot(page, "plan-approved-dark");
  },
  async goal() {
    const page = await open(id(2));
    await page.getByRole("button", { name: "To-dos" }).click();
    await shot(page, "goal-held-dark");
    await page.goto(id(7));
    await page.getByText("no-progress").waitFor();
    await shot(page, "goal-blocked-dark");
    await page.goto(id(8));
    await page.getByRole("button", { name: "Make every fixture parse once" }).click();
    await shot(page, "goal-met-dark");
    await page.goto(id(4));
    await say(page, "/goal Bring the warm start under 10 ms and keep every test green");
    await page.getByRole("button", { name: "Round 2/256" }).waitFor({ timeout: 20_000 });
    await page.waitForTimeout(350);
    await shot(page, "goal-running-dark");
    await say(page, "Also note the cold start, please.");
    await page.getByText("Queued", { exact: true }).waitFor();
    await shot(page, "goal-queue-dark");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused goal").waitFor();
    await shot(page, "goal-paused-dark");
    await page.getByLabel("Edit the objective").click();
    await shot(page, "goal-edit-dark");
  },
  async hostile() {
    const page = await open(id(1));
    page.on("dialog", (dialog) => problems.push(`a script of the answer ran: ${dialog.message()}`));
    await say(page, "xss");
    await idle(page);
    const made = await page.locator(".answer :is(img, script, form, input, [style], [onclick], [href^='javascript'])").count();
    if (made > 0) problems.push(`${made} elements of a hostile answer came through`);
  },
  async ask() {
    const page = await open(id(0), { scheme: "light" });
    await say(page, "ask me something");
    await page.getByText("Two things").waitFor();
    await page.getByText("User cache folder").waitFor();
    await page.getByText("User cache folder").click();
    await page.getByText("Templates").click();
    await page.waitForTimeout(100);
    await shot(page, "question-light");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByText("Thanks. I'll put it there.").waitFor();
    await shot(page, "answered-light");
  },
  async phone() {
    const page = await open(id(5), { width: 380, height: 760, phone: true });
    await shot(page, "phone-empty");
    await say(page, "Why does the program take so long to start?");
    await page.getByText("the profile").last().waitFor({ timeout: 20_000 });
    await page.waitForTimeout(500);
    await shot(page, "phone-work");
    await page.getByLabel("Show the session list").click();
    await page.waitForTimeout(300);
    await shot(page, "phone-list");
    await page.goto(id(2));
    await page.waitForTimeout(300);
    await shot(page, "phone-goal");
    await say(page, "/plan something");
    await page.getByRole("button", { name: "Approve" }).waitFor({ timeout: 20_000 }).catch(() => undefined);
    await shot(page, "phone-plan");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overflow > 0) problems.push(`the page is ${overflow} px too wide at 380 px`);
  },
  async long() {
    const page = await open(id(6), { scheme: "light" });
    await page.getByText("Turn 400", { exact: true }).waitFor();
    for (let step = 0; step < 200; step += 1) {
      await wheel(page, -1500);
      await page.waitForTimeout(40);
      if (await page.getByText("Prompt number 1", { exact: true }).count()) break;
    }
    await page.waitForTimeout(300);
    if (!(await page.getByText("Prompt number 1", { exact: true }).count())) problems.push("scrolling up never reached the first prompt");
    await shot(page, "long-top");
    await page.getByText("Jump to latest").click();
    await page.getByText("Turn 400", { exact: true }).waitFor();
    await shot(page, "long-end");
  },
  async lost() {
    const page = await open(id(3));
    await page.request.get(`${AT}v1/mock/drop?ms=1200`);
    await page.getByText("Reconnecting…").waitFor({ timeout: 1000 });
    await say(page, "said while the line was down");
    await shot(page, "lost-dark");
    await page.getByText("Reconnecting…").waitFor({ state: "detached", timeout: 8000 });
    await idle(page, 1);
    await wheel(page, -5000);
    await page.waitForTimeout(300);
    const said = await page.getByText("said while the line was down").count();
    if (said !== 1) problems.push(`a prompt sent over a reconnect shows ${said} times`);
    await page.reload();
    await idle(page, 1);
    await page.request.get(`${AT}v1/mock/revoke`);
    await page.getByText("sign-in is no longer valid").waitFor({ timeout: 5000 });
    await shot(page, "revoked-dark");
  },
};

for (const [name, scene] of Object.entries(SCENES)) {
  if (only.length > 0 && !only.includes(name)) continue;
  await scene().catch((error) => problems.push(`${name}: ${error.message}`));
}
await browser.close();
server.kill();
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
