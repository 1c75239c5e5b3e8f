//! A commit group: the records of all sessions that one write and one sync make durable.

use std::collections::HashMap;

use events::{LogId, OperationId, SessionId};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::admit::{Admitted, Request};
use crate::heads::Heads;
use crate::payload::Payload;
use crate::record::{Header, Spot};
use crate::{Appended, LogError, Receipt};

/// Events that one group takes before it is written.
const GROUP_EVENTS_MAX: usize = 2048;
/// Bytes that one group takes before it is written; one record more may go beyond.
const GROUP_BYTES_MAX: usize = 4 << 20;
/// Answers that one group owes at most.
const GROUP_ANSWERS_MAX: usize = 2048;

/// A request in the writer's queue.
pub(crate) struct Queued {
    pub(crate) request: Request,
    /// Operations recorded before this are known not to be the request's.
    pub(crate) looked_up: Spot,
    pub(crate) answer: oneshot::Sender<Result<Appended, LogError>>,
    /// Its share of the queue, given back with the answer.
    pub(crate) permit: OwnedSemaphorePermit,
}

/// Who waits for an answer, and how much of the queue is theirs until they have it.
pub(crate) struct Waiting {
    answer: oneshot::Sender<Result<Appended, LogError>>,
    _permit: OwnedSemaphorePermit,
}

impl Waiting {
    pub(crate) fn new(
        answer: oneshot::Sender<Result<Appended, LogError>>,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        Self { answer, _permit: permit }
    }

    /// Answers; whoever stopped waiting is none the wiser.
    pub(crate) fn tell(self, answer: Result<Appended, LogError>) {
        let _ = self.answer.send(answer);
    }
}

/// Records on their way to disk, and the answers that wait for them.
#[derive(Default)]
pub(crate) struct Group {
    pub(crate) records: Vec<(Header, Payload)>,
    pub(crate) bytes: usize,
    events: usize,
    /// Heads as they are once the group is durable.
    pub(crate) heads: Heads,
    operations: HashMap<(SessionId, OperationId), Receipt>,
    answers: Vec<(Waiting, Result<Appended, LogError>)>,
}

impl Group {
    /// Says whether it should be written before more is taken.
    pub(crate) fn is_full(&self) -> bool {
        self.events >= GROUP_EVENTS_MAX
            || self.bytes >= GROUP_BYTES_MAX
            || self.answers.len() >= GROUP_ANSWERS_MAX
    }

    pub(crate) fn operation(&self, session: SessionId, operation: OperationId) -> Option<Receipt> {
        self.operations.get(&(session, operation)).copied()
    }

    /// Takes what was admitted for `session`.
    pub(crate) fn stage(&mut self, session: SessionId, admitted: Admitted, waiting: Waiting) {
        if let Some((header, payload)) = admitted.record {
            self.bytes += header.length();
            self.events += usize::from(header.count);
            if let Some(operation) = header.operation {
                let receipt = Receipt { seq: header.last(), body_hash: operation.body_hash };
                self.operations.insert((session, operation.id), receipt);
            }
            self.records.push((header, payload));
        }
        self.heads.insert(session, admitted.head);
        self.answers.push((waiting, Ok(admitted.answer)));
    }

    /// Keeps a refusal until the group is durable: it may rest on what the group writes.
    pub(crate) fn refuse(&mut self, waiting: Waiting, error: LogError) {
        self.answers.push((waiting, Err(error)));
    }

    /// Numbers the records and returns their bytes, for `start`, with each record's place.
    pub(crate) fn encode(&mut self, log: LogId, number: u64, start: Spot) -> (Vec<u8>, Vec<Spot>) {
        let mut bytes = Vec::with_capacity(self.bytes);
        let mut spots = Vec::with_capacity(self.records.len());
        let mut rest = self.bytes;
        for (header, payload) in &mut self.records {
            rest -= header.length();
            header.group = number;
            header.group_rest = u32::try_from(rest).expect("a group is below 4 GiB");
            let written = u32::try_from(bytes.len()).expect("a group is below 4 GiB");
            let spot = Spot { segment: start.segment, offset: start.offset + written };
            header.encode(log, spot, &mut bytes);
            bytes.extend_from_slice(&payload.stored);
            spots.push(spot);
        }
        (bytes, spots)
    }

    /// Gives every answer, now that the group is durable.
    pub(crate) fn answer(self) {
        for (waiting, answer) in self.answers {
            waiting.tell(answer);
        }
    }

    /// Tells everybody that the group may not be durable.
    pub(crate) fn fail(self, reason: &str) {
        for (waiting, answer) in self.answers {
            let reason = reason.to_owned();
            waiting.tell(Err(match answer {
                Ok(_) => LogError::Unknown { reason },
                Err(_) => LogError::Poisoned { reason },
            }));
        }
    }
}
