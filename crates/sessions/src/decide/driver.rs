//! The goal driver's wishes, checked once more against what is true now.

use events::{Block, GoalRef, GoalRound, InputId, InputQueued, Source, Target};
use projections::{Goals, State, Waiting};

use super::{Decision, goal};
use crate::text::round_prompt;
use crate::{Code, Moment, Refusal};

/// Reserves the next round: it is due exactly if nothing waits and the number follows.
pub(super) fn reserve(state: &State, seen: &GoalRef, round: u32, at: &Moment) -> Decision {
    let current = goal::current(state, seen)?;
    match Goals::waiting(state, Some(at.epoch)) {
        Some(Waiting::BackOff(back_off)) if back_off.retry.not_before_ms <= at.at_ms => {}
        Some(waiting) => return Refusal::err(Code::RoundNotDue, waiting.text()),
        None => {}
    }
    if round != current.rounds_started + 1 || !current.has_capacity() {
        let message = format!("round {round} is not due after {} rounds", current.rounds_started);
        return Refusal::err(Code::RoundNotDue, message);
    }
    let input_id = InputId(at.ids.fresh());
    let (goal_id, revision) = (current.goal.id.clone(), current.goal.revision);
    let source = Source::Goal { goal_id: goal_id.clone(), revision, round };
    let content = vec![Block::text(round_prompt(current, round))];
    Ok(vec![
        GoalRound { goal_id, revision, round, input_id }.into(),
        InputQueued { input_id, target: Target::NextTurn, source, content, wakes: true }.into(),
    ])
}

/// Blocks the goal the driver looked at.
pub(super) fn block(state: &State, seen: &GoalRef, reason: (&str, &str), at: &Moment) -> Decision {
    goal::block(state, seen, reason, at)
}
