//! The loop: look at what is true, do what is due, look again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use events::Actor;
use sessions::{AgentCommand, Command, LogError, Session, Submission, SubmitError, View};
use tokio_util::sync::CancellationToken;
use tools::{Registry, Sandbox};

use crate::models::Models;
use crate::modes::Modes;
use crate::next::{Next, next};
use crate::retry::RetryPolicy;
use crate::transcript::Transcript;

/// How long the agent waits before it tries again what the log could not take.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// What every agent of a process shares.
#[derive(Clone)]
pub struct Outfit {
    /// Who is asked.
    pub models: Models,
    /// What comes of a request that failed.
    pub retry: RetryPolicy,
    /// Gives a number in `0.0..1.0` by chance, for waits that differ.
    pub chance: fn() -> f64,
    /// The tools that it may call.
    pub registry: Arc<Registry>,
    /// What it is told of its mode.
    pub modes: Arc<Modes>,
    /// Folders that no tool reads or writes.
    pub protected: Vec<PathBuf>,
    /// What commands can be confined with.
    pub sandbox: Sandbox,
}

/// The one live worker of one session.
pub struct Agent {
    pub(crate) session: Session,
    pub(crate) models: Models,
    pub(crate) retry: RetryPolicy,
    pub(crate) chance: fn() -> f64,
    pub(crate) registry: Arc<Registry>,
    pub(crate) modes: Arc<Modes>,
    pub(crate) tool_specs: Vec<model::ToolSpec>,
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) sandbox: Sandbox,
    pub(crate) transcript: Transcript,
}

/// Why something due was not done.
#[derive(Debug)]
pub(crate) enum Stumble {
    /// The state has moved on; look again.
    Refused,
    /// The log could not take it.
    Log(LogError),
    /// The session is closed in this process.
    Closed,
}

impl From<LogError> for Stumble {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

impl From<SubmitError> for Stumble {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(_) => Self::Refused,
            SubmitError::Log(error) => Self::Log(error),
            SubmitError::Closed => Self::Closed,
        }
    }
}

impl Agent {
    /// Returns the agent of `session`.
    #[must_use]
    pub fn new(session: Session, outfit: Outfit) -> Self {
        let spec = |spec: tools::ToolSpec| model::ToolSpec {
            name: spec.name.to_owned(),
            description: spec.description,
            parameters: spec.parameters,
        };
        Self {
            session,
            models: outfit.models,
            retry: outfit.retry,
            chance: outfit.chance,
            tool_specs: outfit.registry.specs().into_iter().map(spec).collect(),
            registry: outfit.registry,
            modes: outfit.modes,
            protected: outfit.protected,
            sandbox: outfit.sandbox,
            transcript: Transcript::default(),
        }
    }

    /// Works until `stop` is cancelled or the session is closed. What is running then is left to the repairs of
    /// whoever takes the session over.
    pub async fn run(mut self, stop: CancellationToken) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.work() => {}
        }
    }

    async fn work(&mut self) {
        let mut watch = self.session.watch();
        loop {
            let view = watch.borrow_and_update().clone();
            let done = match next(&view.state, view.host_epoch) {
                Next::Wait => Err(Stumble::Refused),
                due => self.carry_out(due, &view).await,
            };
            match done {
                Ok(()) => {}
                // Nothing is due, or what was due is so no longer: wait for the state to move, unless it has.
                Err(Stumble::Refused) => {
                    if watch.changed().await.is_err() {
                        return;
                    }
                }
                Err(Stumble::Log(error)) => {
                    tracing::error!(session = %self.session.id(), %error, "the log did not take the agent's record");
                    tokio::time::sleep(RETRY_AFTER).await;
                }
                Err(Stumble::Closed) => return,
            }
        }
    }

    async fn carry_out(&mut self, due: Next, view: &View) -> Result<(), Stumble> {
        match due {
            Next::Wait => Ok(()),
            Next::Claim => self.submit(AgentCommand::Claim(self.mark(&view.state).await)).await,
            Next::Admit => self.submit(AgentCommand::Admit).await,
            Next::Ask => self.ask(view).await,
            Next::Call => self.call(view).await,
            Next::EndStep => self.submit(AgentCommand::EndStep).await,
            Next::EndTurn => self.submit(AgentCommand::EndTurn(self.mark(&view.state).await)).await,
            Next::Settle => self.submit(AgentCommand::Settle).await,
        }
    }

    pub(crate) async fn submit(&self, command: AgentCommand) -> Result<(), Stumble> {
        let actor = match &command {
            AgentCommand::Answered(_)
            | AgentCommand::Delta(_)
            | AgentCommand::Act { .. }
            | AgentCommand::Judge { .. } => Actor::MODEL,
            AgentCommand::FinishCall(_) => Actor { kind: events::ActorKind::Tool, client: None },
            _ => Actor::HOST,
        };
        let submission = Submission { actor, command: Command::Agent(command), operation: None };
        self.session.submit(submission).await?;
        Ok(())
    }
}
