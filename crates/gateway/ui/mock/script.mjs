// A believable agent for developing the page: it answers, plans, asks and works on goals, slowly enough to watch.

const PLAN = `# Cache parsed manifests between runs

## Summary
Parsing \`manifest.toml\` takes **340 ms** of a 410 ms start. Keep the parsed form beside the file and reuse it while
the file's hash is the same.

## Key changes
1. \`src/manifest.rs\`: split \`load\` into \`read\` and \`parse\`; \`parse\` stays pure.
2. \`src/cache.rs\` (new): one file per manifest, named by its BLAKE3.
3. \`src/main.rs\`: a \`--no-cache\` switch.

| step | before | after |
|---|---:|---:|
| cold start | 410 ms | 415 ms |
| warm start | 410 ms | 62 ms |

\`\`\`rust
pub fn load(path: &Path, cache: &Cache) -> Result<Manifest, LoadError> {
    let text = read(path)?;
    cache.fetch(&text).map_or_else(|| parse(&text), Ok)
}
\`\`\`

## Test plan
- a cached manifest equals a parsed one, for every fixture
- a truncated cache file is ignored and rewritten

## Assumptions
The cache folder may be deleted at any time.
`;

const ANSWER = `The start-up cost is almost all in one place. \`manifest::load\` parses the whole file **before** it looks at the
command line, so even \`--version\` pays for it:

1. \`main\` calls \`load\` in its first line.
2. \`load\` resolves every include, recursively.
3. Nothing is kept between runs.

\`\`\`rust
fn main() -> ExitCode {
    let manifest = manifest::load(DEFAULT_PATH); // 340 ms
    let args = Args::parse();
}
\`\`\`

> Moving the call below \`Args::parse\` is safe: no argument default reads the manifest.

I moved it and measured again: \`--version\` went from **412 ms** to **9 ms**. See [the profile](https://example.com/profile) for the rest.
`;

const DIFF = `--- a/src/main.rs
+++ b/src/main.rs
@@ -12,8 +12,9 @@ mod manifest;
 
 fn main() -> ExitCode {
-    let manifest = manifest::load(DEFAULT_PATH);
     let args = Args::parse();
+    let manifest = manifest::load(&args.manifest);
+    tracing::debug!(included = manifest.includes.len(), "manifest read");
     match run(&args, &manifest) {
         Ok(()) => ExitCode::SUCCESS,
         Err(error) => report(&error),
`;

const HOSTILE = `<img src=x onerror="alert(1)"> <script>alert(2)</script> [go](javascript:alert(3)) ![pic](https://example.com/a.png)

<div style="position:fixed" onclick="alert(4)">styled</div> <form action="/"><input name=a></form>

- [x] done
- [ ] open
`;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value) => [{ type: "text", text: value }];

/** Runs one turn on a session for an input, and returns when it has ended. */
export async function runTurn(session, input, speed) {
  const turn = (session.slices.turn.number += 1);
  const t = { session, turn, step: 0, speed };
  session.setTurn({ phase: "running", step: 0, cancelled: false });
  session.append([["turn/start", { turn }]]);
  const userMessage = { message_id: session.id(), input_id: input.input_id, source: input.source, content: text(input.text) };
  session.append([["user/message", userMessage]]);
  try {
    if (input.source.kind === "goal") await goalRound(t, input.source.round);
    else if (session.slices.plan.active) await planTurn(t, input.text);
    else if (/ask/i.test(input.text)) await askTurn(t);
    else if (/fail/i.test(input.text)) await failTurn(t);
    else if (/^big/.test(input.text)) await say(t, ANSWER.repeat(60));
    else if (/^xss/.test(input.text)) await say(t, HOSTILE);
    else if (/plan/.test(input.source.kind)) await workTurn(t);
    else await workTurn(t);
    end(t, { kind: "completed" });
  } catch (stop) {
    end(t, stop.reason ?? { kind: "aborted", by: { kind: "user" } });
  }
}

function end({ session, turn }, reason) {
  const words = { kind: reason.kind, message: reason.message, code: reason.code };
  session.setTurn({ phase: "idle", cancelled: false, last_end: words });
  session.append([["turn/end", { turn, reason }]]);
}

function check({ session }) {
  if (session.slices.turn.cancelled) throw { reason: { kind: "aborted", by: { kind: "user" } } };
}

async function say(t, words, { reasoning = "", calls = [] } = {}) {
  const { session, turn, speed } = t;
  const step = (t.step += 1);
  session.setTurn({ step });
  session.append([["step/start", { turn, step }]]);
  for (const [channel, value] of [["reasoning", reasoning], ["text", words]]) {
    let offset = 0;
    for (const piece of value.match(/[\s\S]{1,24}/g) ?? []) {
      if (session.slices.turn.cancelled) {
        const half = Buffer.from(words).subarray(0, offset).toString();
        session.append([["assistant/message", { message_id: session.id(), turn, step, content: text(half), interrupted: true }]]);
        check(t);
      }
      session.append([["assistant/delta", { turn, step, attempt: 1, offset, channel, text: piece }]]);
      offset += Buffer.byteLength(piece);
      await pause(50 * speed);
    }
  }
  const content = [
    ...(reasoning ? [{ type: "reasoning", text: reasoning }] : []),
    ...(words ? text(words) : []),
    ...calls.map(([call_id, name, args]) => ({ type: "tool-call", call_id, name, arguments: JSON.stringify(args) })),
  ];
  session.append([["assistant/message", { message_id: session.id(), turn, step, content }]]);
  session.slices.usage.requests += 1;
  session.slices.usage.input_tokens += 4210;
  session.slices.usage.output_tokens += 380;
  session.touch("usage");
  for (const [call_id, name, args] of calls) {
    session.append([["tool/call", { turn, step, call_id, name, arguments: JSON.stringify(args) }]]);
  }
}

