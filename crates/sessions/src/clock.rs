//! The wall clock, replaceable in tests.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long the system's clock is trusted not to be set anew.
const LOOKS_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Tells the time. Order never depends on it.
pub trait Clock: Send + Sync + 'static {
    /// Returns milliseconds since 1970; may go backwards.
    fn now_ms(&self) -> u64;

    /// Waits until [`Clock::now_ms`] has reached `at_ms`.
    fn reach(&self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn reach(&self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            while let Some(left) = at_ms.checked_sub(self.now_ms()).filter(|left| *left > 0) {
                tokio::time::sleep(Duration::from_millis(left).min(LOOKS_AGAIN_AFTER)).await;
            }
        })
    }
}
