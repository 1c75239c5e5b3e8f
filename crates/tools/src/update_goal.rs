//! `update_goal`: changes the session's goal.

use schemars::JsonSchema;
use serde::Deserialize;
use sessions::{ToolAction, UpdateAction};

use crate::arguments::Arguments;

pub(crate) const NAME: &str = "update_goal";
pub(crate) const DESCRIPTION: &str = "Changes the goal of this session. Call get_goal first and copy goal_id and \
    revision exactly. edit, pause and resume only when the user asks in this turn; after a restart or a fork, \
    resume is how a goal that the user wants continued goes on. complete only when the objective truly holds, \
    with the evidence. blocked only when one and the same obstacle has outlasted several rounds in a row; work \
    that is hard, unclear or still moving is not blocked. Give only the fields that the action names.";

/// Arguments of `update_goal`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct UpdateGoal {
    /// Id of the goal, from get_goal.
    goal_id: String,
    /// Revision of the goal, from get_goal.
    #[schemars(range(min = 1))]
    revision: u64,
    /// What to do.
    action: Action,
    /// For edit: the new objective.
    objective: Option<String>,
    /// For edit: how many rounds may run in all, 10000 at most.
    #[schemars(range(max = 10_000))]
    max_goal_rounds: Option<u32>,
    /// For blocked: the obstacle, what was tried, and what is needed.
    blocked_reason: Option<String>,
    /// For complete: what was checked and its outcome.
    evidence: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Edit,
    Pause,
    Resume,
    Complete,
    Blocked,
}

impl Arguments for UpdateGoal {}

impl From<UpdateGoal> for ToolAction {
    /// Models that must fill in every field send an empty text or a zero for what they leave out.
    fn from(call: UpdateGoal) -> Self {
        Self::UpdateGoal(sessions::UpdateGoal {
            goal_id: call.goal_id,
            revision: call.revision,
            action: call.action.into(),
            objective: filled(call.objective),
            max_goal_rounds: call.max_goal_rounds.filter(|rounds| *rounds > 0),
            blocked_reason: filled(call.blocked_reason),
            evidence: filled(call.evidence),
        })
    }
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

impl From<Action> for UpdateAction {
    fn from(action: Action) -> Self {
        match action {
            Action::Edit => Self::Edit,
            Action::Pause => Self::Pause,
            Action::Resume => Self::Resume,
            Action::Complete => Self::Complete,
            Action::Blocked => Self::Blocked,
        }
    }
}
