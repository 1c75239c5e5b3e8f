//! The session list, told to whoever watches it: made once for all of them, at most so often.

use axum::extract::ws::Utf8Bytes;
use sessions::Sessions;
use tokio::sync::{Notify, watch};

use crate::frames::ServerFrame;
use crate::outbox::{Ended, Outbox};

/// Where the newest list is found.
pub(crate) struct Listings {
    newest: watch::Sender<Listing>,
    wanted: Notify,
}

/// The list as it was when the count of changes stood at `made_at`.
#[derive(Clone, Default)]
struct Listing {
    made_at: Option<u64>,
    frame: Utf8Bytes,
}

impl Default for Listings {
    fn default() -> Self {
        Self { newest: watch::Sender::new(Listing::default()), wanted: Notify::new() }
    }
}

impl Listings {
    /// Makes lists as long as somebody watches, `every` so often at most.
    pub(crate) async fn keep(&self, sessions: &Sessions, every: std::time::Duration) {
        let mut changes = sessions.changes();
        loop {
            let made_at = *changes.borrow_and_update();
            if self.newest.receiver_count() > 0 {
                self.make(sessions, made_at).await;
                tokio::time::sleep(every).await;
            }
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = self.wanted.notified() => {}
            }
        }
    }

    async fn make(&self, sessions: &Sessions, made_at: u64) {
        match sessions.rows().await {
            Ok(rows) => {
                let frame = ServerFrame::Sessions { rows: &rows }.text();
                self.newest.send_replace(Listing { made_at: Some(made_at), frame });
            }
            Err(error) => tracing::error!(%error, "the session list cannot be read"),
        }
    }

    /// Tells `outbox` the list, now and whenever it differs, until the client is gone.
    pub(crate) async fn watch(&self, changes: watch::Receiver<u64>, outbox: &Outbox) -> Result<(), Ended> {
        let since = *changes.borrow();
        let mut newest = self.newest.subscribe();
        self.wanted.notify_one();
        let mut told = Utf8Bytes::default();
        loop {
            // A list from before this client asked may be older than what it knows already.
            let current = newest.wait_for(|listing| listing.made_at >= Some(since)).await;
            let frame = current.map_err(|_| Ended)?.frame.clone();
            if frame != told {
                outbox.push(frame.clone()).await?;
                told = frame;
            }
            newest.changed().await.map_err(|_| Ended)?;
        }
    }
}
