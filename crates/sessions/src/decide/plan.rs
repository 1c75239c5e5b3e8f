//! Plan mode: selecting it, proposing a plan, deciding on it.

use events::{
    Answer, CallId, Digest, PlanId, PlanMode, PlanOrigin, PlanProposed, PlanReviewed, PlanSelected,
    PlanVerdict, QuestionAsked, QuestionId, QuestionIntent, QuestionItem, QuestionOption, SessionEvent,
    ToolClass, ToolStarted,
};
use projections::State;

use super::{Decision, input, question, result_error, result_ok, text_plan};
use crate::text::sha256;
use crate::{Code, Moment, Refusal, ReviewVerdict};

/// The review's one item.
const REVIEW_ITEM: &str = "plan-review";
/// The label that approves.
const APPROVE: &str = "Approve";
/// The label that does not.
const KEEP_PLANNING: &str = "Keep planning";

/// Chooses the mode: at once on an idle session, at the next admitted step of an open turn.
pub(super) fn set(state: &State, active: bool, at: &Moment) -> Vec<SessionEvent> {
    let plan = &state.plan;
    let mut events = if active { Vec::new() } else { lapse_review(state) };
    if active == plan.target() {
        return events;
    }
    if active {
        events.extend(input::withdraw_reservation(state, "plan mode"));
    }
    if state.turn.open.is_some() || active == plan.active {
        events.push(PlanSelected { active, by: at.actor.clone(), narrate: true }.into());
    } else {
        events.push(PlanMode { active }.into());
    }
    events
}

/// A person who leaves plan mode does not leave its review behind.
fn lapse_review(state: &State) -> Vec<SessionEvent> {
    let Some(review) = state.questions.review() else { return Vec::new() };
    let message =
        "the user left plan mode without approving this plan; ask what to do before you change anything";
    withdraw_review(&review.asked, "plan mode was left", (Code::PlanReviewDismissed, message))
}

/// One plan waits for review at a time: the newest.
pub(super) fn supersede_review(state: &State) -> Vec<SessionEvent> {
    let Some(review) = state.questions.review() else { return Vec::new() };
    let message = "a newer plan was put forward before the user decided on this one";
    withdraw_review(&review.asked, "a newer plan", (Code::PlanStale, message))
}

fn withdraw_review(asked: &QuestionAsked, why: &str, (code, message): (Code, &str)) -> Vec<SessionEvent> {
    let mut events = question::withdraw(asked, why, PlanVerdict::Withdrawn);
    events.extend(asked.call_id.as_ref().map(|call_id| result_error(call_id, code.name(), message)));
    events
}

/// Puts a plan forward: `exit_plan_mode`.
pub(super) fn propose(state: &State, call_id: &CallId, markdown: &str, at: &Moment) -> Decision {
    check_plan(state, markdown, at)?;
    let started = ToolStarted { call_id: call_id.clone(), class: ToolClass::Session, sandbox: None };
    let mut events = supersede_review(state);
    events.push(started.into());
    events.extend(put_forward(state, markdown, Some(call_id), at));
    Ok(events)
}

/// Returns the facts that a plan waits for review; a call that brought it waits too.
pub(super) fn put_forward(
    state: &State,
    markdown: &str,
    call_id: Option<&CallId>,
    at: &Moment,
) -> [SessionEvent; 2] {
    let sha256 = sha256(markdown);
    let (plan_id, revision) = next_revision(state, &sha256, at);
    let proposed = PlanProposed {
        plan_id,
        revision,
        title: heading(markdown).unwrap_or_else(|| "Plan".to_owned()),
        markdown: markdown.to_owned(),
        sha256: sha256.clone(),
        from: if call_id.is_some() { PlanOrigin::Tool } else { PlanOrigin::Text },
    };
    let asked = QuestionAsked {
        question_id: QuestionId(at.ids.fresh()),
        revision: 1,
        call_id: call_id.cloned(),
        intent: QuestionIntent::PlanReview { plan_id, revision, sha256 },
        items: vec![review_item()],
        default: None,
        deadline: None,
    };
    [proposed.into(), asked.into()]
}

fn check_plan(state: &State, markdown: &str, at: &Moment) -> Result<(), Refusal> {
    if !state.plan.active {
        return Refusal::err(Code::PlanModeRequired, "exit_plan_mode works in plan mode only");
    }
    if !starts_with_heading(markdown) {
        let message = "give the whole plan as markdown that begins with a `# ` heading";
        return Refusal::err(Code::PlanInvalid, message);
    }
    if markdown.len() > at.limits.plan_bytes_max {
        let message = format!(
            "the plan has {} bytes, {} are allowed; shorten it",
            markdown.len(),
            at.limits.plan_bytes_max
        );
        return Refusal::err(Code::PlanInvalid, message);
    }
    Ok(())
}

/// One `#`, white space, then something: `## x` and `#x` are no title.
fn starts_with_heading(markdown: &str) -> bool {
    let Some(rest) = markdown.trim().strip_prefix('#') else { return false };
    rest.starts_with(char::is_whitespace) && !rest.trim().is_empty()
}

/// Returns the title of a plan that begins with one.
fn heading(markdown: &str) -> Option<String> {
    if !starts_with_heading(markdown) {
        return None;
    }
    let line = markdown.trim().trim_start_matches('#').trim_start().lines().next()?;
    Some(line.trim().to_owned())
}

