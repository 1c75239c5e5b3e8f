//! The goal as the model's tools see it: authority comes from the messages of the open turn.

use events::{
    Block, CallId, Envelope, GoalId, GoalJudged, GoalRef, InputId, InputQueued, SessionEvent, Source, Target,
    ToolClass, ToolStarted, Verdict,
};
use projections::{Exhausted, State, fold};
use serde_json::json;

use super::goal::Wanted;
use super::{Decision, goal, result_error, result_ok};
use crate::text::wrap_up;
use crate::{Code, Judgement, Limits, Moment, Refusal, ToolAction, UpdateAction, UpdateGoal};

/// What the request for a closing message is about.
pub(super) const GOAL_NOTICE: &str = "goal";

/// Who speaks through the open turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Authority {
    /// A person's message is part of the turn.
    Person,
    /// The turn runs the current round of the current goal.
    Round,
}

fn authority(state: &State) -> Result<Authority, Refusal> {
    let Some(open) = &state.turn.open else {
        return Refusal::err(Code::GoalToolDriverRequired, "goal tools work in a running turn only");
    };
    if open.has_person {
        return Ok(Authority::Person);
    }
    let runs_current = open.round.as_ref().is_some_and(|(id, revision, round)| {
        state.goals.current.as_ref().is_some_and(|current| {
            (&current.goal.id, current.goal.revision, current.rounds_started) == (id, *revision, *round)
        })
    });
    if runs_current {
        return Ok(Authority::Round);
    }
    let message = "neither a user's message nor the goal's current round is part of this turn";
    Refusal::err(Code::GoalToolAuthorityRequired, message)
}

fn require_person(state: &State, what: &str) -> Result<(), Refusal> {
    if authority(state)? == Authority::Person {
        return Ok(());
    }
    let message = format!("only a user's message in this turn allows to {what} a goal");
    Refusal::err(Code::GoalToolAuthorityRequired, message)
}

/// `get_goal`.
pub(super) fn read(state: &State, call_id: &CallId, at: &Moment) -> Vec<SessionEvent> {
    answered(state, call_id, Vec::new(), at)
}

/// `create_goal`.
pub(super) fn create(
    state: &State,
    call_id: &CallId,
    (objective, rounds): (&str, Option<u32>),
    at: &Moment,
) -> Decision {
    require_person(state, "create")?;
    Ok(answered(state, call_id, goal::create(state, objective, &Wanted::rounds(rounds), at)?, at))
}

/// `update_goal`; `judgement` is what was said of the claim that it makes.
pub(super) fn update(
    state: &State,
    call_id: &CallId,
    (update, judgement): (&UpdateGoal, Option<&Judgement>),
    at: &Moment,
) -> Decision {
    let seen = check_reference(update)?;
    let (changes, wrap) = match update.action {
        UpdateAction::Edit => (edit(state, &seen, update, at)?, None),
        UpdateAction::Pause | UpdateAction::Resume => (switch(state, &seen, update, at)?, None),
        UpdateAction::Complete | UpdateAction::Blocked => conclude(state, &seen, update, at)?,
    };
    let Some(judgement) = judgement_of(state, update, judgement, at)? else {
        return Ok(concluded(state, call_id, (changes, wrap), at));
    };
    let judged = judged(&seen, judgement);
    if judgement.verdict == Verdict::Refused {
        let message = format!("the judge does not see that the objective is met: {}", judgement.reason);
        let result = result_error(call_id, Code::GoalToolCompletionRefused.name(), &message);
        return Ok(vec![started(call_id), judged, result]);
    }
    let changes = std::iter::once(judged).chain(changes).collect();
    Ok(concluded(state, call_id, (changes, wrap), at))
}

/// Returns the judgement that the claim needs: one from a round that the objective is met, where judging is configured.
fn judgement_of<'a>(
    state: &State,
    update: &UpdateGoal,
    judgement: Option<&'a Judgement>,
    at: &Moment,
) -> Result<Option<&'a Judgement>, Refusal> {
    let claims = update.action == UpdateAction::Complete && authority(state)? == Authority::Round;
    if !claims || !at.limits.judge {
        return Ok(None);
    }
    let told = "completion from a round is judged here, and nobody was asked to judge this one; try again";
    judgement.map(Some).ok_or_else(|| Refusal::new(Code::GoalToolNotJudged, told))
}

