//! Gives space back: rewrites closed segments without what nobody reads any more, then collects objects.
//!
//! Start reading at [`Reclaimer::run`]. What goes is decided in [`stay`], purely; [`rewrite`] lays a segment out anew;
//! [`switch`] puts it in place; [`collect`] removes objects that no record names.

mod collect;
mod rewrite;
mod stay;
mod switch;

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use events::{LogId, Seq, SessionId};
use parking_lot::Mutex;

use crate::LogError;
use crate::disk::Disk;
use crate::lookup::LOG_START;
use crate::objects::Objects;
use crate::payload::unpack;
use crate::record::{Kind, Spot};
use crate::segment::Segment;
use crate::shared::Shared;
use crate::walk::{Found, Step, Walk};
use collect::Collection;
use rewrite::{Rewritten, rewritten};
use stay::{Fate, Stay};

/// What an event is to the other events of its session, as far as space is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// It stands alone.
    Alone,
    /// A piece of something that may follow whole, under this name.
    Piece(u64),
    /// The whole of all earlier pieces of this name: nobody needs them any more.
    Whole(u64),
}

/// A wish to have space given back.
#[derive(Clone)]
pub struct Reclaim {
    /// Says what an event is, given its line; the log itself knows no events. Names are the session's own.
    pub part_of: fn(&str) -> Part,
    /// A segment is rewritten when at most this many per cent of its bytes stay.
    pub live_percent_max: u8,
    /// Told every now and then how far it is; says whether to go on. What was given back before stays so.
    pub progress: Arc<dyn Fn(ReclaimProgress) -> ControlFlow<()> + Send + Sync>,
}

impl fmt::Debug for Reclaim {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Reclaim").field("live_percent_max", &self.live_percent_max).finish_non_exhaustive()
    }
}

/// How far reclaiming is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReclaimProgress {
    /// Bytes of the log that were looked through.
    pub done: u64,
    /// Bytes of the log.
    pub total: u64,
}

/// What was given back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reclaimed {
    /// Segments that were rewritten.
    pub segments: u64,
    /// Bytes of the log that the disk has back.
    pub log_bytes: u64,
    /// Positions of events that are gone; each stays accounted for.
    pub events: u64,
    /// Objects that nothing named any more.
    pub objects: u64,
    /// Their bytes.
    pub object_bytes: u64,
}

/// What reclaiming needs of an open log.
pub(crate) struct Room {
    /// One at a time; whoever stops the log waits for it.
    one: Mutex<()>,
    stopping: AtomicBool,
    disk: Arc<dyn Disk>,
    /// The data folder.
    folder: PathBuf,
}

impl Room {
    pub(crate) fn new(disk: Arc<dyn Disk>, folder: PathBuf) -> Self {
        Self { one: Mutex::new(()), stopping: AtomicBool::new(false), disk, folder }
    }
}

/// One run over the log, from its newest segment to its oldest, so that wholes are seen before their pieces.
pub(crate) struct Reclaimer<'a> {
    shared: &'a Shared,
    wanted: &'a Reclaim,
    stay: Stay,
    collection: Collection<'a>,
    wholes: HashMap<(SessionId, u64), Seq>,
    /// Where each session begins, as far as that was seen. What stands before it is of an import that stopped.
    begun: HashMap<SessionId, Spot>,
    gained: Reclaimed,
}

impl Shared {
    /// Gives back what can be given back; stops early, with what it has, when the log stops.
    pub(crate) fn reclaim(&self, objects: &Objects, wanted: &Reclaim) -> Result<Reclaimed, LogError> {
        let _one = self.room.one.lock();
        self.refuse_poisoned()?;
        let damaged: Vec<SessionId> = self.damage.lock().keys().copied().collect();
        let stay = Stay::of(&self.heads.lock(), &damaged);
        let collection = Collection::of(objects)?;
        let (wholes, begun, gained) = (HashMap::new(), HashMap::new(), Reclaimed::default());
        Reclaimer { shared: self, wanted, stay, collection, wholes, begun, gained }.run()
    }

    /// Has reclaiming end soon, and waits until it has.
    pub(crate) fn stop_reclaiming(&self) {
        self.room.stopping.store(true, Ordering::SeqCst);
        self.index_moved.notify_all();
        drop(self.room.one.lock());
    }

    fn stops(&self) -> bool {
        self.room.stopping.load(Ordering::SeqCst)
    }
}

