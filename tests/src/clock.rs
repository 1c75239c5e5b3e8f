//! The time of a world.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use sessions::Clock;
use tokio::sync::watch;

/// Some day in 2025, in milliseconds since 1970.
const BEGINNING_MS: u64 = 1_750_000_000_000;

/// A clock that stands still until it is moved. Clones are the same clock.
#[derive(Debug, Clone)]
pub struct WorldClock {
    now_ms: watch::Sender<u64>,
}

impl Default for WorldClock {
    fn default() -> Self {
        Self { now_ms: watch::Sender::new(BEGINNING_MS) }
    }
}

impl WorldClock {
    /// Moves the time on.
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).expect("a test does not wait for ages");
        self.now_ms.send_modify(|now_ms| *now_ms += by);
    }
}

impl Clock for WorldClock {
    fn now_ms(&self) -> u64 {
        *self.now_ms.borrow()
    }

    fn reach(&self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let mut watch = self.now_ms.subscribe();
        Box::pin(async move {
            watch.wait_for(|now_ms| *now_ms >= at_ms).await.expect("the clock itself holds the sender");
        })
    }
}
