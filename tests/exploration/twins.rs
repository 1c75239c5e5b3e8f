//! Worlds with the same key have the same future: compared move by move, for some of them.

use crate::action::{Action, possible};
use crate::key::key;
use crate::search::Graph;
use crate::world::{Outcome, World};

/// Returns how many worlds were compared with the one that stands for them.
///
/// # Panics
///
/// With the shortest trace to a world whose key leaves out something that matters.
pub(crate) fn check(graph: &Graph) -> usize {
    for (index, twin) in &graph.twins {
        let first = graph.nodes[*index as usize].edges.iter().map(|edge| (edge.action, edge.to)).collect();
        let differing = differences(first, future(graph, twin));
        assert!(
            differing.is_empty(),
            "the key is too coarse, for these differ: {differing:?}\n{}",
            graph.trace(*index, None)
        );
    }
    graph.twins.len()
}

fn future(graph: &Graph, world: &World) -> Vec<(Action, u32)> {
    let to = |action: Action| match world.after(&action) {
        Ok(Outcome::Moved(after, _)) => Some((action, *graph.known.get(&key(&after)).unwrap_or(&u32::MAX))),
        Ok(Outcome::Refused(_) | Outcome::Nothing) | Err(_) => None,
    };
    possible(world).into_iter().filter_map(to).collect()
}

fn differences(left: Vec<(Action, u32)>, right: Vec<(Action, u32)>) -> Vec<(Action, u32)> {
    let lacks = |moves: &[(Action, u32)], one: &(Action, u32)| !moves.contains(one);
    let missing: Vec<_> = left.iter().filter(|one| lacks(&right, one)).copied().collect();
    right.into_iter().filter(|one| lacks(&left, one)).chain(missing).collect()
}
