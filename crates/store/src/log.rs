//! The trait that every backend fulfils.

use async_trait::async_trait;
use events::{Digest, Epoch, LogId, OperationId, Seq, SessionId};
use tokio::sync::watch;

use crate::{
    Append, Appended, Batch, Create, Head, Lease, LogError, Pin, ReadLimit, Receipt, Reclaim, Reclaimed, Row,
    SessionHead, Snapshot,
};

/// What a log takes at most; constant for its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Events of one append.
    pub batch_events_max: usize,
    /// Bytes of one append's event lines.
    pub record_bytes_max: usize,
    /// Bytes of one object.
    pub object_bytes_max: usize,
    /// Forks between a session and its oldest ancestor.
    pub fork_depth_max: usize,
}

/// A log of sessions: each a sequence of batches that only grows.
///
/// A session's tail shows only what is durable, in order and without gaps. Dropping a call that appends
/// leaves open whether it was carried out.
#[async_trait]
pub trait Log: Send + Sync + 'static {
    /// Names this log; the `log` part of a cursor.
    fn id(&self) -> LogId;

    /// Says what the log takes.
    fn caps(&self) -> Caps;

    /// Begins a session with its first batch, which `session/opened` joins as its second event, and gives its
    /// lease to the host. A fork's first event is at the fork's seq + 1, its epoch above the parent's.
    ///
    /// # Errors
    ///
    /// `Exists` when the id was ever used, `NotFound` and `NotABatchEnd` for the fork point, and what an
    /// append answers.
    async fn create(&self, create: Create) -> Result<Appended, LogError>;

    /// Takes a session over: mints an epoch greater than any before and appends `session/opened`. The host that
    /// holds the session already gets a new epoch, too.
    ///
    /// # Errors
    ///
    /// `Held` when another host holds it.
    async fn acquire(&self, session: SessionId, host: &str, at_ms: u64) -> Result<Lease, LogError>;

    /// Gives a session up; appends under that epoch are `Fenced` from now on.
    ///
    /// # Errors
    ///
    /// `Fenced` when the lease is not the caller's (any more).
    async fn release(&self, session: SessionId, epoch: Epoch) -> Result<(), LogError>;

    /// Appends a batch and returns when it is durable. What is checked, in this order: that the session exists and
    /// is whole, the operation, the epoch, the expected seq.
    ///
    /// # Errors
    ///
    /// `Duplicate` when the operation is recorded already, `OperationReused` when it is with another body,
    /// `Fenced`, `Conflict`, `TooLarge`, `Unavailable` (nothing written), `Unknown` (repeat with the same
    /// operation) and `Poisoned`.
    async fn append(&self, append: Append) -> Result<Appended, LogError>;

    /// Returns a session's end, also of a deleted one.
    ///
    /// # Errors
    ///
    /// `NotFound`, `Corrupt`.
    async fn head(&self, session: SessionId) -> Result<Head, LogError>;

    /// Returns whole batches behind `after`, oldest first, through forks; none when `after` is the head. From
    /// inside a batch, that batch comes first. Bounded by `limit`, yet one batch at least.
    ///
    /// # Errors
    ///
    /// `NotFound`, `Corrupt`.
    async fn read(&self, session: SessionId, after: Seq, limit: ReadLimit) -> Result<Vec<Batch>, LogError>;

    /// Returns the session's head as it moves: subscribe, then read, then wait. It starts at the head (0 when the
    /// session is unknown), and its sender is dropped when the session is deleted.
    fn tail(&self, session: SessionId) -> watch::Receiver<Seq>;

    /// Returns what became of an operation, for as long as the session lives.
    ///
    /// # Errors
    ///
    /// `NotFound` for the session.
    async fn operation(
        &self,
        session: SessionId,
        operation: OperationId,
    ) -> Result<Option<Receipt>, LogError>;

    /// Keeps an object and returns its BLAKE3 hash when it is durable. An object that no event names any more is
    /// collected by [`Self::reclaim`], yet never while it is pinned.
    ///
    /// # Errors
    ///
    /// `TooLarge`, `Unavailable`.
    async fn put_object(&self, bytes: Vec<u8>) -> Result<Pin, LogError>;

    /// Returns an object's bytes.
    ///
    /// # Errors
    ///
    /// `NoObject`, `CorruptObject`.
    async fn object(&self, digest: &Digest) -> Result<Vec<u8>, LogError>;

    /// Keeps a snapshot for a while: a hint that may be lost at any time, and makes way for newer ones.
    ///
    /// # Errors
    ///
    /// `NotFound`, and `Conflict` when it is ahead of the session's head.
    async fn put_snapshot(&self, snapshot: Snapshot) -> Result<(), LogError>;

    /// Returns the newest snapshot at or before `at` that the fold `fold_version` made, through forks.
    ///
    /// # Errors
    ///
    /// `NotFound`.
    async fn snapshot(
        &self,
        session: SessionId,
        at: Seq,
        fold_version: u32,
    ) -> Result<Option<Snapshot>, LogError>;

    /// Keeps a session's line of the list, unless it has a newer one: a hint that may be lost at any time.
    ///
    /// # Errors
    ///
    /// `NotFound`, and `Conflict` when it is ahead of the session's head.
    async fn put_row(&self, session: SessionId, seq: Seq, bytes: Vec<u8>) -> Result<(), LogError>;

    /// Returns the rows that were kept: one a session at most, and any may lag or be missing.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    async fn rows(&self) -> Result<Vec<Row>, LogError>;

    /// Returns every session that is not deleted, by id.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    async fn sessions(&self) -> Result<Vec<SessionHead>, LogError>;

    /// Deletes a session for good: its followers end, its id stays used, its forks keep what they share.
    ///
    /// # Errors
    ///
    /// `NotFound`, `Fenced`, and what an append answers.
    async fn delete(&self, session: SessionId, epoch: Epoch, at_ms: u64) -> Result<(), LogError>;

    /// Gives space back while everything goes on: of deleted sessions, save what forks share; of events that others
    /// replaced; of objects that no event names. What goes, and when, is the log's to choose. Each position stays
    /// accounted for: readers get a batch that [says so](Batch::is_elided), and receipts are found as before.
    ///
    /// # Errors
    ///
    /// `Unavailable` when there is no space to work in: what was given back before stays so. `Poisoned`, `Io`.
    async fn reclaim(&self, reclaim: Reclaim) -> Result<Reclaimed, LogError>;
}
