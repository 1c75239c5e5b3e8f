//! The wall clock, replaceable in tests.

use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time. Order never depends on it.
pub trait Clock: Send + Sync + 'static {
    /// Returns milliseconds since 1970; may go backwards.
    fn now_ms(&self) -> u64;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}
