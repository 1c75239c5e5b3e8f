//! What may be written: a request against its session's head. Pure; the writer carries the answer out.

use std::sync::Arc;

use events::{Actor, Epoch, NewEvent, SCHEMA_VERSION, Seq, SessionId, SessionOpened};
use uuid::Uuid;

use crate::heads::HeadState;
use crate::payload::Payload;
use crate::record::{Header, Kind};
use crate::{Appended, Caps, ForeignBatch, ForkPoint, LogError, Operation};

/// A wish to write, about one session.
pub(crate) struct Request {
    pub(crate) session: SessionId,
    pub(crate) at_ms: u64,
    pub(crate) operation: Option<Operation>,
    pub(crate) wish: Wish,
}

/// What is wished for.
pub(crate) enum Wish {
    Append { expected: Seq, epoch: Epoch, payload: Payload },
    Create { parent: Option<ForkPoint>, host: Arc<str>, events: Vec<NewEvent> },
    Acquire { host: Arc<str> },
    Release { epoch: Epoch },
    Delete { epoch: Epoch },
    Import { batch: ForeignBatch, payload: Payload, part: Part },
}

/// Which part of an imported session a batch is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    /// Whether it is the first one.
    pub(crate) begins: bool,
    /// The point that the session goes on from, where it is the first batch of a fork.
    pub(crate) parent: Option<ForkPoint>,
    /// Whether more follows.
    pub(crate) unfinished: bool,
}

/// What is carried out: at most one record, and the head after it.
pub(crate) struct Admitted {
    pub(crate) record: Option<(Header, Payload)>,
    pub(crate) head: HeadState,
    pub(crate) answer: Appended,
}

impl Request {
    /// Says what is written for a session that exists.
    pub(crate) fn admit(self, head: &HeadState, caps: &Caps) -> Result<Admitted, LogError> {
        let begins = matches!(self.wish, Wish::Create { .. } | Wish::Import { .. });
        if (head.deleted || head.unfinished) && !begins {
            return Err(LogError::NotFound { session: self.session });
        }
        match &self.wish {
            Wish::Import { part: Part { begins: false, .. }, .. } if head.unfinished => self.admit_part(head),
            Wish::Import { .. } | Wish::Create { .. } => Err(LogError::Exists { session: self.session }),
            Wish::Append { .. } => self.admit_append(head),
            Wish::Acquire { .. } => self.admit_acquire(head, caps),
            Wish::Release { epoch } => {
                refuse_fenced(head, *epoch)?;
                Ok(unwritten(HeadState { host: None, ..head.clone() }))
            }
            Wish::Delete { epoch } => {
                refuse_fenced(head, *epoch)?;
                let payload = Payload::of(&[], caps)?;
                let header = self.header(Kind::Tombstone, head, (head.epoch, &payload));
                Ok(written(HeadState { host: None, ..head.clone() }, header, payload))
            }
        }
    }

    fn admit_append(mut self, head: &HeadState) -> Result<Admitted, LogError> {
        let nothing = Wish::Release { epoch: head.epoch };
        let Wish::Append { expected, epoch, payload } = std::mem::replace(&mut self.wish, nothing) else {
            unreachable!("the wish was just seen to be an append")
        };
        refuse_fenced(head, epoch)?;
        if expected != head.seq {
            return Err(LogError::Conflict { head: head.seq });
        }
        if payload.count == 0 && self.operation.is_none() {
            return Ok(unwritten(head.clone()));
        }
        let header = self.header(Kind::Batch, head, (epoch, &payload));
        Ok(written(head.clone(), header, payload))
    }

    /// Says what is written for a further batch of a session that is being imported.
    fn admit_part(self, head: &HeadState) -> Result<Admitted, LogError> {
        let Wish::Import { batch, payload, part } = self.wish else {
            unreachable!("the wish was just seen to be an import")
        };
        if batch.first != head.seq.next() || batch.last() < batch.first {
            return Err(LogError::Conflict { head: head.seq });
        }
        let header = foreign_header(self.session, (&batch, &payload), part);
        Ok(written(head.clone(), header, payload))
    }

    /// Says what is written for the first batch of a session that is imported.
    pub(crate) fn admit_import(self, parent: Option<&HeadState>, caps: &Caps) -> Result<Admitted, LogError> {
        let Wish::Import { batch, payload, part } = self.wish else {
            return Err(LogError::NotFound { session: self.session });
        };
        let before = part.parent.map_or(Seq::ZERO, |parent| parent.seq);
        if !part.begins || batch.first != before.next() || batch.last() < batch.first {
            return Err(LogError::Conflict { head: before });
        }
        let header = foreign_header(self.session, (&batch, &payload), part);
        let head = HeadState::begun(&header, parent);
        crate::payload::refuse_above("fork (in ancestors)", head.lineage.len(), caps.fork_depth_max)?;
        let answer = Appended { first: header.first, last: head.seq, epoch: header.epoch };
        Ok(Admitted { record: Some((header, payload)), head, answer })
    }

    fn admit_acquire(self, head: &HeadState, caps: &Caps) -> Result<Admitted, LogError> {
        let Wish::Acquire { host } = &self.wish else {
            unreachable!("the wish was just seen to be an acquisition")
        };
        if let Some(by) = head.host.as_ref().filter(|by| *by != host) {
            return Err(LogError::Held { by: by.to_string() });
        }
        let epoch = head.epoch.next();
        let payload = Payload::of(&[opened(epoch, host)], caps)?;
        let header = self.header(Kind::Batch, head, (epoch, &payload));
        Ok(written(HeadState { host: Some(host.clone()), ..head.clone() }, header, payload))
    }

