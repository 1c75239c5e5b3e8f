//! Inputs of people: queued, sent, edited, moved, dropped.

use events::{
    Block, InputEdited, InputId, InputMoved, InputQueued, InputWithdrawn, SessionEvent, Source, Target,
};
use projections::{FlightStage, Input, State};

use super::{Decision, question};
use crate::{Code, Moment, Refusal};

/// Queues a person's text. An open question gives way: the text goes into the turn that waits for it.
pub(super) fn prompt(state: &State, text: &str, target: Target, at: &Moment) -> Decision {
    let mut events = question::set_aside_for_text(state);
    let target = if state.questions.hold_turn() { Target::NextStep } else { target };
    events.extend(withdraw_reservation(state, "outranked"));
    events.push(queue(state, text, target, at)?);
    Ok(events)
}

/// Returns the fact that a person's text waits.
pub(super) fn queue(state: &State, text: &str, target: Target, at: &Moment) -> Result<SessionEvent, Refusal> {
    queue_from(state, Source::User, (text, target), at)
}

/// Returns the fact that a text waits which a person wrote or caused.
pub(super) fn queue_from(
    state: &State,
    source: Source,
    (text, target): (&str, Target),
    at: &Moment,
) -> Result<SessionEvent, Refusal> {
    check_text(text, at)?;
    if state.inbox.len() >= at.limits.inputs_queued_max {
        let message = format!(
            "{} inputs wait already; drop some or wait until they are taken",
            at.limits.inputs_queued_max
        );
        return Refusal::err(Code::InboxFull, message);
    }
    let input_id = InputId(at.ids.fresh());
    let content = vec![Block::text(text)];
    Ok(InputQueued { input_id, target, source, content, wakes: true }.into())
}

fn check_text(text: &str, at: &Moment) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Refusal::err(Code::InputEmpty, "there is nothing to send: the text is blank");
    }
    if text.len() > at.limits.input_bytes_max {
        let message = format!(
            "the text has {} bytes, {} are allowed; put long material in a file of the workspace",
            text.len(),
            at.limits.input_bytes_max
        );
        return Refusal::err(Code::InputTooLarge, message);
    }
    Ok(())
}

/// Withdraws a round that is reserved and not yet claimed: `why` outranks it.
pub(super) fn withdraw_reservation(state: &State, why: &str) -> Option<SessionEvent> {
    let flight = state.goals.current.as_ref()?.flight.as_ref()?;
    (flight.stage == FlightStage::Queued)
        .then(|| InputWithdrawn { input_id: flight.input_id, why: why.to_owned() }.into())
}

/// Sends a held input to the end of its list; brings one that waits for the next turn into the running one.
pub(super) fn send(state: &State, id: InputId, at: &Moment) -> Decision {
    let input = editable(state, id)?;
    let runs_already = input.runs_in(at.epoch);
    let target = if runs_already && state.turn.open.is_some() { Target::NextStep } else { input.target };
    if runs_already && target == input.target {
        return Ok(Vec::new());
    }
    let mut events: Vec<SessionEvent> = withdraw_reservation(state, "outranked").into_iter().collect();
    events.push(InputMoved { input_id: id, target, position: u32::MAX }.into());
    Ok(events)
}

pub(super) fn edit(state: &State, id: InputId, text: &str, at: &Moment) -> Decision {
    editable(state, id)?;
    check_text(text, at)?;
    Ok(vec![InputEdited { input_id: id, content: vec![Block::text(text)] }.into()])
}

/// Moves an input; moving a held one sends it.
pub(super) fn shift(state: &State, id: InputId, target: Target, position: u32) -> Decision {
    editable(state, id)?;
    let mut events: Vec<SessionEvent> = withdraw_reservation(state, "outranked").into_iter().collect();
    events.push(InputMoved { input_id: id, target, position }.into());
    Ok(events)
}

pub(super) fn withdraw(state: &State, id: InputId) -> Decision {
    editable(state, id)?;
    Ok(vec![InputWithdrawn { input_id: id, why: "dropped".to_owned() }.into()])
}

fn editable(state: &State, id: InputId) -> Result<&Input, Refusal> {
    let Some(input) = state.inbox.find(id) else {
        return Refusal::err(Code::InputGone, "this input no longer waits: it was taken or dropped");
    };
    if input.is_round() {
        return Refusal::err(Code::InputIsRound, "a goal's round cannot be changed; pause the goal instead");
    }
    Ok(input)
}
