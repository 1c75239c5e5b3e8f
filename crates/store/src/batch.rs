//! What a read returns: one append, whole.

use std::sync::Arc;

use events::{Cause, DecodeError, Envelope, Epoch, OperationId, Placement, Seq, SessionId};

use crate::record::Elision;
use crate::{LogError, Operation};

/// One append as it is kept: a placement and one line of JSON an event. Or positions whose events were given up: what
/// streamed and was replaced. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    pub(crate) session: SessionId,
    pub(crate) first: Seq,
    pub(crate) count: u64,
    pub(crate) epoch: Epoch,
    pub(crate) at_ms: u64,
    pub(crate) schema: u32,
    pub(crate) operation: Option<Operation>,
    pub(crate) elision: Option<Elision>,
    pub(crate) lines: Arc<str>,
}

impl Batch {
    /// Returns the session that wrote it: an ancestor of the one that was read when it is older than a fork.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// Returns its first position.
    #[must_use]
    pub fn first(&self) -> Seq {
        self.first
    }

    /// Returns its last position: a batch end.
    #[must_use]
    pub fn last(&self) -> Seq {
        Seq(self.first.0 + self.count - 1)
    }

    /// Returns how many events it has: one at least, none when they were elided.
    #[must_use]
    pub fn events(&self) -> usize {
        let count = if self.is_elided() { 0 } else { self.count };
        usize::try_from(count).expect("a batch has 512 events at most")
    }

    /// Says whether its events were given up, so that it only accounts for their positions. It may then span many
    /// appends, and a reader who stands inside it goes on behind it.
    #[must_use]
    pub fn is_elided(&self) -> bool {
        self.elision.is_some()
    }

    /// Returns the position of the event that stands for those that were elided. None for a batch that has its events.
    #[must_use]
    pub fn replaced_by(&self) -> Option<Seq> {
        self.elision?.replaced_by
    }

    /// Returns the size of its lines in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lines.len()
    }

    /// Returns the ownership it was written under.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Returns its wall clock, milliseconds since 1970.
    #[must_use]
    pub fn at_ms(&self) -> u64 {
        self.at_ms
    }

    /// Returns the command behind it.
    #[must_use]
    pub fn operation(&self) -> Option<OperationId> {
        self.operation.map(|operation| operation.id)
    }

    /// Returns the command behind it with the hash of its body.
    #[must_use]
    pub fn recorded(&self) -> Option<Operation> {
        self.operation
    }

    /// Returns the writer's schema version.
    #[must_use]
    pub fn schema(&self) -> u32 {
        self.schema
    }

    /// Returns its events as they are kept, one line of JSON each.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.lines()
    }

    /// Reads its events. One that names no cause of its own was caused by the batch's operation.
    ///
    /// # Errors
    ///
    /// [`LogError::Undecodable`] names the first event that this build cannot read.
    pub fn envelopes(&self) -> Result<Vec<Envelope>, LogError> {
        let mut envelopes = Vec::with_capacity(self.events());
        for (seq, line) in (self.first.0..).map(Seq).zip(self.lines()) {
            envelopes.push(self.envelope(seq, line).map_err(|source| LogError::Undecodable {
                session: self.session,
                seq,
                source: Arc::new(source),
            })?);
        }
        Ok(envelopes)
    }

    /// Cuts off what is behind a fork's last shared position. Only positions without events can reach beyond one: a
    /// fork ends at a batch end, and its batches may have been elided since.
    pub(crate) fn upto(mut self, last: Seq) -> Self {
        self.count = self.count.min((last.0 + 1).saturating_sub(self.first.0));
        self
    }

    fn envelope(&self, seq: Seq, line: &str) -> Result<Envelope, DecodeError> {
        let placement = Placement {
            seq,
            batch_end: self.last(),
            epoch: self.epoch,
            at_ms: self.at_ms,
            schema: self.schema,
        };
        let mut envelope = Envelope::from_line(line, &placement)?;
        if envelope.cause.is_none() {
            envelope.cause = self.operation().map(|id| Cause::Operation(id.to_string()));
        }
        Ok(envelope)
    }
}
