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

/// Returns what is due for the goal of `state` at `now_ms`, in milliseconds since 1970, for a host in `host_epoch`.
///
/// A budget without room blocks even a goal that waits for its provider: waiting would help nothing.
#[must_use]
pub fn next_step(state: &State, host_epoch: Option<Epoch>, now_ms: u64) -> Step {
    let Some(current) = &state.goals.current else { return Step::Wait { why: None } };
    let goal = current.goal.reference();
    let why = Goals::waiting(state, host_epoch);
    match (why, current.exhausted()) {
        (None | Some(Waiting::BackOff(_)), Some(exhausted)) => {
            Step::Block { goal, code: exhausted.code(), message: exhausted.text() }
        }
        (Some(why), _) if !is_over(&why, now_ms) => Step::Wait { why: Some(why) },
        (_, _) => Step::Reserve { goal, round: current.rounds_started + 1 },
    }
}

fn is_over(why: &Waiting, now_ms: u64) -> bool {
    matches!(why, Waiting::BackOff(back_off) if back_off.retry.not_before_ms <= now_ms)
}

#[cfg(test)]
mod tests {
    use events::{
        Actor, Budgets, Envelope, Goal, GoalAfter, GoalChange, GoalPhase, GoalRetry, SessionEvent,
        SessionOpened, TurnEnd, TurnEndReason, TurnStart,
    };
    use projections::fold;

    use super::*;

    const EPOCH: Epoch = Epoch(1);

    /// Returns the state after a goal of `budgets` was created in [`EPOCH`], and then `facts`.
    fn with_goal(budgets: Budgets, facts: impl IntoIterator<Item = SessionEvent>) -> State {
        let goal = Goal {
            id: "goal-1".into(),
            revision: 1,
            objective: "ship it".to_owned(),
            phase: GoalPhase::Active,
            blocked_reason: None,
            budgets,
            evidence: None,
        };
        let after = GoalAfter { goal, rounds_started: 0, created_at: 0, updated_at: 0 };
        let opened = SessionOpened { epoch: EPOCH, host: "here".to_owned() };
        let begin = [opened.into(), GoalChange::Create(after).into()];
        let mut state = State::default();
        for event in begin.into_iter().chain(facts) {
            let seq = state.head.next();
            let actor = Actor::HOST;
            fold(
                &mut state,
                &Envelope { seq, batch_end: seq, epoch: EPOCH, at_ms: 0, cause: None, actor, event },
            );
        }
        state
    }

    /// A turn that ended in an outage; the goal tries again at `not_before_ms`.
    fn outage(not_before_ms: u64) -> [SessionEvent; 2] {
        let reason = TurnEndReason::Error { code: "overloaded".to_owned(), message: "later".to_owned() };
        let retry = Some(GoalRetry { retry: 1, not_before_ms });
        [
            TurnStart { turn: 1, workspace_head: None, dirty_hash: None }.into(),
            TurnEnd { goal_retry: retry, ..TurnEnd::new(1, reason) }.into(),
        ]
    }

    #[test]
    fn without_a_goal_nothing_is_due() {
        assert_eq!(next_step(&State::default(), Some(EPOCH), 0), Step::Wait { why: None });
    }

    #[test]
    fn the_first_round_of_a_new_goal_is_due() {
        let step = next_step(&with_goal(Budgets::of_rounds(2), []), Some(EPOCH), 0);
        assert!(matches!(step, Step::Reserve { round: 1, .. }), "{step:?}");
    }

    #[test]
    fn another_host_waits() {
        for host in [None, Some(Epoch(2))] {
            let step = next_step(&with_goal(Budgets::of_rounds(2), []), host, 0);
            assert!(matches!(step, Step::Wait { why: Some(Waiting::Disarmed(_)) }), "{step:?}");
        }
    }

    #[test]
    fn an_outage_is_waited_out_to_the_millisecond() {
        let state = with_goal(Budgets::of_rounds(2), outage(5_000));
        let step = next_step(&state, Some(EPOCH), 4_999);
        assert!(matches!(step, Step::Wait { why: Some(Waiting::BackOff(_)) }), "{step:?}");
        assert!(matches!(next_step(&state, Some(EPOCH), 5_000), Step::Reserve { round: 1, .. }));
    }

    #[test]
    fn a_budget_without_room_blocks_with_its_code_also_in_an_outage() {
        let budgets = Budgets { time_ms: Some(1), ..Budgets::of_rounds(2) };
        for facts in [Vec::new(), outage(5_000).to_vec()] {
            let mut state = with_goal(budgets, facts);
            state.goals.current.as_mut().expect("it was created").spent.time_ms = 1;
            let step = next_step(&state, Some(EPOCH), 0);
            assert!(matches!(step, Step::Block { code: "time-limit", .. }), "{step:?}");
        }
    }
}
