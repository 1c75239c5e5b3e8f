//! States from their newest snapshot and the tail behind it, and snapshots for the next time.

use std::sync::Arc;
use std::time::Duration;

use events::{Seq, SessionId};
use projections::{FOLD_VERSION, State};
use store::{Log, LogError, Pages, ReadLimit, Snapshot};
use tokio::time::Instant;

use crate::fold_batch;
use crate::list::KeptRow;

/// Events that are folded between two snapshots of a session.
const SNAPSHOT_EVERY: u64 = 1000;
/// How far apart a session's line of the list is kept at least.
const ROW_PAUSE: Duration = Duration::from_secs(1);

/// What was kept of a session, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    /// The seq of its newest snapshot.
    pub(crate) state: Seq,
    /// The seq of its newest row.
    pub(crate) row: Seq,
    row_at: Option<Instant>,
}

impl Kept {
    pub(crate) fn upto(state: Seq, row: Seq) -> Self {
        Self { state, row, row_at: None }
    }

    pub(crate) fn is_state_due(&self, head: Seq) -> bool {
        head.0 - self.state.0 >= SNAPSHOT_EVERY
    }

    /// Returns when the session's line should be kept: none while the kept one is the newest.
    pub(crate) fn row_due(&self, head: Seq) -> Option<Instant> {
        (head > self.row).then(|| self.row_at.map_or_else(Instant::now, |kept| kept + ROW_PAUSE))
    }

    pub(crate) fn row_kept(&mut self, head: Seq) {
        (self.row, self.row_at) = (head, Some(Instant::now()));
    }
}

/// Returns the state at the newest snapshot at or before `at`, or the state of an empty log.
pub(crate) async fn newest_snapshot(log: &dyn Log, id: SessionId, at: Seq) -> Result<State, LogError> {
    let found = log.snapshot(id, at, FOLD_VERSION).await?;
    let state = found.and_then(|snapshot| serde_json::from_slice::<State>(&snapshot.bytes).ok());
    Ok(state.filter(|state| state.head <= at).unwrap_or_default())
}

/// Folds a session up to the last batch end at or before `at`; also returns the last one without an open turn.
pub(crate) async fn state_at(log: &Arc<dyn Log>, id: SessionId, at: Seq) -> Result<(State, Seq), LogError> {
    let start = newest_snapshot(log.as_ref(), id, at).await?;
    let mut from = start.head;
    let (state, mut legal) = fold_to(log, (id, at), start).await?;
    while legal == Seq::ZERO && from > Seq::ZERO {
        // The turn was open at the snapshot already: the last place without one is before it.
        let start = newest_snapshot(log.as_ref(), id, Seq(from.0 - 1)).await?;
        let to = std::mem::replace(&mut from, start.head);
        legal = fold_to(log, (id, to), start).await?.1;
    }
    Ok((state, legal))
}

/// Folds from `start` to the last batch end at or before `at`; also returns the last one without an open turn.
async fn fold_to(
    log: &Arc<dyn Log>,
    (id, at): (SessionId, Seq),
    start: State,
) -> Result<(State, Seq), LogError> {
    let mut state = start;
    let mut legal = if state.turn.open.is_none() { state.head } else { Seq::ZERO };
    let mut pages = Pages::behind(log, id, state.head, ReadLimit::default());
    loop {
        let batches = pages.next().await?;
        for batch in &batches {
            if batch.last() > at {
                return Ok((state, legal));
            }
            fold_batch(&mut state, batch)?;
            if state.turn.open.is_none() {
                legal = state.head;
            }
        }
        if batches.is_empty() {
            return Ok((state, legal));
        }
    }
}

/// Folds everything behind the state's head.
pub(crate) async fn read_on(log: &Arc<dyn Log>, id: SessionId, state: &mut State) -> Result<(), LogError> {
    let mut pages = Pages::behind(log, id, state.head, ReadLimit::default());
    loop {
        let batches = pages.next().await?;
        if batches.is_empty() {
            return Ok(());
        }
        for batch in &batches {
            fold_batch(state, batch)?;
        }
        tokio::task::yield_now().await;
    }
}

/// Returns a session's newest state, and the seq of the newest snapshot of it. A long tail leaves one behind, so that
/// the next time is short.
pub(crate) async fn newest_state(log: &Arc<dyn Log>, id: SessionId) -> Result<(Arc<State>, Seq), LogError> {
    let snapshot = newest_snapshot(log.as_ref(), id, Seq(u64::MAX)).await?;
    let from = snapshot.head;
    let state = state_after(log, id, snapshot).await?;
    if state.head.0 - from.0 < SNAPSHOT_EVERY {
        return Ok((state, from));
    }
    keep_state(log, id, &state);
    let kept = state.head;
    Ok((state, kept))
}

/// Returns a session's newest state, folded on from an earlier one.
pub(crate) async fn state_after(
    log: &Arc<dyn Log>,
    id: SessionId,
    mut state: State,
) -> Result<Arc<State>, LogError> {
    read_on(log, id, &mut state).await?;
    Ok(Arc::new(state))
}

/// Keeps a snapshot of the state, in the background.
pub(crate) fn keep_state(log: &Arc<dyn Log>, session: SessionId, state: &Arc<State>) {
    let (log, state) = (Arc::clone(log), Arc::clone(state));
    tokio::spawn(async move {
        let bytes = serde_json::to_vec(state.as_ref()).expect("a state has no value that JSON lacks");
        let snapshot = Snapshot { session, seq: state.head, fold_version: FOLD_VERSION, bytes };
        drop(state);
        if let Err(error) = log.put_snapshot(snapshot).await {
            tracing::warn!(%session, %error, "a snapshot was not kept");
        }
    });
}

/// Keeps a session's line of the list for the next start.
pub(crate) async fn keep_row(log: &dyn Log, session: SessionId, seq: Seq, kept: &KeptRow) {
    let bytes = serde_json::to_vec(kept).expect("a row has no value that JSON lacks");
    if let Err(error) = log.put_row(session, seq, bytes).await {
        tracing::warn!(%session, %error, "a session's line of the list was not kept");
    }
}
