//! The agent's wishes: a turn from its claim to its end.

use std::collections::HashSet;

use events::{
    AssistantDelta, AssistantMessage, Block, CallId, InputClaimed, InputId, InputWithdrawn, MessageId,
    PlanMode, RequestAttempt, RequestHeader, SessionEvent, Source, StepEnd, StepFinish, StepStart, ToolCall,
    TurnEnd, TurnEndReason, TurnStart, UserMessage, plain_text,
};
use projections::{Activation, Input, OpenTurn, PLAN_NOTICE, State, WorkspaceMark};

use super::closing::{Closing, close, give_back, guessed, lapse_wrap_up, stopped_by};
use super::{Decision, budget, outage, session, text_plan, tool};
use crate::text::{mode_notice, mode_retold, mode_text_notice, round_prompt};
use crate::{AgentCommand, Answered, Code, Moment, Outage, Refusal, Role};

pub(super) fn decide(state: &State, command: &AgentCommand, at: &Moment) -> Decision {
    refuse_waiting(state, command, at)?;
    match command {
        AgentCommand::Claim(mark) => claim(state, mark, at),
        AgentCommand::Admit => admit(state, at),
        AgentCommand::Header(header) => header_changed(state, header, at),
        AgentCommand::Delta(delta) => streamed(state, delta),
        AgentCommand::Retry(attempt) => retried(state, attempt),
        AgentCommand::Answered(answer) => answered(state, answer, at),
        AgentCommand::StartCall { call_id, class, sandbox } => {
            tool::start(state, call_id, *class, sandbox.as_ref())
        }
        AgentCommand::FailCall { call_id, failure } => tool::fail(state, call_id, failure),
        AgentCommand::FinishCall(result) => tool::finish(state, result),
        AgentCommand::Act { call_id, action } => tool::act(state, call_id, (action, None), at),
        AgentCommand::Judge { call_id, action, judgement } => {
            tool::act(state, call_id, (action, Some(judgement)), at)
        }
        AgentCommand::EndStep => end_step(state),
        AgentCommand::EndTurn(mark) => end_turn(state, mark, at),
        AgentCommand::Fail { code, message, outage } => fail(state, (code, message), outage.as_ref(), at),
        AgentCommand::Settle => settle(state, at),
    }
}

/// A turn of an older epoch waits for a person: until they take it up it can only be closed.
fn refuse_waiting(state: &State, command: &AgentCommand, at: &Moment) -> Result<(), Refusal> {
    let waits = state.turn.open.as_ref().is_some_and(|open| open.epoch != at.epoch);
    if waits && !matches!(command, AgentCommand::Settle) {
        return Refusal::err(Code::StepNotOpen, "the open turn waits for a person, for its host is gone");
    }
    Ok(())
}

/// Returns the open turn, unless it is being stopped.
fn running(state: &State) -> Result<&OpenTurn, Refusal> {
    match &state.turn.open {
        None => Refusal::err(Code::StepNotOpen, "no turn is open"),
        Some(open) if open.cancelled.is_some() => {
            Refusal::err(Code::TurnCancelled, "the turn is being stopped")
        }
        Some(open) => Ok(open),
    }
}

fn unanswered(state: &State) -> Result<&OpenTurn, Refusal> {
    let open = running(state)?;
    match &open.step {
        Some(step) if !step.answered => Ok(open),
        _ => Refusal::err(Code::StepNotOpen, "no step waits for an answer"),
    }
}

/// Opens a turn for what waits: all of the next step's list and one of the next turn's.
fn claim(state: &State, mark: &WorkspaceMark, at: &Moment) -> Decision {
    if state.turn.open.is_some() {
        return Refusal::err(Code::StepNotOpen, "a turn is open already");
    }
    let taken = claimable(state, at);
    if let Some(stale) = taken.iter().find(|input| !is_round_due(state, input, at)) {
        return Ok(vec![InputWithdrawn { input_id: stale.input_id, why: "stale".to_owned() }.into()]);
    }
    if !taken.iter().any(|input| input.wakes) {
        return Refusal::err(Code::NothingToClaim, "nothing waits that may run");
    }
    let turn = state.turn.number + 1;
    let input_ids = taken.iter().map(|input| input.input_id).collect();
    Ok(vec![
        TurnStart { turn, workspace_head: mark.head.clone(), dirty_hash: mark.dirty_hash.clone() }.into(),
        InputClaimed { turn, input_ids }.into(),
    ])
}

