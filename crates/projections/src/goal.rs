//! The current goal, its round in flight, and whether it may go on by itself.

use events::{
    Epoch, Goal, GoalAfter, GoalChange, GoalId, GoalPhase, GoalRef, GoalRound, InputId, TurnEndReason,
};
use serde::{Deserialize, Serialize};

use crate::State;

/// The current goal and the ids of all goals so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Goals {
    /// The goal that stands, in whatever phase; none before the first and after a clear.
    pub current: Option<CurrentGoal>,
    /// Every id ever used: none is used again.
    pub seen: Vec<GoalId>,
}

/// The goal that stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurrentGoal {
    /// The whole goal.
    pub goal: Goal,
    /// Rounds admitted so far.
    pub rounds_started: u32,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// Milliseconds since 1970.
    pub updated_at: u64,
    /// The epoch of the fact that armed it; none once a later fact disarmed it.
    pub armed_in: Option<Epoch>,
    /// What disarmed it, for people.
    pub disarmed_by: Option<String>,
    /// The round in flight.
    pub flight: Option<Flight>,
}

/// A round from its reservation to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flight {
    /// The round, from 1.
    pub round: u32,
    /// The goal's revision at the reservation.
    pub revision: u64,
    /// The input that carries its prompt.
    pub input_id: InputId,
    /// How far it is.
    pub stage: FlightStage,
}

/// How far a round is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlightStage {
    /// Its input waits.
    Queued,
    /// A turn took its input.
    Claimed,
    /// Its message is on the surface: the round counts.
    Running,
}

/// Whether a goal may go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// It may.
    Armed,
    /// A person has to resume it first.
    Disarmed,
}

/// Why no round of the goal is about to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// The goal is paused, blocked or complete.
    Phase(GoalPhase),
    /// It is disarmed; the text says by what.
    Disarmed(String),
    /// Plan mode is on or selected.
    PlanMode,
    /// A round is queued or running.
    RoundInFlight,
    /// Another turn is open.
    TurnOpen,
    /// Input from a person comes first.
    InputFirst,
    /// The session is deleted or its log is damaged.
    Closed,
}

impl Waiting {
    /// Returns the reason in words for a person.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Phase(phase) => format!("the goal is {}", phase.name()),
            Self::Disarmed(by) => format!("disarmed: {by}"),
            Self::PlanMode => "plan mode is on".to_owned(),
            Self::RoundInFlight => "a round is in flight".to_owned(),
            Self::TurnOpen => "another turn is running".to_owned(),
            Self::InputFirst => "your input comes first".to_owned(),
            Self::Closed => "the session takes no more work".to_owned(),
        }
    }
}

impl CurrentGoal {
    /// Returns whether a host in `epoch` may let the goal go on by itself.
    #[must_use]
    pub fn activation(&self, host_epoch: Option<Epoch>) -> Activation {
        if self.goal.phase == GoalPhase::Active && host_epoch.is_some() && self.armed_in == host_epoch {
            Activation::Armed
        } else {
            Activation::Disarmed
        }
    }

    /// Returns whether every budget that is counted here has room for another round.
    #[must_use]
    pub fn has_capacity(&self) -> bool {
        self.rounds_started < self.goal.budgets.rounds
    }

    fn disarm(&mut self, by: &str) {
        if self.armed_in.take().is_some() {
            self.disarmed_by = Some(by.to_owned());
        }
    }
}

impl Goals {
    /// Returns why no round is about to start; none when the next one is due.
    #[must_use]
    pub fn waiting(state: &State, host_epoch: Option<Epoch>) -> Option<Waiting> {
        let current = state.goals.current.as_ref()?;
        if state.damage.is_some() || state.session.deleted {
            return Some(Waiting::Closed);
        }
        if current.goal.phase != GoalPhase::Active {
            return Some(Waiting::Phase(current.goal.phase));
        }
        if current.activation(host_epoch) == Activation::Disarmed {
            let by = current.disarmed_by.clone().unwrap_or_else(|| "the session was taken over".to_owned());
            return Some(Waiting::Disarmed(by));
        }
        if current.flight.is_some() {
            return Some(Waiting::RoundInFlight);
        }
        if state.is_planning() {
            return Some(Waiting::PlanMode);
        }
        if state.turn.open.is_some() {
            return Some(Waiting::TurnOpen);
        }
        let person_waits = |epoch| state.inbox.iter().any(|input| input.wakes && input.runs_in(epoch));
        host_epoch.is_some_and(person_waits).then_some(Waiting::InputFirst)
    }

