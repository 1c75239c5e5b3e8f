//! Every world that can be reached, breadth first, so that a trace is as short as can be.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;

use events::{Envelope, SessionEvent, Source};
use projections::Activation;

use crate::action::{Action, due, possible};
use crate::key::key;
use crate::rules;
use crate::world::{Host, Outcome, World};

/// Everything that can be reached.
#[derive(Default)]
pub(crate) struct Graph {
    /// The worlds, in the order in which they were found.
    pub(crate) nodes: Vec<Node>,
    /// Moves between worlds.
    pub(crate) moves: usize,
    /// Actions that changed nothing.
    pub(crate) refused: usize,
    pub(crate) known: HashMap<u128, u32>,
    /// Found, and not looked at yet.
    open: VecDeque<(u32, World)>,
    /// Some of the worlds that were taken for another one with the same key.
    pub(crate) twins: Vec<(u32, World)>,
}

/// One in so many worlds that are found again is kept, to be compared with the one found first.
const TWIN_EVERY: usize = 499;

/// A world that can be reached.
pub(crate) struct Node {
    /// What led here first, and from where.
    from: Option<(u32, Action)>,
    /// What a person or a crash makes of it.
    pub(crate) edges: Vec<Edge>,
    /// What the host makes of it by itself.
    pub(crate) alone: Option<Alone>,
    /// What the goal is owed here.
    pub(crate) owed: Owed,
}

/// A move.
pub(crate) struct Edge {
    /// What happens.
    pub(crate) action: Action,
    /// The world it leads to.
    pub(crate) to: u32,
    /// Whether another goal, or another revision, stands there.
    pub(crate) moves_goal: bool,
    /// Whether another turn is the newest there.
    pub(crate) moves_turn: bool,
}

/// A move of the host by itself, with a model that only talks.
pub(crate) struct Alone {
    /// The world it leads to.
    pub(crate) to: u32,
    /// What it means to the goal.
    pub(crate) gives: Given,
}

/// What a move gives to a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// Nothing yet.
    Nothing,
    /// A round starts.
    Round,
    /// The goal is blocked, for its rounds are used.
    Limit,
}

/// What a goal may expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owed {
    /// Nothing: there is none, or somebody has to act first.
    Nothing,
    /// It is armed outside plan mode, but work goes on or input waits.
    Progress,
    /// It is armed, nothing is in its way, and rounds are left: a round.
    Round,
    /// The same with no rounds left: a block.
    Limit,
}

/// A world whose moves are being looked at.
struct Here {
    index: u32,
    world: World,
    /// What the host does next by itself.
    due: Option<Action>,
}

/// Explores everything within the bound.
///
/// # Panics
///
/// With the shortest trace to the first fact that breaks a rule.
pub(crate) fn explore() -> Graph {
    let mut graph = Graph::default();
    graph.find(World::begin(), None);
    while let Some((index, world)) = graph.open.pop_front() {
        let here = Here { index, due: due(&world), world };
        for action in possible(&here.world) {
            graph.take(&here, action);
        }
    }
    graph
}

impl Graph {
    fn find(&mut self, world: World, from: Option<(u32, Action)>) -> u32 {
        let next = u32::try_from(self.nodes.len()).expect("the bound keeps it small");
        let index = *self.known.entry(key(&world)).or_insert(next);
        if index == next {
            self.nodes.push(Node { from, edges: Vec::new(), alone: None, owed: owed(&world) });
            self.open.push_back((index, world));
        } else if self.moves.is_multiple_of(TWIN_EVERY) {
            self.twins.push((index, world));
        }
        index
    }

    fn take(&mut self, here: &Here, action: Action) {
        let outcome = here.world.after(&action).unwrap_or_else(|rule| self.fail(here.index, action, &rule));
        let kept = match &outcome {
            Outcome::Refused(_) => rules::of_no_move(here.due, action, true),
            Outcome::Nothing => rules::of_no_move(here.due, action, false),
            Outcome::Moved(after, recorded) => rules::of_move(&here.world, action, (after, recorded)),
        };
        kept.unwrap_or_else(|rule| self.fail(here.index, action, &rule));
        match outcome {
            Outcome::Refused(_) | Outcome::Nothing => self.refused += 1,
            Outcome::Moved(after, recorded) => self.connect(here, action, (*after, &recorded)),
        }
    }

