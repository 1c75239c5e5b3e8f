//! What a goal is owed comes: followed along the moves that driver and agent make by themselves.

use crate::search::{Given, Graph, Owed};

/// Moves of driver and agent within which a goal gets what it is owed.
const MOVES_MAX: usize = 24;

/// Returns how many worlds owe a goal something, and the longest wait for it, in moves.
///
/// # Panics
///
/// With the shortest trace to a world in which a goal waits for ever.
pub(crate) fn check(graph: &Graph) -> (usize, usize) {
    let (mut owing, mut longest) = (0, 0);
    for (index, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.owed != Owed::Nothing) {
        let index = u32::try_from(index).expect("the bound keeps it small");
        match wait(graph, index, node.owed) {
            Some(moves) => longest = longest.max(moves),
            None => panic!("a goal waits for ever for {:?}\n{}", node.owed, graph.trace(index, None)),
        }
        owing += 1;
    }
    (owing, longest)
}

/// Returns after how many moves the debt is paid, or lapses because the turn that runs ends the goal's run.
fn wait(graph: &Graph, from: u32, owed: Owed) -> Option<usize> {
    let mut at = &graph.nodes[from as usize];
    for moves in 1..=MOVES_MAX {
        let alone = at.alone.as_ref()?;
        let is_paid = match owed {
            Owed::Nothing => true,
            Owed::Progress => alone.gives != Given::Nothing,
            Owed::Round => alone.gives == Given::Round,
            Owed::Limit => alone.gives == Given::Limit,
        };
        at = &graph.nodes[alone.to as usize];
        if is_paid || (owed == Owed::Progress && at.owed == Owed::Nothing) {
            return Some(moves);
        }
    }
    None
}
