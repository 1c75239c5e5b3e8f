// A browser tab as a person uses it. Nothing here waits for a while: everything waits for a fact.

import { strict as assert } from "node:assert";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

const POLL_MS = 20;
/** Far more than anything takes on an idle machine. */
const WITHIN_MS = 90_000;
const PHONE = { width: 380, height: 760 };

export class Tab {
  constructor(name, page, faults) {
    this.name = name;
    this.page = page;
    this.faults = faults;
    /** Set while the server is meant to be away: the browser then reports each refused connection. */
    this.isServerAway = false;
    page.setDefaultTimeout(WITHIN_MS);
    page.on("console", (message) => this.#heard(message));
    page.on("pageerror", (error) => this.faults.push(`${name}: ${error}`));
  }

  #heard(message) {
    if (message.type() !== "error" && message.type() !== "warning") return;
    if (this.isServerAway && /ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE|WebSocket connection to/.test(message.text())) return;
    this.faults.push(`${this.name}: ${message.text()}`);
  }

  get prompt() { return this.page.getByLabel("Prompt", { exact: true }); }
  get goal() { return this.page.locator("section.goal"); }
  get todos() { return this.page.getByRole("region", { name: "To-dos" }); }
  get review() { return this.page.getByRole("region", { name: "Plan review" }); }
  get question() { return this.page.getByRole("form", { name: "A question for you" }); }
  get queue() { return this.page.getByRole("region", { name: "Waiting prompts" }); }
  get planChip() { return this.page.getByRole("button", { name: "Plan mode on, press to turn off" }); }
  get transcript() { return this.page.getByRole("log", { name: "Transcript" }); }
  get alerts() { return this.page.getByRole("alert"); }
  get title() { return this.page.getByRole("heading", { level: 1 }); }
  get newest() { return this.transcript.locator(".row").last(); }
  get stop() { return this.page.getByRole("button", { name: /^Stop/ }); }
  get session() { return new URL(this.page.url()).hash.replace("#/s/", ""); }

  button(name, within = this.page) {
    return within.getByRole("button", { name, exact: true });
  }

  async press(name, within = this.page) {
    await this.button(name, within).click();
  }

  /** Types a line and sends it; returns once the server has it. */
  async say(text) {
    await this.prompt.fill(text);
    await this.prompt.press("Enter");
    await until(`${this.name} has sent “${text}”`, async () => (await this.prompt.inputValue()) === "");
  }

  /** Returns the titles in the session list. */
  sessions() {
    return this.page.locator(".session-title").allInnerTexts();
  }

  async seesSessions(titles) {
    await until(`${this.name} lists ${titles.join(", ")}`, async () => (await this.sessions()).join("\n") === titles.join("\n"));
  }

  async search(words) {
    await this.page.getByLabel("Search sessions").fill(words);
  }

  /** The line of a session in the list. */
  line(title) {
    return this.page.locator(".session-line").filter({ has: this.page.getByText(title, { exact: true }) });
  }

  /** Opens what can be done with a session of the list, and does it. */
  async actOn(title, action) {
    const line = this.line(title);
    await this.button(`Actions for ${title}`, line).press("Enter");
    await this.button(action, line).press("Enter");
  }

  async rename(title) {
    await this.title.getByRole("button").click();
    const field = this.page.getByLabel("Session title");
    await field.fill(title);
    await field.press("Enter");
  }

  /** Waits for text in the transcript. */
  async reads(text) {
    await this.transcript.getByText(text).last().waitFor();
  }

  /** Waits for the end of a turn, with nothing running behind it. */
  async seesTurnEnd(turn) {
    await this.newest.getByText(`Turn ${turn}`, { exact: true }).waitFor();
    await this.stop.waitFor({ state: "detached" });
  }

  /** Reloads with a hand on the wire: between the two calls that it returns, the tab hears nothing of the server. */
  async holdable() {
    let held = null;
    await this.page.routeWebSocket(/\/v1\/ws$/, (page) => {
      const server = page.connectToServer();
      server.onMessage((frame) => { if (held) held.push(() => page.send(frame)); else page.send(frame); });
    });
    await this.page.reload();
    await this.prompt.waitFor();
    const hold = () => { held = []; };
    const release = () => { const frames = held; held = null; frames.forEach((deliver) => deliver()); };
    return { hold, release };
  }

