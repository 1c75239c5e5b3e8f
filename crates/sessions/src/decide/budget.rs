//! A round that runs out of tokens or time: its goal is blocked, and the model closes without tools.

use events::{Block, GoalPhase, MessageId, SessionEvent, Source, StepStart, UserMessage};
use projections::{CurrentGoal, Exhausted, OpenTurn, State};

use super::goal_tool::{GOAL_NOTICE, summary};
use super::{Decision, goal};
use crate::Moment;
use crate::text::wrap_up;

/// A round's goal with the budget that leaves no room for another request.
pub(super) struct Over<'a> {
    current: &'a CurrentGoal,
    exhausted: Exhausted,
}

/// Returns the goal that the turn runs, if a budget of it leaves no room for another request.
pub(super) fn over<'a>(state: &'a State, open: &OpenTurn) -> Option<Over<'a>> {
    let runs = |current: &&CurrentGoal| current.is_run_by(open) && current.goal.phase == GoalPhase::Active;
    let current = state.goals.current.as_ref().filter(runs)?;
    current.over_for_request().map(|exhausted| Over { current, exhausted })
}

/// Blocks the goal.
pub(super) fn block(state: &State, over: &Over<'_>, at: &Moment) -> Decision {
    let reason = (over.exhausted.code(), over.exhausted.text());
    goal::block(state, &over.current.goal.reference(), (reason.0, &reason.1), at)
}

/// Blocks the goal and opens the one step in which the model may still say how things stand. What waits in the inbox is left
/// to the step after it.
pub(super) fn wrap_up_step(state: &State, over: &Over<'_>, at: &Moment) -> Decision {
    let mut events = block(state, over, at)?;
    let step = state.turn.open.as_ref().map_or(0, |open| open.steps) + 1;
    events.push(StepStart { turn: state.turn.number, step, wraps_up: true }.into());
    events.push(closing_request(over, at));
    Ok(events)
}

fn closing_request(over: &Over<'_>, at: &Moment) -> SessionEvent {
    let objective = &over.current.goal.objective;
    UserMessage {
        message_id: MessageId(at.ids.fresh()),
        input_id: None,
        source: Source::Notice { about: GOAL_NOTICE.to_owned(), summary: summary(true, objective) },
        content: vec![Block::text(wrap_up(objective, Some(&over.exhausted.text())))],
    }
    .into()
}
