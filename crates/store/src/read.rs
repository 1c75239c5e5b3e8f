//! Reads batches: from memory where they are recent, otherwise by place, many with one read.

use std::io;

use events::{Seq, SessionId};

use crate::fork::holder_of;
use crate::heads::HeadState;
use crate::lookup::Wanted;
use crate::payload::{batch, unpack};
use crate::recent::Place;
use crate::record::Header;
use crate::shared::Shared;
use crate::tail::Page;
use crate::{Batch, ForkPoint, LogError, ReadLimit};

/// One read of the disk takes at most this many bytes, or one record.
const WINDOW_BYTES_MAX: u32 = 1 << 20;
/// Foreign bytes between two records that are read along rather than skipped.
const WINDOW_GAP_BYTES_MAX: u32 = 16 << 10;
/// Places looked up at once.
const PLACES_MAX: usize = 1024;

/// A read under way: of one session, whose head does not move for it.
pub(crate) struct Reading {
    pub(crate) session: SessionId,
    pub(crate) head: HeadState,
    pub(crate) after: Seq,
    pub(crate) limit: ReadLimit,
}

impl Reading {
    fn holder(&self, seq: Seq) -> ForkPoint {
        holder_of(&self.head.lineage, self.session, self.head.seq, seq)
    }
}

impl Shared {
    /// Returns the page when its beginning is in memory.
    pub(crate) fn read_hot(&self, reading: &Reading) -> Option<Vec<Batch>> {
        let from = reading.after.next();
        let holder = reading.holder(from);
        let mut page = Page::new(reading.limit);
        let hot = self.hot.lock().read(holder.session, (from, holder.seq), &mut page);
        (hot && page.last().is_some()).then(|| page.into_batches())
    }

    /// Returns the page from disk.
    pub(crate) fn read_cold(&self, reading: &Reading) -> Result<Vec<Batch>, LogError> {
        self.steadily(|| self.read_disk(reading))
    }

    fn read_disk(&self, reading: &Reading) -> Result<Vec<Batch>, LogError> {
        let mut page = Page::new(reading.limit);
        let mut from = reading.after.next();
        while from <= reading.head.seq {
            let holder = reading.holder(from);
            let max = page.events_left().clamp(1, PLACES_MAX);
            let mut places = self.places(Wanted { session: holder.session, from, max })?;
            places.retain(|place| place.first <= holder.seq);
            if !self.read_places(holder, &places, &mut page)? {
                break;
            }
            from = page.last().map_or(from, Seq::next);
        }
        Ok(page.into_batches())
    }

    /// Adds the batches at `places` to `page`, up to the holder's last position; false when it is full.
    fn read_places(&self, holder: ForkPoint, places: &[Place], page: &mut Page) -> Result<bool, LogError> {
        let session = holder.session;
        let mut rest = places;
        while let Some(first) = rest.first() {
            let together = window(rest);
            let last = rest[together - 1];
            let bytes = self.read_bytes(session, first, last.spot.offset + last.length)?;
            for place in &rest[..together] {
                let at = (place.spot.offset - first.spot.offset) as usize;
                let batch = self.decode(session, place, &bytes[at..])?;
                if !page.push(batch.upto(holder.seq)) {
                    return Ok(false);
                }
            }
            rest = &rest[together..];
        }
        Ok(page.events_left() > 0)
    }

    fn read_bytes(&self, session: SessionId, first: &Place, end: u32) -> Result<Vec<u8>, LogError> {
        let segment = self.segments.segment(first.spot.segment)?;
        let mut bytes = vec![0; (end - first.spot.offset) as usize];
        let read = segment.file.read_exact_at(&mut bytes, u64::from(first.spot.offset));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                LogError::corrupt(session, first.first, "its segment is cut short")
            }
            _ => LogError::io("reading", &self.segments.path(segment.number))(error),
        })?;
        Ok(bytes)
    }

    /// Reads the record at `place`, and checks that it is what the place says.
    fn decode(&self, session: SessionId, place: &Place, bytes: &[u8]) -> Result<Batch, LogError> {
        let damaged = |what: &str| LogError::corrupt(session, place.first, what);
        let header = Header::decode(self.log, place.spot, bytes)
            .ok_or_else(|| damaged("its record's header does not have its checksum"))?;
        if header.session != session
            || header.first != place.first
            || header.positions() != u64::from(place.count)
        {
            return Err(damaged("another record stands in its place"));
        }
        let payload = bytes.get(header.payload_at()..header.length());
        let lines = payload.ok_or("it is cut short").and_then(|payload| unpack(&header, payload));
        lines.map(|lines| batch(&header, lines)).map_err(damaged)
    }

    /// Says whether `seq` is a batch end of the session, or else which one comes before it.
    pub(crate) fn batch_end_at(&self, reading: &Reading) -> Result<Seq, LogError> {
        let seq = reading.after;
        if seq >= reading.head.seq {
            return Ok(reading.head.seq);
        }
        if seq == Seq::ZERO {
            return Ok(seq);
        }
        let holder = reading.holder(seq).session;
        let places = self.steadily(|| self.places(Wanted { session: holder, from: seq, max: 1 }))?;
        let place = places.first().expect("places without a gap hold the position");
        Ok(if place.last() == seq { seq } else { Seq(place.first.0 - 1) })
    }
}

/// Returns how many of `places`, one at least, are read with one read.
fn window(places: &[Place]) -> usize {
    let start = places[0].spot;
    let near = places.windows(2).take_while(|pair| {
        let (end, next) = (pair[0].spot.offset + pair[0].length, pair[1].spot);
        next.segment == start.segment
            && next.offset <= end + WINDOW_GAP_BYTES_MAX
            && next.offset + pair[1].length <= start.offset + WINDOW_BYTES_MAX
    });
    1 + near.count()
}