/// A round is never taken together with a person's input.
fn claimable<'a>(state: &'a State, at: &Moment) -> Vec<&'a Input> {
    let mut taken: Vec<&Input> = next_step(state, at).collect();
    let person_waits = taken.iter().any(|input| input.wakes);
    let first = state.inbox.next_turn.iter().find(|input| input.runs_in(at.epoch));
    taken.extend(first.filter(|input| !(input.is_round() && person_waits)));
    taken
}

fn next_step<'a>(state: &'a State, at: &Moment) -> impl Iterator<Item = &'a Input> {
    state.inbox.next_step.iter().filter(move |input| input.runs_in(at.epoch))
}

/// Says whether the goal still wants this round, as it was reserved and word for word; other inputs are always due.
fn is_round_due(state: &State, input: &Input, at: &Moment) -> bool {
    let Source::Goal { goal_id, revision, round } = &input.source else { return true };
    let Some(current) = &state.goals.current else { return false };
    let goal = &current.goal;
    (goal_id, *revision) == (&goal.id, goal.revision)
        && current.flight.as_ref().is_some_and(|flight| flight.input_id == input.input_id)
        && current.activation(Some(at.epoch)) == Activation::Armed
        && *round == current.rounds_started + 1
        && current.has_capacity()
        && !state.is_planning()
        && *input.content == vec![Block::text(round_prompt(current, *round))]
}

/// Opens the next step: the mode that waits takes effect, and claimed inputs become messages.
fn admit(state: &State, at: &Moment) -> Decision {
    let open = running(state)?;
    if open.step.is_some() {
        return Refusal::err(Code::StepNotOpen, "the step before is not over");
    }
    if let Some(stale) = open.claimed.iter().find(|input| !is_round_due(state, input, at)) {
        return Ok(reject_round(state, open, stale.input_id));
    }
    if open.steps >= at.limits.steps_per_turn_max {
        return end_turn(state, &WorkspaceMark::default(), at);
    }
    let joining: Vec<&Input> = if open.steps == 0 { Vec::new() } else { next_step(state, at).collect() };
    let has_results = open.last.is_some_and(|last| last.had_calls);
    if open.claimed.is_empty() && joining.is_empty() && !has_results {
        return Refusal::err(Code::StepNotOpen, "there is nothing new for the model; end the turn");
    }
    let mut events = match budget::over(state, open) {
        Some(over) if has_results => return budget::wrap_up_step(state, &over, at),
        Some(over) => budget::block(state, &over, at)?,
        None => Vec::new(),
    };
    if !joining.is_empty() {
        let input_ids = joining.iter().map(|input| input.input_id).collect();
        events.push(InputClaimed { turn: state.turn.number, input_ids }.into());
    }
    let mode = state.plan.target();
    if mode != state.plan.active {
        events.push(PlanMode { active: mode }.into());
    }
    events.push(StepStart { turn: state.turn.number, step: open.steps + 1, wraps_up: false }.into());
    let entering: Vec<&Input> = open.claimed.iter().chain(joining).collect();
    events.extend(first_person(&entering).and_then(|text| session::first_title(state, &text, at)));
    events.extend(entering.iter().map(|input| message_of(input, at)));
    let narrate = state.plan.pending.as_ref().map_or(state.plan.narrate, |pending| pending.narrate);
    if state.plan.owes_notice(mode, narrate) {
        events.push(notice_of(mode, mode_notice(mode), at));
    } else if state.plan.retell {
        events.push(notice_of(mode, &mode_retold(mode), at));
    }
    Ok(events)
}

fn reject_round(state: &State, open: &OpenTurn, stale: InputId) -> Vec<SessionEvent> {
    let mut events = give_back(open);
    let reason = TurnEndReason::Blocked {
        code: "round-stale".to_owned(),
        message: format!("the goal no longer wants the round of input {stale}"),
    };
    events.push(TurnEnd::new(state.turn.number, reason).into());
    events
}

