//! What clients are shown: one whole value a projection.

use events::{
    Digest, Epoch, InputId, PlanId, PlanOrigin, QuestionId, QuestionIntent, Seq, SessionId, Source, Target,
    Todo, TurnEndReason, plain_text,
};
use serde::Serialize;

use crate::{Damage, Input, OpenQuestion, OpenTurn, Proposal, ProposalState, State, Usage};

mod goal;

pub use goal::{BackOffSlice, BudgetsSlice, GoalSlice, RoundSlice};

/// Bytes of an input's text that its preview keeps.
pub const PREVIEW_BYTES_MAX: usize = 512;

/// Every slice of a session at one position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slices {
    /// Plan mode.
    pub plan: PlanSlice,
    /// The goal, if one stands.
    pub goal: Option<GoalSlice>,
    /// The list, if one stands; empty is not none.
    pub todos: Option<Vec<Todo>>,
    /// The newest turn.
    pub turn: TurnSlice,
    /// What waits to be claimed, the next step's first.
    pub inbox: Vec<InputSlice>,
    /// What waits for a person.
    pub questions: Vec<QuestionSlice>,
    /// What is allowed ahead of time.
    pub permissions: crate::Permissions,
    /// Tokens used so far.
    pub usage: Usage,
    /// The title.
    pub title: Option<String>,
    /// Where the session lives.
    pub session: SessionSlice,
}

/// Plan mode as shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanSlice {
    /// The mode in force.
    pub active: bool,
    /// The selection that waits.
    pub pending: Option<PendingSlice>,
    /// The newest proposal.
    pub proposal: Option<ProposalSlice>,
    /// The plan that was approved last.
    pub approved: Option<ProposalSlice>,
    /// The review that waits.
    pub review: Option<ReviewSlice>,
}

/// A selection that waits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PendingSlice {
    /// The mode that will be in force.
    pub target: bool,
    /// Who chose it.
    pub by: events::ActorKind,
}

/// A proposal; its text is fetched by its hash.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProposalSlice {
    /// The plan.
    pub plan_id: PlanId,
    /// From 1.
    pub revision: u32,
    /// Text of its first heading.
    pub title: String,
    /// SHA-256 of its markdown.
    pub sha256: Digest,
    /// How its review stands.
    pub state: ProposalState,
    /// The event that holds its markdown.
    pub seq: Seq,
    /// How it came.
    pub from: PlanOrigin,
}

/// A review that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewSlice {
    /// The question.
    pub question_id: QuestionId,
    /// Its revision.
    pub question_revision: u32,
    /// The plan.
    pub plan_id: PlanId,
    /// The plan's revision.
    pub revision: u32,
    /// SHA-256 of the text to approve.
    pub sha256: Digest,
}

/// What a turn is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TurnPhase {
    /// No turn is open.
    Idle,
    /// A turn is open.
    Running,
    /// A turn is open and waits for a person.
    Waiting,
}

/// The newest turn as shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnSlice {
    /// Its number; 0 before the first.
    pub number: u32,
    /// What it is doing.
    pub phase: TurnPhase,
    /// Steps started in it.
    pub step: u32,
    /// Whether it is being stopped.
    pub cancelled: bool,
    /// How the newest finished turn ended.
    pub last_end: Option<TurnEndReason>,
    /// Set from a failed attempt to ask the model until the next one answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetrySlice>,
}

/// Another attempt to ask the model, as shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RetrySlice {
    /// The attempt, from 2.
    pub attempt: u32,
    /// The class of the failure before it.
    pub class: String,
    /// It is not made before, in milliseconds since 1970.
    pub until_ms: u64,
    /// Whether another model is asked from here on.
    pub falls_back: bool,
}

/// A waiting input as shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InputSlice {
    /// The input.
    pub input_id: InputId,
    /// Its list.
    pub target: Target,
    /// The first 512 bytes of its text.
    pub preview: String,
    /// `user`, `goal`, `notice` or `plan`.
    pub source: &'static str,
    /// Whether it waits for a person to send it again, for its host is gone.
    pub held: bool,
}

