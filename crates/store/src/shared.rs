//! What the writer, the readers and the indexer of one open log share.

use std::collections::HashMap;
use std::sync::OnceLock;

use events::{LogId, Seq, SessionId};
use parking_lot::{Condvar, Mutex};

use crate::generation::Generations;
use crate::heads::{HeadState, Heads};
use crate::indexer::{Bell, Indexed};
use crate::recent::Recent;
use crate::reclaim::Room;
use crate::record::Spot;
use crate::segment::Segments;
use crate::tail::{Hot, Tails};
use crate::walk::{Found, Step, Walk};
use crate::{Caps, LogError};

/// One open log. Locks are held for memory work alone, never across a read or a sync.
pub(crate) struct Shared {
    pub(crate) log: LogId,
    pub(crate) caps: Caps,
    pub(crate) segments: Segments,
    pub(crate) generations: Generations,
    /// Size of a new segment.
    pub(crate) segment_bytes: u32,
    pub(crate) heads: Mutex<Heads>,
    pub(crate) recent: Mutex<Recent>,
    pub(crate) hot: Mutex<Hot>,
    pub(crate) tails: Mutex<Tails>,
    pub(crate) damage: Mutex<Damage>,
    /// The index while there is a usable one.
    pub(crate) indexed: Mutex<Option<Indexed>>,
    /// Told when the index knows more, or is gone.
    pub(crate) index_moved: Condvar,
    pub(crate) bell: Bell,
    /// The first failure of a write or sync.
    pub(crate) poison: OnceLock<String>,
    pub(crate) room: Room,
}

/// Damaged sessions: the first bad position of each, and what was found there.
pub(crate) type Damage = HashMap<SessionId, (Seq, String)>;

impl Shared {
    /// Returns a session's head, deleted or not, unless it is damaged.
    pub(crate) fn head(&self, session: SessionId) -> Result<HeadState, LogError> {
        self.refuse_damaged(session)?;
        let head = self.heads.lock().get(&session).filter(|head| !head.unfinished).cloned();
        head.ok_or(LogError::NotFound { session })
    }

    /// Returns the head of a session that is neither damaged nor deleted.
    pub(crate) fn live_head(&self, session: SessionId) -> Result<HeadState, LogError> {
        let head = self.head(session)?;
        if head.deleted { Err(LogError::NotFound { session }) } else { Ok(head) }
    }

    pub(crate) fn refuse_damaged(&self, session: SessionId) -> Result<(), LogError> {
        match self.damage.lock().get(&session) {
            Some((seq, what)) => Err(LogError::Corrupt { session, seq: *seq, what: what.clone() }),
            None => Ok(()),
        }
    }

    /// Notes that a session is damaged, says so, and returns the error that everybody gets from now on.
    pub(crate) fn note_damage(&self, session: SessionId, seq: Seq, what: &str) -> LogError {
        note_damage(&mut self.damage.lock(), session, seq, what);
        LogError::corrupt(session, seq, what)
    }

    /// Looks something up, again when segments were rewritten meanwhile. What is found damaged otherwise is noted.
    pub(crate) fn steadily<T>(&self, look: impl Fn() -> Result<T, LogError>) -> Result<T, LogError> {
        loop {
            let moves = self.generations.moves();
            match look() {
                Err(LogError::Corrupt { .. }) if self.generations.moved_since(moves) => {}
                Err(LogError::Corrupt { session, seq, what }) => {
                    return Err(self.note_damage(session, seq, &what));
                }
                done => return done,
            }
        }
    }

    pub(crate) fn refuse_poisoned(&self) -> Result<(), LogError> {
        match self.poison.get() {
            Some(reason) => Err(LogError::Poisoned { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Calls `each` with the records in `from..to`, oldest first, until it says no.
    pub(crate) fn scan(
        &self,
        from: Spot,
        to: Spot,
        mut each: impl FnMut(Found) -> bool,
    ) -> Result<(), LogError> {
        self.scan_bytes(from, to, |found, _| each(found))
    }

    /// Does so with the bytes of each record's segment: the record has the index of its place.
    pub(crate) fn scan_bytes(
        &self,
        from: Spot,
        to: Spot,
        mut each: impl FnMut(Found, &[u8]) -> bool,
    ) -> Result<(), LogError> {
        let mut at = from;
        while at < to {
            let segment = self.segments.segment(at.segment)?;
            let end = if at.segment == to.segment { to.offset } else { segment.bytes };
            let bytes = self.segments.read(&segment, at.offset..end)?;
            for step in Walk::new(self.log, &bytes, at) {
                if let Step::Record(found) = step
                    && !each(found, &bytes)
                {
                    return Ok(());
                }
            }
            at = Spot { segment: at.segment + 1, offset: 0 };
        }
        Ok(())
    }
}

/// Notes the first bad position of a session.
pub(crate) fn note_damage(damage: &mut Damage, session: SessionId, seq: Seq, what: &str) {
    tracing::error!(%session, %seq, what, "a session is damaged");
    let noted = damage.entry(session).or_insert_with(|| (seq, what.to_owned()));
    if seq < noted.0 {
        *noted = (seq, what.to_owned());
    }
}
