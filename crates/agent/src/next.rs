//! What the agent has to do next. Pure: everything it needs is in the state.

use events::{CallId, Epoch};
use projections::{Call, CallStage, OpenStep, OpenTurn, State};

/// The next thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Nothing, until something changes.
    Wait,
    /// Open a turn for what waits.
    Claim,
    /// Open the next step.
    Admit,
    /// Ask the model.
    Ask,
    /// Carry out the calls that have no result.
    Call,
    /// Close the step.
    EndStep,
    /// Close the turn.
    EndTurn,
    /// Close the turn that was stopped.
    Settle,
}

/// Returns what a host in `host_epoch` has to do next.
#[must_use]
pub fn next(state: &State, host_epoch: Option<Epoch>) -> Next {
    let Some(epoch) = host_epoch else { return Next::Wait };
    if state.damage.is_some() || state.session.deleted {
        return Next::Wait;
    }
    match &state.turn.open {
        None if state.inbox.iter().any(|input| input.wakes && input.runs_in(epoch)) => Next::Claim,
        None => Next::Wait,
        Some(open) if open.cancelled.is_some() => Next::Settle,
        // A turn of an earlier epoch waits for a person, who takes it up by answering.
        Some(open) if open.epoch != epoch => Next::Wait,
        Some(open) => match &open.step {
            Some(step) => within_step(state, step),
            None => between_steps(state, open, epoch),
        },
    }
}

fn within_step(state: &State, step: &OpenStep) -> Next {
    if !step.answered {
        return Next::Ask;
    }
    match step.calls.iter().find(|call| call.stage != CallStage::Done) {
        None => Next::EndStep,
        Some(call) if is_asked(state, &call.call_id) => Next::Wait,
        Some(Call { stage: CallStage::Called, .. }) => Next::Call,
        Some(_) => Next::Wait,
    }
}

fn is_asked(state: &State, call_id: &CallId) -> bool {
    state.questions.open.iter().any(|question| question.asked.call_id.as_ref() == Some(call_id))
}

fn between_steps(state: &State, open: &OpenTurn, epoch: Epoch) -> Next {
    let joins = state.inbox.next_step.iter().any(|input| input.runs_in(epoch));
    match open.last {
        None if open.claimed.is_empty() => Next::EndTurn,
        None => Next::Admit,
        Some(_) if open.hit_output_limit => Next::EndTurn,
        Some(last) if last.had_calls || joins => Next::Admit,
        Some(_) => Next::EndTurn,
    }
}