fn first_person(entering: &[&Input]) -> Option<String> {
    entering.iter().find(|input| input.is_from_person()).map(|input| plain_text(&input.content))
}

fn message_of(input: &Input, at: &Moment) -> SessionEvent {
    UserMessage {
        message_id: MessageId(at.ids.fresh()),
        input_id: Some(input.input_id),
        source: input.source.clone(),
        content: input.content.to_vec(),
    }
    .into()
}

fn notice_of(mode: bool, text: &str, at: &Moment) -> SessionEvent {
    let summary = if mode { "plan mode on" } else { "plan mode off" };
    UserMessage {
        message_id: MessageId(at.ids.fresh()),
        input_id: None,
        source: Source::Notice { about: PLAN_NOTICE.to_owned(), summary: summary.to_owned() },
        content: vec![Block::text(text)],
    }
    .into()
}

/// Records what the request is made with. A mode whose rules were replaced since the request before is told so; a switch
/// of the mode was told when it was committed.
fn header_changed(state: &State, header: &RequestHeader, at: &Moment) -> Decision {
    unanswered(state)?;
    let before = state.requests.header.as_ref().and_then(|before| before.mode_text.as_ref());
    let replaced = before
        .zip(header.mode_text.as_ref())
        .filter(|(before, now)| before.plan == now.plan && before.hash != now.hash);
    let notice = replaced.map(|(_, now)| notice_of(now.plan, &mode_text_notice(now.plan), at));
    Ok(notice.into_iter().chain([header.clone().into()]).collect())
}

fn streamed(state: &State, delta: &AssistantDelta) -> Decision {
    let open = unanswered(state)?;
    if (delta.turn, delta.step) != (state.turn.number, open.steps) {
        return Refusal::err(Code::StepNotOpen, "the text belongs to another step");
    }
    Ok(vec![delta.clone().into()])
}

/// Records that the request is made again. Nothing was called in this step, so nothing is repeated.
fn retried(state: &State, attempt: &RequestAttempt) -> Decision {
    let open = unanswered(state)?;
    let Some(step) = open.step.as_ref().filter(|step| step.attempt() + 1 == attempt.attempt) else {
        return Refusal::err(Code::StepNotOpen, "another attempt is due");
    };
    if (attempt.turn, attempt.step) != (state.turn.number, open.steps) {
        return Refusal::err(Code::StepNotOpen, "the attempt belongs to another step");
    }
    Ok(vec![RequestAttempt { usage: guessed(&step.streamed_now()), ..attempt.clone() }.into()])
}

/// Records the answer, its calls and the plan in its text; without calls the step is over too.
fn answered(state: &State, answer: &Answered, at: &Moment) -> Decision {
    let open = unanswered(state)?;
    let (turn, step) = (state.turn.number, open.steps);
    let content = with_distinct_calls(&allowed(open, &answer.content));
    let message_id = MessageId(at.ids.fresh());
    let (shown, usage) = (content.clone(), answer.usage);
    let mut events = vec![
        AssistantMessage {
            message_id,
            turn,
            step,
            content: shown,
            usage,
            interrupted: false,
            items: answer.items.clone(),
        }
        .into(),
    ];
    let calls = content.iter().filter_map(|block| match block {
        Block::ToolCall { call_id, name, arguments } => Some(ToolCall {
            turn,
            step,
            call_id: call_id.clone(),
            name: name.clone(),
            arguments: arguments.clone(),
        }),
        Block::Text { .. } | Block::Reasoning { .. } | Block::Image { .. } => None,
    });
    events.extend(calls.map(SessionEvent::from));
    let has_calls = events.len() > 1;
    events.extend(text_plan::propose(state, answer, at));
    if !has_calls {
        let finish = if answer.finish == StepFinish::ToolCalls { StepFinish::Stop } else { answer.finish };
        events.push(step_end(state, finish, Some(answer)));
    }
    Ok(events)
}

/// A step that only closes calls nothing, whatever the model says.
fn allowed(open: &OpenTurn, content: &[Block]) -> Vec<Block> {
    let closes = open.step.as_ref().is_some_and(|step| step.wraps_up);
    content.iter().filter(|block| !closes || call_id(block).is_none()).cloned().collect()
}

