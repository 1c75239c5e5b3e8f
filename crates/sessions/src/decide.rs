//! Turning a command into the facts that record it. Pure.

mod agent;
mod budget;
mod closing;
mod driver;
mod goal;
mod goal_tool;
mod input;
mod model;
mod outage;
mod plan;
mod question;
mod session;
mod slash;
mod stop;
mod text_plan;
mod todo;
mod tool;

use events::{Block, CallId, SessionEvent, ToolFailure, ToolOutcome, ToolResult};
use projections::State;

pub use closing::repair;
pub use goal_tool::{Claim, claim_to_judge};
pub use session::fork_batch;
pub use slash::{SLASH_COMMANDS, SlashCommand};

use crate::{ClientCommand, Code, Command, DriverCommand, Mode, Moment, Refusal};

/// The facts that a command leads to.
pub type Decision = Result<Vec<SessionEvent>, Refusal>;

/// Turns a command into the facts that record it, or says why not. Pure.
///
/// # Errors
///
/// A [`Refusal`]; nothing changes then. No facts at all means that nothing had to change.
pub fn decide(state: &State, command: &Command, at: &Moment) -> Decision {
    if let Command::Delete = command {
        return session::delete(state, at);
    }
    refuse_closed(state)?;
    match command {
        Command::Own | Command::Disown | Command::Delete => Ok(Vec::new()),
        Command::Expire { question_id, revision } => question::expire(state, (*question_id, *revision), at),
        Command::Client(command) => client(state, command, at),
        Command::Agent(command) => agent::decide(state, command, at),
        Command::Driver(DriverCommand::Reserve { goal, round }) => driver::reserve(state, goal, *round, at),
        Command::Driver(DriverCommand::Block { goal, code, message }) => {
            driver::block(state, goal, (code, message), at)
        }
    }
}

fn refuse_closed(state: &State) -> Result<(), Refusal> {
    if let Some(damage) = state.damage {
        let message = format!(
            "this session's log is damaged at event {} ({}); it can be read but takes no more commands",
            damage.seq,
            damage.code.name()
        );
        return Refusal::err(Code::SessionDamaged, message);
    }
    if state.session.deleted {
        return Refusal::err(Code::SessionDeleted, "this session is deleted");
    }
    Ok(())
}

fn client(state: &State, command: &ClientCommand, at: &Moment) -> Decision {
    match command {
        ClientCommand::Prompt { text, target } => input::prompt(state, text, *target, at),
        ClientCommand::Slash { line } => slash::decide(state, line, at),
        ClientCommand::Stop { turn, keep_inbox } => stop::decide(state, *turn, *keep_inbox, at),
        ClientCommand::PlanSet { active } => Ok(plan::set(state, *active, at)),
        ClientCommand::ModeSet { mode } => Ok(plan::set(state, Mode::read(mode)? == Mode::Plan, at)),
        ClientCommand::PlanReview { plan_id, revision, sha256, verdict, feedback } => {
            let seen = plan::Seen { plan_id: *plan_id, revision: *revision, sha256 };
            plan::review(state, &seen, (*verdict, feedback.as_deref()), at)
        }
        ClientCommand::GoalCreate { objective, rounds_max, budgets } => {
            goal::create(state, objective, &goal::Wanted { rounds: *rounds_max, others: *budgets }, at)
        }
        ClientCommand::GoalEdit { goal, objective, rounds_max, budgets } => {
            let wanted = goal::Wanted { rounds: *rounds_max, others: *budgets };
            goal::edit(state, goal, (objective.as_deref(), &wanted), at)
        }
        ClientCommand::GoalPause { goal } => goal::pause(state, goal, at),
        ClientCommand::GoalResume { goal } => goal::resume(state, goal, at),
        ClientCommand::GoalComplete { goal } => goal::complete(state, goal, None, at),
        ClientCommand::GoalClear { goal } => goal::clear(state, goal, at),
        ClientCommand::Answer { question_id, revision, answers } => {
            question::answer(state, (*question_id, *revision), answers, at)
        }
        ClientCommand::DismissQuestion { question_id, revision } => {
            question::dismiss(state, *question_id, *revision)
        }
        ClientCommand::InputSend { input_id } => input::send(state, *input_id, at),
        ClientCommand::InputEdit { input_id, text } => input::edit(state, *input_id, text, at),
        ClientCommand::InputMove { input_id, target, position } => {
            input::shift(state, *input_id, *target, *position)
        }
        ClientCommand::InputWithdraw { input_id } => input::withdraw(state, *input_id),
        ClientCommand::SetTitle { title } => session::title(title, at),
        ClientCommand::Archive { archived } => Ok(session::archive(state, *archived, at)),
    }
}

/// Returns a call's result that worked.
fn result_ok(call_id: &CallId, text: impl Into<String>) -> SessionEvent {
    ToolResult {
        call_id: call_id.clone(),
        outcome: ToolOutcome::Ok,
        content: vec![Block::text(text)],
        error: None,
        diff: None,
        duration_ms: None,
    }
    .into()
}

/// Returns a call's result that did not work; the model reads `message`.
fn result_error(call_id: &CallId, code: &str, message: &str) -> SessionEvent {
    ToolResult {
        call_id: call_id.clone(),
        outcome: ToolOutcome::Error,
        content: vec![Block::text(format!("Error: {message}"))],
        error: Some(ToolFailure { code: code.to_owned(), message: message.to_owned() }),
        diff: None,
        duration_ms: None,
    }
    .into()
}
