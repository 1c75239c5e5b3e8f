//! Creating, appending, listing.

use events::{Epoch, Seq, SessionEvent};

use super::sample::*;
use crate::contract::Backend;
use crate::{Append, Head, LogError, ReadLimit};

/// A new session has `session/created` at seq 1 and `session/opened` with its epoch at seq 2.
pub async fn a_new_session_begins_at_seq_1_and_is_opened(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let session = new_session();
    let appended = log.create(create(session)).await.expect("it begins");
    assert_eq!((appended.first, appended.last, appended.epoch), (Seq(1), Seq(2), Epoch(1)));
    let head = log.head(session).await.expect("it exists");
    assert_eq!(head, Head { seq: Seq(2), epoch: Epoch(1), deleted: false });
    let batches = log.read(session, Seq::ZERO, ReadLimit::default()).await.expect("it can be read");
    let events = batches[0].envelopes().expect("it can be decoded");
    assert!(matches!(events[0].event, SessionEvent::SessionCreated(_)));
    assert!(matches!(&events[1].event, SessionEvent::SessionOpened(opened)
        if opened.epoch == Epoch(1) && opened.host == HOST));
    assert!(events.iter().all(|event| event.batch_end == Seq(2) && event.at_ms == 1));
}

/// An id is refused while its session lives, and after it was deleted.
pub async fn an_id_is_never_used_twice(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    let again = log.create(create(author.session)).await;
    assert!(matches!(again, Err(LogError::Exists { .. })), "{again:?}");
    log.delete(author.session, author.epoch, 3).await.expect("it is deleted");
    assert!(log.head(author.session).await.expect("the tombstone stays").deleted);
    let again = log.create(create(author.session)).await;
    assert!(matches!(again, Err(LogError::Exists { .. })), "{again:?}");
    let append = log.append(author.batch(&["late"])).await;
    assert!(matches!(append, Err(LogError::NotFound { .. })), "{append:?}");
}

/// Nothing can be done with a session that was never created.
pub async fn an_unknown_session_is_not_found(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let session = new_session();
    let append =
        Append { session, expected: Seq(0), epoch: Epoch(1), at_ms: 1, operation: None, events: vec![] };
    assert!(matches!(log.append(append).await, Err(LogError::NotFound { .. })));
    assert!(matches!(log.head(session).await, Err(LogError::NotFound { .. })));
    assert!(matches!(log.acquire(session, HOST, 1).await, Err(LogError::NotFound { .. })));
    let read = log.read(session, Seq::ZERO, ReadLimit::default()).await;
    assert!(matches!(read, Err(LogError::NotFound { .. })));
    assert_eq!(*log.tail(session).borrow(), Seq::ZERO);
}

/// Appends with the right expected seq follow one another.
pub async fn an_append_at_the_head_goes_on(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let appended = author.write(&["a", "b"]).await;
    assert_eq!((appended.first, appended.last), (Seq(3), Seq(4)));
    author.write(&["c"]).await;
    assert_eq!(author.texts().await, ["a", "b", "c"]);
}

/// An expected seq behind the head is refused with the head, and nothing is written.
pub async fn a_stale_append_is_a_conflict(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let stale = author.batch(&["stale"]);
    author.write(&["first"]).await;
    let refused = log.append(stale).await;
    assert!(matches!(refused, Err(LogError::Conflict { head: Seq(3) })), "{refused:?}");
    assert_eq!(author.texts().await, ["first"]);
}

/// An expected seq beyond the head is refused with the head.
pub async fn an_append_ahead_of_the_head_is_a_conflict(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    let ahead = Append { expected: Seq(9), ..author.batch(&["ahead"]) };
    let refused = log.append(ahead).await;
    assert!(matches!(refused, Err(LogError::Conflict { head: Seq(2) })), "{refused:?}");
}

/// Batches of 0, 1 and 512 events are taken, 513 are refused.
pub async fn a_batch_holds_0_to_512_events(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    for (count, head) in [(0, 2), (1, 3), (512, 515)] {
        let appended = author.write(&vec!["x"; count]).await;
        assert_eq!(appended.last, Seq(head));
    }
    let refused = log.append(author.batch(&["x"; 513])).await;
    assert!(matches!(refused, Err(LogError::TooLarge { size: 513, limit: 512, .. })), "{refused:?}");
    assert_eq!(author.texts().await.len(), 513);
}

