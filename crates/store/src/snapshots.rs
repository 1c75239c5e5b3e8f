//! Snapshots and rows: what others folded from a session, kept in the index and safe to lose at any time.

use events::{Seq, SessionId};

use crate::entries::{self, ROW, SNAPSHOT};
use crate::fork::holder_of;
use crate::index::{Fault, Index, guarded};
use crate::indexer::Indexed;
use crate::shared::Shared;
use crate::{LogError, Row, Snapshot};

/// Snapshots of one session stay this many positions apart; only the newest may be closer to the one before it.
const APART: u64 = 500;

impl Index {
    /// Keeps a snapshot, and drops what it makes superfluous.
    pub(crate) fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), Fault> {
        guarded(|| {
            let key = entries::snapshot_key(snapshot.session, snapshot.seq);
            self.db.insert(&key[..], entries::encode_snapshot(&key, snapshot))?;
            self.thin_before(snapshot)
        })
    }

    /// Removes the snapshots right before this one that no fold of today can use, and the one that was the newest
    /// when it is too close to those before it.
    fn thin_before(&self, newest: &Snapshot) -> Result<(), Fault> {
        let session = newest.session;
        let range = entries::snapshot_key(session, Seq::ZERO)..entries::snapshot_key(session, newest.seq);
        let mut before: Option<sled::IVec> = None;
        for entry in self.db.range(range).rev() {
            let (key, value) = entry?;
            let decoded = entries::decode_snapshot(session, &key, &value);
            match (decoded.filter(|kept| kept.fold_version == newest.fold_version), &before) {
                (None, _) => drop(self.db.remove(&key)?),
                (Some(_), None) => before = Some(key),
                (Some(_), Some(later)) => return self.remove_when_close(&key, later),
            }
        }
        before.map_or(Ok(()), |first| {
            self.remove_when_close(&entries::snapshot_key(session, Seq::ZERO), &first)
        })
    }

    fn remove_when_close(&self, earlier: &[u8], later: &[u8]) -> Result<(), Fault> {
        let seq = |key| entries::snapshot_seq(key).ok_or(Fault::Unreadable);
        if seq(later)?.0 - seq(earlier)?.0 < APART {
            self.db.remove(later)?;
        }
        Ok(())
    }

    /// Returns the newest snapshot of `session` itself in `after < seq <= at` that this fold made.
    fn snapshot(
        &self,
        session: SessionId,
        (after, at): (Seq, Seq),
        fold_version: u32,
    ) -> Result<Option<Snapshot>, Fault> {
        guarded(|| {
            let range = entries::snapshot_key(session, after.next())..=entries::snapshot_key(session, at);
            for entry in self.db.range(range).rev() {
                let (key, value) = entry?;
                let found = entries::decode_snapshot(session, &key, &value);
                if let Some(found) = found.filter(|found| found.fold_version == fold_version) {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        })
    }

    /// Keeps a row; an older one does not take the place of a newer one.
    pub(crate) fn put_row(&self, row: &Row) -> Result<(), Fault> {
        guarded(|| {
            let key = entries::session_key(ROW, row.session);
            self.db.fetch_and_update(key, |kept| {
                let newer = kept.and_then(|value| entries::decode_row(&key, value));
                match newer.filter(|newer| newer.seq > row.seq) {
                    Some(_) => kept.map(sled::IVec::from),
                    None => Some(entries::encode_row(&key, row).into()),
                }
            })?;
            Ok(())
        })
    }

    fn rows(&self) -> Result<Vec<Row>, Fault> {
        guarded(|| {
            let mut rows = Vec::new();
            for entry in self.db.scan_prefix([ROW]) {
                let (key, value) = entry?;
                rows.extend(entries::decode_row(&key, &value));
            }
            Ok(rows)
        })
    }

    /// Removes what was folded from a session, because it was deleted.
    pub(crate) fn forget_folded(&self, session: SessionId) -> Result<(), Fault> {
        guarded(|| {
            self.db.remove(entries::session_key(ROW, session))?;
            for key in self.db.scan_prefix(entries::session_key(SNAPSHOT, session)).keys() {
                self.db.remove(key?)?;
            }
            Ok(())
        })
    }
}

impl Shared {
    /// Keeps a snapshot while there is an index to keep it in.
    pub(crate) fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), LogError> {
        self.refuse_ahead(snapshot.session, snapshot.seq)?;
        self.put_folded(snapshot.session, |index| index.put_snapshot(snapshot));
        Ok(())
    }

    /// Keeps a row while there is an index to keep it in.
    pub(crate) fn put_row(&self, row: &Row) -> Result<(), LogError> {
        self.refuse_ahead(row.session, row.seq)?;
        self.put_folded(row.session, |index| index.put_row(row));
        Ok(())
    }

    /// Puts what was folded from a session, and takes it back when the session was deleted meanwhile: the indexer may
    /// have removed the rest already.
    fn put_folded(&self, session: SessionId, put: impl FnOnce(&Index) -> Result<(), Fault>) {
        self.with_index((), |indexed| {
            put(&indexed.index)?;
            if self.live_head(session).is_err() { indexed.index.forget_folded(session) } else { Ok(()) }
        });
    }

    fn refuse_ahead(&self, session: SessionId, seq: Seq) -> Result<(), LogError> {
        let head = self.live_head(session)?.seq;
        if seq > head { Err(LogError::Conflict { head }) } else { Ok(()) }
    }

    /// Returns the newest snapshot at or before `at`, through forks.
    pub(crate) fn snapshot(
        &self,
        session: SessionId,
        at: Seq,
        fold_version: u32,
    ) -> Result<Option<Snapshot>, LogError> {
        let head = self.live_head(session)?;
        let found = self.with_index(None, |indexed| {
            let mut at = at.min(head.seq);
            while at > Seq::ZERO {
                let holder = holder_of(&head.lineage, session, head.seq, at).session;
                let earlier = head.lineage.partition_point(|ancestor| ancestor.seq < at);
                let after = earlier.checked_sub(1).map_or(Seq::ZERO, |index| head.lineage[index].seq);
                let found = indexed.index.snapshot(holder, (after, at), fold_version)?;
                if found.is_some() {
                    return Ok(found);
                }
                at = after;
            }
            Ok(None)
        });
        Ok(found.map(|found| Snapshot { session, ..found }))
    }

    /// Returns the rows of all sessions that are neither deleted nor known to be damaged.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut rows = self.with_index(Vec::new(), |indexed| indexed.index.rows());
        rows.retain(|row| self.live_head(row.session).is_ok_and(|head| row.seq <= head.seq));
        rows
    }

    /// Asks the index, if there is one and it answers.
    pub(crate) fn with_index<T>(&self, otherwise: T, ask: impl FnOnce(&Indexed) -> Result<T, Fault>) -> T {
        let Some(indexed) = self.indexed.lock().clone() else { return otherwise };
        ask(&indexed).unwrap_or_else(|fault| {
            self.index_failed(&fault.to_string());
            otherwise
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tempfile::TempDir;

    use super::*;
    use crate::contract::Author;
    use crate::{Log, Options, SegmentLog};

    async fn kept(log: &Arc<dyn Log>, session: SessionId) -> Vec<u64> {
        let mut kept = Vec::new();
        let mut at = Seq(u64::MAX);
        while let Some(found) = log.snapshot(session, at, 1).await.unwrap() {
            kept.insert(0, found.seq.0);
            at = Seq(found.seq.0 - 1);
        }
        kept
    }

    async fn log_and_author(folder: &TempDir) -> (Arc<dyn Log>, Author) {
        let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), Options::default()).unwrap());
        let mut author = Author::new(&log).await;
        for _ in 0..6 {
            author.write(&["x"; 500]).await;
        }
        (log, author)
    }

    #[tokio::test]
    async fn snapshots_that_stand_close_are_thinned_out() {
        let folder = TempDir::new().unwrap();
        let (log, author) = log_and_author(&folder).await;
        let session = author.session;
        for seq in (100..3000).step_by(100).map(Seq) {
            log.put_snapshot(Snapshot { session, seq, fold_version: 1, bytes: vec![] }).await.unwrap();
        }
        assert_eq!(kept(&log, session).await, [500, 1000, 1500, 2000, 2500, 2900]);
    }

    #[tokio::test]
    async fn snapshots_of_an_older_fold_make_room() {
        let folder = TempDir::new().unwrap();
        let (log, author) = log_and_author(&folder).await;
        let session = author.session;
        for (seq, fold_version) in [(1000, 1), (2000, 1), (2500, 2)] {
            let seq = Seq(seq);
            log.put_snapshot(Snapshot { session, seq, fold_version, bytes: vec![] }).await.unwrap();
        }
        assert!(kept(&log, session).await.is_empty());
    }

    #[tokio::test]
    async fn a_deleted_session_leaves_nothing_folded_behind() {
        let folder = TempDir::new().unwrap();
        let segments = Arc::new(SegmentLog::open(folder.path(), Options::default()).unwrap());
        let log: Arc<dyn Log> = segments.clone();
        let author = Author::new(&log).await;
        let (session, seq) = (author.session, author.head);
        log.put_snapshot(Snapshot { session, seq, fold_version: 1, bytes: vec![1] }).await.unwrap();
        log.put_row(session, seq, vec![1]).await.unwrap();
        assert_eq!(log.rows().await.unwrap().len(), 1);
        log.delete(session, author.epoch, 2).await.unwrap();
        assert_eq!(log.rows().await.unwrap(), []);
        let id = log.id();
        drop((log, author, segments));
        let index = Index::open(&folder.path().join("index"), id, 0).unwrap();
        assert_eq!(index.db.scan_prefix([ROW]).chain(index.db.scan_prefix([SNAPSHOT])).count(), 0);
    }

    #[tokio::test]
    async fn a_row_that_is_put_while_its_session_is_deleted_goes_too() {
        let folder = TempDir::new().unwrap();
        let segments = Arc::new(SegmentLog::open(folder.path(), Options::default()).unwrap());
        let log: Arc<dyn Log> = segments.clone();
        let Author { session, head: seq, epoch, .. } = Author::new(&log).await;
        log.delete(session, epoch, 2).await.unwrap();
        // As when the session was still there when it was checked.
        segments.shared.put_folded(session, |index| index.put_row(&Row { session, seq, bytes: vec![1] }));
        let indexed = segments.shared.indexed.lock().clone().expect("the index is there from the start");
        assert_eq!(indexed.index.db.scan_prefix([ROW]).count(), 0);
    }
}
