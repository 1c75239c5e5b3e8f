//! `todo_write`, and its other name `update_plan` with the arguments that go with it.

use events::{Todo, TodoStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use sessions::ToolAction;

use crate::arguments::Arguments;

pub(crate) const NAME: &str = "todo_write";
pub(crate) const OTHER_NAME: &str = "update_plan";
pub(crate) const DESCRIPTION: &str = "Writes the todo list of this session. Send the whole list each time: it \
    replaces the previous one. Use it for work of several steps, one item per concrete step, before you start; \
    skip it for a trivial task. Mark every item that is being worked on in_progress (one when you work in \
    sequence), and completed as soon as it is done. Each content is unique and not blank. 200 items of 1 KiB at \
    most. Refused in plan mode.";
/// The description where one item at most may be in progress.
pub(crate) const SEQUENTIAL: &str = "Writes the todo list of this session. Send the whole list each time: it \
    replaces the previous one. Use it for work of several steps, one item per concrete step, before you start; \
    skip it for a trivial task. Mark at most one item in_progress, exactly one while work is left, and completed as \
    soon as it is done. Each content is unique and not blank. 200 items of 1 KiB at most. Refused in plan mode.";

/// Arguments of `todo_write`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct TodoWrite {
    /// The whole list in order; empty clears it.
    todos: Vec<Item>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// What is to be done.
    content: String,
    /// How far it is.
    status: Status,
}

/// Arguments of `update_plan`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdatePlan {
    /// Why the list changes.
    explanation: Option<String>,
    /// The whole list in order; empty clears it.
    plan: Vec<Step>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Step {
    /// What is to be done.
    step: String,
    /// How far it is.
    status: Status,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

impl Arguments for TodoWrite {}
impl Arguments for UpdatePlan {}

impl From<TodoWrite> for ToolAction {
    fn from(call: TodoWrite) -> Self {
        let todos = call.todos.into_iter().map(|item| todo(item.content, item.status));
        Self::TodoWrite { todos: todos.collect(), explanation: None }
    }
}

impl From<UpdatePlan> for ToolAction {
    fn from(call: UpdatePlan) -> Self {
        let todos = call.plan.into_iter().map(|step| todo(step.step, step.status));
        Self::TodoWrite { todos: todos.collect(), explanation: call.explanation }
    }
}

fn todo(content: String, status: Status) -> Todo {
    let status = match status {
        Status::Pending => TodoStatus::Pending,
        Status::InProgress => TodoStatus::InProgress,
        Status::Completed => TodoStatus::Completed,
    };
    Todo { content, status }
}
