//! `create_goal`: sets the session's goal.

use schemars::JsonSchema;
use serde::Deserialize;
use sessions::ToolAction;

use crate::arguments::Arguments;

pub(crate) const NAME: &str = "create_goal";
pub(crate) const DESCRIPTION: &str = "Creates the goal of this session: one long-running objective that is worked \
    on in rounds until it is met, blocked, paused or out of budget. Only for what the user directly asks for in \
    this turn, not for routine work of a single turn. The objective has 8 KiB at most.";

/// Arguments of `create_goal`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CreateGoal {
    /// What is to be reached, and how one sees that it is.
    objective: String,
    /// How many rounds may run, 1 to 10000. Default as configured.
    #[schemars(range(min = 1, max = 10_000))]
    max_goal_rounds: Option<u32>,
}

impl Arguments for CreateGoal {}

impl From<CreateGoal> for ToolAction {
    fn from(call: CreateGoal) -> Self {
        Self::CreateGoal { objective: call.objective, max_goal_rounds: call.max_goal_rounds }
    }
}
