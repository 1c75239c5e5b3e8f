//! Tools without a body: from the argument text to the action that is decided.

use events::{QuestionItem, QuestionOption, Todo, TodoStatus};
use serde_json::{Value, json};
use sessions::{ToolAction, UpdateAction, UpdateGoal};
use tools::{Invocation, Registry};

fn action(tool: &str, arguments: Value) -> ToolAction {
    match Registry::standard().parse(tool, &arguments.to_string()) {
        Ok(Invocation::Session(action)) => action,
        other => panic!("no action: {other:?}"),
    }
}

fn invalid(tool: &str, arguments: Value, at: &str) {
    let error = Registry::standard().parse(tool, &arguments.to_string()).unwrap_err();
    assert_eq!(error.code(), "INVALID_ARGS");
    let text = error.to_string();
    assert!(text.starts_with(&format!("invalid arguments for {tool} at {at}: ")), "{text}");
}

fn todo(content: &str, status: TodoStatus) -> Todo {
    Todo { content: content.to_owned(), status }
}

#[test]
fn a_model_is_told_of_each_tool_once() {
    let names: Vec<_> = Registry::standard().specs().iter().map(|spec| spec.name).collect();
    let expected = [
        "ask_user_question",
        "create_goal",
        "edit_file",
        "exit_plan_mode",
        "get_goal",
        "list_files",
        "read_file",
        "run_command",
        "search",
        "todo_write",
        "update_goal",
        "write_file",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_exit_tool_says_first_that_it_is_for_plan_mode() {
    let specs = Registry::standard().specs();
    let exit = specs.iter().find(|spec| spec.name == "exit_plan_mode").unwrap();
    assert!(exit.description.starts_with("Use only in plan mode."));
}

#[test]
fn a_todo_list_is_taken_as_it_was_sent() {
    let list = json!({"todos": [
        {"content": "  one ", "status": "completed"},
        {"content": "two", "status": "in_progress"},
        {"content": "", "status": "pending"},
    ]});
    let todos = vec![
        todo("  one ", TodoStatus::Completed),
        todo("two", TodoStatus::InProgress),
        todo("", TodoStatus::Pending),
    ];
    assert_eq!(action("todo_write", list), ToolAction::TodoWrite { todos, explanation: None });
}

#[test]
fn update_plan_is_a_todo_list_in_other_words() {
    let plan = json!({"explanation": "adapting", "plan": [{"step": "one", "status": "pending"}]});
    let todos = vec![todo("one", TodoStatus::Pending)];
    let expected = ToolAction::TodoWrite { todos, explanation: Some("adapting".to_owned()) };
    assert_eq!(action("update_plan", plan), expected);
    let cleared = ToolAction::TodoWrite { todos: Vec::new(), explanation: None };
    assert_eq!(action("update_plan", json!({"plan": []})), cleared);
}

#[test]
fn a_todo_item_is_closed_and_the_list_around_it_is_open() {
    let item = json!({"content": "one", "status": "pending"});
    action("todo_write", json!({"todos": [item], "note": "x"}));
    invalid("todo_write", json!({"todos": [{"content": "a", "status": "doing"}]}), "todos[0].status");
    invalid(
        "todo_write",
        json!({"todos": [{"content": "a", "status": "pending", "children": []}]}),
        "todos[0].children",
    );
    invalid("todo_write", json!({"todos": "one"}), "todos");
    invalid("todo_write", json!({}), "arguments");
    invalid(
        "update_plan",
        json!({"plan": [{"step": "a", "status": "pending", "priority": 1}]}),
        "plan[0].priority",
    );
    invalid("update_plan", json!({"explanation": "no plan"}), "arguments");
    invalid("update_plan", json!({"plan": [], "note": "x"}), "note");
}

#[test]
fn a_plan_is_taken_exactly_as_it_was_sent() {
    let plan = "\n # Ship\n\n1. build \n".to_owned();
    assert_eq!(action("exit_plan_mode", json!({"plan": plan})), ToolAction::ExitPlanMode { plan });
    invalid("exit_plan_mode", json!({}), "arguments");
}

#[test]
fn goal_tools_take_their_arguments() {
    assert_eq!(action("get_goal", json!({"why": "x"})), ToolAction::GetGoal);
    let created = ToolAction::CreateGoal { objective: "ship it".to_owned(), max_goal_rounds: Some(9) };
    assert_eq!(action("create_goal", json!({"objective": "ship it", "max_goal_rounds": 9})), created);
    invalid("create_goal", json!({"objective": "ship it", "max_goal_rounds": "9"}), "max_goal_rounds");
    invalid("create_goal", json!({"max_goal_rounds": 9}), "arguments");
}

/// Zero rounds are refused by the session with a code of their own, so they must get there.
#[test]
fn a_new_goal_with_zero_rounds_is_passed_on() {
    let created = ToolAction::CreateGoal { objective: String::new(), max_goal_rounds: Some(0) };
    assert_eq!(action("create_goal", json!({"objective": "", "max_goal_rounds": 0})), created);
}

fn update(action: UpdateAction) -> UpdateGoal {
    UpdateGoal {
        goal_id: "g".to_owned(),
        revision: 2,
        action,
        objective: None,
        max_goal_rounds: None,
        blocked_reason: None,
        evidence: None,
    }
}

#[test]
fn empty_texts_and_a_zero_count_as_left_out_of_an_update() {
    for (word, meant) in [
        ("edit", UpdateAction::Edit),
        ("pause", UpdateAction::Pause),
        ("resume", UpdateAction::Resume),
        ("complete", UpdateAction::Complete),
        ("blocked", UpdateAction::Blocked),
    ] {
        let call = json!({"goal_id": "g", "revision": 2, "action": word, "objective": "",
            "max_goal_rounds": 0, "blocked_reason": "", "evidence": ""});
        assert_eq!(action("update_goal", call), ToolAction::UpdateGoal(update(meant)));
    }
}

#[test]
fn an_update_keeps_what_was_said() {
    let call = json!({"goal_id": "g", "revision": 2, "action": "edit", "objective": "more",
        "max_goal_rounds": 3, "blocked_reason": " ", "evidence": "tests pass"});
    let expected = UpdateGoal {
        objective: Some("more".to_owned()),
        max_goal_rounds: Some(3),
        blocked_reason: Some(" ".to_owned()),
        evidence: Some("tests pass".to_owned()),
        ..update(UpdateAction::Edit)
    };
    assert_eq!(action("update_goal", call), ToolAction::UpdateGoal(expected));
    invalid("update_goal", json!({"goal_id": "g", "revision": 2, "action": "finish"}), "action");
    invalid("update_goal", json!({"goal_id": "g", "revision": -1, "action": "pause"}), "revision");
    invalid("update_goal", json!({"goal_id": 7, "revision": 1, "action": "pause"}), "goal_id");
}

fn question(change: impl Fn(&mut Value)) -> Value {
    let mut item = json!({"id": "db", "header": "Database", "question": "Which one?", "options": [
        {"label": "SQLite (Recommended)", "description": "One file."},
        {"label": "Postgres"},
    ]});
    change(&mut item);
    json!({"questions": [item]})
}

#[test]
fn a_question_is_taken_under_both_names() {
    let option = |label: &str, description: &str, recommended| QuestionOption {
        label: label.to_owned(),
        description: description.to_owned(),
        recommended,
    };
    let item = QuestionItem {
        id: "db".to_owned(),
        header: "Database".to_owned(),
        question: "Which one?".to_owned(),
        detail: None,
        options: vec![option("SQLite", "One file.", true), option("Postgres", "", false)],
        multi_select: false,
    };
    let expected = ToolAction::AskUser { items: vec![item], answer_within_s: None };
    assert_eq!(action("ask_user_question", question(|_| {})), expected);
    assert_eq!(action("request_user_input", question(|_| {})), expected);
}

#[test]
fn a_question_over_a_limit_is_refused_with_the_limit() {
    let tool = "ask_user_question";
    let four: Vec<_> =
        (0..4).map(|n| question(|item| item["id"] = n.to_string().into())["questions"][0].clone()).collect();
    invalid(tool, json!({"questions": four}), "questions");
    invalid(tool, json!({"questions": []}), "questions");
    let long = question(|item| item["header"] = "thirteen long".into());
    let text = Registry::standard().parse(tool, &long.to_string()).unwrap_err().to_string();
    assert!(text.contains("has 13 characters, must have 1 to 12"), "{text}");
    let options = |count: usize| (0..count).map(|n| json!({"label": n.to_string()})).collect::<Value>();
    for count in [0, 1, 5] {
        invalid(tool, question(|item| item["options"] = options(count)), "questions[0].options");
    }
}

#[test]
fn what_an_answer_refers_to_is_unique_and_not_blank() {
    let tool = "ask_user_question";
    let one = question(|_| {})["questions"][0].clone();
    invalid(tool, json!({"questions": [one, one]}), "questions[1].id");
    invalid(tool, question(|item| item["id"] = " ".into()), "questions[0].id");
    invalid(tool, question(|item| item["question"] = "".into()), "questions[0].question");
    invalid(
        tool,
        question(|item| item["options"][1]["label"] = "SQLite".into()),
        "questions[0].options[1].label",
    );
    invalid(tool, question(|item| item["options"][1]["label"] = "".into()), "questions[0].options[1].label");
    invalid(tool, question(|item| item["options"][1]["why"] = "x".into()), "questions[0].options[1].why");
}

#[test]
fn a_time_limit_is_passed_on() {
    let mut limited = question(|_| {});
    limited["answer_within_seconds"] = 90.into();
    let ToolAction::AskUser { answer_within_s, .. } = action("ask_user_question", limited) else {
        panic!("a question is asked")
    };
    assert_eq!(answer_within_s, Some(90));
    let mut unknown = question(|_| {});
    unknown["timeout"] = 90.into();
    invalid("ask_user_question", unknown, "timeout");
}

#[test]
fn the_policy_on_parallel_todos_changes_only_what_a_model_is_told_of_the_list() {
    let told = |registry: Registry| registry.specs();
    let (parallel, sequential) =
        (told(Registry::standard()), told(Registry::standard().with_todos_in_sequence()));
    let different: Vec<_> = parallel
        .iter()
        .zip(&sequential)
        .filter(|(one, other)| one != other)
        .map(|(one, _)| one.name)
        .collect();
    assert_eq!(different, ["todo_write"]);
    let policy =
        |specs: &[tools::ToolSpec], clause: &str| specs.iter().any(|spec| spec.description.contains(clause));
    assert!(policy(&sequential, "at most one item in_progress"));
    assert!(policy(&parallel, "every item that is being worked on in_progress"));
}
