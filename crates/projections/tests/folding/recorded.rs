//! The one place that builds envelopes, and facts with what matters of their data.

use events::{
    Actor, Block, Budgets, CallId, Digest, Envelope, Epoch, Goal, GoalAfter, GoalChange, GoalPhase,
    GoalRound, InputClaimed, InputId, InputQueued, InputWithdrawn, MessageId, PlanId, QuestionId, Seq,
    SessionEvent, SessionOpened, Source, StepEnd, StepFinish, StepStart, Target, ToolCall, ToolClass,
    ToolOutcome, ToolResult, ToolStarted, TurnEnd, TurnEndReason, TurnStart, UserMessage,
};
use projections::{DamageCode, State, fold};

/// Folds `facts` one after another, each a batch of its own in epoch 1.
pub(crate) fn folded(facts: impl IntoIterator<Item = SessionEvent>) -> State {
    let mut state = State::default();
    facts.into_iter().for_each(|fact| add(&mut state, fact));
    state
}

/// Folds one more fact.
pub(crate) fn add(state: &mut State, fact: SessionEvent) {
    let seq = state.head.next();
    fold(state, &envelope(seq, fact));
}

/// Returns `event` as a batch of its own.
pub(crate) fn envelope(seq: Seq, event: SessionEvent) -> Envelope {
    Envelope { seq, batch_end: seq, epoch: Epoch(1), at_ms: 1, cause: None, actor: Actor::HOST, event }
}

/// Checks that `facts` are sound and that `fact` after them is noted as `code`, at its position.
#[track_caller]
pub(crate) fn breaks(facts: &[SessionEvent], fact: SessionEvent, code: DamageCode) {
    let mut state = folded(facts.to_vec());
    assert_eq!(state.damage, None, "what came before is sound");
    add(&mut state, fact);
    let damage = state.damage.expect("the fact cannot have happened");
    assert_eq!(damage.code, code);
    assert_eq!(damage.seq, Seq(facts.len() as u64 + 1));
}

/// Checks that `facts` are sound.
#[track_caller]
pub(crate) fn sound(facts: &[SessionEvent]) -> State {
    let state = folded(facts.to_vec());
    assert_eq!(state.damage, None);
    state
}

/// Returns the id whose last digits are `number`.
pub(crate) fn input(number: u32) -> InputId {
    uuid(number).parse().expect("an id")
}

pub(crate) fn plan(number: u32) -> PlanId {
    uuid(number).parse().expect("an id")
}

pub(crate) fn question(number: u32) -> QuestionId {
    uuid(number).parse().expect("an id")
}

fn message(number: u32) -> MessageId {
    uuid(number).parse().expect("an id")
}

fn uuid(number: u32) -> String {
    format!("018f0000-0000-7000-8000-{number:012}")
}

pub(crate) fn opened(epoch: u64) -> SessionEvent {
    SessionOpened { epoch: Epoch(epoch), host: "host".to_owned() }.into()
}

pub(crate) fn queued(number: u32, source: Source) -> SessionEvent {
    let content = vec![Block::text("hi")];
    InputQueued { input_id: input(number), target: Target::NextTurn, source, content, wakes: true }.into()
}

pub(crate) fn withdrawn(number: u32) -> SessionEvent {
    InputWithdrawn { input_id: input(number), why: "dropped".to_owned() }.into()
}

pub(crate) fn claimed(number: u32) -> SessionEvent {
    InputClaimed { turn: 1, input_ids: vec![input(number)] }.into()
}

pub(crate) fn said(number: u32, source: Source) -> SessionEvent {
    let content = vec![Block::text("hi")];
    UserMessage { message_id: message(number), input_id: Some(input(number)), source, content }.into()
}

pub(crate) fn turn(turn: u32) -> SessionEvent {
    TurnStart { turn, workspace_head: None, dirty_hash: None }.into()
}

pub(crate) fn turn_end(turn: u32, reason: TurnEndReason) -> SessionEvent {
    TurnEnd::new(turn, reason).into()
}

pub(crate) fn step(turn: u32, step: u32) -> SessionEvent {
    StepStart { turn, step, wraps_up: false }.into()
}

pub(crate) fn step_end(turn: u32, step: u32) -> SessionEvent {
    let finish = StepFinish::Stop;
    StepEnd { turn, step, finish, usage: None, role: None, model: None, cost_micros: None }.into()
}

pub(crate) fn answered(turn: u32, step: u32) -> SessionEvent {
    let content = vec![Block::text("hello")];
    let message_id = message(900);
    events::AssistantMessage {
        message_id,
        turn,
        step,
        content,
        usage: None,
        interrupted: false,
        items: Vec::new(),
    }
    .into()
}

pub(crate) fn call(id: &str) -> SessionEvent {
    let call_id = CallId::from(id);
    ToolCall { turn: 1, step: 1, call_id, name: "read_file".to_owned(), arguments: "{}".to_owned() }.into()
}

pub(crate) fn started(id: &str) -> SessionEvent {
    ToolStarted { call_id: id.into(), class: ToolClass::Read, sandbox: None }.into()
}

pub(crate) fn result(id: &str) -> SessionEvent {
    ToolResult {
        call_id: id.into(),
        outcome: ToolOutcome::Ok,
        content: vec![Block::text("done")],
        error: None,
        diff: None,
        duration_ms: None,
    }
    .into()
}

pub(crate) fn digest() -> Digest {
    Digest("0".repeat(64))
}

/// Returns an active goal at revision 1 with 3 rounds, just created.
pub(crate) fn goal(id: &str) -> GoalAfter {
    let goal = Goal {
        id: id.into(),
        revision: 1,
        objective: "ship it".to_owned(),
        phase: GoalPhase::Active,
        blocked_reason: None,
        budgets: Budgets::of_rounds(3),
        evidence: None,
    };
    GoalAfter { goal, rounds_started: 0, created_at: 100, updated_at: 100 }
}

pub(crate) fn created(id: &str) -> SessionEvent {
    GoalChange::Create(goal(id)).into()
}

pub(crate) fn reserved(number: u32, round: u32) -> SessionEvent {
    GoalRound { goal_id: "g".into(), revision: 1, round, input_id: input(number) }.into()
}

pub(crate) fn of_round(round: u32) -> Source {
    Source::Goal { goal_id: "g".into(), revision: 1, round }
}
