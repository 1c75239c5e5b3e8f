//! Slash lines: parsed, carried out, and recorded as run and done in one batch, also when the domain refuses.

use events::{CommandDone, CommandId, CommandOutcome, CommandRun, GoalPhase, GoalRef, SessionEvent, Target};
use projections::{Activation, CurrentGoal, State, duration_text, tokens_text};

use super::goal::Wanted;
use super::goal_tool::foresee;
use super::{Decision, goal, input, model, plan, question};
use crate::{Code, Moment, Refusal, parse_duration_ms, parse_tokens};

/// A slash command that people can type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlashCommand {
    /// The name after the slash.
    pub name: &'static str,
    /// What may follow.
    pub hint: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// Every slash command, by name.
pub const SLASH_COMMANDS: &[SlashCommand] = &[
    SlashCommand {
        name: "goal",
        hint: "[<objective>|edit <objective>|budget <rounds=N tokens=N time=D no-progress=N>|pause|resume|clear]",
        help: "Set or view the goal for a long task",
    },
    SlashCommand {
        name: "model",
        hint: "[role <role>] [<model>] [effort=low|medium|high]",
        help: "Choose the model of this session, or see what there is",
    },
    SlashCommand { name: "plan", hint: "[off|message]", help: "Enter or leave plan mode" },
];

/// What a slash line did: what it changed and what it says.
type Outcome = Result<(Vec<SessionEvent>, String), String>;

pub(super) fn decide(state: &State, line: &str, at: &Moment) -> Decision {
    let Some((name, args)) = parse(line) else {
        return Refusal::err(
            Code::UnknownCommand,
            "a command is a slash, a lower-case name, and what it takes",
        );
    };
    let outcome = match name {
        "plan" => plan_line(state, args.trim(), at)?,
        "goal" => goal_line(state, args.trim(), at),
        "model" => Ok(model::line(state, args.trim(), at)?),
        _ => {
            let message = format!("there is no command /{name}; type / to see the commands");
            return Refusal::err(Code::UnknownCommand, message);
        }
    };
    let command_id = CommandId(at.ids.fresh());
    let mut events = vec![CommandRun { command_id, name: name.to_owned(), args: args.to_owned() }.into()];
    let (changes, kind, text) = match outcome {
        Ok((changes, text)) => (changes, CommandOutcome::Success, text),
        Err(text) => (Vec::new(), CommandOutcome::Error, text),
    };
    events.extend(changes);
    events.push(CommandDone { command_id, kind, text: Some(text) }.into());
    Ok(events)
}

