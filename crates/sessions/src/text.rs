//! The words that deciding writes into the log for the model.

use events::{Digest, Verdict};
use projections::{CurrentGoal, Proposal, duration_text, tokens_text};
use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 of a text.
#[must_use]
pub fn sha256(text: &str) -> Digest {
    Digest(hex::encode(Sha256::digest(text.as_bytes())))
}

/// Renders the prompt of a goal's round. Pure: a round's message is checked against it byte for byte.
#[must_use]
pub fn round_prompt(current: &CurrentGoal, round: u32) -> String {
    let goal = &current.goal;
    let objective = serde_json::Value::String(goal.objective.clone());
    let rounds = goal.budgets.rounds;
    format!(
        "<goal_round>\n\
         Objective: {objective}\n\
         Round: {round}/{rounds}\n\
         Rounds left after this one: {left}\n\
         {amounts}{judged}\n\
         Go on towards the objective in this session. Trust what you can see now, not what was said before: \
         look at the files, the tool results and the recorded state again before you build on them. Do a piece of \
         work that brings the objective closer, and check what came of it.\n\
         When the whole objective is met and you have checked it, read the goal with get_goal and mark it complete \
         with update_goal, giving as evidence what you checked and what came out. If work is left, leave the goal \
         active: another round follows. Report a blocker only as the goal tools allow.\n\
         </goal_round>",
        left = rounds.saturating_sub(round),
        amounts = amounts_left(current),
        judged = last_refusal(current),
    )
}

/// What is left of the budgets that a round can run out of, a line each.
fn amounts_left(current: &CurrentGoal) -> String {
    let (budgets, spent) = (&current.goal.budgets, &current.spent);
    let left = |most: u64, used: u64| most.saturating_sub(used);
    let tokens = budgets.tokens.map(|most| {
        let left = left(most, spent.tokens(budgets));
        format!("Tokens left: {} of {}\n", tokens_text(left), tokens_text(most))
    });
    let time = budgets.time_ms.map(|most| {
        let left = left(most, spent.time_ms);
        format!("Time left: {} of {}\n", duration_text(left), duration_text(most))
    });
    let progress = budgets.no_progress.filter(|_| current.progress.rounds_without > 0).map(|most| {
        let without = current.progress.rounds_without;
        format!(
            "Rounds in a row that changed neither a todo nor a file: {without}; the goal stops at {most}\n"
        )
    });
    [tokens, time, progress].into_iter().flatten().collect()
}

/// Why a judge refused the last claim that the objective is met; quoted, so that it cannot pass for anything else.
fn last_refusal(current: &CurrentGoal) -> String {
    let refused = current.judged.as_ref().filter(|judged| judged.verdict == Verdict::Refused);
    refused.map_or_else(String::new, |judged| {
        let reason = serde_json::Value::String(judged.reason.clone());
        format!("The judge did not accept the last claim of completion: {reason}\n")
    })
}

/// Tells the model that the mode changed.
#[must_use]
pub fn mode_notice(active: bool) -> &'static str {
    if active {
        "<mode_change>\nThe user switched this session to plan mode. Explore and plan; change nothing until the plan is \
         approved.\n</mode_change>"
    } else {
        "<mode_change>\nThe user switched this session back to the default mode. The rules of plan mode no longer \
         apply.\n</mode_change>"
    }
}

/// Tells the model that the rules of its mode are others now.
pub(crate) fn mode_text_notice(active: bool) -> String {
    format!(
        "<mode_change>\nThe rules of the {} mode were replaced. What the system prompt says of it now is in force; what it \
         said before no longer applies.\n</mode_change>",
        mode_name(active)
    )
}

/// Tells the model of its mode again, for what it was told stands in the conversation no longer.
pub(crate) fn mode_retold(active: bool) -> String {
    let rule = if active {
        "Explore and plan; change nothing until a plan is approved."
    } else {
        "Carry out what is asked; the rules of plan mode do not apply."
    };
    format!(
        "<mode_change>\nThe conversation so far was summed up. The {} mode is on. {rule}\n</mode_change>",
        mode_name(active)
    )
}

fn mode_name(active: bool) -> &'static str {
    if active { "plan" } else { "default" }
}

/// Names a plan so that nobody can take it for another one.
fn plan_name(plan: &Proposal) -> String {
    let title = serde_json::Value::String(plan.title.clone());
    format!("plan {title} (id {}, revision {}, sha256 {})", plan.plan_id, plan.revision, plan.sha256)
}

/// Tells the model that the plan in its text was approved.
pub(crate) fn plan_approved(plan: &Proposal) -> String {
    format!(
        "The user approved the {}. Plan mode is off: carry exactly this plan out now, from its first step to its last.",
        plan_name(plan)
    )
}

/// Tells the model what a person says of the plan in its text, instead of approving it.
pub(crate) fn plan_kept(plan: &Proposal, comment: Option<&str>) -> String {
    let said = match comment {
        Some(comment) => {
            let lines: Vec<String> = comment.lines().map(|line| format!("> {line}")).collect();
            format!(" and says:\n\n{}\n\n", lines.join("\n"))
        }
        None => ". ".to_owned(),
    };
    format!(
        "The user wants to keep planning on the {}{said}Revise it and present the whole plan again.",
        plan_name(plan)
    )
}

/// Tells the model that the plan in its text was not taken.
pub(crate) fn plan_too_long(bytes: usize, bytes_max: usize) -> String {
    format!(
        "<plan_not_proposed>\nThe plan in your last message has {bytes} bytes, {bytes_max} are allowed, so the user was \
         not asked about it. Present a shorter one.\n</plan_not_proposed>"
    )
}

/// Asks the model for a closing message after it ended a goal from a round.
#[must_use]
pub fn wrap_up(objective: &str, blocked: Option<&str>) -> String {
    let objective = serde_json::Value::String(objective.to_owned());
    let (tag, blocker, contents) = match blocked {
        None => (
            "goal_complete",
            String::new(),
            "what came out, what was done and how it was checked, which files or other results there are, and what is \
             worth a look next",
        ),
        Some(reason) => (
            "goal_blocked",
            format!("Blocked: {}\n", serde_json::Value::String(reason.to_owned())),
            "what is done so far, what exactly stands in the way and what was tried, and what is needed to go on",
        ),
    };
    format!(
        "<{tag}>\nObjective: {objective}\n{blocker}\nThe goal's run ends here. Write the user a closing message now: \
         {contents}. Say only what this session shows, and say so where something is not known. Call no more tools: further \
         work waits for the user.\n</{tag}>"
    )
}