    /// Returns whether the change follows from the goal before it.
    pub(crate) fn change(&mut self, change: &GoalChange, epoch: Epoch) -> bool {
        let follows = self.follows(change);
        match change {
            GoalChange::Clear { .. } => self.current = None,
            GoalChange::Create(after) => {
                self.seen.push(after.goal.id.clone());
                self.set(after, None, Some(epoch));
            }
            GoalChange::Resume(after) => {
                let flight = self.take_flight();
                self.set(after, flight, Some(epoch));
            }
            GoalChange::Edit(after) => {
                let flight = self.take_flight();
                let (armed_in, by) = self.arming();
                self.set(after, flight, armed_in);
                self.disarmed_by(by);
            }
            GoalChange::Pause(after) | GoalChange::Complete(after) | GoalChange::Block(after) => {
                let flight = self.take_flight();
                self.set(after, flight, None);
            }
        }
        follows
    }

    fn take_flight(&mut self) -> Option<Flight> {
        self.current.as_mut().and_then(|current| current.flight.take())
    }

    fn arming(&self) -> (Option<Epoch>, Option<String>) {
        self.current.as_ref().map_or((None, None), |current| (current.armed_in, current.disarmed_by.clone()))
    }

    fn disarmed_by(&mut self, by: Option<String>) {
        if let Some(current) = &mut self.current {
            current.disarmed_by = by;
        }
    }

    fn set(&mut self, after: &GoalAfter, flight: Option<Flight>, armed_in: Option<Epoch>) {
        self.current = Some(CurrentGoal {
            goal: after.goal.clone(),
            rounds_started: after.rounds_started,
            created_at: after.created_at,
            updated_at: after.updated_at,
            armed_in,
            disarmed_by: None,
            flight,
        });
    }

    fn follows(&self, change: &GoalChange) -> bool {
        let Some(after) = change.after() else { return self.clear_follows(change) };
        let shape = is_well_formed(after);
        let Some(before) = &self.current else {
            return shape && matches!(change, GoalChange::Create(_)) && self.is_fresh(after);
        };
        if let GoalChange::Create(_) = change {
            return shape && before.goal.phase == GoalPhase::Complete && self.is_fresh(after);
        }
        shape && is_next(before, after) && phase_follows(before, change, after)
    }

    fn is_fresh(&self, after: &GoalAfter) -> bool {
        after.goal.revision == 1
            && after.goal.phase == GoalPhase::Active
            && after.rounds_started == 0
            && !self.seen.contains(&after.goal.id)
    }

    fn clear_follows(&self, change: &GoalChange) -> bool {
        let (GoalChange::Clear { cleared, cleared_at }, Some(before)) = (change, &self.current) else {
            return false;
        };
        let expected = GoalRef { id: before.goal.id.clone(), revision: before.goal.revision + 1 };
        *cleared == expected && *cleared_at >= before.updated_at
    }

    /// Returns whether the goal allows this round to be reserved.
    pub(crate) fn reserve(&mut self, data: &GoalRound) -> bool {
        let Some(current) = &mut self.current else { return false };
        let allowed = current.flight.is_none()
            && current.goal.phase == GoalPhase::Active
            && current.goal.id == data.goal_id
            && current.goal.revision == data.revision
            && data.round == current.rounds_started + 1
            && current.has_capacity();
        current.flight = Some(Flight {
            round: data.round,
            revision: data.revision,
            input_id: data.input_id,
            stage: FlightStage::Queued,
        });
        allowed
    }

    pub(crate) fn input_claimed(&mut self, id: InputId) {
        if let Some(flight) = self.flight_of(id) {
            flight.stage = FlightStage::Claimed;
        }
    }