/// Gives each call of one answer an id of its own: some providers number them carelessly.
fn with_distinct_calls(content: &[Block]) -> Vec<Block> {
    let mut content = content.to_vec();
    let mut taken: HashSet<CallId> = content.iter().filter_map(call_id).cloned().collect();
    let mut seen = HashSet::new();
    for block in &mut content {
        let Block::ToolCall { call_id, .. } = block else { continue };
        if !seen.insert(call_id.clone()) {
            *call_id = free_id(call_id, &taken);
            taken.insert(call_id.clone());
            seen.insert(call_id.clone());
        }
    }
    content
}

fn call_id(block: &Block) -> Option<&CallId> {
    match block {
        Block::ToolCall { call_id, .. } => Some(call_id),
        Block::Text { .. } | Block::Reasoning { .. } | Block::Image { .. } => None,
    }
}

fn free_id(like: &CallId, taken: &HashSet<CallId>) -> CallId {
    let numbered = (2u32..).map(|number| CallId(format!("{like}-{number}")));
    numbered.into_iter().find(|id| !taken.contains(id)).expect("one of so many numbers is free")
}

/// Returns the end of the open step, with what its answer used: `answer` when that is not folded yet.
fn step_end(state: &State, finish: StepFinish, answer: Option<&Answered>) -> SessionEvent {
    let open = state.turn.open.as_ref();
    let folded = open.and_then(|open| open.step.as_ref()).and_then(|step| step.usage);
    let header = state.requests.header.as_ref();
    StepEnd {
        turn: state.turn.number,
        step: open.map_or(0, |open| open.steps),
        finish,
        usage: answer.map_or(folded, |answer| answer.usage),
        role: header.and_then(|header| header.role.clone()).or_else(|| Some(Role::Main.name().to_owned())),
        model: answer
            .map(|answer| answer.model.clone())
            .or_else(|| header.map(|header| header.model.clone())),
        cost_micros: None,
    }
    .into()
}

fn end_step(state: &State) -> Decision {
    let open = running(state)?;
    let Some(step) = open.step.as_ref().filter(|step| step.answered) else {
        return Refusal::err(Code::StepNotOpen, "no answered step is open");
    };
    if step.calls.iter().any(|call| call.stage != projections::CallStage::Done) {
        return Refusal::err(Code::StepNotOpen, "a call of this step has no result yet");
    }
    Ok(vec![step_end(state, StepFinish::ToolCalls, None)])
}

/// Closes a turn whose model could not be asked; an armed goal may outlast an outage of its provider.
fn fail(state: &State, (code, message): (&str, &str), outage: Option<&Outage>, at: &Moment) -> Decision {
    running(state)?;
    let reason = TurnEndReason::Error { code: code.to_owned(), message: message.to_owned() };
    let goal_retry = outage.and_then(|outage| outage::retry(state, outage, at));
    let end = TurnEnd { goal_retry, ..TurnEnd::new(state.turn.number, reason) };
    Ok(close(state, Closing::Failed, end, at))
}

fn end_turn(state: &State, mark: &WorkspaceMark, at: &Moment) -> Decision {
    let open = running(state)?;
    if open.step.is_some() {
        return Refusal::err(Code::StepNotOpen, "the step is not over");
    }
    let reason = if open.hit_output_limit {
        TurnEndReason::MaxTokens
    } else if open.steps >= at.limits.steps_per_turn_max {
        TurnEndReason::StepLimit
    } else {
        TurnEndReason::Completed
    };
    let mut events = give_back(open);
    events.extend(lapse_wrap_up(state));
    let (workspace_head, dirty_hash) = (mark.head.clone(), mark.dirty_hash.clone());
    let end = TurnEnd { workspace_head, dirty_hash, ..TurnEnd::new(state.turn.number, reason) };
    events.push(end.into());
    Ok(events)
}

/// Closes a turn that was stopped.
fn settle(state: &State, at: &Moment) -> Decision {
    match &state.turn.open {
        Some(open) if open.cancelled.is_some() => {
            let reason = TurnEndReason::Aborted { by: stopped_by(open) };
            Ok(close(state, Closing::Stopped, TurnEnd::new(state.turn.number, reason), at))
        }
        _ => Refusal::err(Code::TurnOver, "no turn is being stopped"),
    }
}
