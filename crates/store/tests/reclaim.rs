//! Space is given back, and nothing that is needed goes with it: whoever reads or writes meanwhile, wherever it stops.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use events::{Digest, Seq, SessionId};
use store::contract::{Author, create, fork, new_session, piece, read_all, reclaim, standing, titles};
use store::{Batch, Log, LogError, Options, ReadLimit, Reclaimed, SegmentLog};
use support::breakable::Breakable;
use support::{copy, open, runtime, segments, small};
use tempfile::TempDir;

/// A log with something of everything that can be given back.
struct Made {
    folder: TempDir,
    /// What each session that can be read should still say.
    standing: BTreeMap<SessionId, Vec<String>>,
    deleted: Vec<SessionId>,
    named: Digest,
    unnamed: Digest,
}

async fn made() -> Made {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    let named = log.put_object(b"named".to_vec()).await.unwrap().digest().clone();
    let unnamed = log.put_object(b"unnamed".to_vec()).await.unwrap().digest().clone();
    let mut author = Author::new(&log).await;
    author.write(&[&named.0]).await;
    let mut parent = Author::new(&log).await;
    for answer in 0..4 {
        author.streams(answer, 20).await;
        parent.streams(answer, 20).await;
    }
    let mut child = Author::begin(&log, fork(new_session(), parent.session, parent.head.0)).await;
    child.streams(4, 20).await;
    let grandchild = Author::begin(&log, fork(new_session(), child.session, child.head.0)).await;
    parent.streams(5, 40).await;
    child.write(&[&unnamed.0]).await;
    let deleted = vec![parent.session, child.session];
    for gone in [&parent, &child] {
        log.delete(gone.session, gone.epoch, 3).await.unwrap();
    }
    for answer in 5..9 {
        author.streams(answer, 20).await;
    }
    let mut stand = BTreeMap::new();
    for session in [author.session, grandchild.session] {
        stand.insert(session, standing(&*log, session).await);
    }
    Made { folder, standing: stand, deleted, named, unnamed }
}

impl Made {
    async fn check(&self, log: &Arc<dyn Log>) {
        for (session, expected) in &self.standing {
            assert_eq!(&standing(&**log, *session).await, expected);
        }
        for session in &self.deleted {
            assert!(log.head(*session).await.unwrap().deleted);
            let used = log.create(create(*session)).await;
            assert!(matches!(used, Err(LogError::Exists { .. })), "{used:?}");
        }
        assert_eq!(log.object(&self.named).await.unwrap(), b"named");
        Author::new(log).await.write(&["goes on"]).await;
    }
}

