//! Two tabs in front of the same session, each acting on what it last saw.

use std::collections::VecDeque;

use crate::action::{Action, Sight};
use crate::search::{Edge, Graph};

/// What a tab last saw, compared with what is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct View {
    /// Whether the goal it saw stands at the same revision.
    goal_is_newest: bool,
    /// Whether the turn it saw is the newest.
    turn_is_newest: bool,
}

/// All views of one tab.
const VIEWS: [View; 4] = [
    View { goal_is_newest: true, turn_is_newest: true },
    View { goal_is_newest: false, turn_is_newest: true },
    View { goal_is_newest: true, turn_is_newest: false },
    View { goal_is_newest: false, turn_is_newest: false },
];

impl View {
    fn index(self) -> usize {
        usize::from(!self.goal_is_newest) + 2 * usize::from(!self.turn_is_newest)
    }

    fn after(self, edge: &Edge) -> Self {
        Self {
            goal_is_newest: self.goal_is_newest && !edge.moves_goal,
            turn_is_newest: self.turn_is_newest && !edge.moves_turn,
        }
    }

    /// Says whether a tab with this view is able to do this.
    fn allows(self, action: Action) -> bool {
        let turn = match action {
            Action::Stop { newest, .. } => newest == self.turn_is_newest,
            _ => true,
        };
        let goal = action.sight().is_none_or(|sight| (sight == Sight::Now) == self.goal_is_newest);
        turn && goal
    }
}

/// What was found with two tabs.
#[derive(Default)]
pub(crate) struct Found {
    /// Worlds, each with what both tabs last saw.
    pub(crate) states: usize,
    /// Moves between them.
    pub(crate) moves: usize,
    /// Moves by which one of two tabs that both hold the newest reference changes the goal.
    pub(crate) races: usize,
}

/// Explores the session again with what each of two tabs last saw.
///
/// # Panics
///
/// When both tabs can win the same revision.
pub(crate) fn explore(graph: &Graph) -> Found {
    let mut found = Found::default();
    // One bit for each pair of views.
    let mut seen = vec![0_u16; graph.nodes.len()];
    let mut open = VecDeque::from([(0_u32, [VIEWS[0]; 2])]);
    seen[0] = 1;
    while let Some((index, views)) = open.pop_front() {
        found.states += 1;
        let mut reach = |to: u32, views: [View; 2]| {
            let bit = 1 << (4 * views[0].index() + views[1].index());
            if seen[to as usize] & bit == 0 {
                seen[to as usize] |= bit;
                open.push_back((to, views));
            }
        };
        for tab in 0..2 {
            let mut refreshed = views;
            refreshed[tab] = VIEWS[0];
            reach(index, refreshed);
        }
        for edge in &graph.nodes[index as usize].edges {
            let tabs = if edge.action.is_a_persons() { 0..2 } else { 0..1 };
            for _ in tabs.filter(|tab| !edge.action.is_a_persons() || views[*tab].allows(edge.action)) {
                let after = views.map(|view| view.after(edge));
                found.races += usize::from(is_won(edge, views, after));
                found.moves += 1;
                reach(edge.to, after);
            }
        }
    }
    found
}

/// Says whether a tab wins a revision that both saw; the other one holds an older reference then.
fn is_won(edge: &Edge, before: [View; 2], after: [View; 2]) -> bool {
    if edge.action.sight().is_none() {
        return false;
    }
    assert!(after.iter().all(|view| !view.goal_is_newest), "two tabs win one revision: {:?}", edge.action);
    before.iter().all(|view| view.goal_is_newest)
}
