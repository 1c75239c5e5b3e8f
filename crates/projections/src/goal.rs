//! The current goal, its round in flight, and whether it may go on by itself.

use events::{
    Epoch, Goal, GoalAfter, GoalChange, GoalId, GoalJudged, GoalPhase, GoalRef, GoalRetry, GoalRound,
    InputId, Todo, TurnEnd, TurnEndReason, Usage, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::OpenTurn;
use crate::budget::{Progress, Spent};

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
    /// What its rounds have used.
    pub spent: Spent,
    /// Whether its rounds change anything.
    pub progress: Progress,
    /// Set while it waits for its provider to come back.
    pub back_off: Option<BackOff>,
    /// What the judge said last.
    pub judged: Option<Judged>,
}

/// A goal waits for its provider to come back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackOff {
    /// How many times in a row, and until when.
    pub retry: GoalRetry,
    /// The class of the outage.
    pub code: String,
}

/// What a judge said of a claim of completion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// Whether the claim stands.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
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

impl CurrentGoal {
    fn created(after: &GoalAfter, epoch: Epoch) -> Self {
        Self {
            goal: after.goal.clone(),
            rounds_started: after.rounds_started,
            created_at: after.created_at,
            updated_at: after.updated_at,
            armed_in: Some(epoch),
            disarmed_by: None,
            flight: None,
            spent: Spent::default(),
            progress: Progress::default(),
            back_off: None,
            judged: None,
        }
    }

    fn changed(&mut self, after: &GoalAfter) {
        self.goal = after.goal.clone();
        self.rounds_started = after.rounds_started;
        self.created_at = after.created_at;
        self.updated_at = after.updated_at;
    }

    fn stand_still(&mut self) {
        (self.armed_in, self.disarmed_by, self.back_off) = (None, None, None);
    }

    fn rearm(&mut self, epoch: Epoch) {
        self.stand_still();
        self.armed_in = Some(epoch);
        self.progress.rounds_without = 0;
    }

    /// Says whether `open` runs a round of this goal, of whatever revision.
    #[must_use]
    pub fn is_run_by(&self, open: &OpenTurn) -> bool {
        open.round.as_ref().is_some_and(|(id, ..)| *id == self.goal.id)
    }

    /// Returns whether a host in `epoch` may let the goal go on by itself.
    #[must_use]
    pub fn activation(&self, host_epoch: Option<Epoch>) -> Activation {
        if self.goal.phase == GoalPhase::Active && host_epoch.is_some() && self.armed_in == host_epoch {
            Activation::Armed
        } else {
            Activation::Disarmed
        }
    }

    /// Returns whether every budget has room for another round.
    #[must_use]
    pub fn has_capacity(&self) -> bool {
        self.exhausted().is_none()
    }

    fn disarm(&mut self, by: &str) {
        self.back_off = None;
        if self.armed_in.take().is_some() {
            self.disarmed_by = Some(by.to_owned());
        }
    }
}

impl Goals {
    /// Returns whether the change follows from the goal before it.
    pub(crate) fn change(&mut self, change: &GoalChange, epoch: Epoch) -> bool {
        let follows = self.follows(change);
        let Some(after) = change.after() else {
            self.current = None;
            return follows;
        };
        if let GoalChange::Create(_) = change {
            self.seen.push(after.goal.id.clone());
            self.current = None;
        }
        let current = self.current.get_or_insert_with(|| CurrentGoal::created(after, epoch));
        current.changed(after);
        match change {
            GoalChange::Create(_) | GoalChange::Edit(_) | GoalChange::Clear { .. } => {}
            GoalChange::Resume(_) => current.rearm(epoch),
            GoalChange::Pause(_) | GoalChange::Complete(_) | GoalChange::Block(_) => current.stand_still(),
        }
        follows
    }

    fn take_flight(&mut self) -> Option<Flight> {
        self.current.as_mut().and_then(|current| current.flight.take())
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
    pub(crate) fn turn_ended(&mut self, data: &TurnEnd, open: Option<&OpenTurn>) {
        let Some(current) = &mut self.current else { return };
        if current.flight.as_ref().is_some_and(|flight| flight.stage != FlightStage::Queued) {
            current.flight = None;
        }
        let was_cancelled = open.is_some_and(|open| open.cancelled.is_some());
        let ran = open.filter(|open| current.is_run_by(open));
        match &data.reason {
            TurnEndReason::Error { code, .. } => current.could_not_ask(code, data.goal_retry),
            TurnEndReason::MaxTokens => current.disarm("a turn hit the model's output limit"),
            TurnEndReason::Aborted { .. } if !was_cancelled => current.disarm("a turn was stopped"),
            TurnEndReason::Interrupted => current.disarm("a turn was interrupted"),
            TurnEndReason::Completed | TurnEndReason::StepLimit => current.worked(data, ran),
            TurnEndReason::Aborted { .. } | TurnEndReason::Blocked { .. } => {}
        }
        current.progress.list_moved = false;
    }

    /// Takes note of what a step, or a judge, used in the turn.
    pub(crate) fn used(&mut self, usage: &Usage, open: Option<&OpenTurn>) {
        if let Some(current) = self.run_by(open) {
            current.spent.add(usage);
        }
    }

    /// Takes note of time that passed in the turn.
    pub(crate) fn passed(&mut self, elapsed_ms: u64, open: Option<&OpenTurn>) {
        if let Some(current) = self.run_by(open) {
            current.spent.time_ms = current.spent.time_ms.saturating_add(elapsed_ms);
        }
    }

    /// Takes note of a list that was written in the turn.
    pub(crate) fn listed(&mut self, todos: &[Todo], open: Option<&OpenTurn>) {
        if let Some(current) = self.run_by(open) {
            current.progress.wrote(todos);
        }
    }

    fn run_by(&mut self, open: Option<&OpenTurn>) -> Option<&mut CurrentGoal> {
        self.current.as_mut().filter(|current| open.is_some_and(|open| current.is_run_by(open)))
    }

    /// Returns whether the judgement is about the goal that stands.
    pub(crate) fn judge(&mut self, data: &GoalJudged) -> bool {
        let Some(current) = &mut self.current else { return false };
        current.judged = Some(Judged { verdict: data.verdict, reason: data.reason.clone() });
        current.goal.id == data.goal_id && current.goal.revision == data.revision
    }
}

impl CurrentGoal {
    fn could_not_ask(&mut self, code: &str, retry: Option<GoalRetry>) {
        match retry {
            Some(retry) => self.back_off = Some(BackOff { retry, code: code.to_owned() }),
            None => self.disarm(&format!("a turn ended in an error ({code})")),
        }
    }

    fn worked(&mut self, data: &TurnEnd, ran: Option<&OpenTurn>) {
        self.back_off = None;
        if let Some(open) = ran {
            let after = (&data.workspace_head, &data.dirty_hash);
            self.progress.round_finished((&open.workspace.head, &open.workspace.dirty_hash) != after);
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
        && goal.budgets.tokens != Some(0)
        && goal.budgets.time_ms != Some(0)
        && goal.budgets.no_progress != Some(0)
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
        GoalChange::Resume(_) => same_aim && from != Complete && to == Active && before.used_up().is_none(),
        GoalChange::Complete(_) => same_aim && from != Complete && to == Complete,
        GoalChange::Block(_) => same_aim && from == Active && to == Blocked,
        GoalChange::Create(_) | GoalChange::Clear { .. } => false,
    }
}
