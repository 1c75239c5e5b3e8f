// What a scenario plays on: a server of its own, and tabs of one signed-in browser.

import { strict as assert } from "node:assert";
import { Tab } from "./tab.mjs";
import { Waymark } from "./waymark.mjs";

export class Stage {
  constructor(context, waymark) {
    this.context = context;
    this.waymark = waymark;
    this.faults = [];
    this.tabs = [];
    this.guests = [];
  }

  static async set(browser, settings) {
    const waymark = await Waymark.fresh(settings);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light", reducedMotion: "reduce" });
    return new Stage(context, waymark);
  }

  async tab(name, url = this.waymark.origin) {
    const tab = new Tab(name, await this.context.newPage(), this.faults);
    this.tabs.push(tab);
    await tab.page.goto(url);
    return tab;
  }

  /** Opens a session in the browser of somebody who may look, not act. */
  async guest(name, session) {
    const context = await this.context.browser().newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
    this.guests.push(context);
    const tab = new Tab(name, await context.newPage(), this.faults);
    await tab.page.goto(`${this.waymark.origin}/?token=${await this.waymark.token("--viewer")}`);
    await tab.page.goto(`${this.waymark.origin}/#/s/${session}`);
    return tab;
  }

  /** Signs in and opens one session in two tabs. */
  async twoTabs() {
    const a = await this.tab("A", this.waymark.url);
    await a.prompt.waitFor();
    const b = await this.tab("B", a.page.url());
    await b.prompt.waitFor();
    assert.equal(b.session, a.session);
    return [a, b];
  }

  /** Waits for the same fact in every tab. */
  async both(fact) {
    await Promise.all(this.tabs.map(fact));
  }

  async crash() {
    for (const tab of this.tabs) tab.isServerAway = true;
    await this.waymark.kill();
  }

  /** Starts again on the same port and folders; returns once every tab is connected by itself. */
  async restart(settings) {
    await this.both((tab) => tab.page.getByText("Reconnecting…").waitFor());
    await this.waymark.start(settings);
    await this.both((tab) => tab.page.getByText("Reconnecting…").waitFor({ state: "detached" }));
    for (const tab of this.tabs) tab.isServerAway = false;
  }

  assertNoFaults() {
    assert.deepEqual(this.faults, []);
  }

  /** Says what a failed scenario looked like. */
  async describe(name) {
    for (const fault of this.faults) console.log(`  ${fault}`);
    for (const tab of this.tabs) {
      const text = await tab.page.evaluate(() => document.querySelector(".main")?.innerText ?? document.body.innerText).catch(String);
      console.log(`  tab ${tab.name} of ${name} shows:\n${text.replace(/^/gm, "    | ").slice(-3000)}`);
    }
  }

  async clear() {
    for (const context of [this.context, ...this.guests]) await context.close();
    await this.waymark.dispose();
  }
}
