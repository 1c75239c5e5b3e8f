//! The writer: one thread through which every record goes.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use events::SessionId;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use crate::admit::{Admitted, Part, Request, Wish};
use crate::group::{Group, Queued, Waiting};
use crate::heads::HeadState;
use crate::payload::batch;
use crate::record::Spot;
use crate::roll::End;
use crate::shared::Shared;
use crate::walk::Found;
use crate::{LogError, Operation, Receipt};

/// How long the writer stays awake after its answers: whoever waited for one often asks again at once, and waking a
/// thread takes about as long as a sync.
const AWAKE: Duration = Duration::from_micros(50);

/// The one writer of a log.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    end: End,
    group: Group,
}

impl Writer {
    pub(crate) fn new(shared: Arc<Shared>, end: End) -> Self {
        Self { shared, end, group: Group::default() }
    }

    /// Writes until nobody can ask any more; returns where the log ends.
    pub(crate) fn run(mut self, mut requests: mpsc::Receiver<Queued>) -> End {
        while let Some(queued) = next(&mut requests) {
            self.take(queued);
            while !self.group.is_full() {
                let Ok(queued) = requests.try_recv() else { break };
                self.take(queued);
            }
            self.commit();
        }
        self.end.settle();
        self.end
    }

    fn take(&mut self, queued: Queued) {
        let Queued { request, looked_up, answer, permit } = queued;
        let waiting = Waiting::new(answer, permit);
        let session = request.session;
        let admitted = self.shared.refuse_poisoned().and_then(|()| self.admit(request, looked_up));
        match admitted.and_then(|admitted| self.make_room(admitted)) {
            Ok(admitted) => self.group.stage(session, admitted, waiting),
            Err(error) => self.group.refuse(waiting, error),
        }
    }

    /// Writes what is staged and goes over to the next segment when the record does not fit behind it.
    fn make_room(&mut self, admitted: Admitted) -> Result<Admitted, LogError> {
        let bytes = admitted.record.as_ref().map_or(0, |(header, _)| header.length());
        if bytes > 0 && !self.end.fits(self.group.bytes + bytes) {
            self.commit();
            self.shared.refuse_poisoned()?;
            self.end.roll().map_err(LogError::unavailable("making the next segment"))?;
        }
        Ok(admitted)
    }

    fn admit(&self, request: Request, looked_up: Spot) -> Result<Admitted, LogError> {
        let session = request.session;
        self.shared.refuse_damaged(session)?;
        let starts_anew = matches!(request.wish, Wish::Import { part: Part { begins: true, .. }, .. });
        let head = self.head(session).filter(|head| !(head.unfinished && starts_anew));
        if let (Some(operation), Some(_)) = (request.operation, &head) {
            self.refuse_recorded(session, operation, looked_up)?;
        }
        match (head, &request.wish) {
            (Some(head), _) => request.admit(&head, &self.shared.caps),
            (None, Wish::Create { parent: Some(fork), .. }) => {
                let parent = fork.session;
                let head = self.head(parent).filter(|head| !head.deleted);
                let head = head.ok_or(LogError::NotFound { session: parent })?;
                request.admit_new(Some(&head), &self.shared.caps)
            }
            (None, Wish::Import { part, .. }) => {
                let parent = part.parent.and_then(|parent| self.head(parent.session));
                request.admit_import(parent.as_ref(), &self.shared.caps)
            }
            (None, _) => request.admit_new(None, &self.shared.caps),
        }
    }

    /// Returns a session's head as it is once the group is durable.
    fn head(&self, session: SessionId) -> Option<HeadState> {
        let staged = self.group.heads.get(&session).cloned();
        staged.or_else(|| self.shared.heads.lock().get(&session).cloned())
    }

    fn refuse_recorded(
        &self,
        session: SessionId,
        operation: Operation,
        looked_up: Spot,
    ) -> Result<(), LogError> {
        let staged = self.group.operation(session, operation.id);
        let receipt = match staged {
            Some(receipt) => Some(receipt),
            None => self.recorded(session, operation, looked_up)?,
        };
        receipt.map_or(Ok(()), |receipt| Err(resent(operation, receipt)))
    }

    fn recorded(
        &self,
        session: SessionId,
        operation: Operation,
        looked_up: Spot,
    ) -> Result<Option<Receipt>, LogError> {
        let recent = self.shared.recent.lock();
        if looked_up >= recent.base() {
            return Ok(recent.operation(session, operation.id));
        }
        drop(recent);
        self.shared.receipt(session, operation.id)
    }

    /// Makes the group durable, shows it, and answers; after a failure nothing is ever written again.
    fn commit(&mut self) {
        let mut group = std::mem::take(&mut self.group);
        if group.records.is_empty() {
            self.shared.heads.lock().extend(std::mem::take(&mut group.heads));
            group.answer();
            return;
        }
        let (bytes, spots) = group.encode(self.shared.log, self.end.group + 1, self.end.spot());
        if let Err(error) = self.end.write(&bytes) {
            let reason = format!("writing segment {}: {error}", self.end.segment.number);
            tracing::error!(%reason, "the log writes nothing any more");
            let reason = self.shared.poison.get_or_init(|| reason);
            group.fail(reason);
            return;
        }
        self.shared.publish(&mut group, spots, self.end.spot());
        group.answer();
    }
}

/// Waits for a request, awake at first; none when nobody can ask any more.
fn next(requests: &mut mpsc::Receiver<Queued>) -> Option<Queued> {
    let began = Instant::now();
    while began.elapsed() < AWAKE {
        match requests.try_recv() {
            Ok(queued) => return Some(queued),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => thread::yield_now(),
        }
    }
    requests.blocking_recv()
}

/// Says what a resent command gets.
pub(crate) fn resent(operation: Operation, receipt: Receipt) -> LogError {
    if receipt.body_hash == operation.body_hash {
        LogError::Duplicate(receipt)
    } else {
        LogError::OperationReused { operation: operation.id }
    }
}

impl Shared {
    /// Shows a durable group: places before heads, heads before tails, so that whoever is woken finds all.
    fn publish(&self, group: &mut Group, spots: Vec<Spot>, end: Spot) {
        let heads = std::mem::take(&mut group.heads);
        let whole = heads.iter().filter(|(_, head)| !head.unfinished);
        let moved: Vec<_> = whole.map(|(session, head)| (*session, head.head())).collect();
        let records = group.records.len();
        let mut fresh = Vec::with_capacity(records);
        {
            // Heads move under the lock of the places, so that counts of operations in both agree.
            let mut recent = self.recent.lock();
            for ((header, payload), spot) in std::mem::take(&mut group.records).into_iter().zip(spots) {
                if header.count > 0 && !header.unfinished {
                    fresh.push(batch(&header, payload.lines));
                }
                recent.push(Found { header, spot });
            }
            recent.set_end(end);
            self.heads.lock().extend(heads);
        }
        fresh.into_iter().for_each(|batch| self.hot.lock().push(batch));
        self.bell.ring(records);
        let mut tails = self.tails.lock();
        for (session, head) in moved {
            if head.deleted {
                tails.end(session);
            } else {
                tails.move_to(session, head.seq);
            }
        }
    }
}
