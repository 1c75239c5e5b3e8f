//! The indexer: one thread that follows the log and writes what it finds to the index, never in a writer's way.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use events::LogId;
use indicatif::ProgressBar;
use parking_lot::{Condvar, Mutex};

use crate::index::{Fault, Index, set_aside};
use crate::lookup::LOG_START;
use crate::record::Spot;
use crate::recover::Standing;
use crate::shared::Shared;
use crate::walk::Found;
use crate::{LogError, SegmentLog};

/// Records that one batch of the index takes.
const BATCH_RECORDS_MAX: usize = 4096;
/// Records that end the wait for more.
const WORTHWHILE_RECORDS: usize = 1024;
/// How long the indexer waits for more records before it takes a few.
const GATHERING: Duration = Duration::from_millis(100);
/// How often one who waits for the index looks how far it is.
const LOOK: Duration = Duration::from_millis(20);
/// An index that had to be begun this often in one run is left alone.
const REBUILDS_MAX: u32 = 3;
/// A way through the log that is longer than this is shown, and not gone to its end by a log that stops.
const FAR_BYTES: u64 = 64 << 20;

/// What readers need of the index: itself, and up to where it knows all.
#[derive(Clone)]
pub(crate) struct Indexed {
    pub(crate) index: Arc<Index>,
    pub(crate) upto: Spot,
}

impl Indexed {
    /// Begins an index that knows nothing yet; what stands in its place is set aside.
    pub(crate) fn begin(folder: &Path, log: LogId, generation: u64) -> Result<Self, Fault> {
        set_aside(folder)?;
        Ok(Self { index: Arc::new(Index::open(folder, log, generation)?), upto: LOG_START })
    }
}

/// Wakes the indexer.
#[derive(Default)]
pub(crate) struct Bell {
    state: Mutex<Rung>,
    changed: Condvar,
}

#[derive(Default)]
struct Rung {
    records: usize,
    stop: bool,
    /// Whether somebody wants the index to be made again.
    again: bool,
    /// Whether there will be no index any more in this run.
    given_up: bool,
}

impl Bell {
    /// Says that `records` more are durable.
    pub(crate) fn ring(&self, records: usize) {
        let mut rung = self.state.lock();
        let before = rung.records;
        rung.records += records;
        if before == 0 || rung.records >= WORTHWHILE_RECORDS {
            self.changed.notify_one();
        }
    }

    /// Has the index made again.
    fn ask_again(&self) {
        let mut rung = self.state.lock();
        (rung.again, rung.given_up) = (true, false);
        rung.records = WORTHWHILE_RECORDS;
        self.changed.notify_one();
    }

    fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_one();
    }

    fn is_stopped(&self) -> bool {
        self.state.lock().stop
    }

    /// Waits until there is work; false when it is time to stop.
    fn wait(&self) -> bool {
        let mut rung = self.state.lock();
        self.changed.wait_while(&mut rung, |rung| rung.records == 0 && !rung.stop);
        let few = |rung: &mut Rung| rung.records < WORTHWHILE_RECORDS && !rung.stop;
        self.changed.wait_while_for(&mut rung, few, GATHERING);
        rung.records = 0;
        !rung.stop
    }
}

/// The running indexer.
pub(crate) struct Indexer {
    shared: Arc<Shared>,
    thread: JoinHandle<bool>,
}

impl Indexer {
    pub(crate) fn start(shared: Arc<Shared>, folder: PathBuf) -> Result<Self, LogError> {
        let follower = Follower { shared: shared.clone(), folder, rebuilds: 0 };
        let thread = thread::Builder::new()
            .name("log-indexer".to_owned())
            .spawn(move || follower.run())
            .map_err(LogError::unavailable("starting the log's indexer"))?;
        Ok(Self { shared, thread })
    }

    /// Stops it; says whether all that the index holds is durable.
    pub(crate) fn stop(self) -> bool {
        self.shared.bell.stop();
        self.thread.join().unwrap_or(false)
    }
}

struct Follower {
    shared: Arc<Shared>,
    folder: PathBuf,
    rebuilds: u32,
}

impl Follower {
    fn run(mut self) -> bool {
        let mut goes_on = true;
        while goes_on {
            self.catch_up();
            goes_on = self.shared.bell.wait();
        }
        self.catch_up();
        let indexed = self.shared.indexed.lock().take();
        indexed.is_some_and(|indexed| indexed.index.sync().is_ok())
    }

    fn catch_up(&mut self) {
        if let Err(fault) = self.follow() {
            self.shared.index_failed(&fault.to_string());
            self.shared.bell.ring(WORTHWHILE_RECORDS);
        }
    }

    /// Follows the log to its end: through memory, or through the segments where it is too far behind for that.
    fn follow(&mut self) -> Result<(), Fault> {
        if std::mem::take(&mut self.shared.bell.state.lock().again) {
            self.rebuilds = 0;
            *self.shared.indexed.lock() = None;
        }
        let Some(indexed) = self.indexed()? else { return Ok(()) };
        let mut upto = indexed.upto;
        loop {
            let base = self.shared.recent.lock().base();
            if upto < base {
                upto = self.follow_segments(&indexed.index, upto, base)?;
                if upto < base {
                    return Ok(());
                }
                continue;
            }
            let records = self.shared.recent.lock().records_from(upto, BATCH_RECORDS_MAX);
            // What was forgotten between the two looks is in the segments.
            if records.is_empty() {
                return Ok(());
            }
            if self.shared.recent.lock().base() > upto {
                continue;
            }
            upto = self.apply(&indexed.index, &records)?;
        }
    }

