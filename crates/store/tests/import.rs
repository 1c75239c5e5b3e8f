//! Sessions brought in from another log, copies of a whole log, and an index made again on request.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use events::{Seq, SessionId};
use store::contract::{
    Author, create, fork, new_session, operation, read_all, reclaim, standing, texts, whole,
};
use store::{Batch, ForeignBatch, ForkPoint, Log, LogError, SegmentLog, Survey};
use support::breakable::Breakable;
use support::{check, fill, runtime, small};
use tempfile::TempDir;

/// Returns the batches of a session of another log: `batches` of three events, the second one with an operation.
async fn foreign(batches: usize) -> (SessionId, Vec<Batch>) {
    let folder = TempDir::new().unwrap();
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), small()).unwrap());
    let mut author = Author::new(&log).await;
    for number in 0..batches {
        let mut append = author.batch(&[&format!("{number}"), "again", "and again"]);
        append.operation = (number == 1).then(|| operation(7, 8));
        author.append(append).await.unwrap();
    }
    (author.session, read_all(&*log, author.session).await)
}

async fn bring_in(log: &SegmentLog, session: SessionId, batches: &[Batch]) -> Result<Seq, LogError> {
    let mut importing = log.import(session, None).await?;
    for batch in batches {
        importing.add(ForeignBatch::from(batch)).await?;
    }
    importing.finish().await
}

/// Lays the events of `batches` out as batches of one event.
fn cut_up(batches: &[Batch]) -> Vec<ForeignBatch> {
    let single = |batch: &Batch| {
        let whole = ForeignBatch::from(batch);
        let numbered = whole.lines.clone().into_iter().zip(whole.first.0..);
        let cut =
            numbered.map(|(line, seq)| ForeignBatch { first: Seq(seq), lines: vec![line], ..whole.clone() });
        cut.collect::<Vec<_>>()
    };
    batches.iter().flat_map(single).collect()
}

fn open(folder: &Path) -> SegmentLog {
    SegmentLog::open(folder, small()).unwrap()
}

#[test]
fn an_imported_session_is_the_same_and_stays_so() {
    let folder = TempDir::new().unwrap();
    runtime().block_on(async {
        let (session, batches) = foreign(40).await;
        let log = open(folder.path());
        let head = bring_in(&log, session, &batches).await.unwrap();
        assert_eq!(head, batches.last().unwrap().last());
        assert_eq!(read_all(&log, session).await, batches);
        let receipt = log.operation(session, operation(7, 8).id).await.unwrap().unwrap();
        assert_eq!((receipt.body_hash, receipt.seq), ([8; 16], batches[2].last()));
        drop(log);
        fs::remove_dir_all(folder.path().join("index")).unwrap();
        let log = open(folder.path());
        assert_eq!(read_all(&log, session).await, batches);
        let lease = log.acquire(session, "another host", 5).await.unwrap();
        assert_eq!(lease.seq, head.next(), "it goes on like any other");
        assert!(matches!(bring_in(&log, session, &batches).await, Err(LogError::Exists { .. })));
    });
}

#[test]
fn a_session_is_not_there_before_its_import_is_whole() {
    let folder = TempDir::new().unwrap();
    runtime().block_on(async {
        let (session, batches) = foreign(20).await;
        let log = open(folder.path());
        let mut importing = log.import(session, None).await.unwrap();
        let tail = log.tail(session);
        for batch in &batches {
            importing.add(ForeignBatch::from(batch)).await.unwrap();
            assert!(matches!(log.head(session).await, Err(LogError::NotFound { .. })));
            assert!(log.sessions().await.unwrap().is_empty());
            assert_eq!(*tail.borrow(), Seq::ZERO);
        }
        importing.finish().await.unwrap();
        assert_eq!(log.sessions().await.unwrap().len(), 1);
        assert_eq!(*tail.borrow(), batches.last().unwrap().last());
    });
}

/// Begins an import that stops in its middle, in a process that is killed when `killed`.
fn stopped_import(folder: &Path, killed: bool) -> (SessionId, Vec<Batch>) {
    let disk = Breakable::new();
    let options = store::Options { disk: Arc::new(disk.clone()), ..small() };
    runtime().block_on(async {
        let (session, batches) = foreign(300).await;
        let log = SegmentLog::open(folder, options).unwrap();
        let mut importing = log.import(session, None).await.unwrap();
        for batch in &batches[..290] {
            importing.add(ForeignBatch::from(batch)).await.unwrap();
        }
        drop(importing);
        if killed {
            disk.die();
        }
        (session, batches)
    })
}

