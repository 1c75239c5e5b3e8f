//! What is asked of a log, and what it answers.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use events::{Digest, Epoch, NewEvent, OperationId, Seq, SessionId};

/// A session to begin, with its first batch.
#[derive(Debug, Clone)]
pub struct Create {
    /// Its id, never used before.
    pub session: SessionId,
    /// The point it is forked from.
    pub parent: Option<ForkPoint>,
    /// Who holds it from now on, e.g. `pid 4711`.
    pub host: String,
    /// Wall clock, milliseconds since 1970.
    pub at_ms: u64,
    /// The command that asked for it.
    pub operation: Option<Operation>,
    /// The first batch without its `session/opened`, which the log puts second.
    pub events: Vec<NewEvent>,
}

/// A position of a session that another one goes on from; shared up to and including `seq`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ForkPoint {
    /// The parent.
    pub session: SessionId,
    /// A batch end of the parent.
    pub seq: Seq,
}

/// An accepted command, as the log remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Its id within the session.
    pub id: OperationId,
    /// Hash of its body: the same id with another body is refused.
    pub body_hash: [u8; 16],
}

/// One batch for the end of a session.
#[derive(Debug, Clone)]
pub struct Append {
    /// The session.
    pub session: SessionId,
    /// The head that the writer has seen.
    pub expected: Seq,
    /// The writer's ownership.
    pub epoch: Epoch,
    /// Wall clock, milliseconds since 1970.
    pub at_ms: u64,
    /// The command behind it.
    pub operation: Option<Operation>,
    /// At most [`Caps::batch_events_max`](crate::Caps::batch_events_max); none records just the operation.
    pub events: Vec<NewEvent>,
}

/// Where a batch went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// Position of its first event; one past `last` when it had none.
    pub first: Seq,
    /// The head after it.
    pub last: Seq,
    /// The ownership it was written under.
    pub epoch: Epoch,
}

/// The right to write a session, held until it is released or the log is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The session.
    pub session: SessionId,
    /// The ownership, greater than any before.
    pub epoch: Epoch,
    /// Position of the `session/opened` that records it; the head.
    pub seq: Seq,
}

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The head right after it.
    pub seq: Seq,
    /// Hash of its body.
    pub body_hash: [u8; 16],
}

/// An object that was put, and is not collected as long as this is held: until the append that names it is answered.
#[derive(Clone)]
pub struct Pin {
    digest: Digest,
    _held: Arc<dyn Any + Send + Sync>,
}

impl Pin {
    /// Returns a pin that lasts until `held` is dropped with its last clone.
    pub fn new(digest: Digest, held: impl Any + Send + Sync) -> Self {
        Self { digest, _held: Arc::new(held) }
    }

    /// Returns the object's BLAKE3 hash.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Pin").field(&self.digest).finish()
    }
}

/// A state folded from a session, kept so that it need not be folded again. Deleting all of them costs time alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The session.
    pub session: SessionId,
    /// The position that it was folded up to, a batch end.
    pub seq: Seq,
    /// The fold that made it: another one finds nothing.
    pub fold_version: u32,
    /// The state, in whatever form its maker likes.
    pub bytes: Vec<u8>,
}

/// A session's line in the list, as it was at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The session.
    pub session: SessionId,
    /// The position that it was made from; behind the session's head when it lags.
    pub seq: Seq,
    /// The line, in whatever form its maker likes.
    pub bytes: Vec<u8>,
}

/// The end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Position of the last event, a batch end.
    pub seq: Seq,
    /// The newest ownership.
    pub epoch: Epoch,
    /// Whether it is deleted; nothing follows then.
    pub deleted: bool,
}

/// A session in the list of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionHead {
    /// The session.
    pub session: SessionId,
    /// Position of the last event.
    pub seq: Seq,
    /// The newest ownership.
    pub epoch: Epoch,
    /// Time of its first batch, milliseconds since 1970.
    pub created_at_ms: u64,
    /// Time of its last batch, milliseconds since 1970.
    pub updated_at_ms: u64,
    /// The point it was forked from.
    pub parent: Option<ForkPoint>,
}

/// How much one read returns: whole batches until either is reached, and one batch at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimit {
    /// Events.
    pub events: usize,
    /// Bytes of event lines.
    pub bytes: usize,
}

impl Default for ReadLimit {
    fn default() -> Self {
        Self { events: 4096, bytes: 4 << 20 }
    }
}
