//! Where the newest records stand, in memory: what the index need not know yet.

use std::collections::{HashMap, VecDeque};

use events::{OperationId, Seq, SessionId};

use crate::Receipt;
use crate::record::{Kind, Spot};
use crate::walk::Found;

/// Where a batch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) spot: Spot,
    pub(crate) length: u32,
    pub(crate) first: Seq,
    /// Positions, not events: what was elided has places, too.
    pub(crate) count: u32,
}

impl Place {
    pub(crate) fn last(&self) -> Seq {
        Seq(self.first.0 + u64::from(self.count) - 1)
    }
}

impl Found {
    /// Returns its place, when it holds events.
    pub(crate) fn place(&self) -> Option<Place> {
        let first = self.header.first;
        let count = u32::try_from(self.header.positions()).unwrap_or(u32::MAX);
        let length = u32::try_from(self.header.length()).expect("a record is below 4 GiB");
        (count > 0 && self.header.kind != Kind::Mark).then_some(Place {
            spot: self.spot,
            length,
            first,
            count,
        })
    }

    /// Returns the operation that it records, with its receipt.
    pub(crate) fn receipt(&self) -> Option<(OperationId, Receipt)> {
        let operation = self.header.operation?;
        Some((operation.id, Receipt { seq: self.header.last(), body_hash: operation.body_hash }))
    }
}

/// The newest records of the log: all between `base` and `end`.
pub(crate) struct Recent {
    base: Spot,
    end: Spot,
    /// How many records it knows; none means the places of all, and no more than their places.
    records_max: Option<usize>,
    records: VecDeque<Found>,
    sessions: HashMap<SessionId, Newest>,
}

/// The newest records of one session.
#[derive(Default)]
struct Newest {
    places: VecDeque<Place>,
    operations: HashMap<OperationId, Receipt>,
}

impl Recent {
    pub(crate) fn new(base: Spot, records_max: usize) -> Self {
        let records_max = Some(records_max);
        Self { base, end: base, records_max, records: VecDeque::new(), sessions: HashMap::new() }
    }

    /// Begins a list of the places of all batches from `base` on.
    pub(crate) fn all_places(base: Spot) -> Self {
        Self { records_max: None, ..Self::new(base, 0) }
    }

    /// Returns where the records that it knows begin.
    pub(crate) fn base(&self) -> Spot {
        self.base
    }

    /// Returns where the durable log ends.
    pub(crate) fn end(&self) -> Spot {
        self.end
    }

    pub(crate) fn set_end(&mut self, end: Spot) {
        self.end = end;
        if self.records.is_empty() && self.records_max.is_some() {
            self.base = end;
        }
    }

    pub(crate) fn push(&mut self, found: Found) {
        if found.header.kind == Kind::Create {
            // What stands under the id already is of an import that stopped before it was whole.
            self.sessions.remove(&found.header.session);
        }
        let newest = self.sessions.entry(found.header.session).or_default();
        newest.places.extend(found.place());
        let Some(records_max) = self.records_max else { return };
        newest.operations.extend(found.receipt());
        self.records.push_back(found);
        while self.records.len() > records_max {
            self.forget_oldest();
        }
    }

    /// Forgets the records of all segments up to `segment`, whose places have moved.
    pub(crate) fn forget_through(&mut self, segment: u32) {
        while self.records.front().is_some_and(|oldest| oldest.spot.segment <= segment) {
            self.forget_oldest();
        }
        self.base = self.base.max(self.records.front().map_or(self.end, |next| next.spot));
    }

    fn forget_oldest(&mut self) {
        let Some(oldest) = self.records.pop_front() else { return };
        self.base = self.records.front().map_or(self.end, |next| next.spot);
        let session = oldest.header.session;
        let Some(newest) = self.sessions.get_mut(&session) else { return };
        if newest.places.front().is_some_and(|place| place.spot == oldest.spot) {
            newest.places.pop_front();
        }
        if let Some((operation, _)) = oldest.receipt() {
            newest.operations.remove(&operation);
        }
        if newest.places.is_empty() && newest.operations.is_empty() {
            self.sessions.remove(&session);
        }
    }

    /// Returns at most `max` places of `session` that end at or behind `from`.
    pub(crate) fn places(&self, session: SessionId, from: Seq, max: usize) -> Vec<Place> {
        let Some(newest) = self.sessions.get(&session) else { return Vec::new() };
        let start = newest.places.partition_point(|place| place.last() < from);
        newest.places.range(start..).take(max).copied().collect()
    }

    pub(crate) fn operation(&self, session: SessionId, operation: OperationId) -> Option<Receipt> {
        self.sessions.get(&session)?.operations.get(&operation).copied()
    }

    /// Returns how many operations of `session` it knows.
    pub(crate) fn operations(&self, session: SessionId) -> u64 {
        self.sessions.get(&session).map_or(0, |newest| newest.operations.len() as u64)
    }

    /// Returns what it knows of `session`: batches, events in them, and the bytes of their records.
    pub(crate) fn tally(&self, session: SessionId) -> (u64, u64, u64) {
        let places = self.sessions.get(&session).into_iter().flat_map(|newest| &newest.places);
        places.fold((0, 0, 0), |(batches, events, bytes), place| {
            (batches + 1, events + u64::from(place.count), bytes + u64::from(place.length))
        })
    }

    /// Returns at most `max` records from `spot` on.
    pub(crate) fn records_from(&self, spot: Spot, max: usize) -> Vec<Found> {
        let start = self.records.partition_point(|found| found.spot < spot);
        self.records.range(start..).take(max).cloned().collect()
    }
}
