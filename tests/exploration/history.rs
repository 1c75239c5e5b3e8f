//! What the log said, event by event, and the rules that every further event keeps.
//!
//! Kept apart from the folds on purpose: a fold that is wrong is found out here.

use events::{
    ActorKind, Envelope, Epoch, GoalChange, GoalId, GoalRound, InputClaimed, InputId, SessionEvent, Source,
    TurnEndReason, UserMessage,
};
use projections::{Input, State};

/// What past events allow from here on.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// The round in flight.
    pub(crate) flight: Option<Flight>,
    /// The epoch in which the goal was armed, unless something disarmed it since.
    pub(crate) armed: Option<Epoch>,
    /// Rounds of the goal that were admitted.
    pub(crate) admitted: u32,
    /// The mode in force.
    pub(crate) planning: bool,
    /// Whether plan mode is selected.
    pub(crate) chosen: bool,
    /// Whether the open turn is being stopped.
    pub(crate) stopping: bool,
    goal: Option<GoalId>,
}

/// A round from its reservation to the end of its turn, or until it is withdrawn.
#[derive(Debug, Clone)]
pub(crate) struct Flight {
    /// The goal.
    goal_id: GoalId,
    /// The input that carries it.
    pub(crate) input_id: InputId,
    /// Whether a turn took it.
    pub(crate) claimed: bool,
    /// Whether anything was recorded since that forbids to admit it.
    pub(crate) spoilt: bool,
    /// Whether it was admitted.
    pub(crate) admitted: bool,
}

impl History {
    /// Takes note of an event; `before` is the state in front of it. An error says which rule it breaks.
    pub(crate) fn watch(&mut self, recorded: &Envelope, before: &State) -> Result<(), String> {
        match &recorded.event {
            SessionEvent::GoalChange(change) => {
                self.goal_changed(change, recorded.epoch);
                return may_change(change, recorded, before);
            }
            SessionEvent::GoalRound(data) => return self.reserved(data, recorded.epoch),
            SessionEvent::UserMessage(data) => return self.message(data, recorded.epoch, before),
            SessionEvent::InputClaimed(data) => return self.claimed(data, recorded.epoch, before),
            SessionEvent::InputWithdrawn(data) => return self.withdrawn(data.input_id, recorded, before),
            SessionEvent::InputReturned(data) => {
                let returned =
                    self.flight.as_ref().is_some_and(|flight| data.input_ids.contains(&flight.input_id));
                return refuse(returned, "a round goes back into the queue");
            }
            SessionEvent::PlanSelected(data) => {
                self.chosen = data.active && !self.planning;
                // A selection that is taken back before a claimed round is admitted has changed nothing.
                self.spoil(data.active && self.flight.as_ref().is_some_and(|flight| !flight.claimed));
            }
            SessionEvent::PlanMode(data) => {
                (self.planning, self.chosen) = (data.active, false);
                self.spoil(data.active);
            }
            SessionEvent::TurnStart(_) => self.stopping = false,
            SessionEvent::TurnCancelled(_) => {
                (self.armed, self.stopping) = (None, true);
                self.spoil(true);
            }
            SessionEvent::TurnEnd(data) => self.turn_ended(&data.reason),
            SessionEvent::StepStart(_) => {
                return refuse(self.stopping, "a step starts in a turn that is being stopped");
            }
            SessionEvent::ToolStarted(_) => {
                return refuse(self.stopping, "a tool starts in a turn that is being stopped");
            }
            _ => {}
        }
        Ok(())
    }

    /// Says whether a turn carries a round of the goal that stands.
    pub(crate) fn carries_round(&self) -> bool {
        let is_carried = |flight: &Flight| flight.claimed && self.goal.as_ref() == Some(&flight.goal_id);
        self.flight.as_ref().is_some_and(is_carried)
    }

    fn spoil(&mut self, does: bool) {
        if let Some(flight) = &mut self.flight {
            flight.spoilt |= does;
        }
    }

    fn goal_changed(&mut self, change: &GoalChange, epoch: Epoch) {
        self.spoil(true);
        match change {
            GoalChange::Create(after) => {
                self.goal = Some(after.goal.id.clone());
                (self.armed, self.admitted) = (Some(epoch), 0);
            }
            GoalChange::Resume(_) => self.armed = Some(epoch),
            GoalChange::Edit(_) => {}
            GoalChange::Pause(_) | GoalChange::Complete(_) | GoalChange::Block(_) => self.armed = None,
            GoalChange::Clear { .. } => (self.goal, self.armed, self.admitted) = (None, None, 0),
        }
    }

