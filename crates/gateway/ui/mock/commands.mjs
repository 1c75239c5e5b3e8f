// What the mock does with each command. Returns a refusal, or nothing.

import { randomUUID } from "node:crypto";

export function carryOut(session, command) {
  const run = COMMANDS[command.type];
  return run ? run(session, command) : { code: "UNKNOWN_COMMAND", message: `no command ${command.type}` };
}

const stale = (session) => ({
  code: "GOAL_STALE_REVISION",
  message: `the goal is at revision ${session.slices.goal?.revision ?? "none"} by now; look at it and try again`,
  current: session.slices.goal,
});

function onGoal(change) {
  return (session, command) => {
    const goal = session.slices.goal;
    if (!goal || goal.revision !== command.goal.revision) return stale(session);
    const fact = change(session, command, goal);
    session.append([fact]);
    void session.drive();
    return undefined;
  };
}

const COMMANDS = {
  prompt: (session, { text, target }) => session.queueInput(text, target),
  stop: (session) => {
    session.setTurn({ cancelled: true });
    if (session.slices.goal?.phase === "active") session.append([session.changeGoal("pause", { phase: "paused", activation: "disarmed", waiting: "paused by a stop" })]);
    else session.append([["turn/cancelled", { turn: session.slices.turn.number }]]);
  },
  slash: (session, { line }) => slash(session, line),
  "plan-set": (session, { active }) => setPlan(session, active, []),
  "plan-review": (session, command) => session.review(command),
  "goal-pause": onGoal((session) => session.changeGoal("pause", { phase: "paused", activation: "disarmed", waiting: null })),
  "goal-resume": onGoal((session) => session.changeGoal("resume", { phase: "active", activation: "armed", waiting: null, blocked_reason: null })),
  "goal-clear": onGoal((session) => session.changeGoal("clear", {})),
  "goal-edit": onGoal((session, command, goal) => session.changeGoal("edit", { objective: command.objective ?? goal.objective })),
  answer: (session, { question_id, answers }) => session.settleQuestion(question_id, answers),
  "dismiss-question": (session, { question_id }) => session.settleQuestion(question_id, null),
  "input-withdraw": (session, { input_id }) => {
    session.queue = session.queue.filter((input) => input.input_id !== input_id);
    session.showInbox();
    session.append([["input/withdrawn", { input_id, why: "dropped" }]]);
  },
  "input-send": (session, { input_id }) => {
    for (const input of session.queue) if (input.input_id === input_id) Object.assign(input, { held: false, target: "next-step" });
    session.showInbox();
    session.append([["input/moved", { input_id, target: "next-step", position: 0 }]]);
    void session.drive();
  },
  "input-edit": (session, { input_id, text }) => {
    for (const input of session.queue) if (input.input_id === input_id) input.text = text;
    session.showInbox();
    session.append([["input/edited", { input_id, content: [{ type: "text", text }] }]]);
  },
  "set-title": (session, { title }) => { session.slices.title = title; session.touch("title"); session.append([["session/titled", { title }]]); },
  archive: (session, { archived }) => {
    session.slices.session = { ...session.slices.session, archived };
    session.touch("session");
    session.append([["session/archived", { archived }]]);
  },
};

function setPlan(session, active, around) {
  session.slices.plan = { ...session.slices.plan, active, pending: null };
  session.touch("plan");
  session.append([...around.slice(0, 1), ["plan/mode", { active }], ...around.slice(1)]);
}

function slash(session, line) {
  const [, name, rest] = /^\/(\w+)([\s\S]*)$/.exec(line) ?? [];
  const args = (rest ?? "").trim();
  const command_id = randomUUID();
  const run = ["command/run", { command_id, name, args: rest ?? "" }];
  const done = (kind, text) => ["command/done", { command_id, kind, text }];
  if (name === "plan" && args === "off") return setPlan(session, false, [run, done("success", "Plan mode is off.")]);
  if (name === "plan") {
    setPlan(session, true, [run, done("success", "Plan mode is on. Use /plan off to leave.")]);
    if (args) session.queueInput(args, "next-turn");
    return undefined;
  }
  if (name === "goal" && args) {
    session.append([run, session.createGoal(args), done("success", "Goal set; round 1 begins when the session is idle.")]);
    void session.drive();
    return undefined;
  }
  if (name === "goal") return void session.append([run, done("error", "There is no goal. Set one with /goal <objective>.")]);
  return { code: "UNKNOWN_COMMAND", message: `there is no command /${name}; type / to see what there is` };
}