#[test]
fn an_import_that_stops_never_was_and_another_one_takes_its_place() {
    for (killed, without_index) in [(false, false), (true, false), (false, true), (true, true)] {
        let folder = TempDir::new().unwrap();
        let (session, batches) = stopped_import(folder.path(), killed);
        runtime().block_on(async {
            let log = open(folder.path());
            assert!(matches!(log.head(session).await, Err(LogError::NotFound { .. })));
            assert!(log.sessions().await.unwrap().is_empty());
            // Other borders than those that lie about from before.
            let cut = cut_up(&batches[..200]);
            let mut importing = log.import(session, None).await.unwrap();
            for batch in cut.clone() {
                importing.add(batch).await.unwrap();
            }
            importing.finish().await.unwrap();
            let expected: Vec<Batch> = cut.iter().map(|batch| batch.read_as(session)).collect();
            assert!(
                read_all(&log, session).await == expected,
                "killed {killed}, without index {without_index}"
            );
            drop(log);
            if without_index {
                fs::remove_dir_all(folder.path().join("index")).unwrap();
            }
            let log = open(folder.path());
            assert!(
                read_all(&log, session).await == expected,
                "killed {killed}, without index {without_index}"
            );
            let survey = Survey::of(folder.path(), |_, _| {}).unwrap().unwrap();
            assert_eq!((survey.findings(), survey.sessions().len()), (&[][..], 1));
            assert_eq!(survey.read(session, Seq::ZERO, everything()).unwrap(), expected);
        });
    }
}

fn everything() -> store::ReadLimit {
    store::ReadLimit { events: usize::MAX, bytes: usize::MAX }
}

#[test]
fn a_fork_is_imported_behind_its_parent() {
    let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    runtime().block_on(async {
        let log: Arc<dyn Log> = Arc::new(open(folder.path()));
        let mut parent = Author::new(&log).await;
        parent.write(&["shared"]).await;
        let child = new_session();
        let mut child = Author::begin(&log, fork(child, parent.session, parent.head.0)).await;
        child.write(&["its own"]).await;
        let point = ForkPoint { session: parent.session, seq: parent.head };
        let own: Vec<Batch> = log.read(child.session, parent.head, everything()).await.unwrap();

        let there = open(other.path());
        assert!(matches!(
            there.import(child.session, Some(point)).await.err(),
            Some(LogError::NotFound { .. })
        ));
        bring_in(&there, parent.session, &read_all(&*log, parent.session).await).await.unwrap();
        let mut importing = there.import(child.session, Some(point)).await.unwrap();
        for batch in &own {
            importing.add(ForeignBatch::from(batch)).await.unwrap();
        }
        importing.finish().await.unwrap();
        assert_eq!(texts(&read_all(&there, child.session).await), ["shared", "its own"]);
        let listed = there.sessions().await.unwrap();
        assert!(listed.iter().any(|head| head.session == child.session && head.parent == Some(point)));
    });
}