    /// Says what is written for a new session.
    pub(crate) fn admit_new(self, parent: Option<&HeadState>, caps: &Caps) -> Result<Admitted, LogError> {
        let Wish::Create { parent: fork, host, events } = &self.wish else {
            return Err(LogError::NotFound { session: self.session });
        };
        let epoch = parent.map_or(Epoch(0), |parent| parent.epoch).next();
        let mut batch = events.clone();
        batch.insert(batch.len().min(1), opened(epoch, host));
        let payload = Payload::of(&batch, caps)?;
        let before = fork.map_or(Seq::ZERO, |fork| fork.seq);
        let mut header = self.header_at(Kind::Create, before, (epoch, &payload));
        header.fork = *fork;
        let head = HeadState { host: Some(host.clone()), ..HeadState::begun(&header, parent) };
        let depth = head.lineage.len();
        crate::payload::refuse_above("fork (in ancestors)", depth, caps.fork_depth_max)?;
        let answer = Appended { first: header.first, last: head.seq, epoch };
        Ok(Admitted { record: Some((header, payload)), head, answer })
    }

    fn header(&self, kind: Kind, head: &HeadState, content: (Epoch, &Payload)) -> Header {
        self.header_at(kind, head.seq, content)
    }

    fn header_at(&self, kind: Kind, before: Seq, (epoch, payload): (Epoch, &Payload)) -> Header {
        Header {
            kind,
            count: payload.count,
            lz4: payload.lz4,
            stored_bytes: payload.stored_bytes,
            plain_bytes: u32::try_from(payload.lines.len()).expect("4 MiB at most"),
            payload_checksum: payload.checksum,
            session: self.session,
            first: before.next(),
            epoch,
            at_ms: self.at_ms,
            operation: self.operation,
            ..mark()
        }
    }
}

/// Returns the header of a batch that another log wrote.
fn foreign_header(session: SessionId, (batch, payload): (&ForeignBatch, &Payload), part: Part) -> Header {
    let kind = if part.begins { Kind::Create } else { Kind::Batch };
    let content = (batch.epoch, payload);
    let request = Request {
        session,
        at_ms: batch.at_ms,
        operation: batch.operation,
        wish: Wish::Release { epoch: batch.epoch },
    };
    Header {
        schema: batch.schema,
        fork: part.parent,
        unfinished: part.unfinished,
        elision: batch.elided,
        ..request.header_at(kind, Seq(batch.first.0 - 1), content)
    }
}

/// Returns the header of a mark, from which others differ.
pub(crate) fn mark() -> Header {
    Header {
        kind: Kind::Mark,
        lz4: false,
        clean: false,
        index_synced: false,
        unfinished: false,
        count: 0,
        schema: SCHEMA_VERSION,
        stored_bytes: 0,
        plain_bytes: 0,
        payload_checksum: 0,
        group_rest: 0,
        group: 0,
        session: SessionId(Uuid::nil()),
        first: Seq(1),
        epoch: Epoch(0),
        at_ms: 0,
        operation: None,
        fork: None,
        elision: None,
    }
}

/// Refuses a writer whose lease is not the session's newest, or is released.
fn refuse_fenced(head: &HeadState, epoch: Epoch) -> Result<(), LogError> {
    if head.host.is_none() || head.epoch != epoch {
        return Err(LogError::Fenced { epoch: head.epoch });
    }
    Ok(())
}

fn opened(epoch: Epoch, host: &str) -> NewEvent {
    let opened = SessionOpened { epoch, host: host.to_owned() };
    NewEvent { cause: None, actor: Actor::HOST, event: opened.into() }
}

fn unwritten(head: HeadState) -> Admitted {
    let answer = Appended { first: head.seq.next(), last: head.seq, epoch: head.epoch };
    Admitted { record: None, head, answer }
}

fn written(mut head: HeadState, header: Header, payload: Payload) -> Admitted {
    head.follow(&header);
    let answer = Appended { first: header.first, last: head.seq, epoch: header.epoch };
    Admitted { record: Some((header, payload)), head, answer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{create, created, new_session};
    use crate::fork::holder_of;

    const CAPS: Caps = Caps {
        batch_events_max: 512,
        record_bytes_max: 1 << 20,
        object_bytes_max: 1 << 20,
        fork_depth_max: 4096,
    };

    /// Admits a fork of `parent`, which has the id `id`, at its head.
    fn fork(id: SessionId, parent: &HeadState) -> Result<(SessionId, HeadState), LogError> {
        let session = new_session();
        let point = ForkPoint { session: id, seq: parent.seq };
        let wish = Wish::Create { parent: Some(point), host: "pid 1".into(), events: vec![created()] };
        let request = Request { session, at_ms: 1, operation: None, wish };
        Ok((session, request.admit_new(Some(parent), &CAPS)?.head))
    }

    #[test]
    fn a_chain_of_4096_forks_names_the_holder_of_each_position_and_takes_no_more() {
        let first = create(new_session());
        let wish = Wish::Create { parent: None, host: "pid 1".into(), events: first.events };
        let request = Request { session: first.session, at_ms: 1, operation: None, wish };
        let mut chain = vec![(first.session, request.admit_new(None, &CAPS).unwrap().head)];
        for _ in 0..CAPS.fork_depth_max {
            let (session, head) = chain.last().unwrap();
            chain.push(fork(*session, head).unwrap());
        }
        let (last, head) = chain.last().unwrap();
        assert_eq!(head.epoch, Epoch(4097));
        for (session, held) in &chain {
            let holder = holder_of(&head.lineage, *last, head.seq, held.seq);
            assert_eq!((holder.session, holder.seq), (*session, held.seq));
        }
        let refused = fork(*last, head).err();
        assert!(matches!(refused, Some(LogError::TooLarge { size: 4097, limit: 4096, .. })), "{refused:?}");
    }
}
