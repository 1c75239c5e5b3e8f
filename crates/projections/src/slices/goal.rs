//! The goal as clients are shown it.

use events::{BlockedReason, Epoch, GoalId, GoalPhase};
use serde::Serialize;

use crate::{Activation, CurrentGoal, FlightStage, Goals, Judged, State};

/// The goal as shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoalSlice {
    /// The goal.
    pub id: GoalId,
    /// Its revision.
    pub revision: u64,
    /// What is to be reached.
    pub objective: String,
    /// Where it stands.
    pub phase: GoalPhase,
    /// Why it is blocked.
    pub blocked_reason: Option<BlockedReason>,
    /// Rounds that may be admitted.
    pub rounds_max: u32,
    /// Rounds admitted so far.
    pub rounds_started: u32,
    /// The round in flight.
    pub round_in_flight: Option<RoundSlice>,
    /// Whether it may go on by itself.
    pub activation: Activation,
    /// Why no round is about to start.
    pub waiting: Option<String>,
    /// What was checked when it was completed.
    pub evidence: Option<String>,
    /// Whether a budget is used up.
    pub cap_reached: bool,
    /// What it may use up besides rounds, and what it has.
    pub budgets: BudgetsSlice,
    /// Set while it waits for its provider to come back.
    pub back_off: Option<BackOffSlice>,
    /// What the judge said last.
    pub judged: Option<Judged>,
    /// Milliseconds since 1970.
    pub created_at_ms: u64,
    /// Milliseconds since 1970.
    pub updated_at_ms: u64,
}

/// A goal's budgets besides rounds; one that is none is unlimited.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BudgetsSlice {
    /// Tokens that may be used.
    pub tokens_max: Option<u64>,
    /// Tokens used so far, counted as the budget counts them.
    pub tokens_used: u64,
    /// Whether a part of them was guessed, for a provider did not say.
    pub tokens_estimated: bool,
    /// Milliseconds that rounds may take.
    pub time_ms_max: Option<u64>,
    /// Milliseconds that they took; a step that runs is not in it yet.
    pub time_ms_used: u64,
    /// Rounds in a row that may change nothing.
    pub no_progress_max: Option<u32>,
    /// Rounds in a row that changed nothing.
    pub rounds_without_progress: u32,
}

/// A wait for a provider to come back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BackOffSlice {
    /// How many times in a row, from 1.
    pub retry: u32,
    /// No round starts before, in milliseconds since 1970.
    pub until_ms: u64,
    /// The class of the outage.
    pub code: String,
}

/// The round in flight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundSlice {
    /// The round, from 1.
    pub round: u32,
    /// How far it is.
    pub state: FlightStage,
}

impl GoalSlice {
    pub(super) fn of(current: &CurrentGoal, state: &State, host_epoch: Option<Epoch>) -> Self {
        let goal = &current.goal;
        Self {
            id: goal.id.clone(),
            revision: goal.revision,
            objective: goal.objective.clone(),
            phase: goal.phase,
            blocked_reason: goal.blocked_reason.clone(),
            rounds_max: goal.budgets.rounds,
            rounds_started: current.rounds_started,
            round_in_flight: current
                .flight
                .as_ref()
                .map(|flight| RoundSlice { round: flight.round, state: flight.stage }),
            activation: current.activation(host_epoch),
            waiting: Goals::waiting(state, host_epoch).map(|waiting| waiting.text()),
            evidence: goal.evidence.clone(),
            cap_reached: current.used_up().is_some(),
            budgets: BudgetsSlice::of(current),
            back_off: current.back_off.as_ref().map(|back_off| BackOffSlice {
                retry: back_off.retry.retry,
                until_ms: back_off.retry.not_before_ms,
                code: back_off.code.clone(),
            }),
            judged: current.judged.clone(),
            created_at_ms: current.created_at,
            updated_at_ms: current.updated_at,
        }
    }
}

impl BudgetsSlice {
    fn of(current: &CurrentGoal) -> Self {
        let (budgets, spent) = (&current.goal.budgets, &current.spent);
        Self {
            tokens_max: budgets.tokens,
            tokens_used: spent.tokens(budgets),
            tokens_estimated: spent.estimated,
            time_ms_max: budgets.time_ms,
            time_ms_used: spent.time_ms,
            no_progress_max: budgets.no_progress,
            rounds_without_progress: current.progress.rounds_without,
        }
    }
}
