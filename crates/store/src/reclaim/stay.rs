//! What stays, and why: pure, from the heads alone.

use std::collections::{HashMap, HashSet};

use events::{Seq, SessionId};

use crate::heads::Heads;
use crate::record::{Header, Kind};

/// What becomes of a record when its segment is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stays as it is.
    Stays,
    /// It leaves its positions behind, for the event that stands for it now; none when its session is deleted.
    Elided(Option<Seq>),
    /// Nothing of it is needed.
    Goes,
}

impl Fate {
    /// Says whether nobody can read it any more, also where it still stands on disk.
    pub(crate) fn is_unreadable(self) -> bool {
        matches!(self, Self::Elided(None) | Self::Goes)
    }
}

/// What the sessions of a log still need of one another.
pub(crate) struct Stay {
    /// Where sessions that are not deleted were forked from each one, ascending.
    cuts: HashMap<SessionId, Vec<Seq>>,
    deleted: HashSet<SessionId>,
    /// Sessions that are not still, or for ever, on their way in.
    finished: HashSet<SessionId>,
    damaged: HashSet<SessionId>,
}

impl Stay {
    pub(crate) fn of(heads: &Heads, damaged: &[SessionId]) -> Self {
        let mut cuts: HashMap<SessionId, Vec<Seq>> = HashMap::new();
        for point in heads.values().filter(|head| !head.deleted).flat_map(|head| head.lineage.iter()) {
            cuts.entry(point.session).or_default().push(point.seq);
        }
        for cuts in cuts.values_mut() {
            cuts.sort_unstable();
            cuts.dedup();
        }
        let deleted = heads.iter().filter(|(_, head)| head.deleted).map(|(session, _)| *session);
        let finished = heads.iter().filter(|(_, head)| !head.unfinished).map(|(session, _)| *session);
        let damaged = damaged.iter().copied().collect();
        Self { cuts, deleted: deleted.collect(), finished: finished.collect(), damaged }
    }

    /// Says whether a session is whole, so that its pieces can be told from what replaced them.
    pub(crate) fn is_whole(&self, session: SessionId) -> bool {
        !self.damaged.contains(&session)
    }

    /// Says what becomes of a record whose events, all of them, another event replaced.
    pub(crate) fn fate(&self, header: &Header, replaced_by: Option<Seq>) -> Fate {
        let session = header.session;
        if header.kind == Kind::Mark {
            return Fate::Goes;
        }
        let is_on_its_way = header.unfinished && !self.finished.contains(&session);
        if header.kind == Kind::Tombstone || is_on_its_way || self.damaged.contains(&session) {
            return Fate::Stays;
        }
        if self.deleted.contains(&session) && header.first > self.shared_upto(session) {
            return if header.positions() == 0 { Fate::Goes } else { Fate::Elided(None) };
        }
        match replaced_by {
            Some(whole) if !self.is_cut(session, header.first, whole) => Fate::Elided(Some(whole)),
            _ => Fate::Stays,
        }
    }

    /// Returns the last position that a fork shares.
    fn shared_upto(&self, session: SessionId) -> Seq {
        self.cuts.get(&session).and_then(|cuts| cuts.last()).copied().unwrap_or(Seq::ZERO)
    }

    /// Says whether a fork shares the piece at `piece`, and not the event that replaced it.
    fn is_cut(&self, session: SessionId, piece: Seq, whole: Seq) -> bool {
        let Some(cuts) = self.cuts.get(&session) else { return false };
        let next = cuts.partition_point(|cut| *cut < piece);
        cuts.get(next).is_some_and(|cut| *cut < whole)
    }
}

#[cfg(test)]
mod tests {
    use events::Epoch;
    use uuid::Uuid;

    use super::*;
    use crate::ForkPoint;
    use crate::admit::mark;
    use crate::heads::HeadState;
    use crate::record::Elision;

    fn session(number: u128) -> SessionId {
        SessionId(Uuid::from_u128(number))
    }

