//! Brings in a session that another log wrote: it is there once it is whole, and otherwise never was.

use std::collections::VecDeque;

use events::{Epoch, Seq, SessionId};

use crate::admit::{Part, Request, Wish};
use crate::payload::{Payload, refuse_above};
use crate::segment_log::{Answered, stopped};
use crate::{Batch, Elision, ForkPoint, LogError, Operation, SegmentLog};

/// Batches that are on their way to the disk at once.
const AHEAD_MAX: usize = 256;

/// Positions of one elided batch that are counted in 32 bits.
const ELIDED_POSITIONS_MAX: usize = u32::MAX as usize - 1;

/// A batch as another log kept it.
#[derive(Debug, Clone)]
pub struct ForeignBatch {
    /// Position of its first event.
    pub first: Seq,
    /// The ownership it was written under.
    pub epoch: Epoch,
    /// Its wall clock, milliseconds since 1970.
    pub at_ms: u64,
    /// Its writer's schema version.
    pub schema: u32,
    /// The command behind it.
    pub operation: Option<Operation>,
    /// Its events, one line of JSON each without line ends: one at least, none where they were elided.
    pub lines: Vec<String>,
    /// What stands in the place of events that were given up.
    pub elided: Option<Elision>,
}

impl ForeignBatch {
    /// Returns its last position; before the first one when it has none.
    pub(crate) fn last(&self) -> Seq {
        let behind = self.first.0.saturating_add(self.lines.len() as u64);
        self.elided.map_or(Seq(behind.saturating_sub(1)), |elided| elided.last)
    }

    /// Returns it as what a read of `session` would give.
    #[must_use]
    pub fn read_as(&self, session: SessionId) -> Batch {
        Batch {
            elision: self.elided,
            session,
            first: self.first,
            count: self.last().0.saturating_add(1).saturating_sub(self.first.0),
            epoch: self.epoch,
            at_ms: self.at_ms,
            schema: self.schema,
            operation: self.operation,
            lines: self.lines.iter().flat_map(|line| [line, "\n"]).collect::<String>().into(),
        }
    }
}

impl From<&Batch> for ForeignBatch {
    fn from(batch: &Batch) -> Self {
        Self {
            first: batch.first,
            epoch: batch.epoch,
            at_ms: batch.at_ms,
            schema: batch.schema,
            operation: batch.operation,
            lines: batch.lines().map(str::to_owned).collect(),
            // A fork may share a part of what was elided.
            elided: batch.elision.map(|elision| Elision { last: batch.last(), ..elision }),
        }
    }
}

/// A session on its way in. Dropped before [`Self::finish`] succeeds, it never was.
pub struct Importing<'a> {
    log: &'a SegmentLog,
    session: SessionId,
    parent: Option<ForkPoint>,
    begins: bool,
    /// The newest batch: only the last one of all makes the session whole.
    held: Option<ForeignBatch>,
    answers: VecDeque<Answered>,
    /// One import at a time: two of the same session would mix.
    _turn: tokio::sync::MutexGuard<'a, ()>,
}

impl SegmentLog {
    /// Begins to bring a session in, once no other is being brought in. A fork's parent must be there.
    ///
    /// # Errors
    ///
    /// `Exists` when the id was ever used, `NotFound` and `NotABatchEnd` for the fork point.
    pub async fn import(
        &self,
        session: SessionId,
        parent: Option<ForkPoint>,
    ) -> Result<Importing<'_>, LogError> {
        let turn = self.importing.lock().await;
        if self.shared.heads.lock().get(&session).is_some_and(|head| !head.unfinished) {
            return Err(LogError::Exists { session });
        }
        if let Some(point) = parent {
            self.refuse_no_batch_end(point).await?;
        }
        let answers = VecDeque::new();
        Ok(Importing { log: self, session, parent, begins: true, held: None, answers, _turn: turn })
    }
}

impl Importing<'_> {
    /// Takes the next batch.
    ///
    /// # Errors
    ///
    /// `Conflict` when it does not follow the one before it, `TooLarge`, and what an append answers.
    pub async fn add(&mut self, batch: ForeignBatch) -> Result<(), LogError> {
        match self.held.replace(batch) {
            Some(before) => self.write(before, true).await,
            None => Ok(()),
        }
    }

    /// Makes the session whole, and returns its head.
    ///
    /// # Errors
    ///
    /// As [`Self::add`]; `NotFound` when there was no batch.
    pub async fn finish(mut self) -> Result<Seq, LogError> {
        let last = self.held.take().ok_or(LogError::NotFound { session: self.session })?;
        // Nothing before it may have failed: what follows would make a part of the session the whole.
        self.settle(0).await?;
        self.write(last, false).await?;
        let newest = self.answers.pop_back().expect("a batch was just written");
        Ok(newest.await.map_err(|_| stopped())??.last)
    }

    async fn write(&mut self, batch: ForeignBatch, unfinished: bool) -> Result<(), LogError> {
        self.log.shared.refuse_poisoned()?;
        let payload = Payload::of_lines(&batch.lines, &self.log.shared.caps)?;
        let positions = usize::try_from(batch.last().0.saturating_sub(batch.first.0)).unwrap_or(usize::MAX);
        refuse_above("batch (in positions)", positions, ELIDED_POSITIONS_MAX)?;
        let (bytes, at_ms) = (payload.lines.len(), batch.at_ms);
        let begins = std::mem::replace(&mut self.begins, false);
        let part = Part { begins, parent: self.parent.filter(|_| begins), unfinished };
        let wish = Wish::Import { batch, payload, part };
        let request = Request { session: self.session, at_ms, operation: None, wish };
        self.answers.push_back(self.log.queue(request, bytes).await?);
        self.settle(AHEAD_MAX).await
    }

    /// Waits until at most `ahead` batches are on their way.
    async fn settle(&mut self, ahead: usize) -> Result<(), LogError> {
        while self.answers.len() > ahead {
            let oldest = self.answers.pop_front().expect("there is more than none");
            oldest.await.map_err(|_| stopped())??;
        }
        Ok(())
    }
}
