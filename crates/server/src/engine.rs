//! Sessions, agents and goal drivers, put together.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, Outfit};
use events::Actor;
use sessions::{
    Clock, Command, Limits, LogError, Residency, Session, Sessions, Setting, Submission, keep_deadlines,
};
use store::Log;
use tokio::sync::mpsc;
use tokio::task::{self, JoinError, JoinHandle, JoinSet};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

/// How often sessions that nobody uses are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(30);

/// What an engine is made of.
pub struct Parts {
    /// Where sessions are kept.
    pub log: Arc<dyn Log>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// The limits in force.
    pub limits: Limits,
    /// How much may stay in memory.
    pub residency: Residency,
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
        let Parts { log, clock, limits, residency, outfit } = parts;
        let models = Arc::new(outfit.models.catalogue());
        let time = Arc::clone(&clock);
        let setting = Setting { log, clock, host, limits, models, residency };
        let (sessions, owned) = Sessions::new(setting);
        let stop = CancellationToken::new();
        let staff = Staff { sessions: Arc::clone(&sessions), clock: time, outfit, stop: stop.clone() };
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
    clock: Arc<dyn Clock>,
    outfit: Outfit,
    stop: CancellationToken,
}

impl Staff {
    async fn serve(self, mut owned: mpsc::UnboundedReceiver<Session>) {
        let mut shift = Shift::default();
        let mut rounds = interval(SWEEP_EVERY);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.stop.cancelled() => break,
                Some(ended) = shift.workers.join_next_with_id() => shift.relieve(ended).await,
                _ = rounds.tick() => self.sessions.sweep().await,
                told = owned.recv() => match told {
                    None => break,
                    Some(session) if shift.serves(&session) => {}
                    Some(session) => self.employ(session, &mut shift),
                },
            }
        }
        while shift.workers.join_next().await.is_some() {}
    }

    fn employ(&self, session: Session, shift: &mut Shift) {
        let agent = Agent::new(session.clone(), self.outfit.clone());
        let deadlines = keep_deadlines(session.clone(), Arc::clone(&self.clock));
        let task = shift.workers.spawn(work(agent, session.clone(), deadlines, self.stop.clone()));
        shift.serving.insert(task.id(), session);
    }
}

/// The workers of this process, one for each session it owns that is in memory.
#[derive(Default)]
struct Shift {
    workers: JoinSet<()>,
    serving: HashMap<task::Id, Session>,
}

impl Shift {
    fn serves(&self, session: &Session) -> bool {
        self.serving.values().any(|served| served.is_same(session))
    }

    /// A session whose worker broke down is owned no longer: it stands still, disarmed, until somebody asks for something.
    async fn relieve(&mut self, ended: Result<(task::Id, ()), JoinError>) {
        let (task, error) = match ended {
            Ok((task, ())) => (task, None),
            Err(error) => (error.id(), Some(error)),
        };
        let (Some(session), Some(error)) = (self.serving.remove(&task), error) else { return };
        tracing::error!(session = %session.id(), %error, "a session's worker broke down");
        let disown = Submission { actor: Actor::HOST, command: Command::Disown, operation: None };
        // A door that broke down too owns nothing anyway.
        let _ = session.submit(disown).await;
    }
}

/// Runs a session's agent, its driver and its questions' deadlines until the process stops or the session leaves memory.
async fn work(agent: Agent, session: Session, deadlines: impl Future<Output = ()>, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        _ = async { tokio::join!(agent.run(stop.clone()), goal_driver::run(session), deadlines) } => {}
    }
}
