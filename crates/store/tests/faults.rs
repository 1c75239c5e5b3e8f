//! A disk that fails, fills up or loses its power never loses what was acknowledged.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use store::contract::{Author, texts};
use store::{Log, LogError, Options, SegmentLog};
use support::breakable::Breakable;
use support::{Content, check, open, seeds, small};
use tempfile::TempDir;

fn options(disk: &Breakable) -> Options {
    Options { disk: Arc::new(disk.clone()), ..small() }
}

async fn an_error_poisons(break_it: impl Fn(&Breakable)) {
    let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
    let segments = Arc::new(SegmentLog::open(folder.path(), options(&disk)).unwrap());
    let log: Arc<dyn Log> = segments.clone();
    let mut author = Author::new(&log).await;
    author.write(&["kept"]).await;
    break_it(&disk);
    let first = log.append(author.batch(&["lost"])).await;
    assert!(matches!(first, Err(LogError::Unknown { .. })), "{first:?}");
    assert!(segments.poisoned().is_some());
    Breakable::set(&disk.faults.writes, false);
    Breakable::set(&disk.faults.syncs, false);
    let second = log.append(author.batch(&["refused"])).await;
    assert!(matches!(second, Err(LogError::Poisoned { .. })), "{second:?}");
    let acquired = log.acquire(author.session, "pid 2", 3).await;
    assert!(matches!(acquired, Err(LogError::Poisoned { .. })), "{acquired:?}");
    assert_eq!(author.texts().await, ["kept"], "reads go on");
    let content = Content::from([(author.session, vec!["kept".to_owned()])]);
    drop((log, segments, author));
    check(&open(folder.path()), &content).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_a_write_poisons_the_log() {
    an_error_poisons(|disk| Breakable::set(&disk.faults.writes, true)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_a_sync_poisons_the_log() {
    an_error_poisons(|disk| Breakable::set(&disk.faults.syncs, true)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_and_recovers() {
    let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options(&disk)).unwrap());
    let mut author = Author::new(&log).await;
    let mut expected = Vec::new();
    Breakable::set(&disk.faults.full, true);
    let refused = loop {
        let text = expected.len().to_string();
        match author.append(author.batch(&[&text])).await {
            Ok(_) => expected.push(text),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, LogError::Unavailable { .. }), "{refused:?}");
    let object = log.put_object(vec![1; 1000]).await;
    assert!(matches!(object, Err(LogError::Unavailable { .. })), "{object:?}");
    assert_eq!(author.texts().await, expected);
    Breakable::set(&disk.faults.full, false);
    author.write(&["space again"]).await;
    expected.push("space again".to_owned());
    assert_eq!(author.texts().await, expected);
    log.put_object(vec![1; 1000]).await.unwrap();
    let content = Content::from([(author.session, expected)]);
    drop((log, author));
    check(&open(folder.path()), &content).await;
}

#[test]
fn a_new_log_on_a_full_disk_is_refused_and_can_be_begun_later() {
    let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
    Breakable::set(&disk.faults.full, true);
    let refused = SegmentLog::open(folder.path(), options(&disk)).err().unwrap();
    assert!(matches!(refused, LogError::Unavailable { .. }), "{refused:?}");
    Breakable::set(&disk.faults.full, false);
    SegmentLog::open(folder.path(), options(&disk)).unwrap();
}

/// Writes from several tasks until the power goes, and returns what was acknowledged.
async fn write_until_cut(log: &Arc<dyn Log>) -> Content {
    let mut writers = Vec::new();
    for _ in 0..6 {
        let log = log.clone();
        writers.push(tokio::spawn(async move {
            let created = log.create(store::contract::create(store::contract::new_session()));
            let created = created.await;
            let (mut author, mut kept) = match created {
                Ok(_) => (Author::new(&log).await, Vec::new()),
                Err(_) => return None,
            };
            for number in 0.. {
                let text = format!("{number} ").repeat(number % 200 + 1);
                let batch = vec![text.as_str(); number % 4 + 1];
                match author.append(author.batch(&batch)).await {
                    Ok(_) => kept.extend(batch.into_iter().map(str::to_owned)),
                    Err(_) => break,
                }
            }
            Some((author.session, kept))
        }));
    }
    let mut content = Content::new();
    for writer in writers {
        // A session whose very creation was cut off was not acknowledged.
        content.extend(writer.await.ok().flatten());
    }
    content
}

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    for seed in seeds(40) {
        let mut random = StdRng::seed_from_u64(seed);
        let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
        let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options(&disk)).unwrap());
        let survivors = (0..64).map(|_| random.random_bool(0.5)).collect();
        disk.cut_at(random.random_range(20..150), survivors);
        let content = support::runtime().block_on(write_until_cut(&log));
        drop(log);
        let log = open(folder.path());
        support::runtime().block_on(async {
            for (session, acknowledged) in &content {
                let there = texts(&store::contract::read_all(&*log, *session).await);
                assert!(there.starts_with(acknowledged), "{session} lost {acknowledged:?} and has {there:?}");
            }
            Author::new(&log).await.write(&["goes on"]).await;
        });
        drop(log);
        support::runtime().block_on(async {
            assert_eq!(support::damaged(&open(folder.path()), &Content::new()).await, []);
        });
    }
}

