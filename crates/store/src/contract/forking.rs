//! Forks.

use events::Seq;

use super::sample::*;
use crate::contract::Backend;
use crate::{LogError, ReadLimit};

/// A fork reads its parent's events up to the cut, then its own, whose first seq follows the cut.
pub async fn a_fork_shares_and_then_differs(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut parent = Author::new(&log).await;
    parent.write(&["a"]).await;
    parent.write(&["b"]).await;
    let mut child = Author::begin(&log, fork(new_session(), parent.session, 3)).await;
    assert_eq!(child.head, Seq(5));
    child.write(&["c"]).await;
    assert_eq!(child.texts().await, ["a", "c"]);
    assert_eq!(parent.texts().await, ["a", "b"]);
    let page = log.read(child.session, Seq(1), ReadLimit { events: 1, bytes: 1 }).await.expect("a page");
    assert_eq!(page[0].session(), parent.session);
}

/// A cut inside a batch is refused with the batch end before it; 0 says that there is none.
pub async fn a_fork_inside_a_batch_names_the_last_legal_seq(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut parent = Author::new(&log).await;
    parent.write(&["a", "b", "c"]).await;
    for (asked, legal) in [(0, 0), (1, 0), (3, 2), (4, 2)] {
        let refused = log.create(fork(new_session(), parent.session, asked)).await;
        assert!(
            matches!(refused, Err(LogError::NotABatchEnd { legal: got, .. }) if got == Seq(legal)),
            "{asked}: {refused:?}"
        );
    }
}

/// A cut beyond the head is refused with the head; one at the head is taken.
pub async fn a_fork_beyond_the_head_names_the_head(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let parent = Author::new(&log).await;
    let refused = log.create(fork(new_session(), parent.session, 3)).await;
    assert!(matches!(refused, Err(LogError::NotABatchEnd { legal: Seq(2), .. })), "{refused:?}");
    Author::begin(&log, fork(new_session(), parent.session, 2)).await;
    let nowhere = log.create(fork(new_session(), new_session(), 2)).await;
    assert!(matches!(nowhere, Err(LogError::NotFound { .. })), "{nowhere:?}");
}

/// A fork of a fork reads through both, also when it is cut inside the inherited part.
pub async fn a_fork_of_a_fork_reads_through_both(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut parent = Author::new(&log).await;
    parent.write(&["a"]).await;
    parent.write(&["b"]).await;
    let mut child = Author::begin(&log, fork(new_session(), parent.session, 4)).await;
    child.write(&["c"]).await;
    let mut late = Author::begin(&log, fork(new_session(), child.session, 7)).await;
    late.write(&["d"]).await;
    assert_eq!(late.texts().await, ["a", "b", "c", "d"]);
    let mut early = Author::begin(&log, fork(new_session(), child.session, 3)).await;
    early.write(&["e"]).await;
    assert_eq!(early.texts().await, ["a", "e"]);
}

/// What the parent appends after the cut is no part of the fork.
pub async fn appends_to_the_parent_do_not_reach_the_fork(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut parent = Author::new(&log).await;
    parent.write(&["a"]).await;
    let child = Author::begin(&log, fork(new_session(), parent.session, 3)).await;
    let tail = log.tail(child.session);
    parent.write(&["b"]).await;
    assert_eq!(child.texts().await, ["a"]);
    assert_eq!(*tail.borrow(), Seq(5));
}

/// A deleted parent keeps what its children refer to, and can have no more of them.
pub async fn a_fork_outlives_its_parent(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut parent = Author::new(&log).await;
    parent.write(&["a"]).await;
    let child = Author::begin(&log, fork(new_session(), parent.session, 3)).await;
    log.delete(parent.session, parent.epoch, 3).await.expect("it is deleted");
    assert_eq!(child.texts().await, ["a"]);
    let refused = log.create(fork(new_session(), parent.session, 3)).await;
    assert!(matches!(refused, Err(LogError::NotFound { .. })), "{refused:?}");
    Author::begin(&log, fork(new_session(), child.session, 3)).await;
}

/// A fork's first epoch is greater than its parent's.
pub async fn a_fork_has_an_epoch_above_its_parents(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let parent = Author::new(&log).await;
    let lease = log.acquire(parent.session, HOST, 2).await.expect("it is acquired");
    let child = Author::begin(&log, fork(new_session(), parent.session, lease.seq.0)).await;
    assert!(child.epoch > lease.epoch);
}

/// A chain of forks of forks reads through every link.
pub async fn a_chain_of_forks_reads_through_all(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let mut expected = Vec::new();
    for link in 0..100 {
        let text = link.to_string();
        author.write(&[&text]).await;
        expected.push(text);
        author = Author::begin(&log, fork(new_session(), author.session, author.head.0)).await;
    }
    assert_eq!(author.texts().await, expected);
}