    /// Follows the segments, not to the end when it is far and the log stops; returns how far.
    fn follow_segments(&self, index: &Arc<Index>, from: Spot, to: Spot) -> Result<Spot, Fault> {
        let (start, is_far) = (self.position(from), self.position(to) - self.position(from) > FAR_BYTES);
        let progress =
            if is_far { ProgressBar::new(self.position(to) - start) } else { ProgressBar::hidden() };
        let (mut records, mut upto, mut stopped) = (Vec::new(), Ok(from), false);
        let scanned = self.shared.scan(from, to, |found| {
            progress.set_position(self.position(found.spot) - start);
            records.push(found);
            if records.len() >= BATCH_RECORDS_MAX {
                upto = self.apply(index, &records);
                records.clear();
                stopped = is_far && self.shared.bell.is_stopped();
            }
            upto.is_ok() && !stopped
        });
        progress.finish_and_clear();
        scanned.map_err(|error| Fault::Io(std::io::Error::other(error)))?;
        if stopped {
            return upto;
        }
        upto?;
        if !records.is_empty() {
            self.apply(index, &records)?;
        }
        Ok(to)
    }

    /// Returns a number that grows with the place, about in bytes.
    fn position(&self, spot: Spot) -> u64 {
        self.shared.position(spot)
    }

    fn apply(&self, index: &Arc<Index>, records: &[Found]) -> Result<Spot, Fault> {
        let damage = self.shared.damage.lock().clone();
        index.apply(records, &damage)?;
        let upto = records.last().map_or(LOG_START, |last| Standing::after(last).end);
        let mut slot = self.shared.indexed.lock();
        // A reader may have found a fault meanwhile; then the index is made again.
        if let Some(indexed) = slot.as_mut().filter(|indexed| Arc::ptr_eq(&indexed.index, index)) {
            indexed.upto = upto;
        }
        self.shared.index_moved.notify_all();
        Ok(upto)
    }

    /// Returns the index, begun again when the last one failed.
    fn indexed(&mut self) -> Result<Option<Indexed>, Fault> {
        if let Some(indexed) = self.shared.indexed.lock().clone() {
            return Ok(Some(indexed));
        }
        if self.rebuilds >= REBUILDS_MAX {
            self.shared.bell.state.lock().given_up = true;
            return Ok(None);
        }
        // No segment is rewritten until the index has begun: it knows all places as of one generation.
        let generation = self.shared.generations.hold();
        let indexed = match Indexed::begin(&self.folder, self.shared.log, *generation) {
            Ok(indexed) => indexed,
            Err(fault) => {
                // On a full disk, say: it is tried again when the log goes on.
                tracing::debug!(%fault, "the index cannot be begun");
                return Ok(None);
            }
        };
        self.rebuilds += 1;
        *self.shared.indexed.lock() = Some(indexed.clone());
        drop(generation);
        Ok(Some(indexed))
    }
}

impl SegmentLog {
    /// Sets the index aside, makes it again from the segments, and returns once it has come to where the log ends now.
    /// Readers scan the segments meanwhile. Blocks. `progress` is told bytes done and bytes in all, and says whether to
    /// wait on: the index is made again in any case.
    ///
    /// # Errors
    ///
    /// `Stopped` when `progress` says so, `Unavailable` when there can be no index.
    pub fn reindex(&self, mut progress: impl FnMut(u64, u64) -> ControlFlow<()>) -> Result<(), LogError> {
        let (shared, end) = (&self.shared, self.shared.recent.lock().end());
        let (start, end) = (shared.position(LOG_START), shared.position(end));
        shared.bell.ask_again();
        loop {
            let rung = shared.bell.state.lock();
            let (again, given_up) = (rung.again, rung.given_up);
            drop(rung);
            let upto = shared.indexed.lock().as_ref().filter(|_| !again).map(|indexed| indexed.upto);
            let done = upto.map_or(start, |upto| shared.position(upto));
            if done >= end && upto.is_some() {
                return Ok(());
            }
            if given_up {
                let source = std::io::Error::other("the index failed time and again");
                return Err(LogError::unavailable("making the index again")(source));
            }
            if progress(done - start, end - start).is_break() {
                return Err(LogError::Stopped);
            }
            thread::sleep(LOOK);
        }
    }
}

impl Shared {
    /// Returns a number that grows with the place, about in bytes.
    fn position(&self, spot: Spot) -> u64 {
        u64::from(spot.segment) * u64::from(self.segment_bytes) + u64::from(spot.offset)
    }

    /// Takes an index out of use; readers scan the segments until there is another.
    pub(crate) fn index_failed(&self, fault: &str) {
        tracing::warn!(fault, "the index failed; it will be made again from the segments");
        *self.indexed.lock() = None;
        self.index_moved.notify_all();
        self.bell.ring(WORTHWHILE_RECORDS);
    }
}
