//! `get_goal`: reads the session's goal.

use schemars::JsonSchema;
use serde::Deserialize;
use sessions::ToolAction;

use crate::arguments::Arguments;

pub(crate) const NAME: &str = "get_goal";
pub(crate) const DESCRIPTION: &str = "Returns the goal of this session as JSON: id, revision, objective, phase, \
    rounds started and allowed, why it is blocked, and whether it is armed; null where there is none. Call it \
    before update_goal.";

/// Arguments of `get_goal`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetGoal {}

impl Arguments for GetGoal {}

impl From<GetGoal> for ToolAction {
    fn from(_: GetGoal) -> Self {
        Self::GetGoal
    }
}
