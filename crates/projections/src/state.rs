//! The whole folded state of a session.

use std::collections::BTreeMap;

use events::{Epoch, Seq, Todo};
use serde::{Deserialize, Serialize};

use crate::{
    ChosenModel, Goals, Inbox, Permissions, Plan, Questions, Requests, SessionRecord, Surface, Turn, Usage,
};

/// Everything that is true of a session at [`State::head`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Position of the last folded event.
    pub head: Seq,
    /// Time of the last folded event that is no streamed piece, milliseconds since 1970.
    pub at_ms: u64,
    /// The newest ownership.
    pub epoch: Epoch,
    /// Where the session lives and what it is called.
    pub session: SessionRecord,
    /// Plan mode, the selection that waits, and the newest proposal.
    pub plan: Plan,
    /// The current goal and the ids of all goals before it.
    pub goals: Goals,
    /// The standing list; none before the first and after a new turn's start.
    pub todos: Option<Vec<Todo>>,
    /// The newest turn.
    pub turn: Turn,
    /// What waits to be claimed.
    pub inbox: Inbox,
    /// What waits for a person.
    pub questions: Questions,
    /// What is allowed ahead of time.
    pub permissions: Permissions,
    /// What requests were made with.
    pub requests: Requests,
    /// The models that a person chose, by role.
    #[serde(default)]
    pub models: BTreeMap<String, ChosenModel>,
    /// Tokens used so far.
    pub usage: Usage,
    /// What the model sees, as ranges of the log.
    pub surface: Surface,
    /// The first fact that cannot have happened.
    pub damage: Option<Damage>,
}

impl State {
    /// Notes an impossible fact, unless one is noted already.
    pub(crate) fn note(&mut self, seq: Seq, code: DamageCode) {
        self.damage.get_or_insert(Damage { seq, code });
    }

    /// Says whether plan mode restricts what may start now: the stricter of the mode and the selection.
    #[must_use]
    pub fn is_planning(&self) -> bool {
        self.plan.active || self.plan.pending.as_ref().is_some_and(|pending| pending.active)
    }
}

/// The first fact of a log that cannot have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// Its position.
    pub seq: Seq,
    /// What is wrong with it.
    pub code: DamageCode,
}

/// What is wrong with a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DamageCode {
    /// Positions do not follow one another.
    SeqGap,
    /// A turn started, ended or was cancelled out of order.
    TurnOrder,
    /// A step or something that belongs into one is out of order.
    StepOrder,
    /// A tool was called, started or answered out of order.
    CallOrder,
    /// An input was claimed, moved or withdrawn that does not wait.
    InputUnknown,
    /// A goal's change does not follow from the goal before it.
    GoalReplay,
    /// A round was reserved or admitted that the goal does not allow.
    RoundReplay,
    /// A question was answered or withdrawn that is not open.
    QuestionUnknown,
    /// A review of a plan that was never proposed.
    PlanUnknown,
    /// An ownership that is not newer than the one before.
    EpochOrder,
}

impl DamageCode {
    /// Returns the stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SeqGap => "SEQ_GAP",
            Self::TurnOrder => "TURN_ORDER",
            Self::StepOrder => "STEP_ORDER",
            Self::CallOrder => "CALL_ORDER",
            Self::InputUnknown => "INPUT_UNKNOWN",
            Self::GoalReplay => "GOAL_REPLAY",
            Self::RoundReplay => "ROUND_REPLAY",
            Self::QuestionUnknown => "QUESTION_UNKNOWN",
            Self::PlanUnknown => "PLAN_UNKNOWN",
            Self::EpochOrder => "EPOCH_ORDER",
        }
    }
}