fn judged(seen: &GoalRef, judgement: &Judgement) -> SessionEvent {
    let reason = &judgement.reason;
    GoalJudged {
        goal_id: seen.id.clone(),
        revision: seen.revision,
        verdict: judgement.verdict,
        reason: reason[..reason.floor_char_boundary(JUDGE_REASON_BYTES_MAX)].to_owned(),
        usage: judgement.usage,
    }
    .into()
}

/// Returns what a judge has to look at before `action` can be decided; none when nobody has to judge it.
#[must_use]
pub fn claim_to_judge<'a>(state: &'a State, action: &'a ToolAction, limits: &Limits) -> Option<Claim<'a>> {
    let ToolAction::UpdateGoal(update) = action else { return None };
    let is_claim = limits.judge && update.action == UpdateAction::Complete;
    let by_round = is_claim && authority(state).ok() == Some(Authority::Round);
    let seen = check_reference(update).ok().filter(|_| by_round)?;
    let current = goal::current(state, &seen).ok()?;
    let evidence = evidence_of(update).filter(|text| text.len() <= limits.evidence_bytes_max)?;
    Some(Claim { objective: &current.goal.objective, evidence, exhausted: current.over_for_request() })
}

/// The most bytes of a judge's reason that are kept.
const JUDGE_REASON_BYTES_MAX: usize = 2 << 10;

/// A claim that an objective is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// What was to be reached.
    pub objective: &'a str,
    /// What was checked and its outcome.
    pub evidence: &'a str,
    /// The budget that leaves no room for asking a judge.
    pub exhausted: Option<Exhausted>,
}

fn concluded(
    state: &State,
    call_id: &CallId,
    (changes, wrap): (Vec<SessionEvent>, Option<SessionEvent>),
    at: &Moment,
) -> Vec<SessionEvent> {
    let mut events = answered(state, call_id, changes, at);
    events.extend(wrap);
    events
}

fn invalid<T>(message: &str) -> Result<T, Refusal> {
    Refusal::err(Code::GoalToolInvalidUpdate, message)
}

fn check_reference(update: &UpdateGoal) -> Result<GoalRef, Refusal> {
    let id = update.goal_id.as_str();
    if id.is_empty() || id.trim() != id || update.revision == 0 {
        return invalid("copy goal_id and revision exactly as get_goal gives them");
    }
    Ok(GoalRef { id: GoalId::from(id), revision: update.revision })
}

fn edit(state: &State, seen: &GoalRef, update: &UpdateGoal, at: &Moment) -> Decision {
    require_person(state, "edit")?;
    if update.blocked_reason.is_some() {
        return invalid("blocked_reason goes with action blocked only");
    }
    goal::edit(state, seen, (update.objective.as_deref(), &Wanted::rounds(update.max_goal_rounds)), at)
}

fn switch(state: &State, seen: &GoalRef, update: &UpdateGoal, at: &Moment) -> Decision {
    let pauses = update.action == UpdateAction::Pause;
    require_person(state, if pauses { "pause" } else { "resume" })?;
    if update.objective.is_some() || update.max_goal_rounds.is_some() || update.blocked_reason.is_some() {
        return invalid("pause and resume take no other fields");
    }
    if pauses { goal::pause(state, seen, at) } else { goal::resume(state, seen, at) }
}

/// Completes or blocks; from a round it asks for a closing message too.
fn conclude(
    state: &State,
    seen: &GoalRef,
    update: &UpdateGoal,
    at: &Moment,
) -> Result<(Vec<SessionEvent>, Option<SessionEvent>), Refusal> {
    let authority = authority(state)?;
    if update.objective.is_some() || update.max_goal_rounds.is_some() {
        return invalid("objective and max_goal_rounds go with action edit only");
    }
    let changes = if update.action == UpdateAction::Complete {
        complete(state, seen, (update, authority), at)?
    } else {
        blocked(state, seen, (update, authority), at)?
    };
    let closes = authority == Authority::Round;
    let reason = update.blocked_reason.as_deref();
    let wrap = state.goals.current.as_ref().filter(|_| closes).map(|current| {
        let text = wrap_up(&current.goal.objective, reason);
        notice(summary(reason.is_some(), &current.goal.objective), text, at)
    });
    Ok((changes, wrap))
}

