// One mock session: a log in memory, its slices, and the few rules that the page needs to see.

import { createHash, randomUUID } from "node:crypto";
import { runTurn } from "./script.mjs";

export class Session {
  constructor(id, { title = null, parent = null, events = [], speed = 1, onChange }) {
    Object.assign(this, { sessionId: id, events, speed, onChange, watchers: new Set(), dirty: new Set(), updated: Date.now(), answers: new Map() });
    this.queue = [];
    this.slices = {
      plan: { active: false, pending: null, proposal: null, review: null },
      goal: null, todos: null,
      turn: { number: 0, phase: "idle", step: 0, cancelled: false, last_end: null },
      inbox: [], questions: [],
      usage: { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, requests: 0 },
      title, session: { workspace: "/home/ada/src/manifold", parent, archived: false, deleted: false, damage: null },
    };
  }

  id() { return randomUUID(); }
  get seq() { return this.events.length; }
  touch(slice) { this.dirty.add(slice); }
  setTurn(change) { Object.assign(this.slices.turn, change); this.touch("turn"); }

  append(facts, actor = { kind: "host" }) {
    const end = this.seq + facts.length;
    const batch = facts.map(([type, data], index) => ({
      seq: this.seq + index + 1, batch_end: end, epoch: 1, at_ms: Date.now(), actor, type, data: JSON.parse(JSON.stringify(data)),
      ...(type === "assistant/delta" ? { ignorable: true } : {}),
    }));
    this.events.push(...batch);
    this.updated = Date.now();
    const slices = Object.fromEntries([...this.dirty].map((name) => [name, this.slices[name]]));
    this.dirty.clear();
    const frame = { type: "update", session: this.sessionId, cursor: this.cursor(), events: batch, slices };
    for (const send of this.watchers) send(frame);
    if (batch.some((event) => event.type !== "assistant/delta")) this.onChange();
  }

  cursor() { return { log: "mock-log", seq: this.seq }; }

  page(before, limit = 500) {
    const upTo = this.events.filter((event) => event.seq < before);
    return { events: upTo.slice(-limit), more: upTo.length > limit };
  }

  row() {
    const { turn, goal, title, session, questions } = this.slices;
    const status = session.damage ? "damaged" : questions.length ? "waiting" : turn.phase !== "idle" ? "running" : turn.last_end?.kind === "error" ? "error" : "idle";
    return {
      session: this.sessionId, title, status, updated_at_ms: this.updated, workspace: session.workspace,
      parent: session.parent?.session ?? null, archived: session.archived,
      goal: goal && { phase: goal.phase, armed: goal.activation === "armed" },
    };
  }

  queueInput(textValue, target, source = { kind: "user" }) {
    const input = { input_id: randomUUID(), text: textValue, target, source };
    this.queue.push(input);
    this.showInbox();
    this.append([["input/queued", { input_id: input.input_id, target, source, content: [{ type: "text", text: textValue }] }]]);
    if (!this.slices.title && source.kind === "user") { this.slices.title = textValue.slice(0, 60); this.touch("title"); }
    void this.drive();
  }

  showInbox() {
    this.slices.inbox = this.queue.map((input) => ({ input_id: input.input_id, target: input.target, preview: input.text.slice(0, 512), source: input.source.kind, held: Boolean(input.held) }));
    this.touch("inbox");
  }

  async drive() {
    if (this.driving) return;
    this.driving = true;
    for (;;) {
      const index = this.queue.findIndex((input) => !input.held);
      if (index < 0) {
        const goal = this.slices.goal;
        if (goal?.phase !== "active" || goal.activation !== "armed" || this.slices.plan.active || this.frozen) break;
        const round = goal.rounds_started + 1;
        this.queueRound(goal, round);
        continue;
      }
      const [input] = this.queue.splice(index, 1);
      this.showInbox();
      if (input.source.kind === "goal") { this.slices.goal = { ...this.slices.goal, rounds_started: input.source.round, round_in_flight: { round: input.source.round, state: "running" } }; this.touch("goal"); }
      await runTurn(this, input, this.speed);
      if (this.slices.goal) { this.slices.goal = { ...this.slices.goal, round_in_flight: null }; this.touch("goal"); this.append([]); }
    }
    this.driving = false;
  }

  queueRound(goal, round) {
    const source = { kind: "goal", goal_id: goal.id, revision: goal.revision, round };
    this.queue.push({ input_id: randomUUID(), text: `Goal: ${goal.objective}\nThis is round ${round} of ${goal.rounds_max}.`, target: "next-turn", source });
  }

