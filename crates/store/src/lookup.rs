//! Finds where a session's batches and operations stand: in memory, then in the index, then by scanning.

use events::{OperationId, Seq, SessionId};

use crate::indexer::Indexed;
use crate::recent::Place;
use crate::record::{Kind, Spot};
use crate::segment::SEGMENT_HEADER_BYTES;
use crate::shared::Shared;
use crate::{LogError, Receipt};

/// Where the log begins.
pub(crate) const LOG_START: Spot = Spot { segment: 1, offset: SEGMENT_HEADER_BYTES };

/// Batches of one session, wanted from a position on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) session: SessionId,
    pub(crate) from: Seq,
    /// How many batches at most.
    pub(crate) max: usize,
}

impl Shared {
    /// Returns where the wanted batches stand, without a gap from the one that holds `from` on. `Corrupt` when there is
    /// a gap, and when segments are rewritten meanwhile: see [`Shared::steadily`].
    pub(crate) fn places(&self, wanted: Wanted) -> Result<Vec<Place>, LogError> {
        let moves = self.generations.moves();
        let missing = || LogError::corrupt(wanted.session, wanted.from, "its record is missing");
        let (base, recent) = {
            let recent = self.recent.lock();
            (recent.base(), recent.places(wanted.session, wanted.from, wanted.max))
        };
        if is_contiguous(&recent, wanted.from) {
            return Ok(recent);
        }
        let mut places = self.indexed_places(wanted, base)?;
        join(&mut places, recent.clone(), wanted.max);
        if is_contiguous(&places, wanted.from) {
            return Ok(places);
        }
        if self.generations.moved_since(moves) {
            return Err(missing());
        }
        let mut places = self.scanned_places(wanted, LOG_START, base)?;
        join(&mut places, recent, wanted.max);
        if is_contiguous(&places, wanted.from) {
            self.index_failed("it lacks records that the log has");
            return Ok(places);
        }
        Err(missing())
    }

    /// Returns the places before `base`: from the index, and from the segments where it has not come yet.
    fn indexed_places(&self, wanted: Wanted, base: Spot) -> Result<Vec<Place>, LogError> {
        let Some(indexed) = self.usable_index(wanted.session, base) else {
            return self.scanned_places(wanted, LOG_START, base);
        };
        match indexed.index.places(wanted) {
            Ok(mut places) => {
                if places.len() < wanted.max && indexed.upto < base {
                    let newer = self.scanned_places(wanted, indexed.upto, base)?;
                    join(&mut places, newer, wanted.max);
                }
                Ok(places)
            }
            Err(fault) => {
                self.index_failed(&fault.to_string());
                self.scanned_places(wanted, LOG_START, base)
            }
        }
    }

    /// Returns the index, unless it is behind and in the middle of the session's import: what it has then may be of an
    /// import that stopped, and not of the one that followed.
    fn usable_index(&self, session: SessionId, base: Spot) -> Option<Indexed> {
        let indexed = self.indexed.lock().clone()?;
        let is_usable = indexed.upto >= base || !indexed.index.is_unfinished(session).unwrap_or(true);
        is_usable.then_some(indexed)
    }

    fn scanned_places(&self, wanted: Wanted, from: Spot, to: Spot) -> Result<Vec<Place>, LogError> {
        let (mut places, mut imported) = (Vec::new(), false);
        self.scan(from, to, |found| {
            if found.header.session == wanted.session {
                if found.header.kind == Kind::Create {
                    places.clear();
                }
                places.extend(found.place().filter(|place| place.last() >= wanted.from));
                imported |= found.header.unfinished;
            }
            // An import may have been begun again further on.
            places.len() < wanted.max || imported
        })?;
        places.truncate(wanted.max);
        Ok(places)
    }

    /// Returns what became of an operation. Reads the disk when the session has older operations than those in
    /// memory.
    pub(crate) fn receipt(
        &self,
        session: SessionId,
        operation: OperationId,
    ) -> Result<Option<Receipt>, LogError> {
        if let Some(receipt) = self.receipt_in_memory(session, operation) {
            return Ok(receipt);
        }
        let (base, receipt) = {
            let recent = self.recent.lock();
            (recent.base(), recent.operation(session, operation))
        };
        if receipt.is_some() {
            return Ok(receipt);
        }
        self.indexed_receipt((session, operation), base)
    }

    fn indexed_receipt(
        &self,
        wanted: (SessionId, OperationId),
        base: Spot,
    ) -> Result<Option<Receipt>, LogError> {
        let Some(indexed) = self.usable_index(wanted.0, base) else {
            return self.scanned_receipt(wanted, LOG_START, base);
        };
        match indexed.index.receipt(wanted.0, wanted.1) {
            Ok(Some(receipt)) => Ok(Some(receipt)),
            Ok(None) => self.scanned_receipt(wanted, indexed.upto, base),
            Err(fault) => {
                self.index_failed(&fault.to_string());
                self.scanned_receipt(wanted, LOG_START, base)
            }
        }
    }

    /// Returns what memory knows of an operation; none when the session has operations that it does not know.
    pub(crate) fn receipt_in_memory(
        &self,
        session: SessionId,
        operation: OperationId,
    ) -> Option<Option<Receipt>> {
        let recent = self.recent.lock();
        let receipt = recent.operation(session, operation);
        let recorded = self.heads.lock().get(&session).map_or(0, |head| head.operations);
        (receipt.is_some() || recent.operations(session) >= recorded).then_some(receipt)
    }

    fn scanned_receipt(
        &self,
        (session, operation): (SessionId, OperationId),
        from: Spot,
        to: Spot,
    ) -> Result<Option<Receipt>, LogError> {
        let (mut receipt, mut imported) = (None, false);
        self.scan(from, to, |found| {
            if found.header.session == session {
                if found.header.kind == Kind::Create {
                    receipt = None;
                }
                let recorded = found.receipt().filter(|(id, _)| *id == operation);
                receipt = receipt.or(recorded.map(|(_, receipt)| receipt));
                imported |= found.header.unfinished;
            }
            receipt.is_none() || imported
        })?;
        Ok(receipt)
    }
}

/// Says whether `places` begin with the batch that holds `from` and follow one another.
fn is_contiguous(places: &[Place], from: Seq) -> bool {
    places.first().is_some_and(|place| place.first <= from && from <= place.last())
        && places.windows(2).all(|pair| pair[1].first == pair[0].last().next())
}

/// Adds newer places to older ones, leaving out what both know.
fn join(older: &mut Vec<Place>, newer: Vec<Place>, max: usize) {
    let last = older.last().map_or(Seq::ZERO, Place::last);
    older.extend(newer.into_iter().filter(|place| place.first > last));
    older.truncate(max);
}
