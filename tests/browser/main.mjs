// Runs the scenarios one after another, each with a server, folders and a browser context of its own.

import { readdir } from "node:fs/promises";
import { launch } from "./browser.mjs";
import { Stage } from "./stage.mjs";

const folder = new URL("scenarios/", import.meta.url);
const wanted = process.argv.slice(2);
const files = (await readdir(folder)).filter((file) => file.endsWith(".mjs")).sort();
const chosen = files.filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));

const browser = await launch();
let [passed, failed] = [0, 0];
for (const file of chosen) {
  const scenarios = await import(new URL(file, folder));
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (await holds(name, scenario)) passed += 1;
    else failed += 1;
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function holds(name, scenario) {
  const began = Date.now();
  const stage = await Stage.set(browser, scenario.settings);
  try {
    await scenario(stage);
    stage.assertNoFaults();
    console.log(`ok      ${name} (${Date.now() - began} ms)`);
    return true;
  } catch (error) {
    console.log(`FAILED  ${name} (${Date.now() - began} ms)\n${error.stack}`);
    await stage.describe(name);
    return false;
  } finally {
    await stage.clear();
  }
}
