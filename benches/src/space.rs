//! How much disk the log needs for what it keeps.

use std::path::Path;
use std::sync::Arc;

use store::contract::{Author, read_all};
use store::disk::{Disk, Files};
use store::{Append, Log, Options, SegmentLog};
use tokio::runtime::Runtime;

use crate::{row, words};

const EVENTS: usize = 200_000;
const WRITERS: usize = 64;

pub(crate) fn print(folder: &Path) {
    let runtime = Runtime::new().unwrap();
    for (batch, target) in [(64, "≤ 1.00"), (1, "")] {
        let folder = folder.join(batch.to_string());
        let json = runtime.block_on(fill(&folder, batch));
        let (segments, rest) = (content(&folder.join("log")), size(&folder.join("index")));
        let ratio = (segments + rest) as f64 / json as f64;
        let index = rest as f64 / json as f64;
        let what = format!("disk ÷ JSON, {batch} events a record (the index's part)");
        row(&what, target, &format!("{ratio:.2} ({index:.2})"));
    }
}

/// Writes sessions in records of `batch` events; returns the size of all their lines in bytes.
async fn fill(folder: &Path, batch: usize) -> u64 {
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder, Options::default()).unwrap());
    let writers = (0..WRITERS).map(|_| {
        let log = Arc::clone(&log);
        tokio::spawn(async move {
            let mut author = Author::new(&log).await;
            for _ in 0..EVENTS / WRITERS / batch {
                author.append(Append { events: words::events(batch), ..author.batch(&[]) }).await.unwrap();
            }
            read_all(&*log, author.session).await.iter().map(|batch| batch.bytes() as u64).sum::<u64>()
        })
    });
    let writers: Vec<_> = writers.collect();
    let mut json = 0;
    for writer in writers {
        json += writer.await.unwrap();
    }
    json
}

/// Returns the size of all files below `folder`, as the disk has set it aside, in bytes.
fn size(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = folder.read_dir().unwrap().map(Result::unwrap);
    let sizes = entries.map(|entry| match entry.metadata().unwrap() {
        metadata if metadata.is_dir() => size(&entry.path()),
        metadata => metadata.blocks() * 512,
    });
    sizes.sum()
}

/// Returns how far the segments in `folder` are written, in bytes.
fn content(folder: &Path) -> u64 {
    let entries = folder.read_dir().unwrap().map(Result::unwrap);
    entries.map(|entry| Files.open(&entry.path()).unwrap().content_end().unwrap()).sum()
}