    fn connect(&mut self, here: &Here, action: Action, (after, recorded): (World, &[Envelope])) {
        self.moves += 1;
        let moves_goal = reference(&here.world) != reference(&after);
        let moves_turn = here.world.state.turn.number != after.state.turn.number;
        let to = self.find(after, Some((here.index, action)));
        let node = &mut self.nodes[here.index as usize];
        if here.due == Some(action) {
            node.alone = Some(Alone { to, gives: given(recorded) });
        }
        node.edges.push(Edge { action, to, moves_goal, moves_turn });
    }

    fn fail(&self, index: u32, action: Action, rule: &str) -> ! {
        panic!("{rule}\n{}", self.trace(index, Some(action)))
    }

    /// Returns the shortest way to a world, and one action more: an action a line, with the events it recorded.
    pub(crate) fn trace(&self, index: u32, last: Option<Action>) -> String {
        let mut actions: Vec<Action> = last.into_iter().collect();
        let mut at = index;
        while let Some((from, action)) = self.nodes[at as usize].from {
            actions.push(action);
            at = from;
        }
        let mut world = World::begin();
        let mut text = String::new();
        for action in actions.into_iter().rev() {
            let outcome = world.after(&action);
            let told = match &outcome {
                Ok(Outcome::Moved(_, recorded)) => recorded.iter().map(told).collect::<Vec<_>>().join(", "),
                Ok(Outcome::Refused(refusal)) => format!("refused: {refusal}"),
                Ok(Outcome::Nothing) => "nothing to record".to_owned(),
                Err(rule) => format!("!! {rule}"),
            };
            writeln!(text, "  {action:?}: {told}").expect("a string takes all");
            if let Ok(Outcome::Moved(after, _)) = outcome {
                world = *after;
            }
        }
        text
    }
}

fn reference(world: &World) -> Option<events::GoalRef> {
    world.state.goals.current.as_ref().map(|current| current.goal.reference())
}

fn told(recorded: &Envelope) -> String {
    match &recorded.event {
        SessionEvent::GoalChange(change) => match change.after() {
            Some(after) => format!("goal/change to {} at {}", after.goal.phase.name(), after.goal.revision),
            None => "goal/change to none".to_owned(),
        },
        SessionEvent::PlanSelected(data) => format!("plan/selected {}", data.active),
        SessionEvent::PlanMode(data) => format!("plan/mode {}", data.active),
        SessionEvent::TurnEnd(data) => format!("turn/end {:?}", data.reason),
        other => other.type_name().to_owned(),
    }
}

fn owed(world: &World) -> Owed {
    let Some(current) = &world.state.goals.current else { return Owed::Nothing };
    let is_armed = world.host == Host::Lives && current.activation(world.host_epoch()) == Activation::Armed;
    if !is_armed || world.state.is_planning() || world.state.questions.hold_turn() {
        return Owed::Nothing;
    }
    let is_idle = world.state.turn.open.is_none() && world.state.inbox.is_empty();
    match (is_idle, current.has_capacity()) {
        (true, true) => Owed::Round,
        (true, false) => Owed::Limit,
        (false, _) => Owed::Progress,
    }
}

fn given(recorded: &[Envelope]) -> Given {
    let starts = |event: &Envelope| matches!(&event.event, SessionEvent::UserMessage(data) if matches!(data.source, Source::Goal { .. }));
    let blocks =
        |event: &Envelope| matches!(event.event, SessionEvent::GoalChange(events::GoalChange::Block(_)));
    if recorded.iter().any(starts) {
        Given::Round
    } else if recorded.iter().any(blocks) {
        Given::Limit
    } else {
        Given::Nothing
    }
}
