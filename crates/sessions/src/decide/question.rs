//! Questions to a person: asked, answered, put aside.

use std::collections::HashSet;

use events::{
    Answer, CallId, PlanReviewed, PlanVerdict, QuestionAnswered, QuestionAsked, QuestionId, QuestionIntent,
    QuestionItem, QuestionWithdrawn, SessionEvent, ToolClass, ToolStarted,
};
use projections::{OpenQuestion, State};

use super::{Decision, plan, result_error, result_ok};
use crate::{Code, Moment, Refusal};

/// Items a question may have.
const ITEMS_MAX: usize = 3;
/// Options an item may have.
const OPTIONS: std::ops::RangeInclusive<usize> = 2..=4;

/// Seconds that a question with a deadline leaves: time to read it, and no more than a day.
const WITHIN_S: std::ops::RangeInclusive<u64> = 30..=86_400;

/// Starts the call and asks its question; the call's result is written with the answer.
pub(super) fn ask(
    state: &State,
    call_id: &CallId,
    (items, within_s): (&[QuestionItem], Option<u64>),
    at: &Moment,
) -> Decision {
    if !state.is_planning() && !at.limits.questions_in_default_mode {
        let message = "questions are asked in plan mode only; make the assumption that the user would most likely make, \
                       and say it";
        return Refusal::err(Code::QuestionUnavailable, message);
    }
    check_items(items)?;
    let default = within_s.map(|within_s| declared_default(items, within_s)).transpose()?;
    let asked = QuestionAsked {
        question_id: QuestionId(at.ids.fresh()),
        revision: 1,
        call_id: Some(call_id.clone()),
        intent: QuestionIntent::AskUser,
        items: items.to_vec(),
        default,
        deadline: within_s.map(|within_s| at.at_ms.saturating_add(within_s * 1000)),
    };
    let started = ToolStarted { call_id: call_id.clone(), class: ToolClass::Ask, sandbox: None };
    Ok(vec![started.into(), asked.into()])
}

/// Returns the answers that stand when nobody gives any: what the asker recommends.
fn declared_default(items: &[QuestionItem], within_s: u64) -> Result<Vec<Answer>, Refusal> {
    if !WITHIN_S.contains(&within_s) {
        let message = format!("a question waits {} to {} seconds", WITHIN_S.start(), WITHIN_S.end());
        return Refusal::err(Code::QuestionInvalid, message);
    }
    let recommended = |item: &QuestionItem| {
        let options = item.options.iter().filter(|option| option.recommended);
        let selected = options.map(|option| option.label.clone()).collect();
        Answer { id: item.id.clone(), selected, custom: None }
    };
    let default: Vec<Answer> = items.iter().map(recommended).collect();
    check_answers(items, &default).map_err(|_| {
        let message = "with a time limit each question recommends the option that stands when nobody answers";
        Refusal::new(Code::QuestionInvalid, message)
    })?;
    Ok(default)
}

fn check_items(items: &[QuestionItem]) -> Result<(), Refusal> {
    let invalid = |message: String| Refusal::err(Code::QuestionInvalid, message);
    if items.is_empty() || items.len() > ITEMS_MAX {
        return invalid(format!("ask 1 to {ITEMS_MAX} questions at once, not {}", items.len()));
    }
    if !all_distinct(items.iter().map(|item| item.id.as_str())) {
        return invalid("each question needs an id of its own".to_owned());
    }
    for item in items {
        if item.id.trim().is_empty() || item.question.trim().is_empty() {
            return invalid("each question needs an id and a text".to_owned());
        }
        if !OPTIONS.contains(&item.options.len()) {
            return invalid(format!("question {} has {} options; give 2 to 4", item.id, item.options.len()));
        }
        let labels = item.options.iter().map(|option| option.label.as_str());
        if item.options.iter().any(|option| option.label.trim().is_empty()) || !all_distinct(labels) {
            return invalid(format!("the options of question {} need distinct labels", item.id));
        }
    }
    Ok(())
}

fn all_distinct<'a>(mut texts: impl Iterator<Item = &'a str>) -> bool {
    let mut seen = HashSet::new();
    texts.all(|text| seen.insert(text))
}

/// Returns the open question, if the person saw its newest revision.
pub(super) fn open(state: &State, id: QuestionId, revision: u32) -> Result<&OpenQuestion, Refusal> {
    let Some(question) = state.questions.find(id) else {
        return Refusal::err(
            Code::QuestionGone,
            "this question is no longer open: it was answered or withdrawn",
        );
    };
    if question.asked.revision != revision {
        return Refusal::err(Code::QuestionStale, "this question was asked anew; answer what it says now");
    }
    Ok(question)
}

