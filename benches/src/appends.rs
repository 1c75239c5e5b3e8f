//! How fast engines append, each beside the limit, sample by sample in turn.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use events::NewEvent;
use store::contract::Author;
use store::{Append, Log, Options, SegmentLog};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::engines::{Limit, Peer};
use crate::words;

const SAMPLES: usize = 31;

/// What is committed again and again.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// Events of one round.
    pub(crate) events: usize,
    /// Sessions that they belong to, each with a writer of its own.
    pub(crate) sessions: usize,
    /// Rounds of one sample.
    pub(crate) rounds: u32,
    /// What the log should reach, as a part of the limit.
    target: f64,
}

const WORKLOADS: [Workload; 3] = [
    Workload { name: "one event a commit", events: 1, sessions: 1, rounds: 200, target: 0.65 },
    Workload { name: "64 sessions, one event each", events: 64, sessions: 64, rounds: 40, target: 0.5 },
    Workload { name: "512 events a commit", events: 512, sessions: 1, rounds: 20, target: 0.4 },
];

impl Workload {
    /// Returns the events of one round.
    pub(crate) fn events(&self) -> Vec<NewEvent> {
        words::events(self.events)
    }
}

/// Something that appends durably.
pub(crate) trait Engine {
    /// Does the rounds of one sample, and says how long they took.
    fn run(&mut self, workload: &Workload) -> Duration;
}

/// This project's log.
struct Ours {
    runtime: Runtime,
    authors: Vec<Author>,
}

impl Ours {
    fn open(folder: &Path) -> Self {
        let runtime = Runtime::new().unwrap();
        let log: Arc<dyn Log> = Arc::new(SegmentLog::open(&folder.join("data"), Options::default()).unwrap());
        let authors = runtime.block_on(async {
            let mut authors = Vec::new();
            for _ in 0..64 {
                authors.push(Author::new(&log).await);
            }
            authors
        });
        Self { runtime, authors }
    }
}

impl Engine for Ours {
    fn run(&mut self, workload: &Workload) -> Duration {
        let (runtime, authors) = (&self.runtime, &mut self.authors);
        let writers: Vec<(Author, Vec<Append>)> = authors
            .drain(..workload.sessions)
            .map(|author| {
                let events = words::events(workload.events / workload.sessions);
                let append = Append { events, ..author.batch(&[]) };
                (author, vec![append; workload.rounds as usize])
            })
            .collect();
        runtime.block_on(async {
            let began = Instant::now();
            let tasks: Vec<_> = writers
                .into_iter()
                .map(|(author, appends)| tokio::spawn(append_all(author, appends)))
                .collect();
            for task in tasks {
                authors.push(task.await.unwrap());
            }
            began.elapsed()
        })
    }
}

async fn append_all(mut author: Author, appends: Vec<Append>) -> Author {
    for append in appends {
        author.append(Append { expected: author.head, ..append }).await.unwrap();
    }
    author
}

/// Prints how fast every engine appends.
pub(crate) fn print(folder: &Path) {
    let head = WORKLOADS.map(|workload| format!(" {} |", workload.name)).concat();
    println!("| durable appends |{head}\n|---|{}", "---|".repeat(WORKLOADS.len()));
    print_row(folder, "limit: one preallocated file", |folder| Box::new(Limit::new(folder)));
    print_row(folder, "**waymark**", |folder| Box::new(Ours::open(folder)));
    let targets = WORKLOADS.map(|workload| format!(" ≥ {:.2} |", workload.target)).concat();
    println!("| its target |{targets}");
    print_row(folder, "sled 0.34, with its file synced", |folder| Box::new(Peer::sled(folder)));
    print_row(folder, "SQLite, WAL, synchronous full", |folder| Box::new(Peer::sqlite(folder)));
    print_row(folder, "fjall 3", |folder| Box::new(Peer::fjall(folder)));
}

fn print_row(folder: &Path, name: &str, open: impl Fn(&Path) -> Box<dyn Engine>) {
    let cells = WORKLOADS.map(|workload| {
        let (folder, beside) = (TempDir::new_in(folder).unwrap(), TempDir::new_in(folder).unwrap());
        let mut engine = open(folder.path());
        let mut limit = Limit::new(beside.path());
        let samples = (0..SAMPLES).map(|_| (engine.run(&workload), limit.run(&workload)));
        let (took, ratio): (Vec<f64>, Vec<f64>) =
            samples.map(|(took, least)| (took.as_secs_f64(), least.div_duration_f64(took))).unzip();
        let events = workload.events as f64 * f64::from(workload.rounds);
        format!(" {:.0}/s · {:.2} |", events / median(took), median(ratio))
    });
    println!("| {name} |{}", cells.concat());
}

/// Returns the sample in the middle.
pub(crate) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    samples[samples.len() / 2]
}
