//! The head of each session: what an append is checked against.

use std::collections::HashMap;
use std::sync::Arc;

use events::{Epoch, Seq, SessionId};

use crate::fork::{Lineage, child_lineage};
use crate::record::{Header, Kind};
use crate::{ForkPoint, Head, SessionHead};

/// The end of a session, and all that the log knows of it beside its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeadState {
    pub(crate) seq: Seq,
    pub(crate) epoch: Epoch,
    pub(crate) deleted: bool,
    /// Whether its import is not whole: it is not there yet, and never was if the import stopped.
    pub(crate) unfinished: bool,
    pub(crate) created_at_ms: u64,
    pub(crate) updated_at_ms: u64,
    /// Operations that it recorded.
    pub(crate) operations: u64,
    pub(crate) parent: Option<ForkPoint>,
    pub(crate) lineage: Lineage,
    /// Who holds it in this process's life; never on disk.
    pub(crate) host: Option<Arc<str>>,
}

/// All heads.
pub(crate) type Heads = HashMap<SessionId, HeadState>;

/// A place where a session's records do not follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) session: SessionId,
    /// The first position that is missing.
    pub(crate) seq: Seq,
}

impl HeadState {
    /// Returns a session's head after its first record.
    pub(crate) fn begun(header: &Header, parent: Option<&Self>) -> Self {
        let lineage = match (header.fork, parent) {
            (Some(fork), Some(parent)) => child_lineage(fork.session, &parent.lineage, fork.seq),
            (Some(fork), None) => [fork].into(),
            (None, _) => Lineage::from([]),
        };
        Self {
            seq: header.last(),
            epoch: header.epoch,
            deleted: false,
            unfinished: header.unfinished,
            created_at_ms: header.at_ms,
            updated_at_ms: header.at_ms,
            operations: u64::from(header.operation.is_some()),
            parent: header.fork,
            lineage,
            host: None,
        }
    }

    /// Brings it up to date with one more record.
    pub(crate) fn follow(&mut self, header: &Header) {
        self.seq = header.last();
        self.epoch = header.epoch;
        self.updated_at_ms = header.at_ms;
        self.operations += u64::from(header.operation.is_some());
        self.deleted |= header.kind == Kind::Tombstone;
        self.unfinished = header.unfinished;
    }

    pub(crate) fn head(&self) -> Head {
        Head { seq: self.seq, epoch: self.epoch, deleted: self.deleted }
    }

    pub(crate) fn listed(&self, session: SessionId) -> SessionHead {
        SessionHead {
            session,
            seq: self.seq,
            epoch: self.epoch,
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            parent: self.parent,
        }
    }
}

/// Brings `heads` up to date with one record, and says where records are missing before it.
pub(crate) fn fold(heads: &mut Heads, header: &Header) -> Option<Gap> {
    let session = header.session;
    match header.kind {
        Kind::Mark => None,
        Kind::Create => {
            let parent = header.fork.and_then(|fork| heads.get(&fork.session));
            let begun = HeadState::begun(header, parent);
            let there = parent.map_or(Seq::ZERO, |parent| parent.seq);
            heads.insert(session, begun);
            // A fork of what is not there, of itself or of its own child cannot be read.
            let fork = header.fork.filter(|fork| fork.seq > there);
            fork.map(|_| Gap { session, seq: there.next() })
        }
        Kind::Batch | Kind::Tombstone => {
            let Some(head) = heads.get_mut(&session) else {
                heads.insert(session, HeadState::begun(header, None));
                return Some(Gap { session, seq: Seq(1) });
            };
            let expected = head.seq.next();
            head.follow(header);
            (header.first != expected).then_some(Gap { session, seq: expected })
        }
    }
}
