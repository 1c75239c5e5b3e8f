//! The index can be lost in any way, and nothing else is.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use store::contract::{Author, operation};
use store::{Append, Log, Receipt};
use support::breakable::Breakable;
use support::{Content, check, copy, fill, open, runtime, small};
use tempfile::TempDir;

/// Makes a log, does something to its index, and checks twice that nothing is missing.
fn survives(harm: impl Fn(&Path)) -> TempDir {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    let (content, session) = runtime().block_on(async {
        let mut content = fill(&log, 3, 40).await;
        let mut author = Author::new(&log).await;
        let append = Append { operation: Some(operation(1, 1)), ..author.batch(&["once"]) };
        author.append(append).await.unwrap();
        content.insert(author.session, vec!["once".to_owned()]);
        content.extend(fill(&log, 1, 10).await);
        (content, author.session)
    });
    drop(log);
    harm(&folder.path().join("index"));
    for _ in 0..2 {
        let log = open(folder.path());
        runtime().block_on(async {
            check(&log, &content).await;
            let receipt = log.operation(session, operation(1, 1).id).await.unwrap();
            assert_eq!(receipt.map(|Receipt { body_hash, .. }| body_hash), Some([1; 16]));
        });
    }
    folder
}

fn is_set_aside(folder: &TempDir) -> bool {
    folder.path().join("index.damaged-1").exists()
}

#[test]
fn an_untouched_index_is_used_again() {
    assert!(!is_set_aside(&survives(|_| {})));
}

#[test]
fn a_deleted_index_is_made_again() {
    survives(|index| fs::remove_dir_all(index).unwrap());
}

#[test]
fn an_emptied_index_is_made_again() {
    survives(|index| {
        fs::remove_dir_all(index).unwrap();
        fs::create_dir(index).unwrap();
    });
}

#[test]
fn an_index_full_of_garbage_is_set_aside() {
    for byte in [0x00, 0x55, 0xff] {
        survives(|index| {
            for entry in fs::read_dir(index).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    let size = fs::metadata(&path).unwrap().len();
                    fs::write(&path, vec![byte; size as usize]).unwrap();
                }
            }
        });
    }
}

#[test]
fn an_index_with_a_garbled_middle_loses_nothing() {
    survives(|index| {
        let db = index.join("db");
        let mut bytes = fs::read(&db).unwrap();
        let middle = bytes.len() / 3;
        bytes[middle..middle * 2].fill(0xa5);
        fs::write(&db, bytes).unwrap();
    });
}

#[test]
fn an_index_cut_short_loses_nothing() {
    survives(|index| {
        let db = index.join("db");
        let size = fs::metadata(&db).unwrap().len();
        fs::OpenOptions::new().write(true).open(&db).unwrap().set_len(size / 2).unwrap();
    });
}

#[test]
fn a_file_in_the_place_of_the_index_is_set_aside() {
    let folder = survives(|index| {
        fs::remove_dir_all(index).unwrap();
        fs::write(index, "no folder").unwrap();
    });
    assert!(is_set_aside(&folder));
}

#[test]
fn an_index_of_another_log_is_set_aside() {
    let folder = survives(|index| {
        let other = TempDir::new().unwrap();
        let log = open(other.path());
        runtime().block_on(fill(&log, 1, 1));
        drop(log);
        fs::remove_dir_all(index).unwrap();
        copy(&other.path().join("index"), index);
    });
    assert!(is_set_aside(&folder));
}

#[test]
fn an_older_index_catches_up() {
    let (folder, older) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let index = folder.path().join("index");
    let mut content = Content::new();
    for _ in 0..2 {
        let log = open(folder.path());
        content.extend(runtime().block_on(fill(&log, 2, 30)));
        drop(log);
        if !older.path().join("db").exists() {
            copy(&index, older.path());
        }
    }
    fs::remove_dir_all(&index).unwrap();
    copy(older.path(), &index);
    runtime().block_on(check(&open(folder.path()), &content));
    assert!(!is_set_aside(&folder));
}

/// Opens sled as soon as its threads of before let it.
fn open_sled(index: &Path) -> sled::Db {
    std::iter::repeat_with(|| sled::open(index)).take(1_000_000).find_map(Result::ok).unwrap()
}

/// Removes keys as a lost write would, below a watermark that is not lost.
fn remove_entries(index: &Path, tag: u8, keep: impl Fn(usize, usize) -> bool) {
    let db = open_sled(index);
    let keys: Vec<_> = db.scan_prefix([tag]).keys().map(Result::unwrap).collect();
    let count = keys.len();
    for (_, key) in keys.into_iter().enumerate().filter(|(at, _)| !keep(*at, count)) {
        db.remove(key).unwrap();
    }
    db.flush().unwrap();
}

#[test]
fn entries_lost_below_the_watermark_are_read_from_the_segments() {
    survives(|index| remove_entries(index, b'r', |at, _| at % 7 != 0));
    survives(|index| remove_entries(index, b'r', |at, count| at + 1 < count));
    survives(|index| remove_entries(index, b'r', |_, _| false));
    survives(|index| remove_entries(index, b'o', |_, _| false));
}

#[test]
fn a_lost_or_stale_head_is_noticed() {
    let lost = survives(|index| remove_entries(index, b'h', |at, _| at != 1));
    assert!(is_set_aside(&lost));
    let stale = survives(|index| {
        let db = open_sled(index);
        let (key, mut value) = db.scan_prefix(b"h").next().unwrap().unwrap();
        value[1] -= 1;
        db.insert(key, value).unwrap();
        db.flush().unwrap();
    });
    assert!(is_set_aside(&stale));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_deleted_while_the_log_runs_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let log: Arc<dyn Log> = Arc::new(store::SegmentLog::open(folder.path(), small()).unwrap());
    let mut content = fill(&log, 2, 20).await;
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    content.extend(fill(&log, 2, 20).await);
    check(&log, &content).await;
    drop(log);
    check(&open(folder.path()), &content).await;
}

/// Makes a log that ends in a killed process, does something to its index, and checks twice that nothing is missing.
fn survives_a_kill(harm: impl Fn(&Path)) -> TempDir {
    let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
    let options = store::Options { disk: Arc::new(disk.clone()), ..small() };
    let log: Arc<dyn Log> = Arc::new(store::SegmentLog::open(folder.path(), options).unwrap());
    let content = runtime().block_on(fill(&log, 3, 40));
    disk.die();
    drop(log);
    harm(&folder.path().join("index"));
    for _ in 0..2 {
        runtime().block_on(check(&open(folder.path()), &content));
    }
    folder
}

#[test]
fn after_a_kill_an_index_of_this_run_of_the_machine_is_used_again() {
    assert!(!is_set_aside(&survives_a_kill(|_| {})));
}

#[test]
fn after_a_kill_an_index_of_another_run_of_the_machine_is_set_aside() {
    let folder = survives_a_kill(|index| {
        let db = open_sled(index);
        let mut watermark = db.get(b"w").unwrap().unwrap();
        *watermark.last_mut().unwrap() ^= 1;
        db.insert(b"w", watermark).unwrap();
        db.flush().unwrap();
    });
    assert!(is_set_aside(&folder));
}

#[test]
fn after_a_kill_entries_lost_below_the_watermark_are_noticed() {
    assert!(is_set_aside(&survives_a_kill(|index| remove_entries(index, b'r', |at, count| at + 1 < count))));
    survives_a_kill(|index| remove_entries(index, b'r', |at, _| at != 0));
    assert!(is_set_aside(&survives_a_kill(|index| remove_entries(index, b'h', |at, _| at != 1))));
}