/// An open question as shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionSlice {
    /// The question.
    pub question_id: QuestionId,
    /// An answer names it.
    pub revision: u32,
    /// The call that waits.
    pub call_id: Option<events::CallId>,
    /// `ask-user`, `plan-review` or `permission`.
    pub intent: &'static str,
    /// What is asked.
    pub items: Vec<events::QuestionItem>,
    /// When the default stands, milliseconds since 1970.
    pub deadline_at_ms: Option<u64>,
    /// Whether the host that asked is still there; otherwise the answer carries the turn on.
    pub from_epoch_is_current: bool,
}

/// Where a session lives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionSlice {
    /// Absolute path of its folder.
    pub workspace: String,
    /// The session it was forked from.
    pub parent: Option<ParentSlice>,
    /// Whether it is put away.
    pub archived: bool,
    /// Whether it is deleted.
    pub deleted: bool,
    /// The first fact that cannot have happened.
    pub damage: Option<Damage>,
}

/// Where a fork comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParentSlice {
    /// The parent.
    pub session: SessionId,
    /// The last event shared with it.
    pub fork_seq: Seq,
}

impl Slices {
    /// Returns every slice of `state` as a host in `host_epoch` (or no host) shows it.
    #[must_use]
    pub fn of(state: &State, host_epoch: Option<Epoch>) -> Self {
        Self {
            plan: PlanSlice::of(state),
            goal: state.goals.current.as_ref().map(|goal| GoalSlice::of(goal, state, host_epoch)),
            todos: state.todos.clone(),
            turn: TurnSlice::of(state, host_epoch),
            inbox: state.inbox.iter().map(|input| InputSlice::of(input, host_epoch)).collect(),
            questions: state
                .questions
                .open
                .iter()
                .map(|question| QuestionSlice::of(question, host_epoch))
                .collect(),
            permissions: state.permissions.clone(),
            usage: state.usage,
            title: state.session.title.clone(),
            session: SessionSlice::of(state),
        }
    }

    /// Returns the slices that differ from `before`, by name.
    ///
    /// # Errors
    ///
    /// When a slice cannot be written as JSON; none has such a value.
    pub fn changed_since(
        &self,
        before: &Self,
    ) -> serde_json::Result<serde_json::Map<String, serde_json::Value>> {
        let mut changed = serde_json::Map::new();
        let mut put = |name: &str, differs: bool, value: serde_json::Result<serde_json::Value>| {
            if differs {
                changed.insert(name.to_owned(), value?);
            }
            Ok::<(), serde_json::Error>(())
        };
        put("plan", self.plan != before.plan, serde_json::to_value(&self.plan))?;
        put("goal", self.goal != before.goal, serde_json::to_value(&self.goal))?;
        put("todos", self.todos != before.todos, serde_json::to_value(&self.todos))?;
        put("turn", self.turn != before.turn, serde_json::to_value(&self.turn))?;
        put("inbox", self.inbox != before.inbox, serde_json::to_value(&self.inbox))?;
        put("questions", self.questions != before.questions, serde_json::to_value(&self.questions))?;
        put("permissions", self.permissions != before.permissions, serde_json::to_value(&self.permissions))?;
        put("usage", self.usage != before.usage, serde_json::to_value(self.usage))?;
        put("title", self.title != before.title, serde_json::to_value(&self.title))?;
        put("session", self.session != before.session, serde_json::to_value(&self.session))?;
        Ok(changed)
    }
}

impl PlanSlice {
    fn of(state: &State) -> Self {
        let plan = &state.plan;
        Self {
            active: plan.active,
            pending: plan
                .pending
                .as_ref()
                .map(|pending| PendingSlice { target: pending.active, by: pending.by.kind }),
            proposal: plan.proposal.as_ref().map(ProposalSlice::of),
            approved: plan.approved().map(ProposalSlice::of),
            review: state.questions.review().and_then(ReviewSlice::of),
        }
    }
}