/// A plan id lasts for one stay in plan mode; the same text again is the same revision.
fn next_revision(state: &State, sha256: &Digest, at: &Moment) -> (PlanId, u32) {
    match &state.plan.proposal {
        Some(proposal) if state.plan.proposed_this_stay => {
            let step = u32::from(proposal.sha256 != *sha256);
            (proposal.plan_id, proposal.revision + step)
        }
        _ => (PlanId(at.ids.fresh()), 1),
    }
}

fn review_item() -> QuestionItem {
    let option = |label: &str, description: &str| QuestionOption {
        label: label.to_owned(),
        description: description.to_owned(),
        recommended: false,
    };
    QuestionItem {
        id: REVIEW_ITEM.to_owned(),
        header: "Plan review".to_owned(),
        question: "Approve this plan and leave plan mode?".to_owned(),
        detail: None,
        options: vec![
            option(APPROVE, "Plan mode ends and the plan is carried out from the next step."),
            option(KEEP_PLANNING, "Plan mode stays on and your comment goes back to the model."),
        ],
        multi_select: false,
    }
}

/// The text that a person decided on.
pub(super) struct Seen<'a> {
    pub(super) plan_id: PlanId,
    pub(super) revision: u32,
    pub(super) sha256: &'a Digest,
}

/// Decides on the plan that waits, if it is the text that the person saw.
pub(super) fn review(
    state: &State,
    seen: &Seen<'_>,
    (verdict, feedback): (ReviewVerdict, Option<&str>),
    at: &Moment,
) -> Decision {
    let asked = open_review(state, seen)?;
    match verdict {
        ReviewVerdict::Approve => approve(state, asked, at),
        ReviewVerdict::KeepPlanning => keep_planning(state, asked, feedback, at),
        ReviewVerdict::Dismiss => question::dismiss(state, asked.question_id, asked.revision),
    }
}

fn open_review<'a>(state: &'a State, seen: &Seen<'_>) -> Result<&'a QuestionAsked, Refusal> {
    let Some(review) = state.questions.review() else {
        return Refusal::err(
            Code::PlanReviewGone,
            "no plan waits for review: it was decided on or withdrawn",
        );
    };
    let QuestionIntent::PlanReview { plan_id, revision, sha256 } = &review.asked.intent else {
        return Refusal::err(Code::PlanReviewGone, "no plan waits for review");
    };
    if (*plan_id, *revision, sha256) != (seen.plan_id, seen.revision, seen.sha256) {
        let message = format!("the plan changed: revision {revision} waits now; read it before you decide");
        return Refusal::err(Code::PlanStale, message);
    }
    Ok(&review.asked)
}

/// A review answered as a question: consent is exactly *Approve* and no text beside it.
pub(super) fn answer_review(
    state: &State,
    asked: &QuestionAsked,
    answers: &[Answer],
    at: &Moment,
) -> Decision {
    let QuestionIntent::PlanReview { plan_id, revision, sha256 } = &asked.intent else {
        return Refusal::err(Code::PlanReviewGone, "no plan waits for review");
    };
    let answer = &answers[0];
    let consents = answer.selected == [APPROVE] && answer.custom.is_none();
    let verdict = if consents { ReviewVerdict::Approve } else { ReviewVerdict::KeepPlanning };
    let seen = Seen { plan_id: *plan_id, revision: *revision, sha256 };
    review(state, &seen, (verdict, answer.custom.as_deref()), at)
}

fn approve(state: &State, asked: &QuestionAsked, at: &Moment) -> Decision {
    let text = "The user approved the plan. Plan mode is off from the next step: carry the plan out now.";
    let mut events = vec![question::answered(asked, vec![choice(APPROVE, None)], at)];
    events.push(reviewed(asked, PlanVerdict::Approved, None));
    events.push(PlanSelected { active: false, by: at.actor.clone(), narrate: false }.into());
    match &asked.call_id {
        Some(call_id) => events.push(result_ok(call_id, text)),
        None => events.extend(text_plan::carry_out(state, at)?),
    }
    Ok(events)
}

fn keep_planning(state: &State, asked: &QuestionAsked, feedback: Option<&str>, at: &Moment) -> Decision {
    let feedback = feedback.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let message = match &feedback {
        Some(text) => format!("the user wants to keep planning and says: {text}"),
        None => "the user wants to keep planning; revise the plan and present it again".to_owned(),
    };
    let answer = match &feedback {
        Some(text) => Answer { id: REVIEW_ITEM.to_owned(), selected: Vec::new(), custom: Some(text.clone()) },
        None => choice(KEEP_PLANNING, None),
    };
    let mut events = vec![question::answered(asked, vec![answer], at)];
    events.push(reviewed(asked, PlanVerdict::KeepPlanning, feedback.clone()));
    match &asked.call_id {
        Some(call_id) => events.push(result_error(call_id, Code::PlanKeepPlanning.name(), &message)),
        None => events.push(text_plan::plan_on(state, feedback.as_deref(), at)?),
    }
    Ok(events)
}

fn choice(label: &str, custom: Option<String>) -> Answer {
    Answer { id: REVIEW_ITEM.to_owned(), selected: vec![label.to_owned()], custom }
}

fn reviewed(asked: &QuestionAsked, verdict: PlanVerdict, feedback: Option<String>) -> SessionEvent {
    let (plan_id, revision) = match &asked.intent {
        QuestionIntent::PlanReview { plan_id, revision, .. } => (*plan_id, *revision),
        QuestionIntent::AskUser | QuestionIntent::Permission => {
            unreachable!("only a review is decided on as a plan")
        }
    };
    PlanReviewed { plan_id, revision, verdict, feedback }.into()
}
