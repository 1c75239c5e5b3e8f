//! Opens a log: locks the folder, brings the heads back, starts the writer.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;

use parking_lot::{Condvar, Mutex};
use tokio::sync::{Semaphore, mpsc};

use crate::admit::mark;
use crate::entries::Watermark;
use crate::folder::Folder;
use crate::generation::Generations;
use crate::heads::Heads;
use crate::index::{Index, boot};
use crate::indexer::{Bell, Indexed, Indexer};
use crate::lookup::LOG_START;
use crate::objects::Objects;
use crate::recent::Recent;
use crate::reclaim::Room;
use crate::record::{HEADER_BYTES_MAX, Header, Spot};
use crate::recover::{Recovery, Standing};
use crate::roll::End;
use crate::segment::{SEGMENT_HEADER_BYTES, Segment, Segments};
use crate::shared::{Damage, Shared};
use crate::tail::{Hot, Tails};
use crate::walk::{Found, Step, Walk};
use crate::writer::Writer;
use crate::{Caps, LogError, Options, SegmentLog};

/// Requests that may wait for the writer.
const QUEUE_REQUESTS_MAX: usize = 4096;
/// Bytes of event lines that may wait for the writer; more makes their senders wait.
pub(crate) const QUEUE_BYTES_MAX: usize = 32 << 20;
const SEGMENT_BYTES_MIN: u32 = 4096;
/// The newest records that the index is checked for before it is believed.
const CHECKED_RECORDS_MAX: usize = 4096;

impl SegmentLog {
    /// Opens the log in `folder`, or begins one where there is none. Blocks: it reads what the index lacks.
    ///
    /// # Errors
    ///
    /// `Busy` when another process uses the folder, `Unsupported` when something else wrote it,
    /// `Unavailable` when the disk is full, `Io` when the folder cannot be read.
    pub fn open(folder: &Path, options: Options) -> Result<Self, LogError> {
        let segment_bytes = options.segment_bytes.max(SEGMENT_BYTES_MIN).next_multiple_of(8);
        let folder = Folder::open(&*options.disk, folder)?;
        let objects = Objects::open(options.disk.clone(), folder.objects())?;
        let segments = Segments::new(options.disk.clone(), folder.segments(), folder.log);
        segments.remove_unfinished()?;
        let numbers = whole_numbers(&segments, segment_bytes)?;
        let (recovery, index) = recover(&folder, (&segments, &numbers), &options)?;
        let standing = recovery.standing;
        let marked = recovery.clean.is_some() || standing.group_rest > 0;
        let generation = folder.generation()?;
        let shared = Arc::new(shared(
            segments,
            recovery,
            (folder.log, folder.path(), generation),
            (&options, segment_bytes),
        ));
        *shared.indexed.lock() = index.or_else(|| begun(&folder));
        let mut end = end(&shared, standing, segment_bytes)?;
        if marked {
            // What follows a clean stop is not clean, and what follows a cut tail is a group of its own, whatever
            // the next crash leaves of it.
            write_mark(&mut end, mark()).map_err(LogError::unavailable("marking the start"))?;
        }
        Self::start(shared, (folder, objects), end)
    }

    fn start(shared: Arc<Shared>, (folder, objects): (Folder, Objects), end: End) -> Result<Self, LogError> {
        let (requests, queue) = mpsc::channel(QUEUE_REQUESTS_MAX);
        let indexer = Indexer::start(shared.clone(), folder.index())?;
        let writer = Writer::new(shared.clone(), end);
        let writer = thread::Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || writer.run(queue))
            .map_err(LogError::unavailable("starting the log's writer"))?;
        Ok(Self {
            shared,
            objects: Arc::new(objects),
            requests: Some(requests),
            queue: Arc::new(Semaphore::new(QUEUE_BYTES_MAX)),
            importing: tokio::sync::Mutex::default(),
            writer: Some(writer),
            indexer: Some(indexer),
            _folder: folder,
        })
    }
}

/// Returns the numbers of all segments after checking that none is missing; makes the first one of a new log.
fn whole_numbers(segments: &Segments, segment_bytes: u32) -> Result<Vec<u32>, LogError> {
    let numbers = segments.numbers()?;
    if numbers.is_empty() {
        let first = LOG_START.segment;
        segments.create(first, segment_bytes).map_err(LogError::unavailable("making the first segment"))?;
        return Ok(vec![first]);
    }
    match (LOG_START.segment..).zip(&numbers).find(|(expected, number)| expected != *number) {
        None => Ok(numbers),
        Some((missing, _)) => {
            let what = format!("segment {missing} is missing from the log; restore it from a backup");
            Err(LogError::Unsupported { what })
        }
    }
}

/// Brings the log back: from the index's watermark on when the index can be trusted, from its start otherwise.
fn recover(
    folder: &Folder,
    (segments, numbers): (&Segments, &[u32]),
    options: &Options,
) -> Result<(Recovery, Option<Indexed>), LogError> {
    let recent = |base| Recent::new(base, options.recent_records_max);
    if let Some((index, watermark, known)) = fitting(folder, segments, numbers) {
        let standing = watermark.standing;
        let mut recovery = Recovery::from(folder.log, standing, known, recent(standing.end));
        recovery.run(segments, numbers)?;
        if recovery.clean == Some(true) || is_unharmed(&index, &watermark, segments) {
            return Ok((recovery, Some(Indexed { index: Arc::new(index), upto: standing.end })));
        }
    }
    let nothing = (Heads::new(), Damage::new());
    let mut recovery = Recovery::from(folder.log, Standing::START, nothing, recent(LOG_START));
    recovery.run(segments, numbers)?;
    Ok((recovery, None))
}

