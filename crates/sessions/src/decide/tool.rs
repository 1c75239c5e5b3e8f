//! Calls: what may start, what session tools do, and the one result of each.

use events::{
    CallId, SandboxProfile, SessionEvent, ToolClass, ToolFailure, ToolResult, ToolSandbox, ToolStarted,
};
use projections::{Call, CallStage, State};

use super::{Decision, goal_tool, plan, question, result_error, todo};
use crate::{Code, Judgement, Moment, Refusal, ToolAction};

/// Lets a body start, or writes down why it may not. Decided from folded state alone, whatever led here.
pub(super) fn start(
    state: &State,
    call_id: &CallId,
    class: ToolClass,
    sandbox: Option<&ToolSandbox>,
) -> Decision {
    let call = waiting(state, call_id)?;
    if state.is_planning() && !keeps_the_workspace(class, sandbox) {
        return Ok(vec![result_error(call_id, Code::PlanModeRefused.name(), &plan_refusal(call, class))]);
    }
    Ok(vec![ToolStarted { call_id: call_id.clone(), class, sandbox: sandbox.cloned() }.into()])
}

/// Says whether nothing of the workspace can change, whatever the tool does.
fn keeps_the_workspace(class: ToolClass, sandbox: Option<&ToolSandbox>) -> bool {
    match class {
        ToolClass::Read | ToolClass::Session | ToolClass::Ask => true,
        ToolClass::Write => false,
        ToolClass::Exec => sandbox.is_some_and(|sandbox| sandbox.profile == SandboxProfile::ReadOnly),
    }
}

fn plan_refusal(call: &Call, class: ToolClass) -> String {
    let why = match class {
        ToolClass::Exec => "it runs a program, and no read-only sandbox confines it here",
        _ => "it changes files",
    };
    format!(
        "plan mode is on, and {} is refused since {why}; explore with the read tools and propose a plan with exit_plan_mode",
        call.name
    )
}

/// Returns the call if it may still start.
fn waiting<'a>(state: &'a State, call_id: &CallId) -> Result<&'a Call, Refusal> {
    let Some(open) = &state.turn.open else {
        return Refusal::err(Code::StepNotOpen, "no turn is open");
    };
    if open.cancelled.is_some() {
        return Refusal::err(Code::TurnCancelled, "the turn is being stopped");
    }
    let call = open.step.as_ref().and_then(|step| step.call(call_id));
    match call {
        Some(call) if call.stage == CallStage::Called => Ok(call),
        _ => Refusal::err(Code::StepNotOpen, format!("call {call_id} does not wait to start")),
    }
}

/// Writes down that a call cannot start.
pub(super) fn fail(state: &State, call_id: &CallId, failure: &ToolFailure) -> Decision {
    waiting(state, call_id)?;
    Ok(vec![result_error(call_id, &failure.code, &failure.message)])
}

/// Writes down the result of a body that was started; a call that asks a person has none but their answer.
pub(super) fn finish(state: &State, result: &ToolResult) -> Decision {
    let call = state.turn.step().and_then(|step| step.call(&result.call_id));
    match call {
        Some(Call { stage: CallStage::Started(_), call_id, .. }) if !state.questions.holds(call_id) => {
            Ok(vec![SessionEvent::from(result.clone())])
        }
        _ => Refusal::err(Code::StepNotOpen, format!("call {} waits for no result", result.call_id)),
    }
}

/// Carries a session tool's call out. What the domain refuses is the call's durable result.
pub(super) fn act(
    state: &State,
    call_id: &CallId,
    (action, judgement): (&ToolAction, Option<&Judgement>),
    at: &Moment,
) -> Decision {
    waiting(state, call_id)?;
    let decided = match action {
        ToolAction::TodoWrite { todos, explanation } => {
            todo::write(state, call_id, (todos, explanation.as_deref()), at)
        }
        ToolAction::ExitPlanMode { plan } => plan::propose(state, call_id, plan, at),
        ToolAction::GetGoal => Ok(goal_tool::read(state, call_id, at)),
        ToolAction::CreateGoal { objective, max_goal_rounds } => {
            goal_tool::create(state, call_id, (objective, *max_goal_rounds), at)
        }
        ToolAction::UpdateGoal(update) => goal_tool::update(state, call_id, (update, judgement), at),
        ToolAction::AskUser { items, answer_within_s } => {
            question::ask(state, call_id, (items, *answer_within_s), at)
        }
    };
    Ok(decided.unwrap_or_else(|refusal| vec![result_error(call_id, refusal.code.name(), &refusal.message)]))
}
