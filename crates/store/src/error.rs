//! What a log refuses, and what can go wrong with it.

use std::io;
use std::sync::Arc;

use events::{DecodeError, Digest, Epoch, OperationId, Seq, SessionId};

use crate::Receipt;

/// Why a log did not do what was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LogError {
    /// The session went on since the writer looked; fold on and decide again.
    #[error("the session is at seq {head} by now; read on and decide again")]
    Conflict {
        /// Its head.
        head: Seq,
    },
    /// The writer does not own the session (any more).
    #[error("the session's newest epoch is {epoch} and its lease is not the writer's; acquire it to write")]
    Fenced {
        /// The newest ownership.
        epoch: Epoch,
    },
    /// Another host owns the session.
    #[error("the session is held by {by}; it can be taken over when that host releases it or stops")]
    Held {
        /// The host.
        by: String,
    },
    /// There is no such session, or it is deleted.
    #[error("there is no session {session}, or it was deleted")]
    NotFound {
        /// The id.
        session: SessionId,
    },
    /// The id was used before.
    #[error("session id {session} was used before; choose a new one")]
    Exists {
        /// The id.
        session: SessionId,
    },
    /// There is no such object.
    #[error("there is no object {digest}")]
    NoObject {
        /// The hash that was asked for.
        digest: Digest,
    },
    /// An object's bytes do not have its hash.
    #[error("object {digest} is damaged on disk; restore it from a backup")]
    CorruptObject {
        /// Its hash.
        digest: Digest,
    },
    /// Something is larger than the log takes.
    #[error("{what} of {size} is above the limit of {limit}; split it")]
    TooLarge {
        /// What it is, with its unit.
        what: &'static str,
        /// Its size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// Nothing was written; the same may succeed later.
    #[error("the log cannot write ({doing}: {source}); nothing was written, free space and try again")]
    Unavailable {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// It may be written or not; repeat it with the same operation to learn which.
    #[error("whether this was written is unknown ({reason}); repeat it with the same operation id")]
    Unknown {
        /// What happened.
        reason: String,
    },
    /// A write or sync failed earlier; reads go on, writes need a restart.
    #[error("the log stopped writing after an error ({reason}); check the disk and restart")]
    Poisoned {
        /// The first error.
        reason: String,
    },
    /// A session has lost or damaged events. Other sessions are not affected.
    #[error("session {session} is damaged at seq {seq}: {what}; restore it from a backup")]
    Corrupt {
        /// The session.
        session: SessionId,
        /// The first position that cannot be relied on.
        seq: Seq,
        /// What was found.
        what: String,
    },
    /// An event is intact, and this build cannot read it.
    #[error("session {session}, seq {seq}: {source}")]
    Undecodable {
        /// The session.
        session: SessionId,
        /// The event.
        seq: Seq,
        /// Why.
        source: Arc<DecodeError>,
    },
    /// The operation is recorded already, with this body: nothing was written now.
    #[error("the operation was recorded before; the head after it was {}", .0.seq)]
    Duplicate(Receipt),
    /// The operation is recorded already, with another body.
    #[error("operation {operation} was used before for another command; give each command an id of its own")]
    OperationReused {
        /// The operation.
        operation: OperationId,
    },
    /// A fork's seq is not a position that readers stop at.
    #[error("seq {asked} is no batch end of the parent; the last one before it is {legal}")]
    NotABatchEnd {
        /// What was asked for.
        asked: Seq,
        /// The last batch end at or before it; 0 when there is none.
        legal: Seq,
    },
    /// A folder that something shall be copied into holds something already.
    #[error("{path} is not empty; choose a folder that is empty or not there yet")]
    NotEmpty {
        /// The folder.
        path: String,
    },
    /// Somebody stopped the work.
    #[error("it was stopped before it was done, and nothing is left of it")]
    Stopped,
    /// The data folder is in use.
    #[error("the data folder is in use by process {pid}; stop that one, or choose another folder")]
    Busy {
        /// Its pid, or what is known of it.
        pid: String,
    },
    /// The folder was written by something that this build does not know.
    #[error("{what}; open it with the waymark that wrote it")]
    Unsupported {
        /// What is not known.
        what: String,
    },
    /// The data folder cannot be read.
    #[error("{doing} {path}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Where.
        path: String,
        /// What the system said.
        source: Arc<io::Error>,
    },
}

impl LogError {
    pub(crate) fn corrupt(session: SessionId, seq: Seq, what: &str) -> Self {
        Self::Corrupt { session, seq, what: what.to_owned() }
    }

    pub(crate) fn unavailable(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Unavailable { doing, source: Arc::new(source) }
    }

    pub(crate) fn io(doing: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self::Io { doing, path, source: Arc::new(source) }
    }
}
