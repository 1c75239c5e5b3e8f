//! `exit_plan_mode`: puts a plan forward for review.

use schemars::JsonSchema;
use serde::Deserialize;
use sessions::ToolAction;

use crate::arguments::Arguments;

pub(crate) const NAME: &str = "exit_plan_mode";
pub(crate) const DESCRIPTION: &str = "Use only in plan mode. Shows the complete plan to the user for review and \
    waits for the decision. If it is approved, plan mode ends and you carry the plan out from the next step on; \
    otherwise you get the user's feedback and stay in plan mode: revise the plan and call again. 256 KiB at most.";

/// Arguments of `exit_plan_mode`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ExitPlanMode {
    /// The complete plan in Markdown, beginning with a heading of one `#`.
    plan: String,
}

impl Arguments for ExitPlanMode {}

impl From<ExitPlanMode> for ToolAction {
    fn from(call: ExitPlanMode) -> Self {
        Self::ExitPlanMode { plan: call.plan }
    }
}
