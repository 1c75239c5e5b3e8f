//! Leases and epochs.

use events::SessionEvent;

use super::sample::*;
use crate::contract::Backend;
use crate::{LogError, ReadLimit};

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
