//! A place in an answer where a test takes the world by the hand.

use std::sync::Arc;

use tokio::sync::watch;

/// Holds the answers that reach it until it is released. Clones are the same gate; a released one stays open.
#[derive(Debug, Clone)]
pub struct Gate {
    state: Arc<watch::Sender<GateState>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct GateState {
    released: bool,
    reached: u32,
    abandoned: u32,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// Returns a closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self { state: Arc::new(watch::Sender::new(GateState::default())) }
    }

    /// Lets every answer pass, now and later.
    pub fn release(&self) {
        self.state.send_modify(|state| state.released = true);
    }

    /// Waits until an answer has come to the gate.
    pub async fn reached(&self) {
        self.until(|state| state.reached > 0).await;
    }

    /// Waits until an answer has been dropped while it was held here: its request was cancelled.
    pub async fn abandoned(&self) {
        self.until(|state| state.abandoned > 0).await;
    }

    pub(super) async fn hold(&self) {
        self.state.send_modify(|state| state.reached += 1);
        let waiting = Waiting { gate: self };
        self.until(|state| state.released).await;
        std::mem::forget(waiting);
    }

    async fn until(&self, holds: impl Fn(&GateState) -> bool) {
        // The gate owns the sender, so the channel is open for as long as anybody waits here.
        let _ = self.state.subscribe().wait_for(|state| holds(state)).await;
    }
}

/// Notes that an answer went away, unless it was let through first.
struct Waiting<'a> {
    gate: &'a Gate,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.gate.state.send_modify(|state| state.abandoned += 1);
    }
}
