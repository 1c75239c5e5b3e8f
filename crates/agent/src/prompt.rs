//! The system prompt: what holds always, then the workspace, then the mode in force.

/// What holds in every mode.
const BASE: &str = include_str!("texts/base.md");
/// The rules of plan mode.
const PLAN: &str = include_str!("texts/plan.md");
/// The rules of the default mode.
const DEFAULT: &str = include_str!("texts/default.md");

/// Returns the system prompt. The mode comes last, so that switching it leaves the rest of the prompt as it was.
#[must_use]
pub fn system_prompt(workspace: &str, planning: bool) -> String {
    let mode = if planning { PLAN } else { DEFAULT };
    format!("{BASE}\nWorkspace folder: {workspace}\n\n{mode}")
}