fn log_bytes(folder: &Path) -> u64 {
    fs::read_dir(folder.join("log")).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// Returns the bytes of all segments without the space that is set aside for what comes next.
fn content_bytes(folder: &Path) -> u64 {
    let content = |path| fs::read(path).unwrap().iter().rposition(|&byte| byte != 0).unwrap() as u64 + 1;
    segments(folder).into_iter().map(content).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn space_of_what_was_deleted_and_replaced_comes_back() {
    let made = made().await;
    let before = log_bytes(made.folder.path());
    let log = open(made.folder.path());
    let gained = log.reclaim(reclaim()).await.unwrap();
    made.check(&log).await;
    assert!(gained.log_bytes > before / 3, "{gained:?} of {before}");
    assert!(gained.events > 200, "{gained:?}");
    assert_eq!((gained.objects, gained.object_bytes), (1, 7));
    assert!(matches!(log.object(&made.unnamed).await, Err(LogError::NoObject { .. })));
    let again = log.reclaim(reclaim()).await.unwrap();
    assert_eq!((again.events, again.objects), (0, 0), "nothing is left to give back: {again:?}");
    drop(log);
    let log = open(made.folder.path());
    made.check(&log).await;
    drop(log);
    fs::remove_dir_all(made.folder.path().join("index")).unwrap();
    made.check(&open(made.folder.path())).await;
}

/// Reads a session from each of its positions.
async fn read_from_everywhere(log: &dyn Log, session: SessionId) -> Vec<Vec<Batch>> {
    let head = log.head(session).await.unwrap().seq;
    let mut reads = Vec::new();
    for after in (0..head.0).map(Seq) {
        let limit = ReadLimit { events: usize::MAX, bytes: usize::MAX };
        reads.push(log.read(session, after, limit).await.unwrap());
    }
    reads
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_cursor_gets_the_whole_instead_of_its_pieces() {
    let made = made().await;
    let log = open(made.folder.path());
    log.reclaim(reclaim()).await.unwrap();
    let session = *made.standing.keys().next().unwrap();
    let mut elided = 0;
    for (after, batches) in read_from_everywhere(&*log, session).await.into_iter().enumerate() {
        let after = Seq(after as u64);
        assert!(batches[0].first() <= after.next() && batches[0].last() > after, "{after}");
        for gone in batches.iter().filter(|batch| batch.is_elided()) {
            let whole = gone.replaced_by().unwrap();
            let holder =
                batches.iter().find(|batch| batch.first() <= whole && whole <= batch.last()).unwrap();
            assert!(titles(&holder.envelopes().unwrap())[0].starts_with('='));
            elided += 1;
        }
    }
    assert!(elided > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_keeps_the_pieces_whose_whole_it_lacks() {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    let mut parent = Author::new(&log).await;
    parent.write(&[&piece(1, "first")]).await;
    let child = Author::begin(&log, fork(new_session(), parent.session, parent.head.0)).await;
    parent.streams(1, 100).await;
    parent.streams(2, 100).await;
    let gained = log.reclaim(reclaim()).await.unwrap();
    assert!(gained.events > 50, "{gained:?}");
    assert_eq!(child.texts().await, [piece(1, "first")]);
}

#[test]
fn reclaiming_that_stops_at_any_step_loses_nothing_and_is_made_up_for() {
    let made = runtime().block_on(made());
    let whole = {
        let folder = TempDir::new().unwrap();
        copy(made.folder.path(), folder.path());
        let log = open(folder.path());
        runtime().block_on(log.reclaim(reclaim())).unwrap();
        log_bytes(folder.path())
    };
    for step in 0.. {
        let folder = TempDir::new().unwrap();
        copy(made.folder.path(), folder.path());
        let disk = Breakable::new();
        let options = Options { disk: Arc::new(disk.clone()), ..small() };
        let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options).unwrap());
        disk.die_after(step);
        let reclaimed = runtime().block_on(log.reclaim(reclaim()));
        let is_through = !disk.is_dead();
        assert_eq!(reclaimed.is_ok(), is_through, "step {step}: {reclaimed:?}");
        disk.die();
        drop(log);
        let log = open(folder.path());
        runtime().block_on(async {
            made.check(&log).await;
            log.reclaim(reclaim()).await.unwrap();
            made.check(&log).await;
        });
        drop(log);
        assert!(log_bytes(folder.path()) <= whole + 2 * (16 << 10), "step {step}");
        let trash = folder.path().join("objects/trash");
        assert_eq!(fs::read_dir(trash).unwrap().count(), 0, "step {step}");
        if is_through {
            assert!(step > 20, "only {step} steps");
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_and_writers_never_notice() {
    let made = made().await;
    let log = open(made.folder.path());
    let writes = {
        let log = log.clone();
        tokio::spawn(async move {
            let mut author = Author::new(&log).await;
            for answer in 0..30 {
                author.streams(answer, 20).await;
                let pin = log.put_object(answer.to_le_bytes().to_vec()).await.unwrap();
                author.write(&[&pin.digest().0]).await;
            }
            author.session
        })
    };
    let reads = {
        let (log, stand) = (log.clone(), made.standing.clone());
        tokio::spawn(async move {
            for _ in 0..20 {
                for (session, expected) in &stand {
                    assert_eq!(&standing(&*log, *session).await, expected);
                }
            }
        })
    };
    let mut gained = Reclaimed::default();
    while !(writes.is_finished() && reads.is_finished()) {
        gained.events += log.reclaim(reclaim()).await.unwrap().events;
    }
    reads.await.unwrap();
    let session = writes.await.unwrap();
    assert!(gained.events > 200, "{gained:?}");
    for answer in 0..30_u64 {
        let digest = Digest(blake3::hash(&answer.to_le_bytes()).to_hex().to_string());
        assert_eq!(log.object(&digest).await.unwrap(), answer.to_le_bytes());
    }
    let wholes = standing(&*log, session).await.into_iter().filter(|text| text.starts_with('=')).count();
    assert_eq!(wholes, 30);
    made.check(&log).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streamed_session_takes_little_more_than_its_text() {
    let folder = TempDir::new().unwrap();
    let options = Options { segment_bytes: 256 << 10, ..Options::default() };
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options).unwrap());
    let mut author = Author::new(&log).await;
    let (mut text_bytes, words) = (0, "a piece of what is said, about as long as fifty milliseconds make it");
    for answer in 0..40 {
        let pieces = (0..100).map(|at| format!("{words} {at} {answer}")).collect::<Vec<_>>();
        for text in &pieces {
            author.write(&[&piece(answer, text)]).await;
        }
        let whole = store::contract::whole(answer, &pieces.concat());
        text_bytes += whole.len() as u64;
        author.write(&[&whole]).await;
    }
    let before = content_bytes(folder.path());
    log.reclaim(reclaim()).await.unwrap();
    let events = author.head.0;
    let after = content_bytes(folder.path());
    let bound = text_bytes * 13 / 10 + 200 * events;
    println!("{events} events, text {text_bytes}: {before} bytes before, {after} after, {bound} allowed");
    assert!(after <= bound, "{after} bytes; {bound} allowed");
    assert_eq!(read_all(&*log, author.session).await.last().unwrap().last(), author.head);
}
