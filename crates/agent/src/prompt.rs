//! The system prompt: what holds always, then the workspace, then the mode in force.

/// What holds in every mode.
const BASE: &str = include_str!("texts/base.md");

/// Returns the system prompt. The mode comes last, so that switching it leaves the rest of the prompt as it was; an empty
/// `mode_text` leaves it out.
#[must_use]
pub fn system_prompt(workspace: &str, planning: bool, mode_text: &str) -> String {
    let before = format!("{BASE}\nWorkspace folder: {workspace}\n");
    if mode_text.is_empty() {
        return before;
    }
    let name = if planning { "plan" } else { "default" };
    format!("{before}\n<mode name=\"{name}\">\n{mode_text}\n</mode>\n")
}
