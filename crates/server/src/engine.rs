//! Sessions, agents and goal drivers, put together.

use std::collections::HashSet;
use std::sync::Arc;

use agent::{Agent, Outfit};
use events::SessionId;
use sessions::{Clock, Limits, LogError, Session, Sessions, Setting};
use store::Log;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// What an engine is made of.
pub struct Parts {
    /// Where sessions are kept.
    pub log: Arc<dyn Log>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// The limits in force.
    pub limits: Limits,
    /// What agents work with.
    pub outfit: Outfit,
}

/// A running engine without any door to the outside.
pub struct Engine {
    sessions: Arc<Sessions>,
    stop: CancellationToken,
    workers: JoinHandle<()>,
}

impl Engine {
    /// Starts an engine: what the last host left at work is repaired before this returns.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn start(parts: Parts) -> Result<Self, LogError> {
        let host = format!("pid {}", std::process::id());
        let setting = Setting { log: parts.log, clock: parts.clock, host, limits: parts.limits };
        let (sessions, owned) = Sessions::new(setting);
        let stop = CancellationToken::new();
        let staff = Staff { sessions: Arc::clone(&sessions), outfit: parts.outfit, stop: stop.clone() };
        let workers = tokio::spawn(staff.serve(owned));
        let taken = sessions.recover().await?;
        if taken > 0 {
            tracing::info!(sessions = taken, "took over sessions that were at work");
        }
        Ok(Self { sessions, stop, workers })
    }

    /// Returns the sessions.
    #[must_use]
    pub fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// Stops agents and drivers. What they were doing is left to the repairs of the next start.
    pub async fn stop(self) {
        self.stop.cancel();
        // A worker that panicked has said so already.
        let _ = self.workers.await;
    }
}

/// Gives each owned session its agent and its driver.
struct Staff {
    sessions: Arc<Sessions>,
    outfit: Outfit,
    stop: CancellationToken,
}

impl Staff {
    async fn serve(self, mut owned: mpsc::UnboundedReceiver<SessionId>) {
        let mut served = HashSet::new();
        let mut workers = JoinSet::new();
        loop {
            tokio::select! {
                () = self.stop.cancelled() => break,
                Some(ended) = workers.join_next() => report(ended),
                told = owned.recv() => match told {
                    None => break,
                    Some(id) if served.insert(id) => self.employ(id, &mut workers).await,
                    Some(_) => {}
                },
            }
        }
        while let Some(ended) = workers.join_next().await {
            report(ended);
        }
    }

    async fn employ(&self, id: SessionId, workers: &mut JoinSet<()>) {
        match self.sessions.open(id).await {
            Ok(session) => {
                let agent = Agent::new(session.clone(), self.outfit.clone());
                workers.spawn(agent.run(self.stop.clone()));
                workers.spawn(drive(session, self.stop.clone()));
            }
            Err(error) => tracing::error!(session = %id, %error, "an owned session cannot be opened"),
        }
    }
}

async fn drive(session: Session, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = goal_driver::run(session) => {}
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a session's worker broke down; restart to take its session up again");
    }
}
