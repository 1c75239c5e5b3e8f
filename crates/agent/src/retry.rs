//! Whether and when a request that failed is made again: pure, but for the chance that is handed in.
//!
//! Only outages are met with another attempt, within the same step and before any tool of it was called. When the attempts
//! are used up the fallback model gets as many, and after that the turn ends; only then does a goal see an outage, and
//! outlasts it or not, as it is configured.

use model::Failure;

/// How often and how patiently a request is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Further attempts in one step, for each model; 0 gives up at once.
    pub retries_max: u32,
    /// The first wait; each further one is twice as long, and a tenth more or less by chance.
    pub first_wait_ms: u64,
    /// The longest wait that is chosen here.
    pub wait_ms_max: u64,
    /// The longest wait that a provider may ask for; a longer one is not waited for.
    pub asked_wait_ms_max: u64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { retries_max: 5, first_wait_ms: 500, wait_ms_max: 10_000, asked_wait_ms_max: 60_000 }
    }
}

impl RetryPolicy {
    /// Returns a policy that gives up at the first failure.
    #[must_use]
    pub fn never() -> Self {
        Self { retries_max: 0, ..Self::default() }
    }

    /// Returns how long to wait before the next attempt, in milliseconds; none when there is to be none.
    ///
    /// `failures` is how many attempts failed before this one, and `chance` lies in `0.0..1.0`.
    #[must_use]
    pub fn wait_ms(&self, failures: u32, failure: &Failure, chance: f64) -> Option<u64> {
        let asked_ms = failure.retry_after_ms.unwrap_or(0);
        if !failure.class.is_outage() || failures >= self.retries_max || asked_ms > self.asked_wait_ms_max {
            return None;
        }
        let doubled = self.first_wait_ms.saturating_mul(1 << failures.min(30)).min(self.wait_ms_max);
        Some(spread(doubled, chance).max(asked_ms))
    }
}

/// Returns nine to eleven tenths of `wait_ms`.
fn spread(wait_ms: u64, chance: f64) -> u64 {
    let tenth = wait_ms / 10;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a thousand")]
    let share = (chance.clamp(0.0, 1.0) * 1_000.0) as u64;
    (wait_ms - tenth).saturating_add(tenth.saturating_mul(2).saturating_mul(share) / 1_000)
}

#[cfg(test)]
mod tests {
    use model::FailureClass;

    use super::*;

    fn wait(failures: u32, class: FailureClass, retry_after_ms: Option<u64>) -> Option<u64> {
        let failure = Failure { retry_after_ms, ..Failure::new(class, "no") };
        RetryPolicy::default().wait_ms(failures, &failure, 0.5)
    }

    #[test]
    fn waits_double_up_to_ten_seconds_and_end_after_five() {
        let waits: Vec<_> = (0..7).map(|failures| wait(failures, FailureClass::Overloaded, None)).collect();
        let expected = [Some(500), Some(1_000), Some(2_000), Some(4_000), Some(8_000), None, None];
        assert_eq!(waits, expected);
        let patient = RetryPolicy { retries_max: 99, ..RetryPolicy::default() };
        let failure = Failure::new(FailureClass::Network, "no");
        assert_eq!(patient.wait_ms(70, &failure, 0.5), Some(10_000));
    }

    #[test]
    fn chance_spreads_a_wait_by_a_tenth() {
        let failure = Failure::new(FailureClass::StreamCut, "no");
        let spread = [0.0, 0.25, 1.0, 7.0].map(|chance| RetryPolicy::default().wait_ms(1, &failure, chance));
        assert_eq!(spread, [Some(900), Some(950), Some(1_100), Some(1_100)]);
    }

    #[test]
    fn a_provider_that_asks_for_a_pause_gets_it_unless_it_is_too_long() {
        assert_eq!(wait(0, FailureClass::RateLimit, Some(7_000)), Some(7_000));
        assert_eq!(wait(4, FailureClass::RateLimit, Some(7_000)), Some(8_000));
        assert_eq!(wait(0, FailureClass::RateLimit, Some(60_001)), None);
    }

    #[test]
    fn what_time_does_not_heal_is_not_tried_again() {
        use FailureClass::{Auth, BadRequest, ContextOverflow, Unknown};
        for class in [Auth, BadRequest, ContextOverflow, Unknown] {
            assert_eq!(wait(0, class, Some(1)), None, "{class:?}");
        }
    }
}
