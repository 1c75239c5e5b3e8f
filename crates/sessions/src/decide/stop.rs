//! Stop: it names the turn that the person saw.

use events::{InputWithdrawn, PlanVerdict, SessionEvent, TurnCancelled};
use projections::{CurrentGoal, FlightStage, State};

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
        Some(open) if turn == number && open.cancelled.is_some() => Vec::new(),
        Some(_) if turn == number => stop_open(state, keep_inbox, at),
        // The named turn is over: what follows it stops only if the goal runs it, for nobody else may have asked.
        Some(_) if flight(state, |stage| stage != FlightStage::Queued).is_some() => {
            stop_open(state, keep_inbox, at)
        }
        Some(_) => {
            return Refusal::err(Code::TurnOver, format!("turn {turn} is over; turn {number} runs now"));
        }
        None => Vec::new(),
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

/// Questions do not outlive the turn that asked them; their calls get results when the turn is closed.
pub(super) fn lapse_questions(state: &State) -> Vec<SessionEvent> {
    let lapse = |asked| question::withdraw(asked, "stopped", PlanVerdict::Withdrawn);
    state.questions.open.iter().flat_map(|question| lapse(&question.asked)).collect()
}

fn drop_inbox(state: &State) -> Vec<SessionEvent> {
    let waiting = state.inbox.iter().filter(|input| !input.is_round());
    let drop = |id| InputWithdrawn { input_id: id, why: "stopped".to_owned() }.into();
    waiting.map(|input| drop(input.input_id)).collect()
}
