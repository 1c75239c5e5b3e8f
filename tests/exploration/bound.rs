//! How far the exploration goes: small enough to end, large enough for every rule to be at stake.
//!
//! Crashes and goals one after the other are without bound: nothing looks at how many there were.

/// Rounds of a goal.
pub(crate) const ROUNDS_MAX: u32 = 3;
/// Steps of a turn.
pub(crate) const STEPS_MAX: u32 = 2;
/// Prompts of persons that wait at one time.
pub(crate) const PROMPTS_MAX: usize = 1;

/// Says what the bound is.
pub(crate) fn in_words() -> String {
    format!(
        "{ROUNDS_MAX} rounds a goal, {STEPS_MAX} steps a turn, {PROMPTS_MAX} prompt waiting; any number of goals and crashes"
    )
}
