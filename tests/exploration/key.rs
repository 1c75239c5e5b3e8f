//! A world in 128 bits: two worlds with the same key have the same future.
//!
//! Ids, times, positions and texts are left out; references become "the newest", "older" or "another's". Nothing that
//! a decision, a fold or a follower looks at is left out within the bound.

use agent::Next;
use events::{GoalId, GoalPhase, Source};
use goal_driver::Step;
use projections::{CurrentGoal, FlightStage, Input, OpenStep, OpenTurn};

use crate::action::{Choice, open_call};
use crate::world::{Host, World};

/// Numbers side by side in one number.
struct Packed {
    bits: u128,
    used: u32,
}

impl Packed {
    fn push(&mut self, value: u64, width: u32) {
        assert!(value < 1 << width, "{value} does not fit into {width} bits");
        self.used += width;
        assert!(self.used <= 128, "the key is full");
        self.bits = self.bits << width | u128::from(value);
    }

    fn flag(&mut self, flag: bool) {
        self.push(u64::from(flag), 1);
    }
}

/// Returns the key of a world.
pub(crate) fn key(world: &World) -> u128 {
    let mut packed = Packed { bits: 0, used: 0 };
    packed.flag(world.host == Host::Lives);
    packed.flag(world.state.turn.number > 0);
    goal(&mut packed, world);
    plan(&mut packed, world);
    packed.push(world.state.questions.open.len() as u64, 1);
    turn(&mut packed, world);
    inputs(&mut packed, world, &world.state.inbox.next_turn);
    inputs(&mut packed, world, &world.state.inbox.next_step);
    history(&mut packed, world);
    late(&mut packed, world);
    packed.bits
}

fn goal(packed: &mut Packed, world: &World) {
    let Some(current) = &world.state.goals.current else { return packed.push(0, 3) };
    packed.push(
        match current.goal.phase {
            GoalPhase::Active => 1,
            GoalPhase::Paused => 2,
            GoalPhase::Blocked => 3,
            GoalPhase::Complete => 4,
        },
        3,
    );
    packed.flag(current.armed_in == Some(world.state.epoch));
    packed.push(u64::from(current.rounds_started), 2);
    packed.push(u64::from(current.goal.budgets.rounds), 2);
    let Some(flight) = &current.flight else { return packed.push(0, 2) };
    packed.push(
        match flight.stage {
            FlightStage::Queued => 1,
            FlightStage::Claimed => 2,
            FlightStage::Running => 3,
        },
        2,
    );
}

fn plan(packed: &mut Packed, world: &World) {
    let plan = &world.state.plan;
    packed.flag(plan.active);
    packed.flag(plan.pending.is_some());
}

fn turn(packed: &mut Packed, world: &World) {
    let Some(open) = &world.state.turn.open else { return packed.flag(false) };
    packed.flag(true);
    packed.flag(open.epoch == world.state.epoch);
    packed.flag(open.cancelled.is_some());
    packed.push(u64::from(open.steps), 2);
    packed.flag(open.has_person);
    packed.flag(open.hit_output_limit);
    packed.push(open.last.map_or(0, |last| 1 + u64::from(last.had_calls)), 2);
    round(packed, world, open);
    inputs(packed, world, &open.claimed);
    step(packed, world, open.step.as_ref());
}

fn round(packed: &mut Packed, world: &World, open: &OpenTurn) {
    let named = open.round.as_ref().map(|(id, revision, round)| (id, *revision, *round));
    packed.flag(named.is_some());
    packed.push(named.map_or(0, |named| kinship(world, named, |current| current.rounds_started)), 2);
}

/// Says how the round that somebody names relates to the goal: its own, an older revision's, another goal's.
fn kinship(
    world: &World,
    (id, revision, round): (&GoalId, u64, u32),
    expected: impl Fn(&CurrentGoal) -> u32,
) -> u64 {
    match &world.state.goals.current {
        Some(current) if current.goal.id != *id => 1,
        None => 1,
        Some(current) if current.goal.revision != revision => 2,
        Some(current) => 3 * u64::from(expected(current) != round),
    }
}

fn step(packed: &mut Packed, world: &World, step: Option<&OpenStep>) {
    let stage = step
        .map_or(0, |step| 1 + u64::from(!step.stream.content().is_empty()) + 2 * u64::from(step.answered));
    packed.push(stage, 2);
    packed.flag(step.is_some_and(|step| !step.calls.is_empty()));
    let Some((_, choice, is_newest)) = open_call(&world.state) else { return packed.push(0, 4) };
    let name = match choice {
        Choice::Reads => 1,
        Choice::Creates => 2,
        Choice::Pauses => 3,
        Choice::Resumes => 4,
        Choice::Completes => 5,
        Choice::Asks => 7,
        _ => 6,
    };
    packed.push(name, 3);
    packed.flag(is_newest);
}

fn inputs(packed: &mut Packed, world: &World, inputs: &[Input]) {
    packed.push(inputs.len() as u64, 2);
    for input in inputs {
        packed.flag(input.epoch == world.state.epoch);
        packed.flag(input.target == events::Target::NextStep);
        match &input.source {
            Source::User => packed.push(0, 2),
            Source::Notice { .. } => packed.push(1, 2),
            Source::Plan { .. } => unreachable!("no plan is approved here"),
            Source::Goal { goal_id, revision, round } => {
                packed.push(2, 2);
                let due = |current: &CurrentGoal| current.rounds_started + 1;
                packed.push(kinship(world, (goal_id, *revision, *round), due), 2);
            }
        }
    }
}

fn history(packed: &mut Packed, world: &World) {
    let history = &world.history;
    packed.flag(history.armed == Some(world.state.epoch));
    packed.push(u64::from(history.admitted), 2);
    packed.flag(history.planning);
    packed.flag(history.chosen);
    packed.flag(history.stopping);
    let Some(flight) = &history.flight else { return packed.flag(false) };
    packed.flag(true);
    packed.flag(history.carries_round());
    packed.flag(flight.claimed);
    packed.flag(flight.spoilt);
    packed.flag(flight.admitted);
}

fn late(packed: &mut Packed, world: &World) {
    let now = world.agent_due();
    let looks = [Next::Claim, Next::Admit, Next::Ask, Next::Call, Next::EndStep, Next::EndTurn, Next::Settle];
    for look in looks {
        packed.flag(look != now && world.agent_late.contains(&look));
    }
    let wishes = &world.driver_late;
    packed.flag(wishes.iter().any(|wish| matches!(wish, Step::Reserve { .. })));
    packed.flag(wishes.iter().any(|wish| matches!(wish, Step::Block { .. })));
}