#[test]
fn a_cut_group_is_whole_or_absent_whichever_of_its_pages_are_missing() {
    let noise = noise(1, 9000);
    for mask in 0_u32..16 {
        let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
        let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options(&disk)).unwrap());
        let (session, whole) = support::runtime().block_on(async {
            let mut author = Author::new(&log).await;
            author.write(&["before"]).await;
            disk.cut_at(0, (0..4).map(|page| mask & (1 << page) != 0).collect());
            let cut = log.append(author.batch(&[&noise])).await;
            assert!(matches!(cut, Err(LogError::Unknown { .. })), "{cut:?}");
            (author.session, vec!["before".to_owned(), noise.clone()])
        });
        drop(log);
        for expect_same in [false, true] {
            let log = open(folder.path());
            support::runtime().block_on(async {
                let there = texts(&store::contract::read_all(&*log, session).await);
                assert!(there == whole || there == whole[..1], "mask {mask} {expect_same}: half a batch");
                Author::new(&log).await.write(&["goes on"]).await;
            });
        }
    }
}

/// Cuts the power while several sessions append; which pages of what they wrote survive is `mask`'s to say.
fn cut_several(mask: u32) {
    let (folder, disk) = (TempDir::new().unwrap(), Breakable::new());
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options(&disk)).unwrap());
    let (sessions, answers) = support::runtime().block_on(async {
        let mut authors = Vec::new();
        for _ in 0..5 {
            authors.push(Author::new(&log).await);
        }
        disk.cut_at(1, (0..6).map(|page| mask & (1 << page) != 0).collect());
        let appends = authors.iter().map(|author| {
            let append = author.batch(&[&noise(u64::from(mask), 1500), &noise(7, 1500)]);
            let log = log.clone();
            tokio::spawn(async move { log.append(append).await })
        });
        let mut answers = Vec::new();
        for append in appends.collect::<Vec<_>>() {
            answers.push(append.await.unwrap());
        }
        (authors.iter().map(|author| author.session).collect::<Vec<_>>(), answers)
    });
    drop(log);
    for _ in 0..2 {
        let log = open(folder.path());
        support::runtime().block_on(async {
            for (session, answer) in sessions.iter().zip(&answers) {
                let there = texts(&store::contract::read_all(&*log, *session).await).len();
                assert!(
                    there == 2 || (there == 0 && answer.is_err()),
                    "mask {mask}: {there} of 2, {answer:?}"
                );
            }
            Author::new(&log).await.write(&["goes on"]).await;
        });
    }
}

/// Returns text that does not compress well.
fn noise(seed: u64, bytes: usize) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    (0..bytes).map(|_| char::from(random.random_range(b'!'..=b'~'))).collect()
}

#[test]
fn the_last_group_of_several_sessions_holds_whole_batches_whichever_of_its_pages_are_missing() {
    (0..64).for_each(cut_several);
}
