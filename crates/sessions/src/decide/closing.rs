//! Closing a turn that did not come to its own end, so that a strict provider accepts its history.

use events::{
    Actor, AssistantMessage, Block, InputReturned, InputWithdrawn, MessageId, SessionEvent, Source, StepEnd,
    StepFinish, TurnEnd, TurnEndReason, Usage,
};
use projections::{Call, CallStage, FlightStage, Input, OpenStep, OpenTurn, State};

use super::goal_tool::GOAL_NOTICE;
use super::{question, result_error};
use crate::{Code, Moment, tokens_of_bytes};

/// How a turn is closed from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    /// It was stopped, and this host saw to its tools.
    Stopped,
    /// The host that ran it is gone.
    HostGone,
    /// The model could not be asked.
    Failed,
}

/// Returns the repairs of a take-over, one batch: no work of the host before is left looking alive.
#[must_use]
pub fn repair(state: &State, at: &Moment) -> Vec<SessionEvent> {
    let mut events = Vec::new();
    if let Some(open) = &state.turn.open {
        if let Some(cancelled) = &open.cancelled {
            let reason = TurnEndReason::Aborted { by: cancelled.by.clone() };
            events.extend(close(state, Closing::HostGone, TurnEnd::new(state.turn.number, reason), at));
        } else if !waits_for_person(state, open) {
            let end = TurnEnd::new(state.turn.number, TurnEndReason::Interrupted);
            events.extend(close(state, Closing::HostGone, end, at));
        } else if let Some(step) = &open.step {
            events.extend(lost_bodies(state, step));
        }
    } else {
        events.extend(question::lapse(state, "turn-ended"));
    }
    let reserved = state.goals.current.as_ref().and_then(|current| current.flight.as_ref());
    if let Some(flight) = reserved.filter(|flight| flight.stage == FlightStage::Queued) {
        events.push(InputWithdrawn { input_id: flight.input_id, why: "restarted".to_owned() }.into());
    }
    events
}

/// A turn whose open call asks a person stays open: the answer carries it on.
fn waits_for_person(state: &State, open: &OpenTurn) -> bool {
    let Some(step) = &open.step else { return false };
    step.calls.iter().any(|call| call.stage != CallStage::Done && state.questions.holds(&call.call_id))
}

/// Bodies that ran beside a question died with their host; the question and what was not started wait on.
fn lost_bodies(state: &State, step: &OpenStep) -> Vec<SessionEvent> {
    let is_lost =
        |call: &&Call| matches!(call.stage, CallStage::Started(_)) && !state.questions.holds(&call.call_id);
    step.calls.iter().filter(is_lost).map(|call| abandoned(call, Closing::HostGone)).collect()
}

/// Closes the open turn with everything in it.
pub(super) fn close(state: &State, closing: Closing, end: TurnEnd, at: &Moment) -> Vec<SessionEvent> {
    let Some(open) = &state.turn.open else { return Vec::new() };
    let mut events = question::lapse(state, "turn-ended");
    if let Some(step) = &open.step {
        events.extend(close_step(state, step, closing, at));
    }
    events.extend(give_back(open));
    events.extend(lapse_wrap_up(state));
    events.push(end.into());
    events
}

/// A closing message that the turn did not live to write is not asked of the next one.
pub(super) fn lapse_wrap_up(state: &State) -> impl Iterator<Item = SessionEvent> {
    let is_wrap_up =
        |input: &&Input| matches!(&input.source, Source::Notice { about, .. } if about == GOAL_NOTICE);
    let lapse =
        |input: &Input| InputWithdrawn { input_id: input.input_id, why: "turn-ended".to_owned() }.into();
    state.inbox.iter().filter(is_wrap_up).map(lapse)
}

fn close_step(state: &State, step: &OpenStep, closing: Closing, at: &Moment) -> Vec<SessionEvent> {
    let (turn, number) = (state.turn.number, state.turn.open.as_ref().map_or(0, |open| open.steps));
    let mut events = Vec::new();
    let seen = step.stream.content();
    let usage = step.usage.or_else(|| guessed(&step.streamed_now()));
    if !step.answered && !seen.is_empty() {
        let message_id = MessageId(at.ids.fresh());
        let message = AssistantMessage {
            message_id,
            turn,
            step: number,
            content: seen,
            usage: None,
            interrupted: true,
            items: Vec::new(),
        };
        events.push(message.into());
    }
    let unanswered = step.calls.iter().filter(|call| call.stage != CallStage::Done);
    events.extend(unanswered.map(|call| abandoned(call, closing)));
    let finish = match closing {
        Closing::Stopped => StepFinish::Aborted,
        Closing::HostGone => StepFinish::Interrupted,
        Closing::Failed => StepFinish::Error,
    };
    events.push(
        StepEnd { turn, step: number, finish, usage, role: None, model: None, cost_micros: None }.into(),
    );
    events
}

/// An answer that broke off comes without its usage; what had arrived was paid for.
pub(super) fn guessed(seen: &[Block]) -> Option<Usage> {
    let bytes: usize = seen.iter().map(text_bytes).sum();
    let output_tokens = tokens_of_bytes(bytes);
    (bytes > 0).then_some(Usage { output_tokens, estimated: true, ..Usage::default() })
}

fn text_bytes(block: &Block) -> usize {
    match block {
        Block::Text { text } | Block::Reasoning { text } => text.len(),
        Block::ToolCall { .. } | Block::Image { .. } => 0,
    }
}

/// Returns the result of a call that gets none of its own.
fn abandoned(call: &Call, closing: Closing) -> SessionEvent {
    let (code, message) = match (call.stage, closing) {
        (CallStage::Started(_), Closing::Stopped) => (
            Code::Aborted,
            "the user stopped the turn while this call ran; check what it did before you repeat it",
        ),
        (CallStage::Started(_), _) => (
            Code::ToolOutcomeUnknown,
            "the engine stopped while this call ran, so what it did is not known; check before you repeat it",
        ),
        (_, Closing::Stopped) => {
            (Code::AbortedBeforeDispatch, "the user stopped the turn before this call started")
        }
        (_, _) => (Code::ToolNotStarted, "the engine stopped before this call started; it may be made again"),
    };
    result_error(&call.call_id, code.name(), message)
}

/// Claimed inputs that no message shows go back to the head of their lists; a round is given up instead.
pub(super) fn give_back(open: &OpenTurn) -> Vec<SessionEvent> {
    let (rounds, others): (Vec<_>, Vec<_>) = open.claimed.iter().partition(|input| input.is_round());
    let give_up = |id| InputWithdrawn { input_id: id, why: "turn-ended".to_owned() }.into();
    let mut events: Vec<SessionEvent> = rounds.iter().map(|input| give_up(input.input_id)).collect();
    if !others.is_empty() {
        let input_ids = others.iter().map(|input| input.input_id).collect();
        events.push(InputReturned { input_ids }.into());
    }
    events
}

/// Returns who stopped the open turn.
pub(super) fn stopped_by(open: &OpenTurn) -> Actor {
    open.cancelled.as_ref().map_or(Actor::HOST, |cancelled| cancelled.by.clone())
}