impl Reclaimer<'_> {
    fn run(mut self) -> Result<Reclaimed, LogError> {
        let end = self.shared.recent.lock().end();
        let mut done = 0;
        for number in (LOG_START.segment..=end.segment).rev() {
            if self.shared.stops() {
                return Ok(self.gained);
            }
            let segment = self.shared.segments.segment(number)?;
            let upto = if number == end.segment { end.offset } else { segment.bytes };
            self.look_through(&segment, upto, number < end.segment)?;
            done += u64::from(segment.bytes);
            let total = done + u64::from(self.shared.segment_bytes) * u64::from(number - LOG_START.segment);
            if (self.wanted.progress)(ReclaimProgress { done, total }).is_break() {
                return Ok(self.gained);
            }
        }
        self.collection.finish(self.shared, end, &mut self.gained)?;
        Ok(self.gained)
    }

    fn look_through(&mut self, segment: &Segment, upto: u32, is_closed: bool) -> Result<(), LogError> {
        let bytes = self.shared.segments.read(segment, 0..upto)?;
        let (records, is_whole) = records_of(self.shared.log, segment.number, &bytes);
        if !is_whole {
            self.collection.give_up("a segment is damaged, and what it named is not known");
        }
        let fates = self.fates(&records, &bytes);
        if is_closed && is_whole {
            let mut after = rewritten(self.shared.log, (&records, &fates), &bytes);
            if self.is_worthwhile(segment, &after) && self.shared.switch(segment, &records, &mut after)? {
                self.gained.segments += 1;
                self.gained.log_bytes += u64::from(segment.bytes).saturating_sub(after.bytes.len() as u64);
                self.gained.events += after.elided;
                after.records.iter().for_each(|found| self.collection.see(found, &after.bytes));
                return Ok(());
            }
        }
        let readable = records.iter().zip(&fates).filter(|(_, fate)| !fate.is_unreadable());
        readable.for_each(|(found, _)| self.collection.see(found, &bytes));
        Ok(())
    }

    fn is_worthwhile(&self, before: &Segment, after: &Rewritten) -> bool {
        let live_max = u64::from(before.bytes) * u64::from(self.wanted.live_percent_max) / 100;
        after.bytes.len() as u64 <= live_max
    }

    /// Says what becomes of each record. A line that cannot be read leaves its record as it is.
    fn fates(&mut self, records: &[Found], bytes: &[u8]) -> Vec<Fate> {
        self.note_beginnings(records);
        let parts: Vec<Vec<Part>> = records.iter().map(|found| self.parts(found, bytes)).collect();
        for (found, parts) in records.iter().zip(&parts) {
            for (seq, part) in (found.header.first.0..).map(Seq).zip(parts) {
                if let Part::Whole(name) = part {
                    self.wholes.insert((found.header.session, *name), seq);
                }
            }
        }
        let replaced_by = |(found, parts): (&Found, &Vec<Part>)| {
            let wholes = parts.iter().map(|part| match part {
                Part::Piece(name) => self.wholes.get(&(found.header.session, *name)).copied(),
                Part::Alone | Part::Whole(_) => None,
            });
            let whole = wholes.collect::<Option<Vec<Seq>>>()?.into_iter().max()?;
            Some(whole).filter(|whole| *whole > found.header.last())
        };
        let replaced: Vec<Option<Seq>> = records.iter().zip(&parts).map(replaced_by).collect();
        let both = records.iter().zip(replaced);
        let fate = |(found, replaced_by): (&Found, Option<Seq>)| {
            if self.never_was(found) { Fate::Stays } else { self.stay.fate(&found.header, replaced_by) }
        };
        both.map(fate).collect()
    }

    fn note_beginnings(&mut self, records: &[Found]) {
        for found in records.iter().filter(|found| found.header.kind == Kind::Create) {
            let begun = self.begun.entry(found.header.session).or_insert(found.spot);
            *begun = found.spot.max(*begun);
        }
    }

    /// Says whether a record is of an import that stopped, and its session was begun once more.
    fn never_was(&self, found: &Found) -> bool {
        self.begun.get(&found.header.session).is_some_and(|begun| found.spot < *begun)
    }

    fn parts(&self, found: &Found, bytes: &[u8]) -> Vec<Part> {
        let is_read = self.stay.is_whole(found.header.session) && !self.never_was(found);
        if !is_read || found.header.count == 0 {
            return Vec::new();
        }
        let lines = lines_of(found, bytes);
        lines.map_or_else(Vec::new, |lines| lines.lines().map(self.wanted.part_of).collect())
    }
}

/// Returns a segment's records, and whether there is nothing else in it.
fn records_of(log: LogId, segment: u32, bytes: &[u8]) -> (Vec<Found>, bool) {
    let (mut records, mut is_whole) = (Vec::new(), true);
    for step in Walk::new(log, bytes, Spot { segment, offset: 0 }) {
        match step {
            Step::Record(found) => records.push(found),
            Step::Bad(_) => is_whole = false,
        }
    }
    (records, is_whole)
}

/// Reads a record's lines; none when they cannot be.
fn lines_of(found: &Found, bytes: &[u8]) -> Option<Arc<str>> {
    let at = found.spot.offset as usize;
    let payload = bytes.get(at + found.header.payload_at()..at + found.header.length())?;
    unpack(&found.header, payload).ok()
}
