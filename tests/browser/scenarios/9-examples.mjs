// The examples run as they stand, against the binary.

import { strict as assert } from "node:assert";
import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const example = (name) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

/** What an example needs to know of the server. */
function environment(waymark, token) {
  return { ...process.env, WAYMARK_URL: new URL(waymark.url).origin, WAYMARK_TOKEN: token };
}

export async function a_script_gives_a_goal_and_waits_for_its_end(stage) {
  const env = environment(stage.waymark, await stage.waymark.token());
  const { stdout } = await promisify(execFile)("node", [example("wait-for-goal.mjs"), "write two notes rounds=2", "5"], { env });
  const lines = stdout.trim().split("\n");
  assert.match(lines[0], /^session [0-9a-f-]{36}$/);
  assert.equal(lines.at(-1), "complete, round 2 of 5");
  const blocked = promisify(execFile)("node", [example("wait-for-goal.mjs"), "never done rounds=never", "1"], { env });
  const failure = await blocked.then(() => assert.fail("it ends well"), (error) => error);
  assert.equal(failure.code, 1);
  assert.match(failure.stdout, /blocked, round 1 of 1/);
}

export async function a_script_that_only_looks_misses_nothing_over_a_restart(stage) {
  const tab = await stage.tab("A", stage.waymark.url);
  await tab.prompt.waitFor();
  const env = environment(stage.waymark, await stage.waymark.token("--viewer"));
  const script = spawn("node", [example("follow.mjs"), tab.session], { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const lines = createInterface({ input: script.stdout })[Symbol.asyncIterator]();
    const seen = [];
    const until = async (words) => {
      for (;;) {
        const { value, done } = await lines.next();
        assert.ok(!done, `the script ended before “${words}”`);
        seen.push(Number(value.split(" ")[0]));
        if (value.includes(words)) return;
      }
    };
    await tab.rename("Before");
    await until("Before");
    await stage.crash();
    await stage.restart();
    await tab.rename("After");
    await until("After");
    assert.deepEqual(seen, seen.map((_, index) => index + 1), "each event once, in order");
  } finally {
    script.kill();
  }
}
