//! The todo list: a whole value, replaced at each write.

use std::collections::HashSet;

use events::{CallId, Todo, TodoStatus, TodoWrite, ToolClass, ToolStarted};
use projections::State;

use super::{Decision, result_ok};
use crate::{Code, Moment, Refusal};

/// Writes the list in its normal form.
pub(super) fn write(
    state: &State,
    call_id: &CallId,
    (todos, explanation): (&[Todo], Option<&str>),
    at: &Moment,
) -> Decision {
    if state.is_planning() {
        let message = "no todo list in plan mode: it tracks work, and work begins when the plan is approved";
        return Refusal::err(Code::PlanModeNoTodos, message);
    }
    let todos = normal_form(todos, at)?;
    let count = |status: TodoStatus| todos.iter().filter(|todo| todo.status == status).count();
    let mut text = format!(
        "Todo list written: {} pending, {} in progress, {} completed.",
        count(TodoStatus::Pending),
        count(TodoStatus::InProgress),
        count(TodoStatus::Completed)
    );
    if let Some(explanation) = explanation {
        text = format!("{text}\nExplanation: {explanation}");
    }
    let started = ToolStarted { call_id: call_id.clone(), class: ToolClass::Session, sandbox: None };
    Ok(vec![started.into(), TodoWrite { todos }.into(), result_ok(call_id, text)])
}

fn normal_form(todos: &[Todo], at: &Moment) -> Result<Vec<Todo>, Refusal> {
    let invalid = |message: String| Refusal::err(Code::TodoInvalid, message);
    if todos.len() > at.limits.todos_max {
        return invalid(format!("{} items are too many; {} are allowed", todos.len(), at.limits.todos_max));
    }
    let mut seen = HashSet::new();
    for todo in todos {
        let content = todo.content.trim();
        if content.is_empty() {
            return invalid("each item needs a content that is not blank".to_owned());
        }
        if content.len() > at.limits.todo_bytes_max {
            return invalid(format!(
                "an item has {} bytes; {} are allowed",
                content.len(),
                at.limits.todo_bytes_max
            ));
        }
        if !seen.insert(content) {
            return invalid(format!("the item {} stands twice", serde_json::Value::from(content)));
        }
    }
    let active = todos.iter().filter(|todo| todo.status == TodoStatus::InProgress).count();
    if active > 1 && !at.limits.allow_parallel_in_progress {
        return invalid(format!("at most one item may be in progress, not {active}"));
    }
    Ok(todos.iter().map(|todo| Todo { content: todo.content.trim().to_owned(), ..todo.clone() }).collect())
}