/// Returns a new index, so that what is put into it from the first moment on is kept; the indexer fills it.
fn begun(folder: &Folder) -> Option<Indexed> {
    let generation = folder.generation().ok()?;
    let begun = Indexed::begin(&folder.index(), folder.log, generation);
    begun
        .inspect_err(|fault| tracing::warn!(%fault, "the index cannot be begun; it will be tried again"))
        .ok()
}

/// Returns the index with its watermark and what it knows, when the log has a record that ends there.
fn fitting(
    folder: &Folder,
    segments: &Segments,
    numbers: &[u32],
) -> Option<(Index, Watermark, (Heads, Damage))> {
    if !folder.index().exists() {
        return None;
    }
    let generation = folder.generation().ok()?;
    let opened = Index::open(&folder.index(), folder.log, generation).and_then(|index| {
        let Some(watermark) = index.watermark()? else { return Ok(None) };
        let standing = watermark.standing;
        if !numbers.contains(&standing.end.segment) || !ends_at(segments, standing).unwrap_or(false) {
            return Ok(None);
        }
        let known = index.heads()?;
        Ok(Some((index, watermark, known)))
    });
    opened.unwrap_or_else(|fault| {
        tracing::warn!(%fault, "the index cannot be read");
        None
    })
}

/// Says whether the log has a record that ends at the watermark.
fn ends_at(segments: &Segments, standing: Standing) -> Result<bool, LogError> {
    let spot = Spot { segment: standing.end.segment, offset: standing.last_offset };
    let segment = segments.segment(spot.segment)?;
    let mut bytes = [0; HEADER_BYTES_MAX];
    let there = segment.bytes.saturating_sub(spot.offset).min(u32::try_from(bytes.len()).unwrap_or(0));
    let header = &mut bytes[..there as usize];
    segment
        .file
        .read_exact_at(header, u64::from(spot.offset))
        .map_err(LogError::io("reading", &segments.path(spot.segment)))?;
    let header = Header::decode(segments.log(), spot, header);
    Ok(header.is_some_and(|header| Standing::after(&Found { header, spot }) == standing))
}

/// Says whether an index that was not synced has lost nothing: the machine ran on, and the newest records before the
/// watermark are in it.
fn is_unharmed(index: &Index, watermark: &Watermark, segments: &Segments) -> bool {
    if watermark.boot != boot() {
        tracing::info!("the machine went down while the log was open");
        return false;
    }
    let end = watermark.standing.end;
    let read = segments.segment(end.segment).and_then(|segment| segments.read(&segment, 0..end.offset));
    let Ok(bytes) = read else { return false };
    let walk = Walk::new(segments.log(), &bytes, Spot { segment: end.segment, offset: 0 });
    let records = walk.filter_map(|step| match step {
        Step::Record(found) => Some(found),
        Step::Bad(_) => None,
    });
    let records: Vec<Found> = records.collect();
    let newest = records.iter().rev().take(CHECKED_RECORDS_MAX);
    newest.into_iter().all(|found| index.agrees_with(found).unwrap_or(false))
}

/// Puts together what the parts of an open log share.
pub(crate) fn shared(
    segments: Segments,
    recovery: Recovery,
    (log, folder, generation): (events::LogId, &std::path::Path, u64),
    (options, segment_bytes): (&Options, u32),
) -> Shared {
    let overhead = SEGMENT_HEADER_BYTES as usize + HEADER_BYTES_MAX + 8;
    let caps = Caps {
        batch_events_max: 512,
        record_bytes_max: (segment_bytes as usize - overhead).min(4 << 20),
        object_bytes_max: 64 << 20,
        fork_depth_max: 4096,
    };
    Shared {
        log,
        caps,
        segments,
        generations: Generations::new(generation),
        segment_bytes,
        heads: Mutex::new(recovery.heads),
        recent: Mutex::new(recovery.recent),
        hot: Mutex::new(Hot::new(options.hot_bytes_max)),
        tails: Mutex::new(Tails::default()),
        damage: Mutex::new(recovery.damage),
        indexed: Mutex::new(None),
        index_moved: Condvar::new(),
        bell: Bell::default(),
        poison: OnceLock::new(),
        room: Room::new(options.disk.clone(), folder.to_owned()),
    }
}

/// Returns the log's end, ready for the writer.
fn end(shared: &Arc<Shared>, standing: Standing, segment_bytes: u32) -> Result<End, LogError> {
    let segment = shared.segments.segment(standing.end.segment)?;
    let next: Option<Segment> = shared.segments.segment(standing.end.segment + 1).ok();
    let mut end = End::new(shared.clone(), (segment, next), segment_bytes);
    end.offset = standing.end.offset;
    end.group = standing.group;
    Ok(end)
}

/// Writes a mark at the log's end.
pub(crate) fn write_mark(end: &mut End, mut mark: Header) -> std::io::Result<()> {
    if !end.fits(mark.length()) {
        end.roll()?;
    }
    mark.group = end.group + 1;
    let mut bytes = Vec::new();
    mark.encode(end.log(), end.spot(), &mut bytes);
    end.write(&bytes)?;
    end.show_mark(mark);
    Ok(())
}