fn complete(
    state: &State,
    seen: &GoalRef,
    (update, authority): (&UpdateGoal, Authority),
    at: &Moment,
) -> Decision {
    if update.blocked_reason.is_some() {
        return invalid("blocked_reason goes with action blocked only");
    }
    let evidence = evidence_of(update);
    let bytes = evidence.map_or(0, str::len);
    if bytes > at.limits.evidence_bytes_max {
        let message = format!(
            "the evidence has {bytes} bytes, {} are allowed; name files instead of quoting them",
            at.limits.evidence_bytes_max
        );
        return Refusal::err(Code::GoalToolInvalidUpdate, message);
    }
    if evidence.is_none() && authority == Authority::Round {
        let message = "give evidence: what you checked and what came out";
        return Refusal::err(Code::GoalToolEvidenceRequired, message);
    }
    goal::complete(state, seen, evidence, at)
}

fn evidence_of(update: &UpdateGoal) -> Option<&str> {
    update.evidence.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

fn blocked(
    state: &State,
    seen: &GoalRef,
    (update, authority): (&UpdateGoal, Authority),
    at: &Moment,
) -> Decision {
    let reason = update.blocked_reason.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let Some(reason) = reason else { return invalid("action blocked needs a blocked_reason") };
    let started = state.goals.current.as_ref().map_or(0, |current| current.rounds_started);
    let needed = at.limits.blocked_after_rounds;
    if authority == Authority::Round && started < needed {
        let message = format!("a blocker may be reported after {needed} rounds; this is round {started}");
        return Refusal::err(Code::GoalToolBlockThreshold, message);
    }
    goal::block(state, seen, ("model-reported", reason), at)
}

pub(super) fn summary(blocked: bool, objective: &str) -> String {
    let whole = format!("{}: {objective}", if blocked { "blocked" } else { "complete" });
    if whole.chars().count() <= 120 { whole } else { whole.chars().take(119).chain(['…']).collect() }
}

fn notice(summary: String, text: String, at: &Moment) -> SessionEvent {
    InputQueued {
        input_id: InputId(at.ids.fresh()),
        target: Target::NextStep,
        source: Source::Notice { about: GOAL_NOTICE.to_owned(), summary },
        content: vec![Block::text(text)],
        wakes: false,
    }
    .into()
}

/// Starts the call, makes the changes, and answers with the goal as it is after them.
fn answered(state: &State, call_id: &CallId, changes: Vec<SessionEvent>, at: &Moment) -> Vec<SessionEvent> {
    let after = foresee(state, &changes, at);
    let mut events = vec![started(call_id)];
    events.extend(changes);
    events.push(result_ok(call_id, goal_json(&after, at)));
    events
}

fn started(call_id: &CallId) -> SessionEvent {
    ToolStarted { call_id: call_id.clone(), class: ToolClass::Session, sandbox: None }.into()
}

/// Returns the state as it will be once `changes` are recorded.
pub(super) fn foresee(state: &State, changes: &[SessionEvent], at: &Moment) -> State {
    let mut after = state.clone();
    for event in changes {
        let seq = after.head.next();
        let recorded = Envelope {
            seq,
            batch_end: seq,
            epoch: at.epoch,
            at_ms: at.at_ms,
            cause: None,
            actor: at.actor.clone(),
            event: event.clone(),
        };
        fold(&mut after, &recorded);
    }
    after
}

fn goal_json(state: &State, at: &Moment) -> String {
    let Some(current) = &state.goals.current else { return json!({ "goal": null }).to_string() };
    let goal = &current.goal;
    let mut shown = json!({
        "id": goal.id,
        "revision": goal.revision,
        "objective": goal.objective,
        "phase": goal.phase,
        "rounds_started": current.rounds_started,
        "max_goal_rounds": goal.budgets.rounds,
        "tokens_used": current.spent.tokens(&goal.budgets),
        "seconds_used": current.spent.time_ms / 1000,
    });
    if let Some(tokens) = goal.budgets.tokens {
        shown["max_tokens"] = json!(tokens);
    }
    if let Some(time_ms) = goal.budgets.time_ms {
        shown["max_seconds"] = json!(time_ms / 1000);
    }
    if let Some(reason) = &goal.blocked_reason {
        shown["blocked_reason"] = json!(reason);
    }
    json!({ "goal": shown, "activation": current.activation(Some(at.epoch)) }).to_string()
}
