//! How fast the log appends, to tell one build from another: `cargo bench -p store`. The folder is made in
//! `BENCH_FOLDER`, or where temporary files go. The package in `benches/` sets the log beside the physical limit and
//! beside other engines.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement may panic")]

mod words;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use store::contract::Author;
use store::{Append, Log, Options, SegmentLog};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const SESSIONS: usize = 64;
const LARGE_BATCH: usize = 512;

async fn append_many(author: &mut Author, count: usize, rounds: u64) -> Duration {
    let made = Append { events: words::events(count), ..author.batch(&[]) };
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

fn bench_appends(criterion: &mut Criterion, folder: &Path) {
    let runtime = Runtime::new().unwrap();
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder, Options::default()).unwrap());
    let mut authors = runtime.block_on(async {
        let mut authors = Vec::new();
        for _ in 0..SESSIONS {
            authors.push(Author::new(&log).await);
        }
        authors
    });
    let mut group = criterion.benchmark_group("append");
    for events in [1, LARGE_BATCH] {
        group.throughput(Throughput::Elements(events as u64));
        group.bench_function(format!("{events} events a commit"), |bencher| {
            bencher.iter_custom(|rounds| runtime.block_on(append_many(&mut authors[0], events, rounds)));
        });
    }
    group.throughput(Throughput::Elements(SESSIONS as u64));
    group.bench_function(format!("{SESSIONS} sessions"), |bencher| {
        bencher.iter_custom(|rounds| runtime.block_on(append_from_all(&mut authors, rounds)));
    });
}

fn main() {
    let folder = match std::env::var_os("BENCH_FOLDER") {
        Some(folder) => TempDir::new_in(folder).unwrap(),
        None => TempDir::new().unwrap(),
    };
    let mut criterion = Criterion::default().configure_from_args();
    bench_appends(&mut criterion, folder.path());
    criterion.final_summary();
}