    fn head(deleted: bool, lineage: &[(u128, u64)]) -> HeadState {
        let point = |(number, seq): &(u128, u64)| ForkPoint { session: session(*number), seq: Seq(*seq) };
        HeadState {
            seq: Seq(100),
            epoch: Epoch(1),
            deleted,
            unfinished: false,
            created_at_ms: 0,
            updated_at_ms: 0,
            operations: 0,
            parent: None,
            lineage: lineage.iter().map(point).collect::<Vec<_>>().into(),
            host: None,
        }
    }

    fn record(kind: Kind, number: u128, (first, count): (u64, u16)) -> Header {
        Header { kind, session: session(number), first: Seq(first), count, ..mark() }
    }

    fn batch(number: u128, seqs: (u64, u16)) -> Header {
        record(Kind::Batch, number, seqs)
    }

    fn stay(heads: Vec<(u128, HeadState)>) -> Stay {
        let heads = heads.into_iter().map(|(number, head)| (session(number), head)).collect();
        Stay::of(&heads, &[session(99)])
    }

    #[test]
    fn a_replaced_piece_goes_unless_a_fork_lacks_the_whole() {
        let stay = stay(vec![(1, head(false, &[])), (2, head(false, &[(1, 20)]))]);
        let whole = |seq| Some(Seq(seq));
        assert_eq!(stay.fate(&batch(1, (10, 2)), None), Fate::Stays);
        assert_eq!(
            stay.fate(&batch(1, (10, 2)), whole(20)),
            Fate::Elided(whole(20)),
            "the fork has the whole"
        );
        assert_eq!(stay.fate(&batch(1, (10, 2)), whole(21)), Fate::Stays);
        assert_eq!(stay.fate(&batch(1, (19, 2)), whole(21)), Fate::Stays);
        assert_eq!(stay.fate(&batch(1, (21, 2)), whole(23)), Fate::Elided(whole(23)), "behind the fork");
    }

    #[test]
    fn of_a_deleted_session_stays_what_forks_share_and_its_tombstone() {
        let stay =
            stay(vec![(1, head(true, &[])), (2, head(false, &[(1, 20)])), (3, head(true, &[(1, 50)]))]);
        assert_eq!(stay.fate(&batch(1, (19, 2)), None), Fate::Stays);
        assert_eq!(stay.fate(&batch(1, (21, 2)), None), Fate::Elided(None));
        assert_eq!(stay.fate(&batch(1, (21, 0)), None), Fate::Goes, "an operation of a deleted session");
        assert_eq!(stay.fate(&record(Kind::Tombstone, 1, (100, 0)), None), Fate::Stays);
        assert_eq!(stay.fate(&record(Kind::Create, 3, (51, 2)), None), Fate::Elided(None));
    }

    #[test]
    fn marks_go_and_damaged_sessions_stay() {
        let stay = stay(vec![(99, head(true, &[]))]);
        assert_eq!(stay.fate(&mark(), None), Fate::Goes);
        assert_eq!(stay.fate(&batch(99, (5, 1)), Some(Seq(9))), Fate::Stays);
    }

    #[test]
    fn of_an_import_something_goes_only_once_it_is_finished() {
        let unfinished = Header { unfinished: true, ..batch(1, (10, 2)) };
        let on_its_way = HeadState { unfinished: true, ..head(false, &[]) };
        for heads in [vec![], vec![(1, on_its_way)]] {
            assert_eq!(stay(heads).fate(&unfinished, Some(Seq(20))), Fate::Stays);
        }
        let finished = stay(vec![(1, head(false, &[]))]);
        assert_eq!(finished.fate(&unfinished, Some(Seq(20))), Fate::Elided(Some(Seq(20))));
    }

    #[test]
    fn what_was_elided_before_is_elided_for_good_once_its_session_is_deleted() {
        let elision = Some(Elision { last: Seq(9), replaced_by: Some(Seq(12)) });
        let elided = Header { elision, ..batch(1, (5, 0)) };
        assert_eq!(stay(vec![(1, head(false, &[]))]).fate(&elided, None), Fate::Stays);
        assert_eq!(stay(vec![(1, head(true, &[]))]).fate(&elided, None), Fate::Elided(None));
    }
}