  ask(call_id, intent, items) {
    const question = { question_id: randomUUID(), revision: 1, call_id, intent, items, deadline_at_ms: null, from_epoch_is_current: true };
    this.slices.questions = [...this.slices.questions, question];
    this.touch("questions");
    this.setTurn({ phase: "waiting" });
    this.append([["question/asked", { question_id: question.question_id, revision: 1, call_id, intent: { kind: intent }, items }]]);
    return new Promise((resolve) => this.answers.set(question.question_id, resolve));
  }

  settleQuestion(question_id, answers) {
    this.slices.questions = this.slices.questions.filter((other) => other.question_id !== question_id);
    this.touch("questions");
    this.setTurn({ phase: "running" });
    this.append([answers ? ["question/answered", { question_id, revision: 1, answers, by: { kind: "user" } }] : ["question/withdrawn", { question_id, why: "dismissed" }]]);
    this.answers.get(question_id)?.(answers);
  }

  async propose(t, markdown, say) {
    const call_id = `call_${randomUUID().slice(-6)}`;
    await say([call_id, "exit_plan_mode", { plan: markdown }]);
    const sha256 = createHash("sha256").update(markdown).digest("hex");
    const plan_id = this.slices.plan.proposal?.plan_id ?? randomUUID();
    const revision = (this.slices.plan.proposal?.revision ?? 0) + 1;
    const title = /^# (.*)/.exec(markdown)[1];
    const plan = { plan_id, revision, title, sha256, from: "tool" };
    this.plan = { markdown, ...plan };
    this.slices.plan = { ...this.slices.plan, proposal: { ...plan, state: "open", seq: this.seq + 1 }, review: { question_id: "review", question_revision: 1, plan_id, revision, sha256 } };
    this.touch("plan");
    this.append([["plan/proposed", { ...plan, markdown }]]);
    const item = { id: "plan", header: "Plan", question: "Approve this plan?", detail: markdown, options: [{ label: "Approve" }, { label: "Keep planning" }], multi_select: false };
    await this.ask(call_id, "plan-review", [item]);
    const approved = !this.slices.plan.active;
    this.append([["tool/result", { call_id, outcome: approved ? "ok" : "error", content: [{ type: "text", text: approved ? "Approved." : "Keep planning." }] }]]);
  }

  review(command) {
    const state = { approve: "approved", "keep-planning": "kept", dismiss: "dismissed" }[command.verdict];
    const verdict = { approve: "approved", "keep-planning": "keep-planning", dismiss: "dismissed" }[command.verdict];
    this.slices.plan = { ...this.slices.plan, active: command.verdict !== "approve", review: null, proposal: { ...this.slices.plan.proposal, state } };
    this.touch("plan");
    this.append([["plan/reviewed", { plan_id: command.plan_id, revision: command.revision, verdict, feedback: command.feedback }]]);
    const question = this.slices.questions.find((other) => other.intent === "plan-review");
    if (question) this.settleQuestion(question.question_id, command.verdict === "dismiss" ? null : [{ id: "plan", selected: [verdict] }]);
  }

  changeGoal(operation, change) {
    const before = this.slices.goal;
    const goal = operation === "clear" ? null : { ...before, ...change, revision: (before?.revision ?? 0) + 1, updated_at_ms: Date.now() };
    this.slices.goal = goal;
    this.touch("goal");
    const after = goal && { id: goal.id, revision: goal.revision, objective: goal.objective, phase: goal.phase, blocked_reason: goal.blocked_reason, budgets: { rounds: goal.rounds_max }, evidence: goal.evidence };
    return ["goal/change", goal ? { operation, goal: after, rounds_started: goal.rounds_started } : { operation, cleared: {} }];
  }

  createGoal(objective, rounds_max = 256) {
    this.slices.goal = null;
    return this.changeGoal("create", {
      id: randomUUID(), objective, phase: "active", blocked_reason: null, rounds_max, rounds_started: 0, round_in_flight: null,
      activation: "armed", waiting: null, evidence: null, created_at_ms: Date.now(), cap_reached: false, back_off: null, judged: null,
      budgets: { tokens_max: 1_500_000, tokens_used: 412_000, tokens_estimated: false, time_ms_max: 7_200_000, time_ms_used: 2_400_000, no_progress_max: 3, rounds_without_progress: 1 },
    });
  }
}
