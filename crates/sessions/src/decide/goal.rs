//! The goal as a compare-and-set state machine.
//!
//! An amount that a person or a setting names replaces the budget; 0 takes it away, except for rounds, which every goal has.
//! A budget may be set below what is used: the goal is blocked at the next look. Raising one does not resume. The model's
//! tools know rounds alone, and set them only in a turn in which a person speaks.

use events::{
    BlockedReason, Budgets, Goal, GoalAfter, GoalChange, GoalId, GoalPhase, GoalRef, SessionEvent,
    TurnCancelled,
};
use projections::{Activation, CurrentGoal, FlightStage, State};

use super::{Decision, input, session};
use crate::amounts::NUMBER_MAX;
use crate::{BudgetEdit, Code, Moment, Refusal};

/// The budgets that somebody asks for; what is left out stays, or is the configured default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) rounds: Option<u32>,
    pub(super) others: BudgetEdit,
}

impl Wanted {
    pub(super) fn rounds(rounds: Option<u32>) -> Self {
        Self { rounds, others: BudgetEdit::default() }
    }

    fn is_empty(&self) -> bool {
        self.rounds.is_none() && self.others.is_empty()
    }

    /// Returns `before` with what is asked for in its place.
    fn over(&self, before: Budgets, at: &Moment) -> Result<Budgets, Refusal> {
        let rounds = self.rounds.map(|rounds| check_rounds(rounds, at)).transpose()?;
        let BudgetEdit { tokens, time_ms, no_progress } = self.others;
        check_amount("tokens", tokens.unwrap_or(0), NUMBER_MAX)?;
        check_amount("milliseconds", time_ms.unwrap_or(0), NUMBER_MAX)?;
        check_amount(
            "rounds without progress",
            no_progress.unwrap_or(0).into(),
            at.limits.rounds_max.into(),
        )?;
        Ok(Budgets {
            rounds: rounds.unwrap_or(before.rounds),
            tokens: set(before.tokens, tokens),
            time_ms: set(before.time_ms, time_ms),
            no_progress: set(before.no_progress, no_progress),
            cached_input_free: before.cached_input_free,
        })
    }
}

/// 0 takes a budget away.
fn set<T: Default + PartialEq>(before: Option<T>, wanted: Option<T>) -> Option<T> {
    match wanted {
        None => before,
        Some(amount) => (amount != T::default()).then_some(amount),
    }
}

fn check_amount(what: &str, amount: u64, most: u64) -> Result<(), Refusal> {
    if amount <= most {
        return Ok(());
    }
    Refusal::err(Code::GoalInvalidBudget, format!("a budget may have up to {most} {what}, not {amount}"))
}

fn default_budgets(at: &Moment) -> Budgets {
    let limits = &at.limits;
    Budgets {
        rounds: limits.rounds_default,
        tokens: limits.goal_tokens_default,
        time_ms: limits.goal_time_ms_default,
        no_progress: limits.no_progress_default,
        cached_input_free: limits.cached_input_free,
    }
}

/// Creates a goal; the current one has to be complete.
pub(super) fn create(state: &State, objective: &str, wanted: &Wanted, at: &Moment) -> Decision {
    let objective = check_objective(objective, at)?;
    let budgets = wanted.over(default_budgets(at), at)?;
    check_rounds(budgets.rounds, at)?;
    if let Some(current) = &state.goals.current
        && current.goal.phase != GoalPhase::Complete
    {
        let message = format!(
            "this session already has a goal, and it is {}; edit it or clear it first",
            current.goal.phase.name()
        );
        return Refusal::err(Code::GoalAlreadyExists, message);
    }
    let title = session::first_title(state, &objective, at);
    let goal = Goal {
        id: GoalId(format!("goal-{}", at.ids.fresh())),
        revision: 1,
        objective,
        phase: GoalPhase::Active,
        blocked_reason: None,
        budgets,
        evidence: None,
    };
    let after = GoalAfter { goal, rounds_started: 0, created_at: at.at_ms, updated_at: at.at_ms };
    Ok(title.into_iter().chain([GoalChange::Create(after).into()]).collect())
}

