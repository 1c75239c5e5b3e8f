//! What holds of every move, and of every world.

use agent::Next;
use events::{Envelope, GoalChange, SessionEvent, Source, ToolOutcome};
use goal_driver::Step;
use projections::{Activation, Input};

use crate::action::{Action, Wish, due, prompts};
use crate::world::{Host, Outcome, World};

/// Says which rule an action breaks that was refused, or for which nothing had to be recorded.
pub(crate) fn of_no_move(due: Option<Action>, action: Action, refused: bool) -> Result<(), String> {
    if action.is_stale() && !refused {
        return Err("a stale reference is not refused".to_owned());
    }
    let is_stop = matches!(action, Action::Stop { .. });
    if is_stop && !refused && matches!(due, Some(Action::Drive(Wish::Reserve, _))) {
        return Err("a stop does nothing, and a round follows it".to_owned());
    }
    if due == Some(action) {
        return Err("what is due is not done, so the session stands still".to_owned());
    }
    Ok(())
}

/// Says which rule a move breaks.
pub(crate) fn of_move(
    before: &World,
    action: Action,
    (after, recorded): (&World, &[Envelope]),
) -> Result<(), String> {
    if action.is_stale() {
        return Err("a stale reference changes something".to_owned());
    }
    if let Some(sight) = action.sight() {
        let named = before.seen(sight);
        if after.state.goals.current.as_ref().is_some_and(|current| current.goal.reference() == named) {
            return Err("a revision can be won twice".to_owned());
        }
    }
    failed_calls_change_no_goal(recorded)?;
    inputs_of_persons_are_kept(before, after, recorded)?;
    a_stopped_goal_stops_its_round(before, after, recorded)?;
    let is_stop = matches!(action, Action::Stop { .. });
    if is_stop && matches!(after.driver_due(), Step::Reserve { .. }) {
        return Err("a round follows a stop".to_owned());
    }
    if action == Action::Repair {
        nothing_runs_by_itself(after)?;
    }
    of_world(after)
}

fn failed_calls_change_no_goal(recorded: &[Envelope]) -> Result<(), String> {
    let failed = |event: &Envelope| matches!(&event.event, SessionEvent::ToolResult(result) if result.outcome == ToolOutcome::Error);
    let changes = |event: &Envelope| matches!(event.event, SessionEvent::GoalChange(_));
    if recorded.iter().any(failed) && recorded.iter().any(changes) {
        return Err("a call that failed changes the goal".to_owned());
    }
    Ok(())
}

/// Pause and clear stop the round in the same batch.
fn a_stopped_goal_stops_its_round(
    before: &World,
    after: &World,
    recorded: &[Envelope],
) -> Result<(), String> {
    let stops = |event: &Envelope| {
        matches!(&event.event, SessionEvent::GoalChange(GoalChange::Pause(_) | GoalChange::Clear { .. }))
    };
    if recorded.iter().any(stops) && before.history.carries_round() && !after.history.stopping {
        return Err("the goal is stopped, and its round goes on".to_owned());
    }
    Ok(())
}

/// Queued is admitted, withdrawn or waiting.
fn inputs_of_persons_are_kept(before: &World, after: &World, recorded: &[Envelope]) -> Result<(), String> {
    let count = |is: fn(&SessionEvent, &World) -> bool| {
        recorded.iter().filter(|event| is(&event.event, before)).count()
    };
    let queued =
        count(|event, _| matches!(event, SessionEvent::InputQueued(data) if data.source == Source::User));
    let admitted =
        count(|event, _| matches!(event, SessionEvent::UserMessage(data) if data.source == Source::User));
    let withdrawn = count(|event, before| {
        let SessionEvent::InputWithdrawn(data) = event else { return false };
        let claimed = before.state.turn.open.iter().flat_map(|open| &open.claimed);
        let mut waiting = before.state.inbox.iter().chain(claimed);
        waiting.any(|input| input.input_id == data.input_id && input.is_from_person())
    });
    if prompts(&before.state) + queued != prompts(&after.state) + admitted + withdrawn {
        return Err("a person's input is lost".to_owned());
    }
    Ok(())
}

fn nothing_runs_by_itself(after: &World) -> Result<(), String> {
    if after.agent_due() != Next::Wait || !matches!(after.driver_due(), Step::Wait { .. }) {
        return Err("after a crash something goes on by itself".to_owned());
    }
    let waits = after.state.inbox.iter().any(|input| input.is_round());
    let is_asked = !after.state.questions.open.is_empty();
    let looks_alive = after.state.turn.open.is_some() || after.history.flight.is_some();
    if waits || looks_alive && !is_asked {
        return Err("a repair leaves work of the dead host looking alive".to_owned());
    }
    Ok(())
}

/// Says which rule a world breaks.
fn of_world(world: &World) -> Result<(), String> {
    if let Some(damage) = world.state.damage {
        return Err(format!("the log is damaged: {}", damage.code.name()));
    }
    if world.host != Host::Lives {
        return Ok(());
    }
    activation_follows_from_the_log(world)?;
    let comes_first = |input: &Input| input.is_from_person() && input.runs_in(world.state.epoch);
    if world.state.inbox.iter().any(comes_first) && world.state.inbox.iter().any(Input::is_round) {
        return Err("a round waits beside a person's input".to_owned());
    }
    let (agent, driver) = (world.agent_due(), world.driver_due());
    if agent != Next::Wait && !matches!(driver, Step::Wait { .. }) {
        return Err("agent and driver both find something due".to_owned());
    }
    let is_stopped = world.state.turn.open.as_ref().is_some_and(|open| open.cancelled.is_some());
    if is_stopped { a_stopped_turn_ends(world) } else { Ok(()) }
}

fn activation_follows_from_the_log(world: &World) -> Result<(), String> {
    let Some(current) = &world.state.goals.current else { return Ok(()) };
    let is_armed = current.activation(world.host_epoch()) == Activation::Armed;
    if is_armed != (world.history.armed == world.host_epoch()) {
        return Err(format!("the fold says that the goal is armed: {is_armed}; the log says otherwise"));
    }
    if current.flight.is_some() && world.history.flight.is_none() {
        return Err("the fold holds a round in flight that is over".to_owned());
    }
    Ok(())
}

fn a_stopped_turn_ends(world: &World) -> Result<(), String> {
    let Some(settle) = due(world) else { return Err("a stopped turn waits".to_owned()) };
    match world.after(&settle)? {
        Outcome::Moved(after, _) if after.state.turn.open.is_none() => Ok(()),
        _ => Err("a stopped turn does not end".to_owned()),
    }
}
