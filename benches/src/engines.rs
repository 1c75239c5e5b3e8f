//! Engines that a log could be built on, each with as little around it as possible, and the limit that all share.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use events::NewEvent;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use rusqlite::{Connection, params};
use store::disk::{Disk, DiskFile, Files};

use crate::appends::{Engine, Workload};

const FILE_BYTES: u64 = 64 << 20;
const RECORD_HEADER_BYTES: usize = 80;

/// A line of a session and its position.
type Entry<'a> = (u64, u64, &'a str);

/// Keeps lines, all of a commit or none, durable when it returns.
trait Commit {
    fn commit(&mut self, lines: &[Entry<'_>]);
}

/// Another engine as a log. One writer gives it all events of a commit group at once, of however many sessions, which
/// is the best that it could get.
pub(crate) struct Peer {
    kept: Box<dyn Commit>,
    seq: u64,
}

impl Peer {
    pub(crate) fn sled(folder: &Path) -> Self {
        Self { kept: Box::new(Sled::open(&folder.join("sled"))), seq: 0 }
    }

    pub(crate) fn sqlite(folder: &Path) -> Self {
        Self { kept: Box::new(Sqlite::open(&folder.join("log.sqlite"))), seq: 0 }
    }

    pub(crate) fn fjall(folder: &Path) -> Self {
        Self { kept: Box::new(Fjall::open(&folder.join("fjall"))), seq: 0 }
    }
}

impl Engine for Peer {
    fn run(&mut self, workload: &Workload) -> Duration {
        let lines: Vec<String> = workload.events().iter().map(line).collect();
        let began = Instant::now();
        for _ in 0..workload.rounds {
            let sessions = workload.sessions as u64;
            let entries =
                (0..).zip(&lines).map(|(number, line)| (number % sessions, self.seq + number, &**line));
            let entries: Vec<Entry<'_>> = entries.collect();
            self.kept.commit(&entries);
            self.seq += entries.len() as u64;
        }
        began.elapsed()
    }
}

/// Returns an event as a log keeps it.
fn line(event: &NewEvent) -> String {
    event.to_line().unwrap() + "\n"
}

fn key((session, seq, _): &Entry<'_>) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&session.to_be_bytes());
    key[8..].copy_from_slice(&seq.to_be_bytes());
    key
}

/// sled's own flush does not reach the disk, so its file is synced as well.
struct Sled {
    db: sled::Db,
    file: File,
}

impl Sled {
    fn open(folder: &Path) -> Self {
        let db = sled::Config::new().path(folder).flush_every_ms(None).open().unwrap();
        let file = File::options().read(true).write(true).open(folder.join("db")).unwrap();
        Self { db, file }
    }
}

impl Commit for Sled {
    fn commit(&mut self, lines: &[Entry<'_>]) {
        let mut batch = sled::Batch::default();
        lines.iter().for_each(|entry| batch.insert(&key(entry), entry.2));
        self.db.apply_batch(batch).unwrap();
        self.db.flush().unwrap();
        self.file.sync_data().unwrap();
    }
}

/// SQLite with a write-ahead log that is synced at each commit.
struct Sqlite {
    db: Connection,
}

impl Sqlite {
    fn open(path: &Path) -> Self {
        let db = Connection::open(path).unwrap();
        db.pragma_update(None, "journal_mode", "wal").unwrap();
        db.pragma_update(None, "synchronous", "full").unwrap();
        let table = "create table log (session, seq, line, primary key (session, seq)) without rowid";
        db.execute(table, ()).unwrap();
        Self { db }
    }
}

impl Commit for Sqlite {
    fn commit(&mut self, lines: &[Entry<'_>]) {
        let transaction = self.db.transaction().unwrap();
        {
            let mut insert = transaction.prepare_cached("insert into log values (?, ?, ?)").unwrap();
            for (session, seq, line) in lines {
                insert.execute(params![session.cast_signed(), seq.cast_signed(), line]).unwrap();
            }
        }
        transaction.commit().unwrap();
    }
}

struct Fjall {
    db: Database,
    log: Keyspace,
}

impl Fjall {
    fn open(folder: &Path) -> Self {
        let db = Database::builder(folder).open().unwrap();
        let log = db.keyspace("log", KeyspaceCreateOptions::default).unwrap();
        Self { db, log }
    }
}

impl Commit for Fjall {
    fn commit(&mut self, lines: &[Entry<'_>]) {
        let mut batch = self.db.batch().durability(Some(PersistMode::SyncData));
        lines.iter().for_each(|entry| batch.insert(&self.log, key(entry), entry.2));
        batch.commit().unwrap();
    }
}

/// The physical limit: one preallocated file, written and synced.
pub(crate) struct Limit {
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    at: u64,
}

impl Limit {
    pub(crate) fn new(folder: &Path) -> Self {
        let path = folder.join("limit");
        Self { file: preallocated(&path), path, at: 0 }
    }

    /// Goes over to a new file when this one has no room for `bytes`; a file that was written over before would not
    /// be what a log that grows finds.
    fn make_room(&mut self, bytes: u64) {
        if self.at + bytes > FILE_BYTES {
            (self.file, self.at) = (preallocated(&self.path), 0);
        }
    }
}

impl Engine for Limit {
    fn run(&mut self, workload: &Workload) -> Duration {
        let mut bytes = vec![b'x'; RECORD_HEADER_BYTES];
        workload.events().iter().for_each(|event| bytes.extend_from_slice(line(event).as_bytes()));
        self.make_room(bytes.len() as u64 * u64::from(workload.rounds));
        let began = Instant::now();
        for _ in 0..workload.rounds {
            self.file.write_all_at(&bytes, self.at).unwrap();
            self.file.sync_data().unwrap();
            self.at += bytes.len() as u64;
        }
        began.elapsed()
    }
}

fn preallocated(path: &Path) -> Arc<dyn DiskFile> {
    let file = Files.create(path, FILE_BYTES).unwrap();
    file.sync_data().unwrap();
    file
}
