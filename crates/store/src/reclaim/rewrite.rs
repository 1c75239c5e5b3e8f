//! Lays a segment out anew, without what goes. Pure.

use std::collections::HashMap;

use events::{LogId, SessionId};

use super::stay::Fate;
use crate::record::{Elision, Header, Kind, Spot};
use crate::segment::SEGMENT_HEADER_BYTES;
use crate::walk::Found;

/// A segment as it should be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rewritten {
    /// From its first byte on; its header is still empty.
    pub(crate) bytes: Vec<u8>,
    /// Its records, in order.
    pub(crate) records: Vec<Found>,
    /// Positions whose events are gone now, and were not before.
    pub(crate) elided: u64,
}

/// Returns a segment's `records` as their fates have them; `bytes` is the segment as it is.
pub(crate) fn rewritten(log: LogId, (records, fates): (&[Found], &[Fate]), bytes: &[u8]) -> Rewritten {
    let mut kept = Kept::default();
    for (found, fate) in records.iter().zip(fates) {
        match fate {
            Fate::Goes => {}
            Fate::Stays => kept.push(found.header.clone(), Some(found.spot)),
            Fate::Elided(replaced_by) => {
                let elision = Elision { last: found.header.last(), replaced_by: *replaced_by };
                kept.elide(&found.header, elision);
            }
        }
    }
    kept.number_groups();
    kept.lay_out(log, records.first().map_or(0, |found| found.spot.segment), bytes)
}

/// The records of the new segment.
#[derive(Default)]
struct Kept {
    /// Each with the place that its payload is taken from.
    records: Vec<(Header, Option<Spot>)>,
    /// The newest record of each session.
    newest: HashMap<SessionId, usize>,
    elided: u64,
}

impl Kept {
    fn push(&mut self, header: Header, from: Option<Spot>) {
        self.newest.insert(header.session, self.records.len());
        self.records.push((header, from));
    }

    /// Adds positions without events: to those right before them where nothing else is lost by it.
    fn elide(&mut self, header: &Header, elision: Elision) {
        if header.elision.is_none() {
            self.elided += header.positions();
        }
        let is_deleted = elision.replaced_by.is_none();
        let operation = header.operation.filter(|_| !is_deleted);
        let newest = self.newest.get(&header.session).and_then(|at| self.records.get_mut(*at));
        if let Some((before, _)) = newest
            && let Some(standing) = &mut before.elision
            && standing.replaced_by == elision.replaced_by
            && (before.kind, header.kind) == (Kind::Batch, Kind::Batch)
            && before.unfinished == header.unfinished
            && standing.last.next() == header.first
            && operation.is_none()
            && before.operation.is_none()
            && (is_deleted || before.epoch == header.epoch)
            && u32::try_from(elision.last.0 - before.first.0 + 1).is_ok()
        {
            standing.last = elision.last;
            (before.epoch, before.at_ms) = (header.epoch, header.at_ms);
            return;
        }
        let header = Header {
            lz4: false,
            count: 0,
            stored_bytes: 0,
            plain_bytes: 0,
            payload_checksum: 0,
            operation,
            elision: Some(elision),
            ..header.clone()
        };
        self.push(header, None);
    }

    /// Says of each record how much of its group follows it here.
    fn number_groups(&mut self) {
        let (mut group, mut rest) = (0, 0);
        for (header, _) in self.records.iter_mut().rev() {
            rest = if header.group == group { rest } else { 0 };
            header.group_rest = rest;
            group = header.group;
            rest += u32::try_from(header.length()).expect("a segment is below 4 GiB");
        }
    }

    fn lay_out(self, log: LogId, segment: u32, before: &[u8]) -> Rewritten {
        let mut bytes = vec![0; SEGMENT_HEADER_BYTES as usize];
        let mut records = Vec::with_capacity(self.records.len());
        for (header, from) in self.records {
            let offset = u32::try_from(bytes.len()).expect("a segment is below 4 GiB");
            let spot = Spot { segment, offset };
            header.encode(log, spot, &mut bytes);
            if let Some(from) = from {
                let at = from.offset as usize;
                bytes.extend_from_slice(&before[at + header.payload_at()..at + header.length()]);
            }
            records.push(Found { header, spot });
        }
        Rewritten { bytes, records, elided: self.elided }
    }
}
