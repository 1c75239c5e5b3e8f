//! Closing a turn that did not come to its own end, so that a strict provider accepts its history.

use events::{
    Actor, AssistantMessage, InputReturned, InputWithdrawn, MessageId, PlanVerdict, SessionEvent, StepEnd,
    StepFinish, TurnEnd, TurnEndReason,
};
use projections::{Call, CallStage, FlightStage, OpenStep, OpenTurn, State};

use super::{question, result_error};
use crate::{Code, Moment};

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
            events.extend(close(state, Closing::HostGone, reason, at));
        } else if !waits_for_person(state, open) {
            events.extend(close(state, Closing::HostGone, TurnEndReason::Interrupted, at));
        }
    } else {
        let lapse = |asked| question::withdraw(asked, "turn-ended", PlanVerdict::Withdrawn);
        events.extend(state.questions.open.iter().flat_map(|question| lapse(&question.asked)));
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
    let is_pending = |call: &Call| {
        call.stage != CallStage::Done
            && state
                .questions
                .open
                .iter()
                .any(|question| question.asked.call_id.as_ref() == Some(&call.call_id))
    };
    step.calls.iter().any(is_pending)
}

/// Closes the open turn with everything in it.
pub(super) fn close(
    state: &State,
    closing: Closing,
    reason: TurnEndReason,
    at: &Moment,
) -> Vec<SessionEvent> {
    let Some(open) = &state.turn.open else { return Vec::new() };
    let mut events = Vec::new();
    let lapse = |asked| question::withdraw(asked, "turn-ended", PlanVerdict::Withdrawn);
    events.extend(state.questions.open.iter().flat_map(|question| lapse(&question.asked)));
    if let Some(step) = &open.step {
        events.extend(close_step(state, step, closing, at));
    }
    events.extend(give_back(open));
    events.push(TurnEnd { turn: state.turn.number, reason }.into());
    events
}

fn close_step(state: &State, step: &OpenStep, closing: Closing, at: &Moment) -> Vec<SessionEvent> {
    let (turn, number) = (state.turn.number, state.turn.open.as_ref().map_or(0, |open| open.steps));
    let mut events = Vec::new();
    let seen = step.stream.content();
    if !step.answered && !seen.is_empty() {
        let message_id = MessageId(at.ids.fresh());
        let message = AssistantMessage {
            message_id,
            turn,
            step: number,
            content: seen,
            usage: None,
            interrupted: true,
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
        StepEnd { turn, step: number, finish, usage: None, role: None, model: None, cost_micros: None }
            .into(),
    );
    events
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
