//! What the tests of the files share: a disk that breaks, and a log whose content is known.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]
#![allow(clippy::cast_possible_truncation, reason = "a test may panic")]

pub mod breakable;
pub mod mounted;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use events::SessionId;
use store::contract::{Author, read_all, texts};
use store::{Log, LogError, Options, ReadLimit, SegmentLog};
use tokio::runtime::Runtime;

/// What each session should hold.
pub type Content = BTreeMap<SessionId, Vec<String>>;

/// Options with segments so small that a test needs several, and memory for next to nothing.
pub fn small() -> Options {
    Options { segment_bytes: 16 << 10, hot_bytes_max: 0, recent_records_max: 4, ..Options::default() }
}

pub fn open(folder: &Path) -> Arc<dyn Log> {
    Arc::new(SegmentLog::open(folder, small()).unwrap())
}

/// Returns the seeds of a random test, and prints each: `usual` many from 0 on. `WAYMARK_TORTURE_ROUNDS` says how many
/// instead, for hours by hand, and `WAYMARK_TORTURE_SEED` which is the first.
pub fn seeds(usual: u64) -> impl Iterator<Item = u64> {
    let set = |name| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let first: u64 = set("WAYMARK_TORTURE_SEED").unwrap_or(0);
    let rounds: u64 = set("WAYMARK_TORTURE_ROUNDS").unwrap_or(usual);
    (first..first + rounds).inspect(|seed| println!("seed {seed}"))
}

pub fn runtime() -> Runtime {
    Runtime::new().unwrap()
}

/// Writes `sessions` of `batches` each, of one to three events, turn by turn.
pub async fn fill(log: &Arc<dyn Log>, sessions: usize, batches: usize) -> Content {
    let mut authors = Vec::new();
    for _ in 0..sessions {
        authors.push(Author::new(log).await);
    }
    let mut content = Content::new();
    for number in 0..batches {
        for author in &mut authors {
            let text = format!("{number} of {}", author.session);
            let batch = vec![text.as_str(); number % 3 + 1];
            author.write(&batch).await;
            content.entry(author.session).or_default().extend(batch.into_iter().map(str::to_owned));
        }
    }
    content
}

/// Checks that a log holds exactly `content`, and can be written.
pub async fn check(log: &Arc<dyn Log>, content: &Content) {
    for (session, expected) in content {
        assert_eq!(&texts(&read_all(&**log, *session).await), expected);
    }
    Author::new(log).await.write(&["goes on"]).await;
}

/// Returns the sessions that a log calls damaged, after checking that all others hold what they should.
pub async fn damaged(log: &Arc<dyn Log>, content: &Content) -> Vec<SessionId> {
    let mut damaged = Vec::new();
    for (session, expected) in content {
        match log.read(*session, events::Seq::ZERO, ReadLimit { events: usize::MAX, bytes: usize::MAX }).await
        {
            Ok(batches) => assert_eq!(&texts(&batches), expected, "changed without a word"),
            Err(LogError::Corrupt { session: named, .. }) => {
                assert_eq!(named, *session);
                damaged.push(named);
            }
            Err(error) => panic!("{error}"),
        }
    }
    damaged
}

/// Returns the paths of all segments, oldest first.
pub fn segments(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder.join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Returns the newest segment that holds a record, and where its content ends.
pub fn last_content(folder: &Path) -> (PathBuf, usize) {
    let mut found = segments(folder).into_iter().rev().map(|path| {
        let bytes = fs::read(&path).unwrap();
        let end = bytes.iter().rposition(|&byte| byte != 0).unwrap() + 1;
        (path, end.next_multiple_of(8))
    });
    found.find(|(_, end)| *end > 64).unwrap()
}

/// Copies a data folder.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
