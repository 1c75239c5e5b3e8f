// Sessions that exist when the mock starts.

const HOUR = 3_600_000;

export function seed(make, kind) {
  if (kind === "none") return;
  const ids = ["main", "fork", "goal", "wait", "err", "old", "long", "blocked", "met"].map((name, index) => [name, `01970000-0000-7000-8000-00000000000${index}`]);
  const id = Object.fromEntries(ids);
  const old = make(id.old, { title: "Why does the lock file change on every build?" });
  old.updated = Date.now() - 52 * HOUR;
  const main = make(id.main, { title: "Make the cold start faster" });
  main.updated = Date.now() - 2 * HOUR;
  const fork = make(id.fork, { title: "Cold start: try mmap instead", parent: { session: id.main, fork_seq: 12 } });
  fork.updated = Date.now() - HOUR;
  const goal = make(id.goal, { title: "Port the CLI to the new parser" });
  goal.frozen = true;
  goal.append([goal.createGoal("Port every subcommand to the new parser and keep the exit codes", 40)]);
  goal.slices.goal = { ...goal.slices.goal, rounds_started: 7, activation: "armed", waiting: "waits for the session to be idle" };
  goal.slices.todos = [
    { content: "Port `build` and `check`", status: "completed" },
    { content: "Port `run`, with its environment flags", status: "in_progress" },
    { content: "Compare exit codes against the old binary", status: "pending" },
    { content: "Delete the old parser", status: "pending" },
  ];
  goal.queue.push({ input_id: "held-1", text: "Also check that --quiet still silences warnings.", target: "next-turn", source: { kind: "user" }, held: true });
  goal.showInbox();
  goal.append([]);
  const err = make(id.err, { title: "Upgrade serde" });
  err.slices.turn.last_end = { kind: "error", code: "auth", message: "401" };
  err.updated = Date.now() - 26 * HOUR;
  const wait = make(id.wait, { title: "Design the plug-in manifest" });
  wait.slices.questions = [{ question_id: "q1", revision: 1, call_id: null, intent: "ask-user", deadline_at_ms: null, from_epoch_is_current: true, items: [
    { id: "a", header: "Format", question: "Which format should a plug-in's manifest have?", options: [{ label: "TOML", description: "Like Cargo's; comments allowed", recommended: true }, { label: "JSON", description: "No new parser" }], multi_select: false },
  ] }];
  const long = make(id.long, { title: "A long session" });
  for (let turn = 1; turn <= 400; turn += 1) {
    long.append([["turn/start", { turn }], ["user/message", { message_id: `m${turn}`, source: { kind: "user" }, content: [{ type: "text", text: `Prompt number ${turn}` }] }]]);
    long.append([["assistant/message", { message_id: `x${turn}`, turn, step: 1, content: [{ type: "text", text: `Answer ${turn}. `.repeat(1 + (turn % 40)) }] }]]);
    long.append([["turn/end", { turn, reason: { kind: "completed" } }]]);
  }
  long.slices.turn.number = 400;
  long.updated = Date.now() - 80 * HOUR;
  const goalOf = (name, title, change) => {
    const session = make(id[name], { title });
    session.frozen = true;
    session.append([session.createGoal("Make every fixture parse once")]);
    session.slices.goal = { ...session.slices.goal, activation: "disarmed", rounds_started: 12, ...change };
    session.updated = Date.now() - 5 * HOUR;
  };
  goalOf("blocked", "Fixtures parse twice", { phase: "blocked", blocked_reason: { code: "no-progress", message: "three rounds changed neither a to-do nor a file" } });
  goalOf("met", "Fixtures parse once", { phase: "complete", evidence: "cargo test --workspace: 214 passed; fixtures/parse-count.txt says 1 for each of 31 files." });
  for (const session of [main, fork]) session.append([["session/created", {}]]);
}
