//! Followers that lag, stall and come back, while their session leaves memory.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::sync::Arc;

use events::{Seq, SessionId};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use store::contract::{Author, texts};
use store::{Batch, Log, Options, ReadLimit, SegmentLog};
use support::{runtime, seeds, small};
use tempfile::TempDir;

const BATCHES: usize = 300;

/// Room for the newest few batches of all sessions, so that a follower's place leaves memory again and again.
fn open(folder: &TempDir) -> Arc<dyn Log> {
    let options = Options { hot_bytes_max: 2 << 10, recent_records_max: 16, ..small() };
    Arc::new(SegmentLog::open(folder.path(), options).unwrap())
}

/// Follows a session to `upto`, in pages of random size, hanging up and coming back now and then.
async fn follow(log: Arc<dyn Log>, session: SessionId, upto: Seq, seed: u64) -> Vec<Batch> {
    let mut random = StdRng::seed_from_u64(seed);
    let (mut tail, mut at, mut batches) = (log.tail(session), Seq::ZERO, Vec::new());
    while at < upto {
        if random.random_bool(0.1) {
            tail = log.tail(session);
        }
        for _ in 0..random.random_range(0..50) {
            tokio::task::yield_now().await;
        }
        let limit = ReadLimit { events: random.random_range(1..20), bytes: 4096 };
        let page = log.read(session, at, limit).await.unwrap();
        if page.is_empty() {
            tail.wait_for(|head| *head > at).await.unwrap();
        }
        for batch in &page {
            assert_eq!(batch.first(), at.next(), "a gap, or a batch twice");
            at = batch.last();
        }
        batches.extend(page);
    }
    batches
}

#[test]
fn a_follower_whose_session_leaves_memory_misses_nothing() {
    for seed in seeds(20) {
        let folder = TempDir::new().unwrap();
        let log = open(&folder);
        runtime().block_on(async {
            let (mut author, mut other) = (Author::new(&log).await, Author::new(&log).await);
            let upto = Seq(author.head.0 + BATCHES as u64);
            let start = |number| tokio::spawn(follow(log.clone(), author.session, upto, seed * 10 + number));
            let followers: Vec<_> = (0..4).map(start).collect();
            let expected: Vec<String> = (0..BATCHES).map(|number| number.to_string()).collect();
            for text in &expected {
                author.write(&[text]).await;
                other.write(&["pushes the other one's batches out of memory"]).await;
            }
            for follower in followers {
                assert_eq!(texts(&follower.await.unwrap()), expected);
            }
        });
    }
}

#[test]
fn a_follower_that_stalls_blocks_no_writer_and_reads_on_from_where_it_was() {
    let folder = TempDir::new().unwrap();
    let log = open(&folder);
    runtime().block_on(async {
        let mut author = Author::new(&log).await;
        let mut stalled: Vec<_> = (0..1000).map(|_| log.tail(author.session)).collect();
        let expected: Vec<String> = (0..BATCHES).map(|number| number.to_string()).collect();
        for text in &expected {
            author.write(&[text]).await;
        }
        // A wake-up is a position, however many were slept through.
        let mut tail = stalled.pop().unwrap();
        tail.changed().await.unwrap();
        assert_eq!(*tail.borrow_and_update(), author.head);
        assert!(!tail.has_changed().unwrap());
        let batches = follow(log.clone(), author.session, author.head, 1).await;
        assert_eq!(texts(&batches), expected);
    });
}
