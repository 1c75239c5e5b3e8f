//! The system prompt: what holds always, then the workspace, then the mode in force.

use projections::State;
use sessions::{Limits, Mode};

/// What holds in every mode.
const BASE: &str = include_str!("texts/base.md");
/// Where [`BASE`] says how many rounds have to run before one may report a blocker.
const BLOCKED_AFTER: &str = "{{blocked_after_rounds}}";

/// Returns the system prompt. The mode comes last, so that switching it leaves the rest of the prompt as it was; an empty
/// `mode_text` leaves it out.
#[must_use]
pub fn system_prompt(state: &State, mode_text: &str, limits: &Limits) -> String {
    let rounds = match limits.blocked_after_rounds {
        1 => "1 round".to_owned(),
        rounds => format!("{rounds} rounds"),
    };
    let (base, workspace) = (BASE.replace(BLOCKED_AFTER, &rounds), &state.session.workspace);
    let before = format!("{base}\nWorkspace folder: {workspace}\n");
    if mode_text.is_empty() {
        return before;
    }
    let name = Mode::of(state.plan.active).name();
    format!("{before}\n<mode name=\"{name}\">\n{mode_text}\n</mode>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_names_the_rounds_before_a_blocker_as_configured() {
        for (blocked_after_rounds, said) in
            [(1, "for 1 round at the least"), (5, "for 5 rounds at the least")]
        {
            let limits = Limits { blocked_after_rounds, ..Limits::default() };
            let prompt = system_prompt(&State::default(), "", &limits);
            assert!(prompt.contains(said) && !prompt.contains("{{"), "{prompt}");
        }
    }
}
