//! Forks by reference: which session holds which part of a history.

use std::sync::Arc;

use events::{Seq, SessionId};

use crate::ForkPoint;

/// The ancestors that hold a session's first events, oldest first; each up to its `seq`, ascending.
pub(crate) type Lineage = Arc<[ForkPoint]>;

/// Returns the lineage of a session forked from `parent` at `cut`.
pub(crate) fn child_lineage(parent: SessionId, inherited: &[ForkPoint], cut: Seq) -> Lineage {
    let whole = inherited.partition_point(|ancestor| ancestor.seq < cut);
    let holder = inherited.get(whole).map_or(parent, |ancestor| ancestor.session);
    let last = ForkPoint { session: holder, seq: cut };
    inherited[..whole].iter().copied().chain([last]).collect()
}

/// Returns who holds `seq` of `session`, whose head is `head`, and up to where.
pub(crate) fn holder_of(lineage: &[ForkPoint], session: SessionId, head: Seq, seq: Seq) -> ForkPoint {
    let index = lineage.partition_point(|ancestor| ancestor.seq < seq);
    lineage.get(index).copied().unwrap_or(ForkPoint { session, seq: head })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: u128) -> SessionId {
        SessionId(uuid::Uuid::from_u128(number))
    }

    fn point(number: u128, seq: u64) -> ForkPoint {
        ForkPoint { session: session(number), seq: Seq(seq) }
    }

    #[test]
    fn a_fork_of_a_fork_lists_both_ancestors() {
        let child = child_lineage(session(1), &[], Seq(10));
        let grandchild = child_lineage(session(2), &child, Seq(15));
        assert_eq!(*grandchild, [point(1, 10), point(2, 15)]);
    }

    #[test]
    fn a_fork_inside_the_inherited_part_leaves_the_parent_out() {
        let child = child_lineage(session(1), &[], Seq(10));
        assert_eq!(*child_lineage(session(2), &child, Seq(7)), [point(1, 7)]);
        assert_eq!(*child_lineage(session(2), &child, Seq(10)), [point(1, 10)]);
    }

    #[test]
    fn each_seq_has_one_holder() {
        let lineage = [point(1, 10), point(2, 15)];
        let holder = |seq| holder_of(&lineage, session(3), Seq(20), Seq(seq));
        assert_eq!([holder(1), holder(10)], [point(1, 10), point(1, 10)]);
        assert_eq!([holder(11), holder(15)], [point(2, 15), point(2, 15)]);
        assert_eq!([holder(16), holder(20)], [point(3, 20), point(3, 20)]);
    }
}
