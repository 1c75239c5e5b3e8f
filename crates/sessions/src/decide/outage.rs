//! How long an armed goal waits for its provider to come back.
//!
//! Whose turn met the outage makes no difference. The count starts anew once any turn has ended by itself.

use events::GoalRetry;
use projections::{Activation, CurrentGoal, State};

use crate::{Moment, Outage};

/// The first wait; each further one is twice as long.
const FIRST_WAIT_MS: u64 = 5_000;
/// The longest wait that is chosen here; a provider may ask for a longer one.
const WAIT_MS_MAX: u64 = 300_000;

/// Returns when the armed goal tries again; none when it is not to, or has tried often enough.
pub(super) fn retry(state: &State, outage: &Outage, at: &Moment) -> Option<GoalRetry> {
    let is_armed = |current: &&CurrentGoal| current.activation(Some(at.epoch)) == Activation::Armed;
    let current = state.goals.current.as_ref().filter(is_armed)?;
    let before = current.back_off.as_ref().map_or(0, |back_off| back_off.retry.retry);
    if before >= at.limits.outage_retries_max {
        return None;
    }
    let wait_ms = wait_ms(before).max(outage.retry_after_ms.unwrap_or(0));
    Some(GoalRetry { retry: before + 1, not_before_ms: at.at_ms.saturating_add(wait_ms) })
}

fn wait_ms(before: u32) -> u64 {
    FIRST_WAIT_MS.saturating_mul(1 << before.min(20)).min(WAIT_MS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_five_minutes() {
        let waits = [0, 1, 2, 5, 6, 7, 100].map(wait_ms);
        assert_eq!(waits, [5_000, 10_000, 20_000, 160_000, 300_000, 300_000, 300_000]);
    }
}
