//! Bringing a state up to date with one recorded event.

use events::{
    Envelope, GoalChange, InputClaimed, InputReturned, Seq, SessionEvent, SessionOpened, Source, TurnEnd,
    Usage, UserMessage,
};

use crate::{Cancelled, ChosenModel, DamageCode, Input, State};

/// Folds every envelope in turn.
pub fn fold_all<'a>(state: &mut State, recorded: impl IntoIterator<Item = &'a Envelope>) {
    recorded.into_iter().for_each(|envelope| fold(state, envelope));
}

/// Brings `state` up to date with one recorded event. Total: the event happened.
pub fn fold(state: &mut State, recorded: &Envelope) {
    let seq = recorded.seq;
    check(state, seq, seq == state.head.next(), DamageCode::SeqGap);
    state.head = seq;
    if !matches!(recorded.event, SessionEvent::AssistantDelta(_)) {
        pass_time(state, recorded);
    }
    match &recorded.event {
        SessionEvent::SessionCreated(_)
        | SessionEvent::SessionOpened(_)
        | SessionEvent::SessionTitled(_)
        | SessionEvent::SessionArchived(_)
        | SessionEvent::SessionDeleted(_)
        | SessionEvent::PermissionGranted(_)
        | SessionEvent::PermissionRevoked(_)
        | SessionEvent::PermissionPreset(_) => fold_session(state, recorded),
        SessionEvent::InputQueued(_)
        | SessionEvent::InputEdited(_)
        | SessionEvent::InputMoved(_)
        | SessionEvent::InputClaimed(_)
        | SessionEvent::InputReturned(_)
        | SessionEvent::InputWithdrawn(_) => fold_input(state, recorded),
        SessionEvent::TurnStart(_)
        | SessionEvent::TurnCancelled(_)
        | SessionEvent::TurnEnd(_)
        | SessionEvent::StepStart(_)
        | SessionEvent::StepEnd(_)
        | SessionEvent::RequestHeader(_)
        | SessionEvent::RequestAttempt(_)
        | SessionEvent::UserMessage(_)
        | SessionEvent::AssistantDelta(_)
        | SessionEvent::AssistantMessage(_)
        | SessionEvent::ToolCall(_)
        | SessionEvent::ToolStarted(_)
        | SessionEvent::ToolResult(_) => fold_turn(state, recorded),
        SessionEvent::PlanSelected(_)
        | SessionEvent::PlanMode(_)
        | SessionEvent::PlanProposed(_)
        | SessionEvent::PlanReviewed(_)
        | SessionEvent::GoalChange(_)
        | SessionEvent::GoalRound(_)
        | SessionEvent::GoalJudged(_)
        | SessionEvent::TodoWrite(_)
        | SessionEvent::QuestionAsked(_)
        | SessionEvent::QuestionAnswered(_)
        | SessionEvent::QuestionWithdrawn(_) => fold_work(state, recorded),
        SessionEvent::CompactionSummary(data) => {
            state.surface.summarise(data.last_seq, seq);
            state.plan.retell = true;
        }
        SessionEvent::ModelSelected(data) => {
            state.models.insert(data.role.clone(), ChosenModel::of(data));
        }
        SessionEvent::HookRan(_)
        | SessionEvent::AgentSpawned(_)
        | SessionEvent::AgentEnded(_)
        | SessionEvent::CommandBackground(_)
        | SessionEvent::CommandRun(_)
        | SessionEvent::CommandDone(_)
        | SessionEvent::CompactionStart(_)
        | SessionEvent::CompactionEnd(_)
        | SessionEvent::Skipped(_) => {}
    }
}

/// Time counts while the host that runs the turn works on it. A clock that goes backwards counts nothing, nor does the time
/// between two hosts, nor that in which a person is waited for.
fn pass_time(state: &mut State, recorded: &Envelope) {
    let elapsed_ms = recorded.at_ms.saturating_sub(state.at_ms);
    state.at_ms = recorded.at_ms;
    let works = state.turn.open.as_ref().filter(|open| open.epoch == recorded.epoch);
    if !state.questions.hold_turn() {
        state.goals.passed(elapsed_ms, works);
    }
}

/// Passes over positions that hold no events any more, because a later event replaced them: only the head moves.
/// Whoever stands inside goes on behind.
pub fn pass_over(state: &mut State, (first, last): (Seq, Seq)) {
    check(state, first, first <= state.head.next(), DamageCode::SeqGap);
    state.head = state.head.max(last);
}

