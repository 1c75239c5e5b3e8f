//! One session in this process: what is true of it, and the one door through which that changes.

use std::sync::Arc;

use events::{Actor, ClientId, CommandId, Epoch, OperationId, Seq, SessionId};
use projections::{Slices, State};
use store::{Batch, LogError, Operation, ReadLimit};
use tokio::sync::{mpsc, oneshot, watch};

use crate::door::{Door, House};
use crate::{ClientCommand, Command, Limits, Refusal};

/// A session in this process. Cheap to clone; all clones are the same session.
#[derive(Clone)]
pub struct Session {
    id: SessionId,
    house: Arc<House>,
    view: watch::Receiver<View>,
    door: mpsc::Sender<Wish>,
}

/// What is true of a session, and whether this process owns it.
#[derive(Debug, Clone)]
pub struct View {
    /// The state at a batch end; durable.
    pub state: Arc<State>,
    /// The ownership of this process, if it has it.
    pub host_epoch: Option<Epoch>,
}

impl View {
    /// Returns what clients are shown.
    #[must_use]
    pub fn slices(&self) -> Slices {
        Slices::of(&self.state, self.host_epoch)
    }
}

/// A command with its sender.
#[derive(Debug, Clone)]
pub struct Submission {
    /// Who asks.
    pub actor: Actor,
    /// What for.
    pub command: Command,
    /// Identifies a client's command, so that a resend finds its receipt.
    pub operation: Option<Operation>,
}

impl Submission {
    /// Returns a client's command; the same `id` again is the same command.
    #[must_use]
    pub fn from_client(client: ClientId, id: CommandId, command: ClientCommand) -> Self {
        let body = serde_json::to_vec(&command).expect("a command has no value that JSON lacks");
        let operation = Operation { id: OperationId::of(&client, id), body_hash: short_hash(&body) };
        Self { actor: Actor::user(client), command: Command::Client(command), operation: Some(operation) }
    }
}

fn short_hash(bytes: &[u8]) -> [u8; 16] {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    hash
}

/// A command is carried out; what it did is in the log up to here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The head after it.
    pub seq: Seq,
}

/// Why a command was not carried out.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SubmitError {
    /// The rules say no; nothing changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The log says no, or failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The session is closed in this process.
    #[error("this session is closed; open it again")]
    Closed,
}

/// A submission on its way through the door.
pub(crate) struct Wish {
    pub(crate) submission: Submission,
    pub(crate) answer: oneshot::Sender<Result<Receipt, SubmitError>>,
}

/// Submissions that may wait at the door of one session; further ones wait outside.
const WISHES_MAX: usize = 64;

impl Session {
    /// Starts serving a session; `door` holds its state.
    pub(crate) fn start(door: Door, view: watch::Receiver<View>) -> Self {
        let (sender, wishes) = mpsc::channel(WISHES_MAX);
        let (id, house) = (door.id, Arc::clone(&door.house));
        tokio::spawn(door.serve(wishes));
        Self { id, house, view, door: sender }
    }

    /// Returns the session's id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Returns the time that decisions are made at, in milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.house.clock.now_ms()
    }

    /// Returns the limits in force.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.house.limits
    }

    /// Says whether its door broke down; opening it again mends that.
    pub(crate) fn is_closed(&self) -> bool {
        self.door.is_closed()
    }

    /// Returns what is true now.
    #[must_use]
    pub fn view(&self) -> View {
        self.view.borrow().clone()
    }

    /// Returns what is true, as it changes: look, act, then wait for the next.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<View> {
        self.view.clone()
    }

    /// Carries a command out and returns when what it did is durable and visible.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Refused`] with nothing changed; [`SubmitError::Log`] when the log would not or could not.
    pub async fn submit(&self, submission: Submission) -> Result<Receipt, SubmitError> {
        let (answer, answered) = oneshot::channel();
        self.door.send(Wish { submission, answer }).await.map_err(|_| SubmitError::Closed)?;
        answered.await.map_err(|_| SubmitError::Closed)?
    }

    /// Returns whole batches behind `after`, oldest first.
    ///
    /// # Errors
    ///
    /// What the log says.
    pub async fn read(&self, after: Seq, limit: ReadLimit) -> Result<Vec<Batch>, LogError> {
        self.house.log.read(self.id, after, limit).await
    }
}
