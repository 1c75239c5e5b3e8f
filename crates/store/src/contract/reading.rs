//! Reading, following, restarting.

use events::Seq;

use super::sample::*;
use crate::contract::Backend;
use crate::{Batch, Pages, ReadLimit};

/// A page ends at a batch end at or before its limit.
pub async fn pages_end_at_batch_ends(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    author.write(&["a", "b", "c"]).await;
    author.write(&["d", "e"]).await;
    for (after, events, ends) in
        [(0, 2, vec![2]), (0, 4, vec![2]), (0, 5, vec![2, 5]), (0, 7, vec![2, 5, 7]), (2, 3, vec![5])]
    {
        let limit = ReadLimit { events, bytes: usize::MAX };
        let page = log.read(author.session, Seq(after), limit).await.expect("a page");
        assert_eq!(page.iter().map(|batch| batch.last().0).collect::<Vec<_>>(), ends, "{after} {events}");
    }
}

/// A limit below one batch still returns one.
pub async fn a_page_has_one_batch_at_least(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    author.write(&["a", "b", "c"]).await;
    for limit in [ReadLimit { events: 1, bytes: 1 }, ReadLimit { events: 0, bytes: 0 }] {
        let page = log.read(author.session, Seq(2), limit).await.expect("a page");
        assert_eq!(page.iter().map(Batch::last).collect::<Vec<_>>(), [Seq(5)]);
    }
}

/// A position inside a batch is rounded down.
pub async fn reading_from_inside_a_batch_returns_it_whole(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    author.write(&["a", "b", "c"]).await;
    let page = log.read(author.session, Seq(4), ReadLimit::default()).await.expect("a page");
    assert_eq!((page.len(), page[0].first(), page[0].last()), (1, Seq(3), Seq(5)));
}

/// Nothing follows the head, and nothing what is beyond it.
pub async fn reading_from_the_head_returns_nothing(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    for after in [2, 3, 1000] {
        let page = log.read(author.session, Seq(after), ReadLimit::default()).await.expect("a page");
        assert!(page.is_empty());
    }
}

/// Pages fetched ahead bring every batch once, in order, and go on behind the end once there is more.
pub async fn pages_fetched_ahead_miss_nothing(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    for _ in 0..9 {
        author.write(&["a", "b"]).await;
    }
    let limit = ReadLimit { events: 5, bytes: usize::MAX };
    let mut pages = Pages::behind(&log, author.session, Seq::ZERO, limit);
    let mut ends = Vec::new();
    for more in [true, true, false] {
        loop {
            let page = pages.next().await.expect("a page");
            if page.is_empty() {
                break;
            }
            ends.extend(page.iter().map(|batch| batch.last().0));
            if more && ends.len() % 4 == 0 {
                author.write(&["c"]).await;
            }
        }
        author.write(&["behind the end"]).await;
    }
    let mut after = Seq::ZERO;
    let mut expected = Vec::new();
    while let Some(batch) = log.read(author.session, after, limit).await.expect("a page").first() {
        after = batch.last();
        expected.push(after.0);
    }
    assert_eq!(expected.split_last().map(|(_, all)| all.to_vec()), Some(ends), "all but the last write");
}

/// A tail stands at the head when it is taken, and moves with each append.
pub async fn a_tail_starts_at_the_head_and_moves(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let mut tail = log.tail(author.session);
    assert_eq!(*tail.borrow_and_update(), Seq(2));
    author.write(&["a"]).await;
    tail.changed().await.expect("the session lives");
    assert_eq!(*tail.borrow_and_update(), Seq(3));
    assert_eq!(*log.tail(author.session).borrow(), Seq(3));
}

