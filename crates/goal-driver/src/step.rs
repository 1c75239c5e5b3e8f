//! What is due for the goal. Pure.

use events::{Epoch, GoalRef};
use projections::{Goals, State, Waiting};

/// What is due for the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Nothing, until something changes.
    Wait {
        /// Why; none when there is no goal.
        why: Option<Waiting>,
    },
    /// Reserve a round.
    Reserve {
        /// The goal.
        goal: GoalRef,
        /// The round.
        round: u32,
    },
    /// Block the goal.
    Block {
        /// The goal.
        goal: GoalRef,
        /// Lower kebab-case.
        code: &'static str,
        /// One sentence.
        message: String,
    },
}

/// Returns what is due for the goal of `state`, for a host in `host_epoch`.
#[must_use]
pub fn next_step(state: &State, host_epoch: Option<Epoch>) -> Step {
    let Some(current) = &state.goals.current else { return Step::Wait { why: None } };
    if let Some(why) = Goals::waiting(state, host_epoch) {
        return Step::Wait { why: Some(why) };
    }
    let goal = current.goal.reference();
    if current.has_capacity() {
        return Step::Reserve { goal, round: current.rounds_started + 1 };
    }
    let message = format!("the goal reached its limit of {} rounds", current.goal.budgets.rounds);
    Step::Block { goal, code: "round-limit", message }
}
