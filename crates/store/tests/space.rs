//! A disk without space, for each kind of file alone and halfway through a write.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use store::contract::Author;
use store::{Log, LogError, Options, SegmentLog};
use support::breakable::Breakable;
use support::{Content, check, open, small};
use tempfile::TempDir;

fn broken(folder: &Path, disk: &Breakable) -> Arc<dyn Log> {
    Arc::new(SegmentLog::open(folder, Options { disk: Arc::new(disk.clone()), ..small() }).unwrap())
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_space_for_a_segment_appends_are_unavailable_until_there_is() {
    let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
    let log = broken(folder.path(), &disk);
    let mut author = Author::new(&log).await;
    *disk.faults.full_folder.lock() = Some("log");
    let mut expected = Vec::new();
    let refused = loop {
        let text = format!("{} ", expected.len()).repeat(100);
        match author.append(author.batch(&[&text])).await {
            Ok(_) => expected.push(text),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, LogError::Unavailable { .. }), "{refused:?}");
    let segments = files(&folder.path().join("log"));
    for _ in 0..3 {
        let refused = log.append(author.batch(&[&"again ".repeat(1000)])).await;
        assert!(matches!(refused, Err(LogError::Unavailable { .. })), "{refused:?}");
    }
    assert_eq!(files(&folder.path().join("log")), segments, "nothing half made is left");
    log.put_object(b"objects find space".to_vec()).await.unwrap();
    assert_eq!(author.texts().await, expected);
    *disk.faults.full_folder.lock() = None;
    author.write(&["space again"]).await;
    expected.push("space again".to_owned());
    let content = Content::from([(author.session, expected)]);
    check(&log, &content).await;
    drop((log, author));
    check(&open(folder.path()), &content).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_space_for_an_object_only_objects_are_unavailable() {
    let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
    let log = broken(folder.path(), &disk);
    let mut author = Author::new(&log).await;
    for is_halfway in [false, true] {
        *disk.faults.full_folder.lock() = (!is_halfway).then_some("objects");
        Breakable::set(&disk.faults.halfway, is_halfway);
        let refused = log.put_object(vec![7; 10_000]).await;
        assert!(matches!(refused, Err(LogError::Unavailable { .. })), "{refused:?}");
        Breakable::set(&disk.faults.halfway, false);
        assert_eq!(files(&folder.path().join("objects/new")), 0, "nothing half written is left");
        author.write(&["the log goes on"]).await;
    }
    let pin = log.put_object(vec![7; 10_000]).await.unwrap();
    assert_eq!(log.object(pin.digest()).await.unwrap(), vec![7; 10_000]);
    assert_eq!(author.texts().await, ["the log goes on"; 2]);
}

/// A link to nowhere is a place where no folder can be made, also for those who may do everything.
#[tokio::test(flavor = "multi_thread")]
async fn without_space_for_the_index_the_log_goes_on_and_makes_it_when_there_is() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index");
    std::os::unix::fs::symlink("/nowhere/at/all", &index).unwrap();
    let log = open(folder.path());
    let content = support::fill(&log, 3, 40).await;
    check(&log, &content).await;
    assert!(!index.exists(), "there is no place for an index");
    fs::remove_file(&index).unwrap();
    check(&log, &content).await;
    drop(log);
    assert!(index.join("db").exists(), "it was made before the log stopped");
    check(&open(folder.path()), &content).await;
    assert!(!folder.path().join("index.damaged-1").exists(), "and is whole");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_runs_out_of_space_halfway_is_absent() {
    for events in [1, 2, 60] {
        let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
        let log = broken(folder.path(), &disk);
        let mut author = Author::new(&log).await;
        author.write(&["kept"]).await;
        Breakable::set(&disk.faults.halfway, true);
        let lost = log.append(author.batch(&vec!["half of this is written"; events])).await;
        assert!(matches!(lost, Err(LogError::Unknown { .. })), "{lost:?}");
        Breakable::set(&disk.faults.halfway, false);
        let refused = log.append(author.batch(&["refused"])).await;
        assert!(matches!(refused, Err(LogError::Poisoned { .. })), "{refused:?}");
        assert_eq!(author.texts().await, ["kept"], "reads go on");
        let content = Content::from([(author.session, vec!["kept".to_owned()])]);
        drop((log, author));
        check(&open(folder.path()), &content).await;
    }
}
