//! The index on sled: where records and operations stand, and all heads. It may be lost, late or damaged at any
//! time; whatever it says is checked against the segments, and whatever it lacks is read from them.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use events::{LogId, OperationId, Seq, SessionId};
use parking_lot::Mutex;

use crate::Receipt;
use crate::entries::{self, Watermark};
use crate::heads::{HeadState, Heads, fold};
use crate::lookup::Wanted;
use crate::recent::Place;
use crate::record::Kind;
use crate::recover::Standing;
use crate::shared::Damage;
use crate::walk::Found;

/// The format of keys and values; an index of another one is rebuilt.
pub(crate) const INDEX_FORMAT: u32 = 2;
const CACHE_BYTES: u64 = 32 << 20;
/// How often, and how far apart, sled's lock is tried.
const LOCK_TRIES: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(5);
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("sled: {0}")]
    Sled(#[from] sled::Error),
    #[error("sled panicked: {0}")]
    Panicked(String),
    #[error("an entry cannot be read")]
    Unreadable,
    #[error("entries are missing or stale")]
    Incomplete,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// An open index.
pub(crate) struct Index {
    pub(crate) db: sled::Db,
    folder: PathBuf,
    log: LogId,
    /// As the watermark has it.
    sum: Mutex<u64>,
    /// Which generation of segments its places are of.
    generation: AtomicU64,
}

impl Index {
    /// Opens an index, or begins one, of the segments as `generation` has them.
    pub(crate) fn open(folder: &Path, log: LogId, generation: u64) -> Result<Self, Fault> {
        let db = open_free(&sled::Config::new().path(folder).cache_capacity(CACHE_BYTES))?;
        let (folder, generation) = (folder.to_owned(), AtomicU64::new(generation));
        let index = Self { db, folder, log, sum: Mutex::new(0), generation };
        *index.sum.lock() = index.watermark()?.map_or(0, |watermark| watermark.sum);
        Ok(index)
    }

    /// Returns how far it has followed this log; none when it is new, of another log or generation.
    pub(crate) fn watermark(&self) -> Result<Option<Watermark>, Fault> {
        let value = guarded(|| Ok(self.db.get(entries::WATERMARK)?))?;
        let watermark = value.and_then(|value| entries::decode_watermark(&value));
        let generation = self.generation.load(Ordering::SeqCst);
        Ok(watermark.filter(|watermark| watermark.log == self.log && watermark.generation == generation))
    }

    /// Returns all heads and all known damage, as of the watermark; a fault when one is missing or stale.
    pub(crate) fn heads(&self) -> Result<(Heads, Damage), Fault> {
        guarded(|| {
            let (mut heads, mut damage, mut sum) = (Heads::new(), Damage::new(), 0);
            self.each(entries::HEAD, &mut sum, |session, value| {
                heads.insert(session, self.with_lineage(session, value)?);
                Ok(())
            })?;
            self.each(entries::LINEAGE, &mut sum, |_, _| Ok(()))?;
            self.each(entries::DAMAGE, &mut sum, |session, value| {
                damage.insert(session, entries::decode_damage(value).ok_or(Fault::Unreadable)?);
                Ok(())
            })?;
            if sum == *self.sum.lock() { Ok((heads, damage)) } else { Err(Fault::Incomplete) }
        })
    }

    fn each(
        &self,
        tag: u8,
        sum: &mut u64,
        mut take: impl FnMut(SessionId, &[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        for entry in self.db.scan_prefix([tag]) {
            let (key, value) = entry?;
            *sum ^= entries::entry_sum(&key, &value);
            take(entries::keyed_session(&key).ok_or(Fault::Unreadable)?, &value)?;
        }
        Ok(())
    }

    fn with_lineage(&self, session: SessionId, value: &[u8]) -> Result<HeadState, Fault> {
        let mut head = entries::decode_head(value).ok_or(Fault::Unreadable)?;
        if head.parent.is_some() {
            let lineage = self.db.get(entries::session_key(entries::LINEAGE, session))?;
            head.lineage = entries::decode_lineage(&lineage.ok_or(Fault::Unreadable)?);
        }
        Ok(head)
    }

    /// Follows the log by `records`, whole or not at all.
    pub(crate) fn apply(&self, records: &[Found], damage: &Damage) -> Result<(), Fault> {
        let Some(last) = records.last() else { return Ok(()) };
        // Before the watermark passes the tombstones: a stop in between does it once more, not never.
        let deleted = records.iter().filter(|found| found.header.kind == Kind::Tombstone);
        deleted.map(|found| found.header.session).try_for_each(|session| self.forget_folded(session))?;
        let mut sum = self.sum.lock();
        let mut changed = Changed { db: &self.db, batch: sled::Batch::default(), sum: *sum };
        guarded(|| {
            self.fold_heads(records, &mut changed)?;
            for (session, (seq, what)) in damage {
                let key = entries::session_key(entries::DAMAGE, *session);
                changed.put(&key, entries::encode_damage(*seq, what))?;
            }
            let Changed { mut batch, sum: summed, .. } = changed;
            let begun = begun(records);
            begun.keys().try_for_each(|session| self.remove_records(*session, &mut batch))?;
            let counts = |(at, found): &(usize, &Found)| {
                begun.get(&found.header.session).is_none_or(|begun| begun <= at)
            };
            records.iter().enumerate().filter(counts).for_each(|(_, found)| add_record(found, &mut batch));
            let standing = Standing::after(last);
            let generation = self.generation.load(Ordering::SeqCst);
            let watermark = Watermark { log: self.log, standing, sum: summed, generation, boot: boot() };
            batch.insert(entries::WATERMARK, entries::encode_watermark(&watermark));
            self.db.apply_batch(batch)?;
            *sum = summed;
            Ok(())
        })
    }

    /// Removes what stands under the id of a session that is begun: it is of an import that stopped.
    fn remove_records(&self, session: SessionId, batch: &mut sled::Batch) -> Result<(), Fault> {
        for tag in [entries::RECORD, entries::OPERATION] {
            for key in self.db.scan_prefix(entries::session_key(tag, session)).keys() {
                batch.remove(key?);
            }
        }
        Ok(())
    }

    /// Puts the places of a segment that was rewritten into the place of what they were, in one step with the
    /// generation that they are of.
    pub(crate) fn replace(&self, before: &[Found], after: &[Found], generation: u64) -> Result<(), Fault> {
        let sum = self.sum.lock();
        guarded(|| {
            let (mut batch, mut own) = (sled::Batch::default(), HashSet::new());
            for (found, place) in before.iter().filter_map(|found| Some((found, found.place()?))) {
                let key = entries::record_key(found.header.session, place.first);
                // Another record may count under this key: of a session that was begun once more.
                if self.db.get(key)?.is_some_and(|value| value[..] == entries::encode_place(&place)) {
                    batch.remove(&key[..]);
                    own.insert(key);
                }
            }
            for (found, place) in after.iter().filter_map(|found| Some((found, found.place()?))) {
                let key = entries::record_key(found.header.session, place.first);
                if own.contains(&key) {
                    batch.insert(&key[..], entries::encode_place(&place));
                }
            }
            let watermark = self.watermark()?.ok_or(Fault::Incomplete)?;
            let watermark = Watermark { generation, ..watermark };
            batch.insert(entries::WATERMARK, entries::encode_watermark(&watermark));
            self.generation.store(generation, Ordering::SeqCst);
            Ok(self.db.apply_batch(batch)?)
        })?;
        drop(sum);
        Ok(())
    }

    fn fold_heads(&self, records: &[Found], changed: &mut Changed<'_>) -> Result<(), Fault> {
        let mut heads = Heads::new();
        for Found { header, .. } in records {
            for session in header.fork.map(|fork| fork.session).into_iter().chain([header.session]) {
                self.load(session, &mut heads)?;
            }
            // A gap is no news here: whoever recovered the log noted it as damage.
            let _ = fold(&mut heads, header);
            if header.kind == Kind::Create && header.fork.is_some() {
                let key = entries::session_key(entries::LINEAGE, header.session);
                changed.put(&key, entries::encode_lineage(&heads[&header.session].lineage))?;
            }
        }
        heads.iter().try_for_each(|(session, head)| {
            changed.put(&entries::session_key(entries::HEAD, *session), entries::encode_head(head))
        })
    }

    fn load(&self, session: SessionId, heads: &mut Heads) -> Result<(), Fault> {
        if !heads.contains_key(&session)
            && let Some(value) = self.db.get(entries::session_key(entries::HEAD, session))?
        {
            heads.insert(session, self.with_lineage(session, &value)?);
        }
        Ok(())
    }

    /// Returns the wanted places, from the batch that holds the position on.
    pub(crate) fn places(&self, wanted: Wanted) -> Result<Vec<Place>, Fault> {
        let Wanted { session, from, max } = wanted;
        guarded(|| {
            let lowest = entries::record_key(session, Seq::ZERO);
            let at_or_before = self.db.range(lowest..=entries::record_key(session, from)).next_back();
            let start = at_or_before.transpose()?.map_or(sled::IVec::from(&lowest), |(key, _)| key);
            let highest = sled::IVec::from(&entries::record_key(session, Seq(u64::MAX)));
            let range = self.db.range(start..=highest).take(max);
            range
                .map(|entry| {
                    let (key, value) = entry?;
                    entries::decode_place(&key, &value).ok_or(Fault::Unreadable)
                })
                .collect()
        })
    }

    /// Returns what became of an operation; a fault rather than nothing when it lacks operations of the session.
    pub(crate) fn receipt(
        &self,
        session: SessionId,
        operation: OperationId,
    ) -> Result<Option<Receipt>, Fault> {
        guarded(|| match self.db.get(entries::operation_key(session, operation))? {
            Some(value) => entries::decode_receipt(&value).map(Some).ok_or(Fault::Unreadable),
            None => self.refuse_lost_operations(session).map(|()| None),
        })
    }

    fn refuse_lost_operations(&self, session: SessionId) -> Result<(), Fault> {
        let head = self.db.get(entries::session_key(entries::HEAD, session))?;
        let recorded = head.and_then(|value| entries::decode_head(&value)).map_or(0, |head| head.operations);
        let known = self.db.scan_prefix(entries::session_key(entries::OPERATION, session)).count();
        if (known as u64) < recorded { Err(Fault::Incomplete) } else { Ok(()) }
    }

    /// Says whether it is in the middle of the session's import.
    pub(crate) fn is_unfinished(&self, session: SessionId) -> Result<bool, Fault> {
        guarded(|| {
            let head = self.db.get(entries::session_key(entries::HEAD, session))?;
            Ok(head.and_then(|value| entries::decode_head(&value)).is_some_and(|head| head.unfinished))
        })
    }

    /// Says whether it knows a record just as it stands in the log.
    pub(crate) fn agrees_with(&self, found: &Found) -> Result<bool, Fault> {
        let session = found.header.session;
        let place = match found.place() {
            None => true,
            Some(place) => {
                self.places(Wanted { session, from: place.first, max: 1 })?.first() == Some(&place)
            }
        };
        let operation = match found.receipt() {
            None => true,
            Some((operation, receipt)) => self.receipt(session, operation)? == Some(receipt),
        };
        Ok(place && operation)
    }

    /// Makes everything in it durable, which sled alone does not.
    pub(crate) fn sync(&self) -> Result<(), Fault> {
        guarded(|| Ok(self.db.flush()?))?;
        Ok(sync_tree(&self.folder)?)
    }
}

/// Opens sled, waiting while its own threads of a run before still hold its lock: nobody else can, since the data
/// folder is locked.
fn open_free(config: &sled::Config) -> Result<sled::Db, Fault> {
    for _ in 0..LOCK_TRIES {
        match guarded(|| Ok(config.open()?)) {
            Err(Fault::Sled(sled::Error::Io(error))) if error.to_string().contains("acquire lock") => {
                thread::sleep(LOCK_PAUSE);
            }
            opened => return opened,
        }
    }
    guarded(|| Ok(config.open()?))
}

/// A step of the index under way, with the sum after it.
struct Changed<'a> {
    db: &'a sled::Db,
    batch: sled::Batch,
    sum: u64,
}

impl Changed<'_> {
    /// Puts an entry that is part of the sum.
    fn put(&mut self, key: &[u8], value: Vec<u8>) -> Result<(), Fault> {
        if let Some(before) = self.db.get(key)? {
            self.sum ^= entries::entry_sum(key, &before);
        }
        self.sum ^= entries::entry_sum(key, &value);
        self.batch.insert(key, value);
        Ok(())
    }
}

/// Returns the sessions that `records` begin, each with the place of its beginning among them.
fn begun(records: &[Found]) -> HashMap<SessionId, usize> {
    let creations = records.iter().enumerate().filter(|(_, found)| found.header.kind == Kind::Create);
    creations.map(|(at, found)| (found.header.session, at)).collect()
}

fn add_record(found: &Found, batch: &mut sled::Batch) {
    let session = found.header.session;
    if let Some(place) = found.place() {
        batch.insert(&entries::record_key(session, place.first)[..], entries::encode_place(&place));
    }
    if let Some((operation, receipt)) = found.receipt() {
        batch.insert(&entries::operation_key(session, operation)[..], entries::encode_receipt(&receipt));
    }
}

/// Runs a call into sled, whose panics are faults like others.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Fault::Panicked(text.unwrap_or_else(|| "without a message".to_owned())))
    })
}

fn sync_tree(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { sync_tree(&path)? } else { File::open(&path)?.sync_all()? }
    }
    File::open(folder)?.sync_all()
}

/// Names this run of the machine: what was written before another one may be lost without a sync.
pub(crate) fn boot() -> String {
    fs::read_to_string(BOOT_ID).map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// Moves an index out of the way, so that a new one can be begun. The last one moved is kept for whoever wants to
/// know what was wrong with it.
pub(crate) fn set_aside(folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new("."));
    let mut newest = 0;
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        if let Some(number) = damaged_number(&path) {
            newest = newest.max(number);
            if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
        }
    }
    let aside = parent.join(format!("index.damaged-{}", newest + 1));
    tracing::warn!(aside = %aside.display(), "the index cannot be used and is made again from the segments");
    fs::rename(folder, aside)
}

fn damaged_number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_prefix("index.damaged-")?.parse().ok()
}
