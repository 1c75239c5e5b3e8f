//! What an errand tells whoever asked for it: in this process, or as JSON lines over the socket.

use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// Things told and not yet taken notice of.
const AHEAD_MAX: usize = 64;

/// One thing that is told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Told {
    /// How far it is.
    Progress {
        /// Steps done.
        done: u64,
        /// Steps in all.
        total: u64,
    },
    /// A line of an export.
    Line(Box<RawValue>),
    /// What a person should know before the end.
    Note(String),
    /// It is done, and this is what came of it. Nothing follows.
    Done(String),
    /// It is not done, for this reason. Nothing follows.
    Failed(String),
}

/// Tells. Whoever asked may stop listening, which stops the errand.
#[derive(Clone)]
pub(super) struct Teller(mpsc::Sender<Told>);

/// Returns a teller and its listener.
pub(super) fn telling() -> (Teller, mpsc::Receiver<Told>) {
    let (sender, receiver) = mpsc::channel(AHEAD_MAX);
    (Teller(sender), receiver)
}

impl Teller {
    /// Tells, waiting while the listener is behind. Not for async threads.
    ///
    /// # Errors
    ///
    /// When nobody listens any more.
    pub(super) fn tell(&self, told: Told) -> Result<()> {
        self.0.blocking_send(told).map_err(|_| stopped())
    }

    /// Tells how far it is, unless the listener is behind.
    ///
    /// # Errors
    ///
    /// When nobody listens any more.
    pub(super) fn progress(&self, done: u64, total: u64) -> Result<()> {
        match self.0.try_send(Told::Progress { done, total }) {
            Ok(()) | Err(mpsc::error::TrySendError::Full(_)) => Ok(()),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(stopped()),
        }
    }

    /// Passes on what somebody else told.
    ///
    /// # Errors
    ///
    /// When nobody listens any more.
    pub(super) async fn pass_on(&self, told: Told) -> Result<()> {
        self.0.send(told).await.map_err(|_| stopped())
    }
}

fn stopped() -> anyhow::Error {
    anyhow!("it was stopped before it was done")
}