    pub(crate) fn input_gone(&mut self, id: InputId) {
        if self.flight_of(id).is_some() {
            self.take_flight();
        }
    }

    fn flight_of(&mut self, id: InputId) -> Option<&mut Flight> {
        self.current.as_mut()?.flight.as_mut().filter(|flight| flight.input_id == id)
    }

    /// Returns whether the goal allows this round's message.
    pub(crate) fn admit(&mut self, round: (&GoalId, u64, u32)) -> bool {
        let (id, revision, round) = round;
        let Some(current) = &mut self.current else { return false };
        let allowed = current.goal.id == *id
            && current.goal.revision == revision
            && current.goal.phase == GoalPhase::Active
            && round == current.rounds_started + 1
            && current.has_capacity();
        if current.goal.id == *id {
            current.rounds_started = round;
        }
        if let Some(flight) = &mut current.flight {
            flight.stage = FlightStage::Running;
        }
        allowed
    }

    /// Takes note that a turn is being stopped: that disarms, and whoever resumes before it has ended means it.
    pub(crate) fn turn_cancelled(&mut self, runs_round: bool) {
        let Some(current) = &mut self.current else { return };
        current.disarm(if runs_round { "its round was stopped" } else { "a turn was stopped" });
    }

    /// Takes note of a turn's end: the round it ran is over, and trouble disarms.
    pub(crate) fn turn_ended(&mut self, reason: &TurnEndReason, was_cancelled: bool) {
        let Some(current) = &mut self.current else { return };
        if current.flight.as_ref().is_some_and(|flight| flight.stage != FlightStage::Queued) {
            current.flight = None;
        }
        match reason {
            TurnEndReason::Error { code, .. } => {
                current.disarm(&format!("a turn ended in an error ({code})"))
            }
            TurnEndReason::MaxTokens => current.disarm("a turn hit the model's output limit"),
            TurnEndReason::Aborted { .. } if !was_cancelled => current.disarm("a turn was stopped"),
            TurnEndReason::Interrupted => current.disarm("a turn was interrupted"),
            TurnEndReason::Aborted { .. }
            | TurnEndReason::Completed
            | TurnEndReason::Blocked { .. }
            | TurnEndReason::StepLimit => {}
        }
    }
}

fn is_well_formed(after: &GoalAfter) -> bool {
    let goal = &after.goal;
    let is_trimmed = |text: &str| !text.is_empty() && text.trim() == text;
    let reason = goal.blocked_reason.as_ref();
    is_trimmed(&goal.objective)
        && !goal.id.0.is_empty()
        && goal.budgets.rounds >= 1
        && after.updated_at >= after.created_at
        && (goal.phase == GoalPhase::Blocked) == reason.is_some()
        && reason.is_none_or(|reason| is_trimmed(&reason.code) && is_trimmed(&reason.message))
}

fn is_next(before: &CurrentGoal, after: &GoalAfter) -> bool {
    after.goal.id == before.goal.id
        && after.goal.revision == before.goal.revision + 1
        && after.created_at == before.created_at
        && after.updated_at >= before.updated_at
        && after.rounds_started == before.rounds_started
}

fn phase_follows(before: &CurrentGoal, change: &GoalChange, after: &GoalAfter) -> bool {
    use GoalPhase::{Active, Blocked, Complete, Paused};
    let (from, to) = (before.goal.phase, after.goal.phase);
    let same_aim = before.goal.objective == after.goal.objective && before.goal.budgets == after.goal.budgets;
    match change {
        GoalChange::Edit(_) => from == to && before.goal.blocked_reason == after.goal.blocked_reason,
        GoalChange::Pause(_) => same_aim && from == Active && to == Paused,
        GoalChange::Resume(_) => same_aim && from != Complete && to == Active && before.has_capacity(),
        GoalChange::Complete(_) => same_aim && from != Complete && to == Complete,
        GoalChange::Block(_) => same_aim && from == Active && to == Blocked,
        GoalChange::Create(_) | GoalChange::Clear { .. } => false,
    }
}
