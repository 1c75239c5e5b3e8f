//! The todo list: a whole value in its normal form.

use events::{Todo, TodoStatus};

use crate::given::{Session, given};
use crate::wishes::*;

use TodoStatus::{Completed, InProgress, Pending};

fn calling() -> Session {
    given([asked("hi"), calls([("c1", "todo_write"), ("c2", "todo_write")])])
}

fn writes(todos: Vec<Todo>) -> crate::given::Steps {
    act("c1", todo_write(todos))
}

#[track_caller]
fn is_refused(session: Session, todos: Vec<Todo>) {
    let before = session.state.todos.clone();
    let after = session.when(writes(todos)).then(["tool/result c1 TODO_INVALID"]);
    assert_eq!(after.state.todos, before);
}

fn result_text(session: &Session) -> String {
    match &session.log.last().expect("something happened").event {
        events::SessionEvent::ToolResult(data) => events::plain_text(&data.content),
        other => panic!("{} is no result", other.type_name()),
    }
}

#[test]
fn no_list_stands_at_first() {
    given([]).holds(|state| state.todos.is_none());
}

#[test]
fn a_list_is_written_between_its_calls_start_and_result() {
    let session = calling().when(writes(vec![todo("one", Completed), todo("two", Pending)])).then([
        "tool/started c1 session",
        "todo/write 2",
        "tool/result c1 ok",
    ]);
    assert_eq!(session.state.todos, Some(vec![todo("one", Completed), todo("two", Pending)]));
    assert!(result_text(&session).contains("1 pending, 0 in progress, 1 completed"));
}

#[test]
fn contents_are_trimmed() {
    let session = calling().and([writes(vec![todo("  plan the work\n", InProgress)])]);
    assert_eq!(session.state.todos, Some(vec![todo("plan the work", InProgress)]));
}

#[test]
fn the_newest_list_stands_alone() {
    let session = calling()
        .and([writes(vec![todo("one", Pending)]), act("c2", todo_write(vec![todo("two", Pending)]))]);
    assert_eq!(session.state.todos, Some(vec![todo("two", Pending)]));
}

#[test]
fn an_empty_list_is_a_list() {
    calling().and([writes(vec![])]).holds(|state| state.todos == Some(vec![]));
}

#[test]
fn blank_repeated_and_oversized_items_are_refused() {
    is_refused(calling(), vec![todo("", Pending)]);
    is_refused(calling(), vec![todo(" \n", Pending)]);
    is_refused(calling(), vec![todo("one", Pending), todo(" one ", Completed)]);
    is_refused(calling(), vec![todo(&"x".repeat(1025), Pending)]);
    calling().and([writes(vec![todo("One", Pending), todo("one", Pending)])]);
    calling().and([writes(vec![todo(&format!(" {} ", "x".repeat(1024)), Pending)])]);
}

#[test]
fn a_list_has_its_limit() {
    let items = |count: usize| (0..count).map(|number| todo(&format!("item {number}"), Pending)).collect();
    calling().and([writes(items(200))]);
    is_refused(calling(), items(201));
}

#[test]
fn a_refused_list_leaves_the_one_before() {
    is_refused(calling().and([act("c2", todo_write(vec![todo("one", Pending)]))]), vec![todo("", Pending)]);
}

#[test]
fn several_items_in_progress_depend_on_the_policy() {
    let both = || vec![todo("one", InProgress), todo("two", InProgress)];
    calling().and([writes(both())]);
    let strict = || calling().and([limits(|limits| limits.allow_parallel_in_progress = false)]);
    is_refused(strict(), both());
    strict().and([writes(vec![todo("one", InProgress), todo("two", Pending)])]);
    strict().and([writes(vec![todo("one", Completed)])]);
}

#[test]
fn a_list_written_under_another_policy_stands() {
    let both = vec![todo("one", InProgress), todo("two", InProgress)];
    calling()
        .and([writes(both), limits(|limits| limits.allow_parallel_in_progress = false)])
        .holds(|state| state.damage.is_none() && state.todos.as_ref().is_some_and(|todos| todos.len() == 2));
}

#[test]
fn no_list_is_written_in_plan_mode() {
    let refused = ["tool/result c1 PLAN_MODE_NO_TODOS"];
    given([plan_on(), asked("hi"), calls([("c1", "todo_write")])])
        .when(writes(vec![todo("one", Pending)]))
        .then(refused);
    calling().and([plan_on()]).when(writes(vec![todo("one", Pending)])).then(refused);
    calling().and([plan_on()]).when(writes(vec![todo("", Pending)])).then(refused);
    given([plan_on(), asked("hi"), calls([("c1", "todo_write")]), plan_off()])
        .when(writes(vec![todo("one", Pending)]))
        .then(refused);
}

#[test]
fn a_list_outlives_its_turn_and_goes_with_the_next() {
    let written =
        calling().and([writes(vec![todo("one", Completed)]), fail_call("c2"), end_step(), end_turn()]);
    assert!(written.state.todos.is_some());
    let next = written.and([prompt("more")]);
    assert!(next.state.todos.is_some());
    assert!(next.and([claim()]).state.todos.is_none());
}

#[test]
fn a_round_ends_the_list_of_the_turn_before_it_too() {
    let written =
        calling().and([writes(vec![todo("one", Completed)]), fail_call("c2"), end_step(), end_turn()]);
    assert!(written.and([goal_create("ship it", None), round()]).state.todos.is_none());
}

#[test]
fn an_explanation_stays_on_the_result() {
    let action =
        sessions::ToolAction::TodoWrite { todos: vec![], explanation: Some("start over".to_owned()) };
    assert!(result_text(&calling().and([act("c1", action)])).contains("start over"));
}