impl ProposalSlice {
    /// Returns a proposal as shown.
    #[must_use]
    pub fn of(proposal: &Proposal) -> Self {
        Self {
            plan_id: proposal.plan_id,
            revision: proposal.revision,
            title: proposal.title.clone(),
            sha256: proposal.sha256.clone(),
            state: proposal.state,
            seq: proposal.seq,
            from: proposal.from,
        }
    }
}

impl ReviewSlice {
    fn of(question: &OpenQuestion) -> Option<Self> {
        let QuestionIntent::PlanReview { plan_id, revision, sha256 } = &question.asked.intent else {
            return None;
        };
        Some(Self {
            question_id: question.asked.question_id,
            question_revision: question.asked.revision,
            plan_id: *plan_id,
            revision: *revision,
            sha256: sha256.clone(),
        })
    }
}

impl TurnSlice {
    /// Returns the newest turn as a host in `host_epoch` (or no host) shows it.
    #[must_use]
    pub fn of(state: &State, host_epoch: Option<Epoch>) -> Self {
        let open = state.turn.open.as_ref();
        // A turn of an older epoch that no question holds is dead: its host is gone.
        let phase = match open {
            None => TurnPhase::Idle,
            Some(_) if state.questions.hold_turn() => TurnPhase::Waiting,
            Some(open) if Some(open.epoch) == host_epoch => TurnPhase::Running,
            Some(_) => TurnPhase::Idle,
        };
        Self {
            number: state.turn.number,
            phase,
            step: open.map_or(0, |open| open.steps),
            cancelled: open.is_some_and(|open| open.cancelled.is_some()),
            last_end: state.turn.last_end.clone(),
            retry: open.filter(|_| phase == TurnPhase::Running).and_then(RetrySlice::of),
        }
    }
}

impl RetrySlice {
    fn of(open: &OpenTurn) -> Option<Self> {
        let step = open.step.as_ref()?;
        let retry = step.retry.as_ref().filter(|_| step.streamed_now().is_empty())?;
        Some(Self {
            attempt: retry.attempt,
            class: retry.class.clone(),
            until_ms: retry.not_before_ms,
            falls_back: open.falls_back,
        })
    }
}

impl InputSlice {
    fn of(input: &Input, host_epoch: Option<Epoch>) -> Self {
        let source = match input.source {
            Source::User => "user",
            Source::Goal { .. } => "goal",
            Source::Notice { .. } => "notice",
            Source::Plan { .. } => "plan",
        };
        Self {
            input_id: input.input_id,
            target: input.target,
            preview: preview(&plain_text(&input.content)),
            source,
            held: Some(input.epoch) != host_epoch,
        }
    }
}

/// Returns the first [`PREVIEW_BYTES_MAX`] bytes of `text`, cut at a character.
#[must_use]
pub fn preview(text: &str) -> String {
    text[..text.floor_char_boundary(PREVIEW_BYTES_MAX)].to_owned()
}

impl QuestionSlice {
    fn of(question: &OpenQuestion, host_epoch: Option<Epoch>) -> Self {
        let asked = &question.asked;
        Self {
            question_id: asked.question_id,
            revision: asked.revision,
            call_id: asked.call_id.clone(),
            intent: match asked.intent {
                QuestionIntent::AskUser => "ask-user",
                QuestionIntent::PlanReview { .. } => "plan-review",
                QuestionIntent::Permission => "permission",
            },
            items: asked.items.clone(),
            deadline_at_ms: asked.deadline,
            from_epoch_is_current: Some(question.epoch) == host_epoch,
        }
    }
}

impl SessionSlice {
    fn of(state: &State) -> Self {
        let record = &state.session;
        Self {
            workspace: record.workspace.clone(),
            parent: record.parent.map(|(session, fork_seq)| ParentSlice { session, fork_seq }),
            archived: record.archived,
            deleted: record.deleted,
            damage: state.damage,
        }
    }
}