/// A batch of too many bytes is refused, the largest one is taken.
pub async fn a_batch_above_the_limit_is_refused(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let limit = log.caps().record_bytes_max;
    let refused = log.append(author.batch(&[&noise(limit)])).await;
    assert!(matches!(refused, Err(LogError::TooLarge { .. })), "{refused:?}");
    let large = noise(limit - 512);
    author.write(&[&large]).await;
    assert_eq!(author.texts().await, [large]);
}

/// Returns `bytes` of text that does not compress well.
fn noise(bytes: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let letter = |state: u64| {
        b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[(state >> 58) as usize]
    };
    let letters = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(letter(state))
    });
    letters.take(bytes).collect()
}

/// Text comes back as it was, line ends, quotes and every script included.
pub async fn text_of_any_script_comes_back(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let texts = ["größe \u{1F980} 漢字 עברית", "a\nb\r\n\u{2028}c\u{0085}", "\"\\\u{0}\u{7f}", ""];
    author.write(&texts).await;
    author.write(&[&"\u{1F468}\u{200D}\u{1F469}".repeat(1000)]).await;
    assert_eq!(author.texts().await[..4], texts);
}

/// Two writers on one session never share a position, and what they were told is what is there.
pub async fn of_two_writers_one_wins_each_position(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let first = Author::new(&log).await;
    let write = |name: &'static str| {
        let mut author = Author { log: log.clone(), ..first };
        tokio::spawn(async move {
            let mut won = Vec::new();
            while won.len() < 50 {
                match author.append(author.batch(&[name])).await {
                    Ok(appended) => won.push((appended.last, name.to_owned())),
                    Err(LogError::Conflict { head }) => author.head = head,
                    Err(error) => panic!("{error}"),
                }
            }
            won
        })
    };
    let (a, b) = (write("a"), write("b"));
    let mut won = a.await.expect("a ends");
    won.extend(b.await.expect("b ends"));
    won.sort();
    assert_eq!(won.iter().map(|(seq, _)| seq.0).collect::<Vec<_>>(), (3..=102).collect::<Vec<_>>());
    assert_eq!(first.texts().await, won.into_iter().map(|(_, name)| name).collect::<Vec<_>>());
}

/// The list has head, epoch, times and parent of each session that is not deleted.
pub async fn sessions_lists_what_is_not_deleted(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut kept = Author::new(&log).await;
    kept.write(&["x"]).await;
    let gone = Author::new(&log).await;
    let child = Author::begin(&log, fork(new_session(), kept.session, 3)).await;
    log.delete(gone.session, gone.epoch, 3).await.expect("it is deleted");
    let listed = log.sessions().await.expect("the list can be read");
    assert_eq!(listed.len(), 2);
    let of = |session| listed.iter().find(|listed| listed.session == session).expect("it is listed");
    let (parent, child) = (of(kept.session), of(child.session));
    assert_eq!((parent.seq, parent.epoch, parent.parent), (Seq(3), kept.epoch, None));
    assert_eq!((parent.created_at_ms, parent.updated_at_ms), (1, 2));
    assert_eq!(child.parent.map(|point| (point.session, point.seq)), Some((kept.session, Seq(3))));
}

/// Ten thousand sessions are listed, found and read, also after a restart.
pub async fn thousands_of_sessions_are_listed_and_read(backend: &mut dyn Backend) {
    const SESSIONS: usize = 10_000;
    let log = backend.log().await;
    let mut sessions = Vec::with_capacity(SESSIONS);
    while sessions.len() < SESSIONS {
        let begin = |log| tokio::spawn(async move { Author::new(&log).await.session });
        let begun: Vec<_> = (0..500).map(|_| begin(log.clone())).collect();
        for begun in begun {
            sessions.push(begun.await.expect("it begins"));
        }
    }
    sessions.sort();
    drop(log);
    backend.stop().await;
    let log = backend.log().await;
    let listed = log.sessions().await.expect("the list can be read");
    assert!(listed.iter().map(|listed| listed.session).eq(sessions.iter().copied()));
    for session in sessions.iter().step_by(997) {
        let batches = log.read(*session, Seq::ZERO, ReadLimit::default()).await.expect("it can be read");
        assert_eq!(batches.iter().map(crate::Batch::last).collect::<Vec<_>>(), [Seq(2)]);
    }
}