fn check_objective(objective: &str, at: &Moment) -> Result<String, Refusal> {
    let objective = objective.trim();
    if objective.is_empty() {
        return Refusal::err(
            Code::GoalInvalidObjective,
            "a goal needs an objective: say what is to be reached",
        );
    }
    if objective.len() > at.limits.objective_bytes_max {
        let message = format!(
            "the objective has {} bytes, {} are allowed; put details in a file and name it",
            objective.len(),
            at.limits.objective_bytes_max
        );
        return Refusal::err(Code::GoalInvalidObjective, message);
    }
    Ok(objective.to_owned())
}

fn check_rounds(rounds: u32, at: &Moment) -> Result<u32, Refusal> {
    if (1..=at.limits.rounds_max).contains(&rounds) {
        return Ok(rounds);
    }
    let message = format!("a goal may have 1 to {} rounds, not {rounds}", at.limits.rounds_max);
    Refusal::err(Code::GoalInvalidMaxRounds, message)
}

/// Returns the current goal, if `seen` is its newest revision.
pub(super) fn current<'a>(state: &'a State, seen: &GoalRef) -> Result<&'a CurrentGoal, Refusal> {
    let Some(current) = &state.goals.current else {
        return Refusal::err(Code::GoalNotFound, "this session has no goal; create one first");
    };
    if current.goal.reference() != *seen {
        let message = format!(
            "the goal changed meanwhile: it is at revision {} and {}; look at it and try again",
            current.goal.revision,
            current.goal.phase.name()
        );
        return Refusal::err(Code::GoalStaleRevision, message);
    }
    Ok(current)
}

fn invalid_transition<T>(current: &CurrentGoal, what: &str) -> Result<T, Refusal> {
    let message = format!("a goal that is {} cannot be {what}", current.goal.phase.name());
    Refusal::err(Code::GoalInvalidTransition, message)
}

/// Returns the goal one revision on, at no earlier time than its last change.
fn after(current: &CurrentGoal, at: &Moment, change: impl FnOnce(&mut Goal)) -> GoalAfter {
    let mut goal = current.goal.clone();
    goal.revision += 1;
    change(&mut goal);
    GoalAfter {
        goal,
        rounds_started: current.rounds_started,
        created_at: current.created_at,
        updated_at: at.at_ms.max(current.updated_at),
    }
}

/// A reservation that nobody claimed does not outlive a change of its goal.
fn outrank(state: &State, change: GoalChange) -> Vec<SessionEvent> {
    let withdrawn = input::withdraw_reservation(state, "the goal changed");
    withdrawn.into_iter().chain([change.into()]).collect()
}

pub(super) fn edit(
    state: &State,
    seen: &GoalRef,
    (objective, wanted): (Option<&str>, &Wanted),
    at: &Moment,
) -> Decision {
    let current = current(state, seen)?;
    if objective.is_none() && wanted.is_empty() {
        return Refusal::err(Code::GoalInvalidEdit, "say what to change: the objective, a budget, or both");
    }
    let objective = objective.map(|text| check_objective(text, at)).transpose()?;
    let budgets = wanted.over(current.goal.budgets, at)?;
    let after = after(current, at, |goal| {
        goal.objective = objective.unwrap_or_else(|| goal.objective.clone());
        goal.budgets = budgets;
    });
    Ok(outrank(state, GoalChange::Edit(after)))
}

/// Pauses the goal and, in the same batch, stops its round.
pub(super) fn pause(state: &State, seen: &GoalRef, at: &Moment) -> Decision {
    let current = current(state, seen)?;
    if current.goal.phase != GoalPhase::Active {
        return invalid_transition(current, "paused");
    }
    let mut events = outrank(state, paused(current, at));
    events.extend(stop_round(state, current, at));
    Ok(events)
}

