//! How fast a long session is read and decoded, by a process that has nothing of it in memory.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use events::{Seq, SessionId};
use rustix::fs::{Advice, fadvise};
use store::contract::Author;
use store::{Append, Log, Options, Pages, ReadLimit, SegmentLog};
use tokio::runtime::Runtime;

use crate::appends::median;
use crate::{row, words};

const EVENTS: usize = 100_000;
const BATCH: usize = 50;
const SAMPLES: usize = 9;

pub(crate) fn print(folder: &Path) {
    let runtime = Runtime::new().unwrap();
    let session = runtime.block_on(fill(folder));
    for (how, is_dropped) in [("", false), (", from a disk that the system has not cached", true)] {
        let rates = (0..SAMPLES).map(|_| {
            if is_dropped {
                drop_cached(&folder.join("log"));
            }
            let log = open(folder);
            let began = Instant::now();
            let events = runtime.block_on(read(&log, session));
            assert_eq!(events, EVENTS + 2, "all of it is read");
            events as f64 / began.elapsed().as_secs_f64()
        });
        let rate = median(rates.collect());
        let what = format!("a session of 100,000 events read and decoded{how}");
        let target = if is_dropped { "" } else { "≥ 1,000,000/s" };
        row(&what, target, &format!("{rate:.0}/s"));
    }
}

fn open(folder: &Path) -> Arc<dyn Log> {
    Arc::new(SegmentLog::open(folder, Options::default()).unwrap())
}

async fn fill(folder: &Path) -> SessionId {
    let mut author = Author::new(&open(folder)).await;
    for _ in 0..EVENTS / BATCH {
        author.append(Append { events: words::events(BATCH), ..author.batch(&[]) }).await.unwrap();
    }
    author.session
}

/// Reads page by page, as a fold does; returns how many events there were.
async fn read(log: &Arc<dyn Log>, session: SessionId) -> usize {
    let mut pages = Pages::behind(log, session, Seq::ZERO, ReadLimit::default());
    let mut events = 0;
    loop {
        let page = pages.next().await.unwrap();
        if page.is_empty() {
            return events;
        }
        events += page.iter().map(|batch| batch.envelopes().unwrap().len()).sum::<usize>();
    }
}

/// Asks the system to forget what it has cached of the files in `folder`.
fn drop_cached(folder: &Path) {
    for entry in folder.read_dir().unwrap() {
        let file = File::open(entry.unwrap().path()).unwrap();
        file.sync_all().unwrap();
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    }
}
