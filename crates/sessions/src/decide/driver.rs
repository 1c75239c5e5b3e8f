//! The goal driver's wishes, checked once more against what is true now.

use events::{Block, GoalRef, GoalRound, InputId, InputQueued, Source, Target};
use projections::{Goals, State};

use super::{Decision, goal};
use crate::text::round_prompt;
use crate::{Code, Moment, Refusal};

/// Reserves the next round: it is due exactly if nothing waits and the number follows.
pub(super) fn reserve(state: &State, seen: &GoalRef, round: u32, at: &Moment) -> Decision {
    let current = goal::current(state, seen)?;
    if let Some(waiting) = Goals::waiting(state, Some(at.epoch)) {
        return Refusal::err(Code::RoundNotDue, waiting.text());
    }
    if round != current.rounds_started + 1 || !current.has_capacity() {
        let message = format!("round {round} is not due after {} rounds", current.rounds_started);
        return Refusal::err(Code::RoundNotDue, message);
    }
    let input_id = InputId(at.ids.fresh());
    let (goal_id, revision) = (current.goal.id.clone(), current.goal.revision);
    let source = Source::Goal { goal_id: goal_id.clone(), revision, round };
    let content = vec![Block::text(round_prompt(&current.goal, round))];
    Ok(vec![
        GoalRound { goal_id, revision, round, input_id }.into(),
        InputQueued { input_id, target: Target::NextTurn, source, content, wakes: true }.into(),
    ])
}

/// Blocks the goal the driver looked at.
pub(super) fn block(state: &State, seen: &GoalRef, reason: (&str, &str), at: &Moment) -> Decision {
    goal::block(state, seen, reason, at)
}
