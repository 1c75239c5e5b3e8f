//! One session in this process: what is true of it, and the one door through which that changes.

use std::sync::Arc;

use events::{Actor, ClientId, CommandId, Epoch, OperationId, Seq, SessionId};
use projections::{Slices, State};
use store::{Batch, LogError, Operation, ReadLimit};
use tokio::sync::{mpsc, oneshot, watch};

use crate::door::{Door, House};
use crate::list::is_at_rest;
use crate::residence::{Place, Resident};
use crate::{ClientCommand, Command, Limits, Refusal};

/// A session in this process. Cheap to clone; all clones are the same session, and keep it in memory.
#[derive(Clone)]
pub struct Session {
    id: SessionId,
    house: Arc<House>,
    view: watch::Receiver<View>,
    door: mpsc::Sender<Wish>,
    /// Keeps the session in memory; a worker's handle does not.
    hold: Option<Arc<Place<Session>>>,
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

/// What comes to the door.
pub(crate) enum Wish {
    /// A submission.
    Submit(Box<Asked>),
    /// The session leaves memory: what came before is still carried out, nothing is let in any more.
    Leave,
}

/// A submission on its way through the door.
pub(crate) struct Asked {
    pub(crate) submission: Submission,
    pub(crate) answer: oneshot::Sender<Result<Receipt, SubmitError>>,
    /// A session stays until what was asked of it is done, also when whoever asked is gone.
    _hold: Option<Arc<Place<Session>>>,
}

/// Submissions that may wait at the door of one session; further ones wait outside.
const WISHES_MAX: usize = 64;

impl Session {
    /// Starts serving a session; `door` makes its door, which is handed the way back to itself.
    pub(crate) fn start(
        id: SessionId,
        house: Arc<House>,
        view: watch::Receiver<View>,
        door: impl FnOnce(WayIn) -> Door,
    ) -> Self {
        let (sender, wishes) = mpsc::channel(WISHES_MAX);
        let way_in = WayIn { id, house, view, door: sender.downgrade() };
        let session = way_in.session().expect("the sender is here");
        tokio::spawn(door(way_in).serve(wishes));
        session
    }

    /// Returns a handle that keeps the session in its place.
    pub(crate) fn held(&self, place: Arc<Place<Self>>) -> Self {
        Self { hold: Some(place), ..self.clone() }
    }

    /// Returns a handle that does not keep the session in memory, for a worker that acts only when something is due.
    /// [`SubmitError::Closed`] says that the session has left.
    #[must_use]
    pub fn loose(&self) -> Self {
        Self { hold: None, ..self.clone() }
    }

    /// Says whether both are the same session, opened once.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.door.same_channel(&other.door)
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

    /// Waits until decisions are made at `at_ms` or later.
    pub async fn reach(&self, at_ms: u64) {
        self.house.clock.reach(at_ms).await;
    }

    /// Returns the limits in force.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.house.limits
    }

    /// Returns when the session has left memory or is deleted.
    pub async fn ended(&self) {
        let mut view = self.view.clone();
        while view.changed().await.is_ok() {}
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
        let asked = Asked { submission, answer, _hold: self.hold.clone() };
        self.door.send(Wish::Submit(Box::new(asked))).await.map_err(|_| SubmitError::Closed)?;
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

impl Resident for Session {
    fn is_at_rest(&self) -> bool {
        let view = self.view.borrow();
        is_at_rest(&view.state, view.host_epoch)
    }

    fn has_ended(&self) -> bool {
        self.view.has_changed().is_err()
    }

    async fn end(&self) {
        // A door that is gone has ended already.
        let _ = self.door.send(Wish::Leave).await;
        self.ended().await;
    }
}

/// The way to a session for its own door, which does not keep itself open with it.
pub(crate) struct WayIn {
    id: SessionId,
    house: Arc<House>,
    view: watch::Receiver<View>,
    door: mpsc::WeakSender<Wish>,
}

impl WayIn {
    /// Returns the session, as long as anybody can still reach it.
    pub(crate) fn session(&self) -> Option<Session> {
        let (house, view) = (Arc::clone(&self.house), self.view.clone());
        Some(Session { id: self.id, house, view, door: self.door.upgrade()?, hold: None })
    }
}
