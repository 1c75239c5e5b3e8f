//! How fast the log is, beside the physical limit of the same disk in the same run: one preallocated file, written and
//! synced with the same batching. `cargo bench -p store`; the folder is made in `STORE_BENCH_FOLDER`, or where
//! temporary files go.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss, missing_docs, reason = "a measurement may panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use events::NewEvent;
use rand::Rng;
use store::contract::{Author, read_all, titled};
use store::disk::{Disk, DiskFile, Files};
use store::{Append, Batch, Log, Options, SegmentLog};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const SESSIONS: usize = 64;
const LARGE_BATCH: usize = 512;
const FILE_BYTES: u64 = 64 << 20;
const RECORD_HEADER_BYTES: usize = 80;

/// Events a second by name, from all samples.
type Rates = Mutex<BTreeMap<&'static str, (u64, Duration)>>;

fn note(rates: &Rates, name: &'static str, events: u64, took: Duration) -> Duration {
    let mut rates = rates.lock().unwrap();
    let sum = rates.entry(name).or_default();
    (sum.0, sum.1) = (sum.0 + events, sum.1 + took);
    took
}

/// Returns an event of about 300 bytes as it is kept, of words in an order that no other has.
fn event() -> NewEvent {
    const WORDS: [&str; 16] = [
        "the", "file", "returns", "when", "session", "a", "test", "fails", "because", "seq", "and", "then",
        "model", "reads", "plan", "goal",
    ];
    let mut random = rand::rng();
    let words: Vec<&str> = (0..40).map(|_| WORDS[random.random_range(0..WORDS.len())]).collect();
    titled(&words.join(" "))
}

fn batch(author: &Author, count: usize) -> Append {
    Append { events: (0..count).map(|_| event()).collect(), ..author.batch(&[]) }
}

struct Raw {
    file: Arc<dyn DiskFile>,
    at: u64,
}

impl Raw {
    fn new(folder: &Path) -> Self {
        let file = Files.create(&folder.join("raw"), FILE_BYTES).unwrap();
        file.sync_data().unwrap();
        Self { file, at: 0 }
    }

    /// Writes `rounds` times what `events` events are, and syncs each time.
    fn write(&mut self, events: usize, rounds: u64) -> Duration {
        let line = event().to_line().unwrap().len() + 1;
        let bytes = vec![b'x'; events * line + RECORD_HEADER_BYTES];
        let began = Instant::now();
        for _ in 0..rounds {
            if self.at + bytes.len() as u64 > FILE_BYTES {
                self.at = 0;
            }
            self.file.write_all_at(&bytes, self.at).unwrap();
            self.file.sync_data().unwrap();
            self.at += bytes.len() as u64;
        }
        began.elapsed()
    }
}

async fn append_many(author: &mut Author, count: usize, rounds: u64) -> Duration {
    let made = batch(author, count);
    let began = Instant::now();
    for _ in 0..rounds {
        author.append(Append { expected: author.head, ..made.clone() }).await.unwrap();
    }
    began.elapsed()
}

async fn append_from_all(authors: &mut Vec<Author>, rounds: u64) -> Duration {
    let began = Instant::now();
    let writers = authors.drain(..).map(|mut author| {
        tokio::spawn(async move {
            append_many(&mut author, 1, rounds).await;
            author
        })
    });
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        authors.push(writer.await.unwrap());
    }
    began.elapsed()
}

fn bench_appends(criterion: &mut Criterion, folder: &Path, rates: &Rates) {
    let runtime = Runtime::new().unwrap();
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(&folder.join("data"), Options::default()).unwrap());
    let mut raw = Raw::new(folder);
    let mut authors = runtime.block_on(async {
        let mut authors = Vec::new();
        for _ in 0..SESSIONS {
            authors.push(Author::new(&log).await);
        }
        authors
    });
    for (name, events) in
        [("raw, 1 event", 1), ("raw, 64 events", SESSIONS), ("raw, 512 events", LARGE_BATCH)]
    {
        let mut group = criterion.benchmark_group("append");
        group.throughput(Throughput::Elements(events as u64));
        group.bench_function(name, |bencher| {
            bencher
                .iter_custom(|rounds| note(rates, name, rounds * events as u64, raw.write(events, rounds)));
        });
    }
    for (name, events) in [("log, 1 event", 1), ("log, 512 events", LARGE_BATCH)] {
        let mut group = criterion.benchmark_group("append");
        group.throughput(Throughput::Elements(events as u64));
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|rounds| {
                let took = runtime.block_on(append_many(&mut authors[0], events, rounds));
                note(rates, name, rounds * events as u64, took)
            });
        });
    }
    let name = "log, 64 sessions";
    let mut group = criterion.benchmark_group("append");
    group.throughput(Throughput::Elements(SESSIONS as u64));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|rounds| {
            let took = runtime.block_on(append_from_all(&mut authors, rounds));
            note(rates, name, rounds * SESSIONS as u64, took)
        });
    });
}

fn print_ratios(rates: &Rates) {
    let rates = rates.lock().unwrap();
    let rate =
        |name| rates.get(name).map(|(events, took): &(u64, Duration)| *events as f64 / took.as_secs_f64());
    for (log, raw) in [
        ("log, 1 event", "raw, 1 event"),
        ("log, 64 sessions", "raw, 64 events"),
        ("log, 512 events", "raw, 512 events"),
    ] {
        if let (Some(log_rate), Some(raw_rate)) = (rate(log), rate(raw)) {
            let ratio = log_rate / raw_rate;
            println!("{log}: {log_rate:.0}/s, {raw}: {raw_rate:.0}/s, ratio {ratio:.2}");
        }
    }
}

fn print_reading_and_opening(folder: &Path) {
    let runtime = Runtime::new().unwrap();
    let folder = folder.join("many");
    let open = || -> Arc<dyn Log> { Arc::new(SegmentLog::open(&folder, Options::default()).unwrap()) };
    let log = open();
    let session = runtime.block_on(async {
        for _ in 0..10_000 {
            let mut author = Author::new(&log).await;
            author.append(batch(&author, 98)).await.unwrap();
        }
        let mut author = Author::new(&log).await;
        for _ in 0..100_000 / 64 {
            author.append(batch(&author, 64)).await.unwrap();
        }
        author.session
    });
    drop(log);
    for index in ["with its index", "without an index"] {
        let began = Instant::now();
        let log = open();
        println!("10,000 sessions of 100 events opened {index} in {:?}", began.elapsed());
        let began = Instant::now();
        let batches = runtime.block_on(read_all(&*log, session));
        let read = began.elapsed();
        let events: usize = batches.iter().map(|batch: &Batch| batch.envelopes().unwrap().len()).sum();
        let all = began.elapsed();
        println!("{events} events read in {read:?}, decoded in {all:?}");
        drop(log);
        std::fs::remove_dir_all(folder.join("index")).unwrap();
    }
}

fn main() {
    let folder = match std::env::var_os("STORE_BENCH_FOLDER") {
        Some(folder) => TempDir::new_in(folder).unwrap(),
        None => TempDir::new().unwrap(),
    };
    let rates = Rates::default();
    let mut criterion = Criterion::default().measurement_time(Duration::from_secs(3)).configure_from_args();
    bench_appends(&mut criterion, folder.path(), &rates);
    criterion.final_summary();
    print_ratios(&rates);
    print_reading_and_opening(folder.path());
}