async function tool(t, name, args, result, { klass = "read", ms = 400, diff, error, words = "", reasoning = "" } = {}) {
  const { session } = t;
  const call_id = `call_${session.id().slice(-6)}`;
  await say(t, words, { reasoning, calls: [[call_id, name, args]] });
  session.append([["tool/started", { call_id, class: klass }]]);
  await pause(ms * t.speed);
  if (name === "todo_write") {
    session.slices.todos = args.todos;
    session.touch("todos");
    session.append([["todo/write", args]]);
  }
  const outcome = error ? "error" : "ok";
  session.append([["tool/result", { call_id, outcome, content: text(result), error, diff, duration_ms: ms }]]);
  check(t);
}

function todos(...states) {
  const names = ["Move the manifest call below argument parsing", "Measure cold and warm start", "Describe --manifest in the README", "Remove the old fixture"];
  return { todos: states.map((status, index) => ({ content: names[index], status })) };
}

async function workTurn(t) {
  const reasoning = "The person wants the start to be faster. Profile first, then look at what main does before it parses arguments.";
  await tool(t, "todo_write", todos("in_progress", "pending", "pending", "pending"), "Recorded 4 items.", { words: "I'll look at what runs before argument parsing.", klass: "session", ms: 4, reasoning });
  await tool(t, "read_file", { path: "src/main.rs" }, "     1\tmod manifest;\n    12\tfn main() -> ExitCode {\n    13\t    let manifest = manifest::load(DEFAULT_PATH);\n(48 lines in all)", { ms: 3 });
  await tool(t, "search", { pattern: "manifest::load\\(", glob: "*.rs" }, "src/main.rs:13:    let manifest = manifest::load(DEFAULT_PATH);\nsrc/bin/check.rs:9:    manifest::load(path)", { ms: 21 });
  await tool(t, "edit_file", { path: "src/main.rs", edits: [{ old: "a", new: "b" }] }, "Applied 1 edit to src/main.rs.", { klass: "write", diff: DIFF, ms: 12 });
  await tool(t, "run_command", { command: "cargo test --quiet manifest" }, "running 12 tests\n...........F\nfailures:\n    manifest::tests::reads_the_default_path\ntest result: FAILED. 11 passed; 1 failed", { klass: "exec", ms: 2340, error: { code: "EXIT_STATUS", message: "exit status 101" } });
  await tool(t, "todo_write", todos("completed", "in_progress", "pending", "pending"), "Recorded 4 items.", { klass: "session", ms: 3 });
  await say(t, ANSWER);
}

async function failTurn(t) {
  t.session.append([["request/attempt", { turn: t.turn, step: 1, attempt: 2, class: "network", message: "connection reset", delay_ms: 2000 }]]);
  await pause(500 * t.speed);
  throw { reason: { kind: "error", code: "auth", message: "401: the key was not accepted" } };
}

async function planTurn(t, request) {
  const { session } = t;
  if (request.length < 4) return say(t, "What should the plan be for?");
  await tool(t, "list_files", {}, "Cargo.toml\nREADME.md\nsrc/\n  main.rs\n  manifest.rs", { words: "I'll read before I propose anything.", ms: 8 });
  await tool(t, "read_file", { path: "src/manifest.rs" }, "     1\tuse std::path::Path;", { ms: 2 });
  await session.propose(t, PLAN, (args) => say(t, "", { calls: [args] }));
  if (session.slices.plan.active) return;
  await workTurn(t);
}

async function askTurn(t) {
  const items = [
    { id: "where", header: "Location", question: "Where should the cache live?", options: [
      { label: "User cache folder", description: "~/.cache/waymark, shared by all workspaces", recommended: true },
      { label: "Workspace", description: "A git-ignored folder beside the sources" },
    ], multi_select: false },
    { id: "which", header: "Scope", question: "Which files should be cached?", options: [
      { label: "Manifests", description: "" }, { label: "Lock files", description: "Larger, change more often" }, { label: "Templates", description: "" },
    ], multi_select: true },
  ];
  const call_id = `call_${t.session.id().slice(-6)}`;
  await say(t, "Two things I can't decide from the code.", { calls: [[call_id, "ask_user_question", { questions: items }]] });
  const answer = await t.session.ask(call_id, "ask-user", items);
  t.session.append([["tool/result", { call_id, outcome: answer ? "ok" : "error", content: text(JSON.stringify(answer)) }]]);
  await say(t, "Thanks. I'll put it there.");
}

async function goalRound(t, round) {
  await tool(t, "get_goal", {}, '{"phase":"active"}', { klass: "session", ms: 1, words: `Round ${round}: next, the warm start.` });
  await tool(t, "run_command", { command: "hyperfine --warmup 3 './target/release/app --version'" }, "Time (mean ± σ): 9.1 ms ± 0.4 ms", { klass: "exec", ms: 3100 });
  await tool(t, "write_file", { path: `notes/round-${round}.md`, content: "# Notes" }, "Created notes.", { klass: "write", ms: 5, diff: `--- /dev/null\n+++ b/notes/round-${round}.md\n@@ -0,0 +1,2 @@\n+# Round ${round}\n+Warm start is 9.1 ms.\n` });
  await say(t, `Warm start is at **9.1 ms**. Two fixtures still parse twice; the next round takes those.`);
}