fn check(state: &mut State, seq: Seq, holds: bool, code: DamageCode) {
    if !holds {
        state.note(seq, code);
    }
}

fn fold_session(state: &mut State, recorded: &Envelope) {
    match &recorded.event {
        SessionEvent::SessionCreated(data) => state.session.create(data),
        SessionEvent::SessionOpened(data) => fold_opened(state, data, recorded.seq),
        SessionEvent::SessionTitled(data) => {
            state.session.title = Some(data.title.clone());
            state.session.titled_by_person = data.by.kind == events::ActorKind::User;
        }
        SessionEvent::SessionArchived(data) => state.session.archived = data.archived,
        SessionEvent::SessionDeleted(_) => state.session.deleted = true,
        SessionEvent::PermissionGranted(data) => state.permissions.grants.push(data.pattern.clone()),
        SessionEvent::PermissionRevoked(data) => {
            state.permissions.grants.retain(|grant| *grant != data.pattern)
        }
        SessionEvent::PermissionPreset(data) => state.permissions.preset = Some(data.preset.clone()),
        other => unreachable_family(other),
    }
}

fn fold_opened(state: &mut State, data: &SessionOpened, seq: Seq) {
    check(state, seq, data.epoch > state.epoch, DamageCode::EpochOrder);
    state.epoch = data.epoch;
}

fn fold_input(state: &mut State, recorded: &Envelope) {
    let known = match &recorded.event {
        SessionEvent::InputQueued(data) => {
            state.inbox.queue(data, recorded.epoch);
            true
        }
        SessionEvent::InputEdited(data) => state.inbox.edit(data.input_id, &data.content),
        SessionEvent::InputMoved(data) => state.inbox.shift(data, recorded.epoch),
        SessionEvent::InputClaimed(data) => fold_claimed(state, data),
        SessionEvent::InputReturned(data) => fold_returned(state, data),
        SessionEvent::InputWithdrawn(data) => {
            state.goals.input_gone(data.input_id);
            let waited = state.inbox.take(data.input_id).is_some();
            waited || !state.turn.unclaim(&[data.input_id]).is_empty()
        }
        other => unreachable_family(other),
    };
    check(state, recorded.seq, known, DamageCode::InputUnknown);
}

fn fold_claimed(state: &mut State, data: &InputClaimed) -> bool {
    let taken: Vec<Input> = data.input_ids.iter().filter_map(|id| state.inbox.take(*id)).collect();
    let all_waited = taken.len() == data.input_ids.len();
    data.input_ids.iter().for_each(|id| state.goals.input_claimed(*id));
    state.turn.claim(taken) && all_waited
}

fn fold_returned(state: &mut State, data: &InputReturned) -> bool {
    let back = state.turn.unclaim(&data.input_ids);
    let all_claimed = back.len() == data.input_ids.len();
    state.inbox.put_back(back);
    all_claimed
}

fn fold_turn(state: &mut State, recorded: &Envelope) {
    let seq = recorded.seq;
    let (holds, code) = match &recorded.event {
        SessionEvent::TurnStart(data) => {
            state.todos = None;
            (state.turn.start(data, recorded.epoch), DamageCode::TurnOrder)
        }
        SessionEvent::TurnCancelled(data) => {
            let cancelled = Cancelled { by: data.by.clone(), keep_inbox: data.keep_inbox };
            state.goals.turn_cancelled(state.turn.open.as_ref().is_some_and(|open| open.round.is_some()));
            (state.turn.cancel(data.turn, cancelled), DamageCode::TurnOrder)
        }
        SessionEvent::TurnEnd(data) => (fold_turn_end(state, data), DamageCode::TurnOrder),
        SessionEvent::StepStart(data) => (state.turn.start_step(data), DamageCode::StepOrder),
        SessionEvent::StepEnd(data) => {
            fold_usage(state, data.usage.as_ref());
            (state.turn.end_step(data), DamageCode::StepOrder)
        }
        SessionEvent::RequestHeader(data) => {
            state.requests.record(data, seq);
            state.plan.told = Some(state.plan.active);
            (true, DamageCode::StepOrder)
        }
        SessionEvent::RequestAttempt(data) => {
            fold_usage(state, data.usage.as_ref());
            (state.turn.retry(data, recorded.at_ms), DamageCode::StepOrder)
        }
        SessionEvent::UserMessage(data) => (fold_user_message(state, data), DamageCode::RoundReplay),
        SessionEvent::AssistantDelta(data) => {
            state.turn.stream(data);
            (true, DamageCode::StepOrder)
        }
        SessionEvent::AssistantMessage(data) => (state.turn.answer(data), DamageCode::StepOrder),
        SessionEvent::ToolCall(data) => (state.turn.call(data), DamageCode::CallOrder),
        SessionEvent::ToolStarted(data) => {
            (state.turn.start_call(&data.call_id, data.class), DamageCode::CallOrder)
        }
        SessionEvent::ToolResult(data) => (state.turn.finish_call(&data.call_id), DamageCode::CallOrder),
        other => unreachable_family(other),
    };
    check(state, seq, holds, code);
}

