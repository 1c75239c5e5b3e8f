//! The index on sled: where records and operations stand, and all heads. It may be lost, late or damaged at any
//! time; whatever it says is checked against the segments, and whatever it lacks is read from them.

use std::fs::{self, File};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use events::{LogId, OperationId, Seq, SessionId};

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
pub(crate) const INDEX_FORMAT: u32 = 1;
const CACHE_BYTES: u64 = 32 << 20;
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
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// An open index.
pub(crate) struct Index {
    db: sled::Db,
    folder: PathBuf,
    log: LogId,
}

impl Index {
    pub(crate) fn open(folder: &Path, log: LogId) -> Result<Self, Fault> {
        let config = sled::Config::new().path(folder).cache_capacity(CACHE_BYTES);
        let db = guarded(|| Ok(config.open()?))?;
        Ok(Self { db, folder: folder.to_owned(), log })
    }

    /// Returns how far it has followed this log; none when it is new or of another log.
    pub(crate) fn watermark(&self) -> Result<Option<Watermark>, Fault> {
        let value = guarded(|| Ok(self.db.get(entries::WATERMARK)?))?;
        let watermark = value.and_then(|value| entries::decode_watermark(&value));
        Ok(watermark.filter(|watermark| watermark.log == self.log))
    }

    /// Returns all heads and all known damage, as of the watermark.
    pub(crate) fn heads(&self) -> Result<(Heads, Damage), Fault> {
        guarded(|| {
            let mut heads = Heads::new();
            for entry in self.db.scan_prefix([entries::HEAD]) {
                let (key, value) = entry?;
                let session = entries::keyed_session(&key).ok_or(Fault::Unreadable)?;
                heads.insert(session, self.with_lineage(session, &value)?);
            }
            let mut damage = Damage::new();
            for entry in self.db.scan_prefix([entries::DAMAGE]) {
                let (key, value) = entry?;
                let session = entries::keyed_session(&key).ok_or(Fault::Unreadable)?;
                damage.insert(session, entries::decode_damage(&value).ok_or(Fault::Unreadable)?);
            }
            Ok((heads, damage))
        })
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
        let watermark = Watermark { log: self.log, standing: Standing::after(last), boot: boot() };
        guarded(|| {
            let mut batch = sled::Batch::default();
            self.fold_heads(records, &mut batch)?;
            records.iter().for_each(|found| add_record(found, &mut batch));
            for (session, (seq, what)) in damage {
                let key = entries::session_key(entries::DAMAGE, *session);
                batch.insert(&key[..], entries::encode_damage(*seq, what));
            }
            batch.insert(entries::WATERMARK, entries::encode_watermark(&watermark));
            Ok(self.db.apply_batch(batch)?)
        })
    }

    fn fold_heads(&self, records: &[Found], batch: &mut sled::Batch) -> Result<(), Fault> {
        let mut heads = Heads::new();
        for Found { header, .. } in records {
            for session in header.fork.map(|fork| fork.session).into_iter().chain([header.session]) {
                self.load(session, &mut heads)?;
            }
            // A gap is no news here: whoever recovered the log noted it as damage.
            let _ = fold(&mut heads, header);
            if header.kind == Kind::Create && header.fork.is_some() {
                let key = entries::session_key(entries::LINEAGE, header.session);
                batch.insert(&key[..], entries::encode_lineage(&heads[&header.session].lineage));
            }
        }
        for (session, head) in heads {
            batch.insert(&entries::session_key(entries::HEAD, session)[..], entries::encode_head(&head));
        }
        Ok(())
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

    /// Returns what became of an operation.
    pub(crate) fn receipt(
        &self,
        session: SessionId,
        operation: OperationId,
    ) -> Result<Option<Receipt>, Fault> {
        let key = entries::operation_key(session, operation);
        let value = guarded(|| Ok(self.db.get(key)?))?;
        value.map(|value| entries::decode_receipt(&value).ok_or(Fault::Unreadable)).transpose()
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
fn guarded<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
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
