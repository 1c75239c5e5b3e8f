//! The time of a world.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sessions::Clock;

/// Some day in 2025, in milliseconds since 1970.
const BEGINNING_MS: u64 = 1_750_000_000_000;

/// A clock that stands still until it is moved. Clones are the same clock.
#[derive(Debug, Clone)]
pub struct WorldClock {
    now_ms: Arc<AtomicU64>,
}

impl Default for WorldClock {
    fn default() -> Self {
        Self { now_ms: Arc::new(AtomicU64::new(BEGINNING_MS)) }
    }
}

impl WorldClock {
    /// Moves the time on.
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).expect("a test does not wait for ages");
        self.now_ms.fetch_add(by, Ordering::Relaxed);
    }
}

impl Clock for WorldClock {
    fn now_ms(&self) -> u64 {
        self.now_ms.load(Ordering::Relaxed)
    }
}
