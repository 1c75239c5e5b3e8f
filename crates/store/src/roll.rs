//! The end of the log: the segment that is written to, and the next one, made ahead of need.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use events::LogId;
use metrics::histogram;

use crate::record::{Header, Spot};
use crate::segment::{SEGMENT_HEADER_BYTES, Segment};
use crate::shared::Shared;
use crate::walk::Found;

/// Where the next group goes.
pub(crate) struct End {
    shared: Arc<Shared>,
    pub(crate) segment: Segment,
    pub(crate) offset: u32,
    /// The number of the last group.
    pub(crate) group: u64,
    segment_bytes: u32,
    next: Next,
}

/// The segment after this one.
enum Next {
    Absent,
    Making(JoinHandle<io::Result<Segment>>),
    Made(Segment),
}

impl End {
    /// Begins at `offset` of `segment`; `next` is there when a segment was made and not used before a stop.
    pub(crate) fn new(
        shared: Arc<Shared>,
        (segment, next): (Segment, Option<Segment>),
        segment_bytes: u32,
    ) -> Self {
        let next = next.map_or(Next::Absent, Next::Made);
        Self { shared, segment, offset: SEGMENT_HEADER_BYTES, group: 0, segment_bytes, next }
    }

    pub(crate) fn spot(&self) -> Spot {
        Spot { segment: self.segment.number, offset: self.offset }
    }

    pub(crate) fn log(&self) -> LogId {
        self.shared.log
    }

    /// Lets the index pass a mark that was written.
    pub(crate) fn show_mark(&self, header: Header) {
        let length = u32::try_from(header.length()).expect("a mark is small");
        let spot = Spot { segment: self.segment.number, offset: self.offset - length };
        let mut recent = self.shared.recent.lock();
        recent.push(Found { header, spot });
        recent.set_end(self.spot());
    }

    /// Says whether `bytes` more fit in this segment.
    pub(crate) fn fits(&self, bytes: usize) -> bool {
        self.offset as usize + bytes <= self.segment.bytes as usize
    }

    /// Writes a group's bytes and makes them durable.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.segment.file.write_all_at(bytes, u64::from(self.offset))?;
        let began = Instant::now();
        self.segment.file.sync_data()?;
        histogram!("waymark_flush_seconds").record(began.elapsed());
        self.offset += u32::try_from(bytes.len()).expect("a group fits its segment");
        self.group += 1;
        self.prepare_next();
        Ok(())
    }

    /// Begins to make the next segment when this one is half full.
    fn prepare_next(&mut self) {
        if matches!(self.next, Next::Absent) && self.offset > self.segment.bytes / 2 {
            let (shared, number, bytes) = (self.shared.clone(), self.segment.number + 1, self.segment_bytes);
            let make = move || shared.segments.create(number, bytes);
            // Without a thread the segment is made when it is needed.
            if let Ok(making) = thread::Builder::new().name("log-segment".to_owned()).spawn(make) {
                self.next = Next::Making(making);
            }
        }
    }

    /// Goes over to the next segment. An error leaves everything as it was, to be tried again.
    pub(crate) fn roll(&mut self) -> io::Result<()> {
        let made = match std::mem::replace(&mut self.next, Next::Absent) {
            Next::Made(segment) => Some(segment),
            Next::Making(making) => making.join().ok().and_then(Result::ok),
            Next::Absent => None,
        };
        self.segment = match made {
            Some(segment) => segment,
            None => self.shared.segments.create(self.segment.number + 1, self.segment_bytes)?,
        };
        self.offset = SEGMENT_HEADER_BYTES;
        Ok(())
    }

    /// Waits until nothing is made any more.
    pub(crate) fn settle(&mut self) {
        if let Next::Making(making) = std::mem::replace(&mut self.next, Next::Absent)
            && let Ok(Ok(segment)) = making.join()
        {
            self.next = Next::Made(segment);
        }
    }
}