  /** Returns the text of each row of the transcript that is near enough to be drawn. */
  rows() {
    return this.transcript.locator(".row").evaluateAll((rows) => rows.map((row) => row.innerText));
  }

  /** Waits until the rows that are drawn are these. */
  async seesRows(rows) {
    let drawn = [];
    await until(`${this.name} draws these rows`, async () => isDeepStrictEqual((drawn = await this.rows()), rows)).catch((error) => {
      assert.deepEqual(drawn, rows, error.message);
    });
  }

  /** Scrolls to the beginning until a row with this text is drawn; earlier turns are loaded on the way. */
  async scrollsUpTo(text) {
    const row = this.transcript.locator(".row", { hasText: text }).first();
    await until(`${this.name} shows “${text}” again`, async () => {
      await this.transcript.press("Home");
      return row.isVisible();
    });
  }

  /** Waits until every command of this tab has its receipt or refusal. */
  async seesNoUnsent() {
    await this.page.waitForFunction(() => (sessionStorage.getItem("waymark.outbox") ?? "[]") === "[]");
  }

  /**
   * Starts to look for the head of a round, in every frame. Ask before what lets the round begin: the list draws only
   * what is near the window, and rounds that follow push it out.
   */
  watchForRound(round) {
    return this.page.waitForFunction((head) => document.querySelector(`[role=separator][aria-label="${head}"]`), `Round ${round}/256`);
  }

  async roundsStarted() {
    return Number(/round (\d+)\//.exec(await this.goal.innerText())?.[1]);
  }

  /** Looks the page over as it is now: names for what can be pressed, and no scrolling to the side. */
  async lookOver(moment) {
    await this.#seesAnyRow(moment);
    await this.#shoot(moment);
    const nameless = await this.page.evaluate(namelessControls);
    for (const html of nameless) this.faults.push(`${this.name}, ${moment}: no name on ${html}`);
    const wide = this.page.viewportSize();
    await this.page.setViewportSize(PHONE);
    const outside = await this.page.evaluate(tooWide);
    for (const html of outside) this.faults.push(`${this.name}, ${moment}: too wide at ${PHONE.width} px: ${html}`);
    await this.#shoot(`${moment}-phone`);
    await this.page.setViewportSize(wide);
  }

  /** Waits until the part of the transcript that is in sight is drawn. */
  async #seesAnyRow(moment) {
    await this.page.waitForFunction(isDrawn).catch(() => this.faults.push(`${this.name}, ${moment}: the transcript in sight is empty`));
  }

  async #shoot(moment) {
    if (!process.env.SHOTS) return;
    mkdirSync(process.env.SHOTS, { recursive: true });
    await this.page.screenshot({ path: join(process.env.SHOTS, `${moment}.png`) });
  }
}

/** Returns what `fact` returns as soon as that is true. */
export async function until(claim, fact) {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const found = await fact();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`it never came true that ${claim}`);
    await new Promise((next) => setTimeout(next, POLL_MS));
  }
}

/** Runs in the page: says whether a row, or the welcome of an empty session, is in sight. */
function isDrawn() {
  const log = document.querySelector(".transcript");
  if (!log) return true;
  const frame = log.getBoundingClientRect();
  const isInSight = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return element.checkVisibility({ visibilityProperty: true }) && bottom > frame.top && top < frame.bottom;
  };
  return [...log.querySelectorAll(".row, .welcome")].some(isInSight);
}

/** Runs in the page. */
function namelessControls() {
  const named = (element) =>
    element.getAttribute("aria-label")?.trim() || element.innerText?.trim() || element.title?.trim() || element.placeholder?.trim() ||
    [...(element.labels ?? [])].some((label) => label.innerText.trim());
  const controls = document.querySelectorAll("button, a[href], input, textarea, select, summary, [role=button]");
  return [...controls].filter((element) => element.checkVisibility({ visibilityProperty: true }) && !named(element)).map((element) => element.outerHTML.slice(0, 120));
}

/** Runs in the page: what reaches over the edge, if anything makes the page scroll to the side. */
function tooWide() {
  const over = (element) => element.scrollWidth - element.clientWidth > 0;
  const column = document.querySelector(".transcript");
  if (!over(document.documentElement) && !over(document.body) && !(column && over(column))) return [];
  const outside = [...document.querySelectorAll(".main *")].filter((element) => element.getBoundingClientRect().right > innerWidth + 1);
  return [outside.length > 0 ? outside[0].outerHTML.slice(0, 160) : "the page itself"];
}