    fn turn_ended(&mut self, reason: &TurnEndReason) {
        self.stopping = false;
        self.flight.take_if(|flight| flight.admitted);
        match reason {
            TurnEndReason::Error { .. } | TurnEndReason::MaxTokens | TurnEndReason::Interrupted => {
                self.armed = None;
            }
            TurnEndReason::Aborted { .. }
            | TurnEndReason::Completed
            | TurnEndReason::Blocked { .. }
            | TurnEndReason::StepLimit => {}
        }
    }

    fn forbids_rounds(&self, epoch: Epoch) -> Option<&'static str> {
        if self.armed != Some(epoch) {
            return Some("the goal was stopped and not taken up again in this epoch");
        }
        (self.planning || self.chosen).then_some("plan mode is on or selected")
    }

    fn reserved(&mut self, data: &GoalRound, epoch: Epoch) -> Result<(), String> {
        refuse(self.flight.is_some(), "a second round is in flight")?;
        if let Some(why) = self.forbids_rounds(epoch) {
            return Err(format!("a round is reserved, yet {why}"));
        }
        self.flight = Some(Flight {
            goal_id: data.goal_id.clone(),
            input_id: data.input_id,
            claimed: false,
            spoilt: false,
            admitted: false,
        });
        Ok(())
    }

    fn message(&mut self, data: &UserMessage, epoch: Epoch, before: &State) -> Result<(), String> {
        let Source::Goal { goal_id, round, .. } = &data.source else { return Ok(()) };
        if let Some(why) = self.forbids_rounds(epoch) {
            return Err(format!("a round is admitted, yet {why}"));
        }
        refuse(self.goal.as_ref() != Some(goal_id), "a round of another goal is admitted")?;
        self.admitted += 1;
        refuse(*round != self.admitted, "rounds are not admitted one after the other")?;
        let cap = before.goals.current.as_ref().map_or(0, |current| current.goal.budgets.rounds);
        refuse(self.admitted > cap, "more rounds are admitted than the goal may use")?;
        match &mut self.flight {
            Some(flight) if Some(flight.input_id) == data.input_id => {
                flight.admitted = true;
                refuse(flight.spoilt, "a round is admitted that something outranked since it was reserved")
            }
            _ => Err("a round is admitted that is not the one in flight".to_owned()),
        }
    }

    /// An input of an epoch that is over runs only when a person sends it again.
    fn claimed(&mut self, data: &InputClaimed, epoch: Epoch, before: &State) -> Result<(), String> {
        if let Some(flight) = &mut self.flight {
            flight.claimed |= data.input_ids.contains(&flight.input_id);
        }
        let has_round = data.input_ids.iter().any(|id| before.inbox.find(*id).is_some_and(Input::is_round));
        refuse(has_round && data.input_ids.len() > 1, "a round is claimed together with other inputs")?;
        let is_held = |id: &InputId| before.inbox.find(*id).is_none_or(|input| input.epoch != epoch);
        refuse(data.input_ids.iter().any(is_held), "an input of an earlier epoch is claimed unasked")
    }

    fn withdrawn(&mut self, id: InputId, recorded: &Envelope, before: &State) -> Result<(), String> {
        self.flight.take_if(|flight| flight.input_id == id && !flight.admitted);
        let is_a_persons = before.inbox.find(id).is_none_or(|input| input.is_from_person());
        let claimed =
            before.turn.open.iter().flat_map(|open| &open.claimed).find(|input| input.input_id == id);
        let is_a_persons = claimed.map_or(is_a_persons, |input| input.is_from_person());
        refuse(
            is_a_persons && recorded.actor.kind != ActorKind::User,
            "a person's input is withdrawn by nobody",
        )
    }
}

/// A model ends a goal's run by itself; for anything else a person has to speak in the turn.
fn may_change(change: &GoalChange, recorded: &Envelope, before: &State) -> Result<(), String> {
    let ends = matches!(change, GoalChange::Complete(_) | GoalChange::Block(_));
    let has_person = before.turn.open.as_ref().is_some_and(|open| open.has_person);
    let unasked = recorded.actor.kind == ActorKind::Model && !ends && !has_person;
    refuse(unasked, "a model changes a goal unasked")
}

fn refuse(breaks: bool, rule: &str) -> Result<(), String> {
    if breaks { Err(rule.to_owned()) } else { Ok(()) }
}