#[test]
fn a_copy_made_while_others_write_is_a_whole_log() {
    let (folder, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let copy = target.path().join("copy");
    runtime().block_on(async {
        let log = Arc::new(open(folder.path()));
        let shared: Arc<dyn Log> = log.clone();
        let content = fill(&shared, 5, 40).await;
        let object = shared.put_object(b"a picture".to_vec()).await;
        let mut writer = Author::new(&shared).await;
        let (copied, ()) = tokio::join!(
            tokio::task::spawn_blocking({
                let (log, copy) = (log.clone(), copy.clone());
                move || log.backup(&copy, |_, _| ControlFlow::Continue(())).unwrap()
            }),
            async {
                for _ in 0..200 {
                    writer.write(&["meanwhile"]).await;
                }
            }
        );
        assert_eq!(copied.unwrap().objects, 1);
        let survey = Survey::of(&copy, |_, _| {}).unwrap().unwrap();
        assert_eq!((survey.findings(), survey.log()), (&[][..], shared.id()));
        assert_eq!(survey.objects().unwrap().len(), 1);
        drop(object);
        check(&(Arc::new(open(&copy)) as Arc<dyn Log>), &content).await;
        let again = log.backup(&copy, |_, _| ControlFlow::Continue(()));
        assert!(matches!(again, Err(LogError::NotEmpty { .. })), "nothing is written over");
    });
}

#[test]
fn a_copy_that_is_stopped_leaves_nothing() {
    let (folder, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    runtime().block_on(async {
        let log = Arc::new(open(folder.path()));
        fill(&(log.clone() as Arc<dyn Log>), 5, 40).await;
        let stop = |done, _| if done == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let copy = target.path().join("copy");
        assert!(matches!(log.backup(&copy, stop), Err(LogError::Stopped)));
        assert!(!copy.exists());
        assert!(matches!(log.backup(target.path(), stop), Err(LogError::Stopped)));
        assert_eq!(fs::read_dir(target.path()).unwrap().count(), 0);
    });
}

#[test]
fn an_index_is_made_again_as_often_as_it_is_asked_for() {
    let folder = TempDir::new().unwrap();
    runtime().block_on(async {
        let log = Arc::new(open(folder.path()));
        let shared: Arc<dyn Log> = log.clone();
        let content = fill(&shared, 5, 40).await;
        for asked in 1..=5 {
            let mut told = Vec::new();
            let reindexed = log.reindex(|done, total| {
                told.push((done, total));
                ControlFlow::Continue(())
            });
            reindexed.unwrap();
            assert!(told.iter().all(|(done, total)| done <= total), "{told:?}");
            assert!(
                folder.path().join(format!("index.damaged-{asked}")).is_dir(),
                "the old one is set aside"
            );
        }
        check(&shared, &content).await;
    });
}

#[test]
fn an_import_of_nothing_is_refused() {
    let folder = TempDir::new().unwrap();
    runtime().block_on(async {
        let log = open(folder.path());
        let session = create(new_session()).session;
        assert!(matches!(bring_in(&log, session, &[]).await, Err(LogError::NotFound { .. })));
        let (_, batches) = foreign(3).await;
        assert!(matches!(bring_in(&log, session, &batches[1..]).await, Err(LogError::Conflict { .. })));
        assert!(log.sessions().await.unwrap().is_empty());
    });
}

/// Returns the batches of a session whose answer streamed, the whole one last.
async fn streamed(pieces: u64) -> (SessionId, Vec<Batch>) {
    let folder = TempDir::new().unwrap();
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), small()).unwrap());
    let mut author = Author::new(&log).await;
    author.streams(1, pieces).await;
    (author.session, read_all(&*log, author.session).await)
}

/// Writes more than a segment takes, so that what came before stands in closed ones.
async fn close_segments(log: Arc<dyn Log>) -> Arc<dyn Log> {
    Author::new(&log).await.streams(1, 200).await;
    log
}

#[test]
fn an_imported_session_gives_space_back_once_it_is_whole() {
    let folder = TempDir::new().unwrap();
    runtime().block_on(async {
        let (session, batches) = streamed(200).await;
        let log = open(folder.path());
        bring_in(&log, session, &batches).await.unwrap();
        let log = close_segments(Arc::new(log)).await;
        let before = standing(&*log, session).await;
        assert!(before.contains(&whole(1, "all of it")));
        log.reclaim(reclaim()).await.unwrap();
        let after = read_all(&*log, session).await;
        assert!(after.iter().filter(|batch| !batch.is_elided()).count() < 20, "its pieces are gone");
        drop(log);
        fs::remove_dir_all(folder.path().join("index")).unwrap();
        let log = open(folder.path());
        assert_eq!(read_all(&log, session).await, after);
        assert_eq!(standing(&log, session).await, before);
    });
}

#[test]
fn what_an_import_that_stopped_left_replaces_nothing() {
    let folder = TempDir::new().unwrap();
    runtime().block_on(async {
        let (session, batches) = streamed(40).await;
        let log = open(folder.path());
        let mut importing = log.import(session, None).await.unwrap();
        for batch in batches.iter().chain([&batches[0]]) {
            // The last one is never written: it does not follow, and was only held back.
            importing.add(ForeignBatch::from(batch)).await.unwrap();
        }
        drop(importing);
        // The same session as it was before its answer was whole.
        let pieces = &batches[..batches.len() - 1];
        bring_in(&log, session, pieces).await.unwrap();
        let log = close_segments(Arc::new(log)).await;
        log.reclaim(reclaim()).await.unwrap();
        assert_eq!(read_all(&*log, session).await, pieces);
        drop(log);
        fs::remove_dir_all(folder.path().join("index")).unwrap();
        assert_eq!(read_all(&open(folder.path()), session).await, pieces);
    });
}
