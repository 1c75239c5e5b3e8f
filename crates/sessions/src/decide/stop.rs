//! Stop: it names the turn that the person saw.

use events::{InputWithdrawn, SessionEvent, TurnCancelled};
use projections::{Activation, CurrentGoal, FlightStage, Goals, State, Waiting};

use super::{Decision, goal, input, question};
use crate::{Code, Moment, Refusal};

/// Stops the turn the person saw, or the round that followed it.
pub(super) fn decide(state: &State, turn: u32, keep_inbox: bool, at: &Moment) -> Decision {
    let number = state.turn.number;
    if turn > number {
        return Refusal::err(
            Code::TurnOver,
            format!("turn {turn} has not begun; turn {number} is the newest"),
        );
    }
    let mut events = match &state.turn.open {
        Some(open) if turn == number && open.cancelled.is_some() => pause_resumed(state, at),
        Some(_) if turn == number => stop_open(state, keep_inbox, at),
        // The named turn is over: what follows it stops only if the goal runs it, for nobody else may have asked.
        Some(_) if flight(state, |stage| stage != FlightStage::Queued).is_some() => {
            stop_open(state, keep_inbox, at)
        }
        Some(_) => {
            return Refusal::err(Code::TurnOver, format!("turn {turn} is over; turn {number} runs now"));
        }
        None => stop_due_round(state, keep_inbox, at),
    };
    if let Some(current) = flight(state, |stage| stage == FlightStage::Queued) {
        events.extend(input::withdraw_reservation(state, "stopped"));
        events.push(goal::paused(current, at).into());
    }
    if !keep_inbox {
        events.extend(drop_inbox(state));
    }
    Ok(events)
}

/// The turn is being stopped already; a goal that was resumed since is stopped with this press.
fn pause_resumed(state: &State, at: &Moment) -> Vec<SessionEvent> {
    let is_armed = |current: &&CurrentGoal| current.activation(Some(at.epoch)) == Activation::Armed;
    let resumed = state.goals.current.as_ref().filter(is_armed);
    resumed.map(|current| goal::paused(current, at).into()).into_iter().collect()
}

/// The person pressed between the end of the turn they saw and the round that is about to follow it, or that would follow
/// once their waiting inputs are dropped.
fn stop_due_round(state: &State, keep_inbox: bool, at: &Moment) -> Vec<SessionEvent> {
    let is_next = match Goals::waiting(state, Some(at.epoch)) {
        None | Some(Waiting::BackOff(_)) => true,
        Some(why) => why == Waiting::InputFirst && !keep_inbox,
    };
    let due = state.goals.current.as_ref().filter(|current| is_next && current.has_capacity());
    due.map(|current| goal::paused(current, at).into()).into_iter().collect()
}

fn flight(state: &State, is: impl Fn(FlightStage) -> bool) -> Option<&CurrentGoal> {
    let current = state.goals.current.as_ref()?;
    current.flight.as_ref().is_some_and(|flight| is(flight.stage)).then_some(current)
}

/// Stops the open turn; a goal's round takes its goal with it.
fn stop_open(state: &State, keep_inbox: bool, at: &Moment) -> Vec<SessionEvent> {
    let current = flight(state, |stage| stage != FlightStage::Queued);
    let is_active = |current: &&CurrentGoal| current.goal.phase == events::GoalPhase::Active;
    let mut events: Vec<SessionEvent> =
        current.filter(is_active).map(|current| goal::paused(current, at).into()).into_iter().collect();
    events.extend(lapse_questions(state));
    events.push(TurnCancelled { turn: state.turn.number, by: at.actor.clone(), keep_inbox }.into());
    events
}

/// A question does not outlive the call that asked it; the call gets its result when the turn is closed.
pub(super) fn lapse_questions(state: &State) -> Vec<SessionEvent> {
    question::lapse(state, "stopped")
}

fn drop_inbox(state: &State) -> Vec<SessionEvent> {
    let waiting = state.inbox.iter().filter(|input| !input.is_round());
    let drop = |id| InputWithdrawn { input_id: id, why: "stopped".to_owned() }.into();
    waiting.map(|input| drop(input.input_id)).collect()
}
