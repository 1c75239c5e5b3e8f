// The binary under test: one process at a time on the same folders and, after the first start, the same port.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const BINARY = resolve(process.env.WAYMARK_BIN ?? "target/debug/waymark");
const ANNOUNCED_WITHIN_MS = 60_000;
const PACE_MS = 2;

export class Waymark {
  #process = null;
  #port = 0;
  #said = "";

  constructor(root, workspace) {
    this.root = root;
    this.workspace = workspace;
    /** The address that the newest start printed, its token included. */
    this.url = "";
  }

  /** Makes the folders and starts. */
  static async fresh({ root, workspace, ...settings } = {}) {
    const folder = root ?? (await mkdtemp(join(tmpdir(), "waymark-browser-")));
    const waymark = new Waymark(folder, workspace ?? join(folder, "workspace"));
    await mkdir(waymark.workspace, { recursive: true });
    await waymark.start(settings);
    return waymark;
  }

  get origin() {
    return new URL(this.url).origin;
  }

  async start({ paceMs = PACE_MS } = {}) {
    const config = join(this.root, "config", "waymark.toml");
    await mkdir(join(this.root, "config"), { recursive: true });
    await writeFile(config, `[rehearsal]\npace_ms = ${paceMs}\n`);
    const folders = ["--workspace", this.workspace, "--data", join(this.root, "data"), "--config", config];
    const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, WAYMARK_MODEL, WAYMARK_LISTEN, ...environment } = process.env;
    this.#process = spawn(BINARY, [...folders, "--port", String(this.#port)], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
    this.#process.stderr.on("data", (text) => { this.#said += text; });
    this.url = await this.#announced();
    this.#port = Number(new URL(this.url).port);
  }

  async #announced() {
    const told = new Promise((tell, fail) => {
      createInterface({ input: this.#process.stdout }).on("line", (line) => {
        const url = /http:\/\/\S+/.exec(line)?.[0];
        if (url) tell(url);
      });
      this.#process.once("error", fail);
      this.#process.once("exit", (code) => fail(new Error(`waymark ended with ${code}: ${this.#said}`)));
      setTimeout(() => fail(new Error(`waymark printed no address: ${this.#said}`)), ANNOUNCED_WITHIN_MS).unref();
    });
    return told;
  }

  /** Makes a token, as `waymark token new` does with these arguments. */
  async token(...args) {
    const { stdout } = await promisify(execFile)(BINARY, ["token", "new", ...args, "--data", join(this.root, "data")]);
    return stdout.trim();
  }

  /** Ends the process as a power cut would. */
  async kill() {
    const process = this.#process;
    this.#process = null;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    process.kill("SIGKILL");
    await once(process, "exit");
  }

  /** Ends the process and removes its folders. */
  async dispose() {
    await this.kill();
    await rm(this.root, { recursive: true, force: true });
  }
}
