//! Snapshots.

use events::{Seq, SessionId};

use super::sample::*;
use crate::contract::Backend;
use crate::{LogError, Row, Snapshot};

const FOLD: u32 = 7;

fn state(session: SessionId, seq: u64) -> Snapshot {
    let bytes = format!("state at {seq}").into_bytes();
    Snapshot { session, seq: Seq(seq), fold_version: FOLD, bytes }
}

/// The newest state at or before the position comes back, and none that another fold made.
pub async fn the_newest_state_before_a_position_comes_back(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    for _ in 0..4 {
        author.write(&["x"; 500]).await;
    }
    for seq in [502, 1002, 1502] {
        log.put_snapshot(state(author.session, seq)).await.expect("it is taken");
    }
    let newest = async |at, fold| {
        let found = log.snapshot(author.session, Seq(at), fold).await.expect("snapshots can be asked for");
        found.map(|snapshot| snapshot.seq.0)
    };
    assert_eq!(newest(501, FOLD).await, None);
    assert_eq!(newest(502, FOLD).await, Some(502));
    assert_eq!(newest(1501, FOLD).await, Some(1002));
    assert_eq!(newest(u64::MAX, FOLD).await, Some(1502));
    assert_eq!(newest(u64::MAX, FOLD + 1).await, None);
}

/// A fork goes on from its ancestors' states, up to the cut.
pub async fn a_fork_finds_the_states_of_its_ancestors(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut parent = Author::new(&log).await;
    parent.write(&["a"]).await;
    let child = Author::begin(&log, fork(new_session(), parent.session, 3)).await;
    parent.write(&["b"]).await;
    for seq in [4, 2] {
        log.put_snapshot(state(parent.session, seq)).await.expect("it is taken");
    }
    let newest = async || {
        let found = log.snapshot(child.session, child.head, FOLD).await.expect("snapshots can be asked for");
        found.map(|snapshot| (snapshot.session, snapshot.seq))
    };
    assert_eq!(newest().await, Some((child.session, Seq(2))));
    log.put_snapshot(state(child.session, child.head.0)).await.expect("it is taken");
    assert_eq!(newest().await, Some((child.session, child.head)));
}

/// A snapshot of what is not there yet, or of an unknown session, is refused.
pub async fn a_snapshot_ahead_of_the_head_is_refused(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    let ahead = log.put_snapshot(state(author.session, author.head.0 + 1)).await;
    assert!(matches!(ahead, Err(LogError::Conflict { head }) if head == author.head), "{ahead:?}");
    let nowhere = log.put_snapshot(state(new_session(), 1)).await;
    assert!(matches!(nowhere, Err(LogError::NotFound { .. })), "{nowhere:?}");
}

/// A session has one row, and an older one does not take a newer one's place.
pub async fn the_newest_row_stays(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    author.write(&["a"]).await;
    let row =
        |seq| Row { session: author.session, seq: Seq(seq), bytes: format!("row at {seq}").into_bytes() };
    for Row { session, seq, bytes } in [2, 3, 2].map(row) {
        log.put_row(session, seq, bytes).await.expect("it is taken");
    }
    assert_eq!(log.rows().await.expect("rows can be asked for"), [row(3)]);
    let ahead = log.put_row(author.session, Seq(4), vec![]).await;
    assert!(matches!(ahead, Err(LogError::Conflict { head: Seq(3) })), "{ahead:?}");
}