fn fold_usage(state: &mut State, used: Option<&Usage>) {
    state.usage.add(&used.copied().unwrap_or_default());
    state.usage.requests += u64::from(used.is_some());
    state.goals.used(&used.copied().unwrap_or_default(), state.turn.open.as_ref());
}

fn fold_turn_end(state: &mut State, data: &TurnEnd) -> bool {
    let all_seen = state.turn.open.as_ref().is_some_and(|open| open.claimed.is_empty());
    state.goals.turn_ended(data, state.turn.open.as_ref());
    state.turn.end(data.turn, &data.reason) && all_seen
}

fn fold_user_message(state: &mut State, data: &UserMessage) -> bool {
    state.turn.admit(data.input_id, &data.source);
    match &data.source {
        Source::Goal { goal_id, revision, round } => state.goals.admit((goal_id, *revision, *round)),
        Source::Notice { about, .. } if about == PLAN_NOTICE => {
            state.plan.told = Some(state.plan.active);
            state.plan.retell = false;
            true
        }
        Source::User | Source::Notice { .. } | Source::Plan { .. } => true,
    }
}

/// What a notice about a switch of the mode is about.
pub const PLAN_NOTICE: &str = "plan-mode";

fn fold_work(state: &mut State, recorded: &Envelope) {
    let seq = recorded.seq;
    let (holds, code) = match &recorded.event {
        SessionEvent::PlanSelected(data) => {
            state.plan.select(data);
            (true, DamageCode::PlanUnknown)
        }
        SessionEvent::PlanMode(data) => {
            state.plan.commit(data.active);
            (true, DamageCode::PlanUnknown)
        }
        SessionEvent::PlanProposed(data) => {
            state.plan.propose(data, seq);
            (true, DamageCode::PlanUnknown)
        }
        SessionEvent::PlanReviewed(data) => (state.plan.review(data), DamageCode::PlanUnknown),
        SessionEvent::GoalChange(data) => (fold_goal(state, data, recorded), DamageCode::GoalReplay),
        SessionEvent::GoalRound(data) => (state.goals.reserve(data), DamageCode::RoundReplay),
        SessionEvent::GoalJudged(data) => {
            fold_usage(state, data.usage.as_ref());
            (state.goals.judge(data), DamageCode::GoalReplay)
        }
        SessionEvent::TodoWrite(data) => {
            state.goals.listed(&data.todos, state.turn.open.as_ref());
            state.todos = Some(data.todos.clone());
            (true, DamageCode::StepOrder)
        }
        SessionEvent::QuestionAsked(data) => {
            state.questions.ask(data, recorded.epoch);
            (true, DamageCode::QuestionUnknown)
        }
        SessionEvent::QuestionAnswered(data) => {
            take_up(state, recorded);
            (state.questions.close(data.question_id), DamageCode::QuestionUnknown)
        }
        SessionEvent::QuestionWithdrawn(data) => {
            if recorded.actor.kind == events::ActorKind::User {
                take_up(state, recorded);
            }
            (state.questions.close(data.question_id), DamageCode::QuestionUnknown)
        }
        other => unreachable_family(other),
    };
    check(state, seq, holds, code);
}

/// A turn that waited for a person goes on in the epoch in which the person spoke.
fn take_up(state: &mut State, recorded: &Envelope) {
    if let Some(open) = &mut state.turn.open {
        open.epoch = recorded.epoch;
    }
}

fn fold_goal(state: &mut State, data: &GoalChange, recorded: &Envelope) -> bool {
    state.goals.change(data, recorded.epoch)
}

/// The families above name every type; an event reaches a family's fold only through [`fold`].
fn unreachable_family(event: &SessionEvent) -> ! {
    unreachable!("{} belongs to another family of the fold", event.type_name())
}