/// Subscribe, read, wait: whoever does so gets every event once and in order, however fast the writer is.
pub async fn a_follower_that_races_with_a_writer_misses_nothing(backend: &mut dyn Backend) {
    const EVENTS: u64 = 200;
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let session = author.session;
    let follow = |from: u64| {
        let log = log.clone();
        tokio::spawn(async move {
            let mut tail = log.tail(session);
            let (mut at, mut batches) = (Seq(from), Vec::new());
            while at < Seq(2 + EVENTS) {
                let page = log.read(session, at, ReadLimit { events: 7, bytes: 4096 }).await.expect("a page");
                if page.is_empty() {
                    tail.wait_for(|head| *head > at).await.expect("the session lives");
                }
                at = page.last().map_or(at, Batch::last);
                batches.extend(page);
            }
            batches
        })
    };
    let early = [follow(0), follow(2)];
    for number in 0..EVENTS {
        author.write(&[&number.to_string()]).await;
    }
    let expected: Vec<String> = (0..EVENTS).map(|number| number.to_string()).collect();
    for follower in early.into_iter().chain([follow(0)]) {
        assert_eq!(texts(&follower.await.expect("it ends")), expected);
    }
}

/// Deleting a session ends those who follow it, and those who come later end at once.
pub async fn deleting_ends_followers(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    let mut tail = log.tail(author.session);
    log.delete(author.session, author.epoch, 3).await.expect("it is deleted");
    assert!(tail.wait_for(|_| false).await.is_err());
    assert!(log.tail(author.session).changed().await.is_err());
}

/// Heads, events, forks and tombstones survive a stop and a start.
pub async fn everything_is_there_after_a_restart(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    author.write(&["a", "b"]).await;
    let mut child = Author::begin(&log, fork(new_session(), author.session, 4)).await;
    child.write(&["c"]).await;
    let gone = Author::new(&log).await;
    log.delete(gone.session, gone.epoch, 3).await.expect("it is deleted");
    let (id, sessions) = (log.id(), log.sessions().await.expect("the list can be read"));
    let (parent, child_session, gone_session) = (author.session, child.session, gone.session);
    drop((log, author, child, gone));
    backend.stop().await;
    let log = backend.log().await;
    assert_eq!(log.id(), id);
    assert_eq!(log.sessions().await.expect("the list can be read"), sessions);
    assert_eq!(texts(&read_all(&*log, parent).await), ["a", "b"]);
    assert_eq!(texts(&read_all(&*log, child_session).await), ["a", "b", "c"]);
    assert!(log.head(gone_session).await.expect("the tombstone stays").deleted);
}

/// A cursor ahead of the head, of a log restored from an older copy say, gets nothing until the session is beyond it.
pub async fn a_cursor_ahead_of_the_head_waits_for_it(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let (mut tail, ahead) = (log.tail(author.session), Seq(author.head.0 + 3));
    for _ in 0..3 {
        author.write(&["before"]).await;
        let page = log.read(author.session, ahead, ReadLimit::default()).await.expect("a page");
        assert!(page.is_empty());
    }
    author.write(&["beyond"]).await;
    let head = *tail.wait_for(|head| *head > ahead).await.expect("the session lives");
    assert_eq!(head, author.head);
    let page = log.read(author.session, ahead, ReadLimit::default()).await.expect("a page");
    assert_eq!(texts(&page), ["beyond"]);
}

/// Followers from the start, the middle and the head, who hang up and come back, get each event once while the session
/// grows.
pub async fn a_follower_that_comes_back_goes_on_where_it_was(backend: &mut dyn Backend) {
    const BATCHES: usize = 60;
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let written: Vec<String> = (0..BATCHES).map(|number| number.to_string()).collect();
    let mut cursors = [(0, Vec::new()), (BATCHES / 2, Vec::new()), (BATCHES - 1, Vec::new())];
    for (number, text) in written.iter().enumerate() {
        author.write(&[text]).await;
        for (from, seen) in &mut cursors {
            // Each comes seldom, in pages of two: it lags, and is behind when the writer has ended.
            if number >= *from && number % 7 == *from % 7 {
                let at = seen.last().map_or(Seq(2 + *from as u64), Batch::last);
                let limit = ReadLimit { events: 2, bytes: usize::MAX };
                seen.extend(log.read(author.session, at, limit).await.expect("a page"));
            }
        }
    }
    for (from, mut seen) in cursors {
        loop {
            let at = seen.last().map_or(Seq(2 + from as u64), Batch::last);
            if *log.tail(author.session).borrow() == at {
                break;
            }
            seen.extend(log.read(author.session, at, ReadLimit::default()).await.expect("a page"));
        }
        assert_eq!(texts(&seen), written[from..]);
    }
}