pub(super) fn answer(
    state: &State,
    (id, revision): (QuestionId, u32),
    answers: &[Answer],
    at: &Moment,
) -> Decision {
    let asked = &open(state, id, revision)?.asked;
    check_answers(&asked.items, answers)?;
    if let QuestionIntent::PlanReview { .. } = asked.intent {
        return plan::answer_review(state, asked, answers, at);
    }
    let mut events = vec![answered(asked, answers.to_vec(), at)];
    if let Some(call_id) = &asked.call_id {
        events.push(result_ok(call_id, answers_text("user", answers)));
    }
    Ok(events)
}

/// Lets the declared default stand. Only the host that asked does so: after a restart the question waits for a person,
/// however long ago its time ended.
pub(super) fn expire(state: &State, (id, revision): (QuestionId, u32), at: &Moment) -> Decision {
    let question = open(state, id, revision)?;
    let is_due = question.runs_out_at(Some(at.epoch)).is_some_and(|deadline| at.at_ms >= deadline);
    let (true, Some(default)) = (is_due, &question.asked.default) else {
        return Refusal::err(Code::QuestionNotDue, "the time of this question is not over");
    };
    let mut events = vec![answered(&question.asked, default.clone(), at)];
    let call_id = question.asked.call_id.iter();
    events.extend(call_id.map(|call_id| result_ok(call_id, answers_text("default-after-timeout", default))));
    Ok(events)
}

pub(super) fn answered(asked: &QuestionAsked, answers: Vec<Answer>, at: &Moment) -> SessionEvent {
    let by = at.actor.clone();
    QuestionAnswered { question_id: asked.question_id, revision: asked.revision, answers, by }.into()
}

/// What the model reads: the answers as JSON, and who gave them.
fn answers_text(by: &str, answers: &[Answer]) -> String {
    serde_json::json!({ "answered_by": by, "answers": answers }).to_string()
}

fn check_answers(items: &[QuestionItem], answers: &[Answer]) -> Result<(), Refusal> {
    let invalid = |message: String| Refusal::err(Code::AnswerInvalid, message);
    if items.len() != answers.len() || items.iter().zip(answers).any(|(item, answer)| item.id != answer.id) {
        return invalid("give one answer for each question, in order".to_owned());
    }
    for (item, answer) in items.iter().zip(answers) {
        let is_offered = |label: &String| item.options.iter().any(|option| option.label == *label);
        let has_text = answer.custom.is_some();
        if !answer.selected.iter().all(is_offered)
            || !all_distinct(answer.selected.iter().map(String::as_str))
        {
            return invalid(format!("question {} offers no such option, or one was chosen twice", item.id));
        }
        if answer.custom.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return invalid(format!("the text for question {} is blank", item.id));
        }
        if !item.multi_select && answer.selected.len() + usize::from(has_text) > 1 {
            return invalid(format!("question {} takes one option, or a text of your own", item.id));
        }
        if answer.selected.is_empty() && !has_text {
            return invalid(format!("question {} has no answer", item.id));
        }
    }
    Ok(())
}

pub(super) fn dismiss(state: &State, id: QuestionId, revision: u32) -> Decision {
    Ok(set_aside(&open(state, id, revision)?.asked))
}

/// Puts every open question aside, for the person says something else.
pub(super) fn set_aside_for_text(state: &State) -> Vec<SessionEvent> {
    state.questions.open.iter().flat_map(|question| set_aside(&question.asked)).collect()
}

fn set_aside(asked: &QuestionAsked) -> Vec<SessionEvent> {
    let (code, message) = match asked.intent {
        QuestionIntent::PlanReview { .. } => (
            Code::PlanReviewDismissed,
            "the user put the review aside to speak; plan mode stays on, stop here and wait for their message",
        ),
        QuestionIntent::AskUser | QuestionIntent::Permission => (
            Code::AskCancelled,
            "the user put the question aside; stop here and wait for their message unless it is already there",
        ),
    };
    let mut events = withdraw(asked, "dismissed", PlanVerdict::Dismissed);
    events.extend(asked.call_id.iter().map(|call_id| result_error(call_id, code.name(), message)));
    events
}

/// Withdraws every question that a call waits for. One without a call outlives the turn that asked it.
pub(super) fn lapse(state: &State, why: &str) -> Vec<SessionEvent> {
    let open = state.questions.open.iter().map(|question| &question.asked);
    let held = open.filter(|asked| asked.call_id.is_some());
    held.flat_map(|asked| withdraw(asked, why, PlanVerdict::Withdrawn)).collect()
}

/// Returns the facts that a question is gone without an answer; its call's result is not among them.
pub(super) fn withdraw(asked: &QuestionAsked, why: &str, verdict: PlanVerdict) -> Vec<SessionEvent> {
    let gone = QuestionWithdrawn { question_id: asked.question_id, why: why.to_owned() };
    let mut events = vec![gone.into()];
    if let QuestionIntent::PlanReview { plan_id, revision, .. } = &asked.intent {
        events.push(PlanReviewed { plan_id: *plan_id, revision: *revision, verdict, feedback: None }.into());
    }
    events
}