pub(super) fn paused(current: &CurrentGoal, at: &Moment) -> GoalChange {
    GoalChange::Pause(after(current, at, |goal| goal.phase = GoalPhase::Paused))
}

/// Stops the turn that runs a round of this goal; whatever else waits stays.
pub(super) fn stop_round(state: &State, current: &CurrentGoal, at: &Moment) -> Vec<SessionEvent> {
    let Some(open) = &state.turn.open else { return Vec::new() };
    let flies = current.flight.as_ref().is_some_and(|flight| flight.stage != FlightStage::Queued);
    if !flies || open.cancelled.is_some() {
        return Vec::new();
    }
    let mut events = super::stop::lapse_questions(state);
    let turn = state.turn.number;
    events.push(TurnCancelled { turn, by: at.actor.clone(), keep_inbox: true }.into());
    events
}

/// Takes the goal up again: it is armed in this epoch, and has all its tries to make progress.
pub(super) fn resume(state: &State, seen: &GoalRef, at: &Moment) -> Decision {
    let current = current(state, seen)?;
    if current.goal.phase == GoalPhase::Complete {
        return invalid_transition(current, "resumed");
    }
    if current.activation(Some(at.epoch)) == Activation::Armed {
        return Refusal::err(Code::GoalInvalidTransition, "the goal is going on already");
    }
    if let Some(exhausted) = current.used_up() {
        return Refusal::err(Code::GoalInvalidTransition, exhausted.text());
    }
    let after = after(current, at, |goal| {
        goal.phase = GoalPhase::Active;
        goal.blocked_reason = None;
    });
    Ok(outrank(state, GoalChange::Resume(after)))
}

pub(super) fn complete(state: &State, seen: &GoalRef, evidence: Option<&str>, at: &Moment) -> Decision {
    let current = current(state, seen)?;
    if current.goal.phase == GoalPhase::Complete {
        return invalid_transition(current, "completed again");
    }
    let after = after(current, at, |goal| {
        goal.phase = GoalPhase::Complete;
        goal.blocked_reason = None;
        goal.evidence = evidence.map(str::to_owned);
    });
    Ok(outrank(state, GoalChange::Complete(after)))
}

pub(super) fn block(state: &State, seen: &GoalRef, (code, message): (&str, &str), at: &Moment) -> Decision {
    let current = current(state, seen)?;
    if current.goal.phase != GoalPhase::Active {
        return invalid_transition(current, "blocked");
    }
    let message = message.trim();
    if !is_kebab_case(code) || message.is_empty() {
        let told = "a blocker needs a code such as `missing-access` and a sentence";
        return Refusal::err(Code::GoalInvalidBlockReason, told);
    }
    let reason = BlockedReason { code: code.to_owned(), message: message.to_owned() };
    let after = after(current, at, |goal| {
        goal.phase = GoalPhase::Blocked;
        goal.blocked_reason = Some(reason);
    });
    Ok(outrank(state, GoalChange::Block(after)))
}

fn is_kebab_case(code: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    code.starts_with(|first: char| first.is_ascii_lowercase()) && code.split('-').all(is_part)
}

/// Removes the goal and, in the same batch, stops its round.
pub(super) fn clear(state: &State, seen: &GoalRef, at: &Moment) -> Decision {
    let current = current(state, seen)?;
    let cleared = GoalRef { id: current.goal.id.clone(), revision: current.goal.revision + 1 };
    let cleared_at = at.at_ms.max(current.updated_at);
    let mut events: Vec<SessionEvent> =
        input::withdraw_reservation(state, "the goal changed").into_iter().collect();
    events.extend(stop_round(state, current, at));
    events.push(GoalChange::Clear { cleared, cleared_at }.into());
    Ok(events)
}