/// Splits a line into name and the rest: `/`, a lower-case letter, then letters, digits, `_` and `-`.
fn parse(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('/')?;
    if !rest.starts_with(|first: char| first.is_ascii_lowercase()) {
        return None;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
    let (name, args) = rest.split_at(end);
    let ends_well = args.is_empty() || args.starts_with(['\t', '\n', '\r', ' ']);
    ends_well.then_some((name, args))
}

/// `/plan`: the only refusals are those of the message itself.
fn plan_line(state: &State, args: &str, at: &Moment) -> Result<Outcome, Refusal> {
    let enters = args != "off";
    let mut changes = plan::set(state, enters, at);
    let committed = changes.iter().any(|event| matches!(event, SessionEvent::PlanMode(_)));
    let text = plan_reply(state, (enters, committed), changes.is_empty());
    if enters && !args.is_empty() {
        changes.extend(question::set_aside_for_text(state));
        changes.push(input::queue(state, args, Target::NextStep, at)?);
    }
    Ok(Ok((changes, text)))
}

fn plan_reply(state: &State, (enters, committed): (bool, bool), unchanged: bool) -> String {
    let withdrawn = enters == state.plan.active && state.plan.pending.is_some() && !unchanged;
    let text = match (enters, committed) {
        (true, true) => "Plan mode is on. Use /plan off to leave it.",
        (true, false) if unchanged && state.plan.active => {
            "Plan mode is on already. Use /plan off to leave it."
        }
        (true, false) if withdrawn => "Plan mode stays on. Use /plan off to leave it.",
        (true, false) => "Entering plan mode from the next step. Use /plan off to leave it.",
        (false, true) => "Plan mode is off.",
        (false, false) if withdrawn => "The switch to plan mode was withdrawn.",
        (false, false) if unchanged && !state.plan.active => "Plan mode was not on.",
        (false, false) => "Leaving plan mode from the next step.",
    };
    text.to_owned()
}

/// What `/goal` was asked to do.
#[derive(Debug, PartialEq, Eq)]
enum GoalLine<'a> {
    Show,
    Create(&'a str),
    Edit(&'a str),
    EditBare,
    Budget(&'a str),
    Pause,
    Resume,
    Clear,
}

fn parse_goal(args: &str) -> GoalLine<'_> {
    let (first, rest) =
        args.split_once(char::is_whitespace).map_or((args, ""), |(first, rest)| (first, rest.trim()));
    let is = |word: &str| first.eq_ignore_ascii_case(word);
    match rest {
        "" if args.is_empty() => GoalLine::Show,
        "" if is("pause") => GoalLine::Pause,
        "" if is("resume") => GoalLine::Resume,
        "" if is("clear") => GoalLine::Clear,
        "" if is("edit") => GoalLine::EditBare,
        rest if !rest.is_empty() && is("edit") => GoalLine::Edit(rest),
        rest if is("budget") && rest.contains('=') => GoalLine::Budget(rest),
        _ => GoalLine::Create(args),
    }
}

const USAGE: &str = "Usage: /goal <objective> | edit <objective> | budget <rounds=N tokens=N time=D no-progress=N> | \
                     pause | resume | clear";

fn goal_line(state: &State, args: &str, at: &Moment) -> Outcome {
    let line = parse_goal(args);
    let current = state.goals.current.as_ref();
    let seen = current.map(|current| current.goal.reference());
    match (line, current.zip(seen)) {
        (GoalLine::Show, None) => Ok((Vec::new(), format!("No goal is set.\n{USAGE}"))),
        (GoalLine::Show, Some((current, _))) => Ok((Vec::new(), status("Goal", current, at))),
        (GoalLine::EditBare, _) => Err(format!("Editing needs a new objective.\n{USAGE}")),
        (GoalLine::Create(objective), current) => {
            create(state, objective, current.map(|(current, _)| current), at)
        }
        (GoalLine::Clear, None) => Ok((Vec::new(), "There is no goal to clear.".to_owned())),
        (GoalLine::Edit(_), None) => Err(format!("No goal is set; /goal edit needs one.\n{USAGE}")),
        (GoalLine::Budget(_), None) => Err(format!("No goal is set; /goal budget needs one.\n{USAGE}")),
        (GoalLine::Pause, None) => Err(format!("No goal is set; /goal pause needs one.\n{USAGE}")),
        (GoalLine::Resume, None) => Err(format!("No goal is set; /goal resume needs one.\n{USAGE}")),
        (GoalLine::Clear, Some((_, seen))) => {
            settle(goal::clear(state, &seen, at), |_| "Goal cleared.".to_owned())
        }
        (GoalLine::Edit(objective), Some((current, seen))) => edit(state, (current, &seen), objective, at),
        (GoalLine::Budget(budget), Some((_, seen))) => {
            let wanted = parse_budget(budget)?;
            shown(state, "Goal updated", goal::edit(state, &seen, (None, &wanted), at), at)
        }
        (GoalLine::Pause, Some((_, seen))) => shown(state, "Goal paused", goal::pause(state, &seen, at), at),
        (GoalLine::Resume, Some((_, seen))) => {
            shown(state, "Goal resumed", goal::resume(state, &seen, at), at)
        }
    }
}

/// Reads `name=amount` pairs, each name at most once; `none` takes a budget away.
fn parse_budget(budget: &str) -> Result<Wanted, String> {
    parse_pairs(budget).map_err(|why| {
        format!(
            "{why}. A budget is rounds=N, tokens=N, time=D or no-progress=N, e.g. /goal budget rounds=20 tokens=1.5M time=2h."
        )
    })
}

fn parse_pairs(budget: &str) -> Result<Wanted, String> {
    let mut wanted = Wanted::default();
    for pair in budget.split_whitespace() {
        let (name, amount) = pair.split_once('=').ok_or_else(|| not_a_budget(pair))?;
        let others = &mut wanted.others;
        match name.to_ascii_lowercase().as_str() {
            "rounds" => put(&mut wanted.rounds, name, parse_count(amount)?)?,
            "tokens" => put(&mut others.tokens, name, or_none(amount, parse_tokens)?)?,
            "time" => put(&mut others.time_ms, name, or_none(amount, parse_duration_ms)?)?,
            "no-progress" => put(&mut others.no_progress, name, or_none(amount, parse_tries)?)?,
            _ => return Err(not_a_budget(pair)),
        }
    }
    Ok(wanted)
}

fn not_a_budget(pair: &str) -> String {
    format!("{pair:?} is no budget")
}

fn put<T>(budget: &mut Option<T>, name: &str, amount: T) -> Result<(), String> {
    if budget.is_some() {
        return Err(format!("{name} is given twice"));
    }
    *budget = Some(amount);
    Ok(())
}

fn parse_count(amount: &str) -> Result<u32, String> {
    let count = amount.parse().ok().filter(|_| !amount.starts_with('+'));
    count.ok_or_else(|| format!("{amount:?} is no whole number"))
}

/// `none` is what takes the budget away.
fn parse_tries(amount: &str) -> Result<u32, String> {
    match parse_count(amount)? {
        0 => Err("0 rounds are too few; none takes the budget away".to_owned()),
        rounds => Ok(rounds),
    }
}

fn or_none<T: Default>(amount: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    if amount.eq_ignore_ascii_case("none") { Ok(T::default()) } else { parse(amount) }
}

fn create(state: &State, objective: &str, current: Option<&CurrentGoal>, at: &Moment) -> Outcome {
    if let Some(current) = current.filter(|current| current.goal.phase != GoalPhase::Complete) {
        return Err(format!(
            "This session already has a goal, and it is {}. Use /goal edit <objective> or /goal clear first.",
            current.goal.phase.name()
        ));
    }
    shown(state, "Goal created", goal::create(state, objective, &Wanted::default(), at), at)
}

/// Editing a goal that is complete begins another.
fn edit(state: &State, (current, seen): (&CurrentGoal, &GoalRef), objective: &str, at: &Moment) -> Outcome {
    if current.goal.phase == GoalPhase::Complete {
        return shown(state, "Goal created", goal::create(state, objective, &Wanted::default(), at), at);
    }
    shown(state, "Goal updated", goal::edit(state, seen, (Some(objective), &Wanted::default()), at), at)
}

fn settle(decision: Decision, text: impl FnOnce(&[SessionEvent]) -> String) -> Outcome {
    match decision {
        Ok(changes) => {
            let text = text(&changes);
            Ok((changes, text))
        }
        Err(refusal) => Err(format!(
            "Not possible as the goal stands: {}. Use /goal to see what it allows.",
            refusal.message
        )),
    }
}

/// Replies with the goal as it is after the change.
fn shown(state: &State, title: &str, decision: Decision, at: &Moment) -> Outcome {
    settle(decision, |changes| {
        let after = foresee(state, changes, at);
        after.goals.current.as_ref().map_or_else(String::new, |current| status(title, current, at))
    })
}

/// The other budgets that are set, and what shows that the goal is met.
fn amounts(current: &CurrentGoal) -> impl Iterator<Item = String> {
    let (budgets, spent) = (&current.goal.budgets, &current.spent);
    let guessed = if spent.estimated { " (estimated)" } else { "" };
    let used = tokens_text(spent.tokens(budgets));
    let tokens = budgets.tokens.map(|most| format!("Tokens: {used}/{}{guessed}", tokens_text(most)));
    let used = duration_text(spent.time_ms);
    let time = budgets.time_ms.map(|most| format!("Time: {used}/{}", duration_text(most)));
    let without = current.progress.rounds_without;
    let most = budgets.no_progress.filter(|_| without > 0);
    let stuck = most.map(|most| format!("Rounds without progress: {without}/{most}"));
    let evidence = current.goal.evidence.as_ref().map(|evidence| format!("Evidence: {evidence}"));
    [tokens, time, stuck, evidence].into_iter().flatten()
}

fn status(title: &str, current: &CurrentGoal, at: &Moment) -> String {
    let goal = &current.goal;
    let activation = current.activation(Some(at.epoch));
    let mut lines = vec![title.to_owned(), format!("Status: {}", goal.phase.name())];
    if let Some(reason) = &goal.blocked_reason {
        lines.push(format!("Blocker: {}: {}", reason.code, reason.message));
    }
    lines.push(format!("Objective: {}", goal.objective));
    lines.push(format!("Rounds: {}/{}", current.rounds_started, goal.budgets.rounds));
    lines.extend(amounts(current));
    let armed = activation == Activation::Armed;
    lines.push(format!("Activation: {}", if armed { "armed" } else { "disarmed" }));
    let commands = match goal.phase {
        GoalPhase::Active if armed => "edit, budget, pause, clear",
        GoalPhase::Active | GoalPhase::Paused | GoalPhase::Blocked => "edit, budget, resume, clear",
        GoalPhase::Complete => "<objective>, clear",
    };
    lines.push(String::new());
    lines.push(format!("Commands: {commands}"));
    lines.join("\n")
}
