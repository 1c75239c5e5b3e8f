//! How much disk the log needs for what it keeps.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use events::{Block, SessionEvent};
use sessions::part_of;
use store::contract::{Author, read_all};
use store::disk::{Disk, Files};
use store::{Append, Log, Options, Reclaim, SegmentLog};
use tokio::runtime::Runtime;

use crate::long_session::{TURN_EVENTS, turn_of};
use crate::{row, words};

const EVENTS: usize = 200_000;
const WRITERS: usize = 64;
/// Size of the segments that space is reclaimed in, in bytes: the last one of a log is never rewritten.
const RECLAIMED_SEGMENT_BYTES: u32 = 1 << 20;
/// Events that an answer streams in one record.
const STREAMED: usize = 8;

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
    runtime.block_on(print_reclaimed(&folder.join("streamed")));
}

/// Prints what streamed sessions take when what their answers replaced was given back.
async fn print_reclaimed(folder: &Path) {
    let options = Options { segment_bytes: RECLAIMED_SEGMENT_BYTES, ..Options::default() };
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder, options).unwrap());
    let writers = (0..WRITERS).map(|_| tokio::spawn(stream(Arc::clone(&log))));
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let reclaim =
        Reclaim { part_of, live_percent_max: 90, progress: Arc::new(|_| ControlFlow::Continue(())) };
    log.reclaim(reclaim).await.unwrap();
    let least = least_of(&*log).await;
    drop(log);
    let segments = content(&folder.join("log"));
    let bytes = segments + size(&folder.join("index")) + size(&folder.join("objects"));
    let what =
        "disk ÷ (text + 200 B × events that stay), streamed sessions after reclaiming (segments alone)";
    let ratios = [bytes, segments].map(|bytes| bytes as f64 / least as f64);
    row(what, "≤ 1.30", &format!("{:.2} ({:.2})", ratios[0], ratios[1]));
}

/// Writes a session of turns whose answers stream, record by record.
async fn stream(log: Arc<dyn Log>) {
    let mut author = Author::new(&log).await;
    for turn in 1..=EVENTS / WRITERS / TURN_EVENTS {
        let mut events = turn_of(u32::try_from(turn).unwrap());
        let end = events.split_off(TURN_EVENTS - 3);
        let deltas = events.split_off(3);
        let records = std::iter::once(&*events).chain(deltas.chunks(STREAMED)).chain(std::iter::once(&*end));
        for events in records {
            author.append(Append { events: events.to_vec(), ..author.batch(&[]) }).await.unwrap();
        }
    }
}

/// Returns the bytes of all texts that can still be read, and 200 for each event around them.
async fn least_of(log: &dyn Log) -> u64 {
    let mut least = 0;
    for listed in log.sessions().await.unwrap() {
        for batch in read_all(log, listed.session).await.iter().filter(|batch| !batch.is_elided()) {
            least += batch.envelopes().unwrap().iter().map(|read| 200 + text_bytes(&read.event)).sum::<u64>();
        }
    }
    least
}

fn text_bytes(event: &SessionEvent) -> u64 {
    let content = match event {
        SessionEvent::AssistantDelta(delta) => return delta.text.len() as u64,
        SessionEvent::AssistantMessage(message) => &message.content,
        SessionEvent::UserMessage(message) => &message.content,
        _ => return 0,
    };
    let texts =
        content.iter().map(|block| if let Block::Text { text } = block { text.len() as u64 } else { 0 });
    texts.sum()
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
