//! Leases and epochs.

use events::{Seq, SessionEvent};

use super::sample::*;
use crate::contract::Backend;
use crate::{Append, Lease, LogError, ReadLimit};

/// While a host holds a session, another one is told who.
pub async fn a_held_session_is_refused_to_another_host(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    let refused = log.acquire(author.session, "pid 2", 2).await;
    assert!(matches!(&refused, Err(LogError::Held { by }) if by == HOST), "{refused:?}");
}

/// Acquiring again, by the same host, gives a greater epoch and records it.
pub async fn each_acquisition_has_a_greater_epoch(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    let mut last = author.epoch;
    for _ in 0..3 {
        let lease = log.acquire(author.session, HOST, 2).await.expect("it is acquired");
        assert!(lease.epoch > last);
        last = lease.epoch;
        let head = log.head(author.session).await.expect("it exists");
        assert_eq!((head.seq, head.epoch), (lease.seq, lease.epoch));
        let after = events::Seq(lease.seq.0 - 1);
        let page = log.read(author.session, after, ReadLimit::default()).await.expect("a page");
        let envelopes = page[0].envelopes().expect("own events are readable");
        assert!(matches!(&envelopes[0].event, SessionEvent::SessionOpened(opened) if opened.epoch == last));
    }
}

/// An append, a deletion and a release under an older epoch are refused with the newest.
pub async fn an_older_epoch_is_fenced(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let lease = log.acquire(author.session, HOST, 2).await.expect("it is acquired");
    author.head = lease.seq;
    let append = log.append(author.batch(&["late"])).await;
    assert!(matches!(append, Err(LogError::Fenced { epoch }) if epoch == lease.epoch), "{append:?}");
    let release = log.release(author.session, author.epoch).await;
    assert!(matches!(release, Err(LogError::Fenced { .. })), "{release:?}");
    let delete = log.delete(author.session, author.epoch, 3).await;
    assert!(matches!(delete, Err(LogError::Fenced { .. })), "{delete:?}");
    author.epoch = lease.epoch;
    author.write(&["in time"]).await;
}

/// After a release another host may have it, and the one before is fenced at once.
pub async fn a_released_session_can_be_acquired(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    log.release(author.session, author.epoch).await.expect("it is released");
    let late = log.append(author.batch(&["late"])).await;
    assert!(matches!(late, Err(LogError::Fenced { .. })), "{late:?}");
    let lease = log.acquire(author.session, "pid 2", 2).await.expect("it is acquired");
    assert!(lease.epoch > author.epoch);
    (author.epoch, author.head) = (lease.epoch, lease.seq);
    author.write(&["mine"]).await;
}

/// No lease outlives the process that had it: the old epoch is fenced, and the next one is greater.
pub async fn a_restart_ends_all_leases(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    let (batch, session, epoch) = (author.batch(&["late"]), author.session, author.epoch);
    drop((log, author));
    backend.stop().await;
    let log = backend.log().await;
    let late = log.append(batch).await;
    assert!(matches!(late, Err(LogError::Fenced { .. })), "{late:?}");
    let lease = log.acquire(session, "pid 2", 2).await.expect("it is acquired");
    assert!(lease.epoch > epoch);
}

/// Of two hosts that take a session from one another, the one whose lease ended is fenced, however well it knows the
/// head: it may have been delayed between its lease and its append.
pub async fn a_host_delayed_behind_its_lease_is_fenced(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let Author { session, epoch, .. } = Author::new(&log).await;
    log.release(session, epoch).await.expect("it is released");
    let mut expected = Vec::new();
    let mut before: Option<(Lease, Append)> = None;
    for round in 0..10 {
        let host = ["pid 2", "pid 3"][round % 2];
        let lease = log.acquire(session, host, 2).await.expect("it is acquired");
        if let Some((older, delayed)) = before {
            assert!(lease.epoch > older.epoch);
            let delayed = log.append(Append { expected: lease.seq, ..delayed }).await;
            assert!(
                matches!(delayed, Err(LogError::Fenced { epoch }) if epoch == lease.epoch),
                "{delayed:?}"
            );
        }
        let text = round.to_string();
        let mut author = Author { log: log.clone(), session, epoch: lease.epoch, head: lease.seq };
        author.write(&[&text]).await;
        expected.push(text);
        before = Some((lease, author.batch(&["delayed"])));
        log.release(session, lease.epoch).await.expect("it is released");
    }
    let last = Author { log: log.clone(), session, epoch, head: Seq::ZERO };
    assert_eq!(last.texts().await, expected);
    let batches = read_all(&*log, session).await;
    assert!(batches.is_sorted_by_key(crate::Batch::epoch), "an older epoch behind a newer one");
}

/// Two hosts that race for a session hold it one after the other, never both.
pub async fn two_hosts_never_hold_a_session_at_once(backend: &mut dyn Backend) {
    const TURNS: usize = 20;
    let log = backend.log().await;
    let Author { session, epoch, .. } = Author::new(&log).await;
    log.release(session, epoch).await.expect("it is released");
    let run = |host: &'static str| {
        let log = log.clone();
        tokio::spawn(async move {
            let mut turns = 0;
            while turns < TURNS {
                let lease = match log.acquire(session, host, 2).await {
                    Ok(lease) => lease,
                    Err(LogError::Held { by }) => {
                        assert_ne!(by, host);
                        tokio::task::yield_now().await;
                        continue;
                    }
                    Err(error) => panic!("{error}"),
                };
                let mut author = Author { log: log.clone(), session, epoch: lease.epoch, head: lease.seq };
                // Nobody comes in between: neither write can be a conflict.
                author.write(&[host]).await;
                author.write(&[host]).await;
                log.release(session, lease.epoch).await.expect("it is still its own");
                turns += 1;
            }
        })
    };
    let (a, b) = (run("pid 2"), run("pid 3"));
    a.await.expect("a ends");
    b.await.expect("b ends");
    let texts = texts(&read_all(&*log, session).await);
    assert_eq!(texts.len(), 4 * TURNS);
    assert!(texts.chunks(2).all(|pair| pair[0] == pair[1]), "two turns at once");
}

/// A clock that goes backwards changes times alone: epochs grow, leases stay, the order is that of the appends.
pub async fn a_clock_that_goes_backwards_changes_times_alone(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    for at_ms in [5_000, 1, 4_000, 0] {
        author.append(Append { at_ms, ..author.batch(&[&at_ms.to_string()]) }).await.expect("it is taken");
        let refused = log.acquire(author.session, "pid 2", at_ms).await;
        assert!(matches!(refused, Err(LogError::Held { .. })), "{refused:?}");
        let lease = log.acquire(author.session, HOST, at_ms).await.expect("it is its own");
        assert!(lease.epoch > author.epoch);
        (author.epoch, author.head) = (lease.epoch, lease.seq);
    }
    assert_eq!(author.texts().await, ["5000", "1", "4000", "0"]);
    let times: Vec<u64> = read_all(&*log, author.session).await.iter().map(crate::Batch::at_ms).collect();
    assert_eq!(times, [1, 5_000, 5_000, 1, 1, 4_000, 4_000, 0, 0]);
}
