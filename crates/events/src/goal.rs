//! Facts about goals and todos.

use serde::{Deserialize, Serialize};

use crate::{GoalId, InputId, Usage};

/// The compare-and-set identity of a goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalRef {
    /// The goal.
    pub id: GoalId,
    /// Its revision, from 1; each change adds one, clear included.
    pub revision: u64,
}

/// The whole of a goal after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// The goal's id, unique within the session's whole log.
    pub id: GoalId,
    /// From 1; each change adds one.
    pub revision: u64,
    /// What is to be reached; trimmed, 1 byte to 8 KiB.
    pub objective: String,
    /// Where the goal stands.
    pub phase: GoalPhase,
    /// Why the goal is blocked; present exactly in phase `blocked`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_reason: Option<BlockedReason>,
    /// What the goal may use up.
    pub budgets: Budgets,
    /// What was checked and its outcome; given with `complete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

impl Goal {
    /// Returns the compare-and-set identity.
    #[must_use]
    pub fn reference(&self) -> GoalRef {
        GoalRef { id: self.id.clone(), revision: self.revision }
    }
}

/// Where a goal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoalPhase {
    /// Rounds may run while it is armed.
    Active,
    /// A person stopped it.
    Paused,
    /// It cannot go on; the reason says why.
    Blocked,
    /// The objective is met.
    Complete,
}

impl GoalPhase {
    /// Returns the phase's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Blocked => "blocked",
            Self::Complete => "complete",
        }
    }
}

/// Why a goal is blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedReason {
    /// Lower kebab-case, e.g. `round-limit`, `model-reported`.
    pub code: String,
    /// One sentence for a person; trimmed, not empty.
    pub message: String,
}

/// What a goal may use up; an absent budget is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budgets {
    /// Rounds that may be admitted, 1 to 10,000.
    pub rounds: u32,
    /// Input and output tokens over all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Milliseconds spent in running goal turns, waiting left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Rounds in a row that may change neither a todo nor a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_progress: Option<u32>,
    /// Whether `tokens` leaves out input that came from the provider's cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached_input_free: bool,
}

impl Budgets {
    /// Returns a budget of rounds alone.
    #[must_use]
    pub fn of_rounds(rounds: u32) -> Self {
        Self { rounds, tokens: None, time_ms: None, no_progress: None, cached_input_free: false }
    }
}

/// A change of the goal: the whole goal after it, or the tombstone that clearing leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "kebab-case")]
pub enum GoalChange {
    /// A goal begins, active, at revision 1.
    Create(GoalAfter),
    /// Objective or budgets changed.
    Edit(GoalAfter),
    /// A person, or a stop, paused it.
    Pause(GoalAfter),
    /// A person took it up again.
    Resume(GoalAfter),
    /// The objective is met.
    Complete(GoalAfter),
    /// It cannot go on.
    Block(GoalAfter),
    /// The goal is gone; its id is never used again.
    Clear {
        /// The cleared goal's id with the revision after its last.
        cleared: GoalRef,
        /// When, in milliseconds since 1970; not before the goal's `updated_at`.
        cleared_at: u64,
    },
}

impl GoalChange {
    /// Returns the whole goal after the change; a clear has none.
    #[must_use]
    pub fn after(&self) -> Option<&GoalAfter> {
        match self {
            Self::Create(after)
            | Self::Edit(after)
            | Self::Pause(after)
            | Self::Resume(after)
            | Self::Complete(after)
            | Self::Block(after) => Some(after),
            Self::Clear { .. } => None,
        }
    }
}

/// A goal as a change leaves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalAfter {
    /// The whole goal.
    pub goal: Goal,
    /// Rounds admitted so far.
    pub rounds_started: u32,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// Milliseconds since 1970; never before the previous change's.
    pub updated_at: u64,
}

/// A round is reserved; written in one batch with its `input/queued`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalRound {
    /// The goal.
    pub goal_id: GoalId,
    /// Its revision at the reservation.
    pub revision: u64,
    /// The round, from 1.
    pub round: u32,
    /// The queued input that carries the round's prompt.
    pub input_id: InputId,
}

/// A judge looked at a claim of completion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalJudged {
    /// The goal.
    pub goal_id: GoalId,
    /// The revision that was judged.
    pub revision: u64,
    /// Whether the completion stands.
    pub verdict: Verdict,
    /// The judge's reason; for `unjudged`, why nobody judged.
    pub reason: String,
    /// What asking the judge used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A judge's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The evidence covers the objective.
    Accepted,
    /// It does not.
    Refused,
    /// The judge could not be asked or gave no verdict, so that the claim stands by itself.
    Unjudged,
}

impl Verdict {
    /// Returns the verdict's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::Unjudged => "unjudged",
        }
    }
}

/// The whole todo list, replacing any earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoWrite {
    /// The items in order; may be empty.
    pub todos: Vec<Todo>,
}

/// One item of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// What is to be done; trimmed, not empty, unique within the list, at most 1 KiB.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
}

/// How far a todo is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
}
