//! A plan that the model wrote as a block in its text.
//!
//! Unlike the review of `exit_plan_mode`, whose call waits for the decision, the review of a text plan holds nothing
//! up: its turn ends, the question stays open whatever becomes of that turn, and the decision reaches the model as an
//! input.

use events::{Block, Digest, InputId, InputQueued, PlanMode, QuestionIntent, SessionEvent, Source, Target};
use projections::{Proposal, State};

use super::plan::{put_forward, supersede_review};
use super::{Decision, input};
use crate::text::{plan_approved, plan_kept, plan_too_long, sha256};
use crate::{Answered, Code, Moment, Refusal};

/// The tool whose call goes before a plan in the text beside it.
const EXIT_PLAN_MODE: &str = "exit_plan_mode";
/// What the notice is about that a plan was not put forward.
const PROPOSAL_NOTICE: &str = "plan-proposal";

/// Puts forward the plan in an answer's text, unless the answer calls `exit_plan_mode` or plan mode is being left.
pub(super) fn propose(state: &State, answer: &Answered, at: &Moment) -> Vec<SessionEvent> {
    let Some(markdown) = answer.plan.as_deref().filter(|text| !text.trim().is_empty()) else {
        return Vec::new();
    };
    let is_tool = |block: &Block| matches!(block, Block::ToolCall { name, .. } if name == EXIT_PLAN_MODE);
    if !state.plan.active || !state.plan.target() || answer.content.iter().any(is_tool) {
        return Vec::new();
    }
    if markdown.len() > at.limits.plan_bytes_max {
        return vec![too_long(markdown.len(), at)];
    }
    if is_in_review(state, &sha256(markdown)) {
        return Vec::new();
    }
    let mut events = supersede_review(state);
    events.extend(put_forward(state, markdown, None, at));
    events
}

fn is_in_review(state: &State, text: &Digest) -> bool {
    let intent = state.questions.review().map(|review| &review.asked.intent);
    matches!(intent, Some(QuestionIntent::PlanReview { sha256, .. }) if sha256 == text)
}

/// The model reads of it in its next step, which this makes necessary.
fn too_long(bytes: usize, at: &Moment) -> SessionEvent {
    let bytes_max = at.limits.plan_bytes_max;
    let summary = format!("a plan of {bytes} bytes was not proposed; {bytes_max} are allowed");
    InputQueued {
        input_id: InputId(at.ids.fresh()),
        target: Target::NextStep,
        source: Source::Notice { about: PROPOSAL_NOTICE.to_owned(), summary },
        content: vec![Block::text(plan_too_long(bytes, bytes_max))],
        wakes: false,
    }
    .into()
}

/// Leaves plan mode, at once on an idle session, and has the plan in the model's text carried out.
pub(super) fn carry_out(state: &State, at: &Moment) -> Decision {
    let plan = reviewable(state)?;
    let (plan_id, revision, sha256) = (plan.plan_id, plan.revision, plan.sha256.clone());
    let source = Source::Plan { plan_id, revision, sha256 };
    let queued = input::queue_from(state, source, (&plan_approved(plan), Target::NextTurn), at)?;
    let left = state.turn.open.is_none().then(|| PlanMode { active: false }.into());
    Ok(left.into_iter().chain([queued]).collect())
}

/// Has the model plan on, with what the person says of the plan: in the open turn, if there is one.
pub(super) fn plan_on(state: &State, comment: Option<&str>, at: &Moment) -> Result<SessionEvent, Refusal> {
    let target = if state.turn.open.is_some() { Target::NextStep } else { Target::NextTurn };
    input::queue(state, &plan_kept(reviewable(state)?, comment), target, at)
}

/// Returns the proposal that the open review is about: always the newest.
fn reviewable(state: &State) -> Result<&Proposal, Refusal> {
    let gone = || Refusal::new(Code::PlanReviewGone, "no plan waits for review");
    state.plan.proposal.as_ref().ok_or_else(gone)
}
