//! A long session in which everything happens once, for tests that cut it anywhere.

use events::{Target, TodoStatus, ToolClass};
use sessions::{ReviewVerdict, UpdateAction};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

/// Returns the whole session.
pub(crate) fn story() -> Session {
    given([planning(), working(), pursuing(), asking(), stopping(), waiting_long()])
}

fn planning() -> Steps {
    all([
        plan_on(),
        asked("plan the migration"),
        streams("let me look"),
        calls([("a1", "read_file"), ("a2", "read_file"), ("a3", "write_file")]),
        start("a1", ToolClass::Read),
        start("a2", ToolClass::Read),
        finish("a1"),
        finish("a2"),
        start("a3", ToolClass::Write),
        next_step(),
        proposes("a4", "# First plan"),
        review(ReviewVerdict::KeepPlanning, Some("smaller")),
        next_step(),
        proposes("a5", "# Second plan"),
        review(ReviewVerdict::Approve, None),
        next_step(),
    ])
}

fn next_step() -> Steps {
    all([end_step(), admit(), header()])
}

fn working() -> Steps {
    all([
        calls([("b1", "todo_write"), ("b2", "run_command")]),
        act(
            "b1",
            todo_write(vec![todo("migrate", TodoStatus::InProgress), todo("test", TodoStatus::Pending)]),
        ),
        start("b2", ToolClass::Exec),
        prompt_to("mind the index", Target::NextStep),
        finish("b2"),
        end_step(),
        admit(),
        streams("almost "),
        streams("done"),
        concludes(),
    ])
}

fn pursuing() -> Steps {
    all([
        goal_create("the suite is green", Some(4)),
        whole_round(),
        reserve(),
        prompt("what is left?"),
        claim(),
        admit(),
        concludes(),
        goal_edit(Some("the suite is green twice"), None),
        round(),
        calls([("d1", "run_command")]),
        start("d1", ToolClass::Exec),
        finish("d1"),
        end_step(),
        admit(),
        calls([("d2", "get_goal"), ("d3", "update_goal")]),
        act("d2", sessions::ToolAction::GetGoal),
        update_goal("d3", UpdateAction::Complete, |update| update.evidence = Some("ran twice".to_owned())),
        end_step(),
        admit(),
        concludes(),
        slash("/goal and now the docs"),
        whole_round(),
        round(),
        goal_pause(),
        settle(),
    ])
}

fn asking() -> Steps {
    let question = || vec![item("color", ["red", "blue"])];
    all([
        asked("which color?"),
        calls([("e1", "ask_user_question"), ("e2", "read_file")]),
        act("e1", ask_user(question())),
        answer(vec![choose("color", ["red"])]),
        start("e2", ToolClass::Read),
        finish("e2"),
        end_step(),
        admit(),
        calls([("e3", "ask_user_question")]),
        act("e3", ask_user(question())),
        prompt("never mind"),
        end_step(),
        admit(),
        concludes(),
    ])
}

fn stopping() -> Steps {
    all([
        goal_resume(),
        reserve(),
        claim(),
        admit(),
        streams("I will"),
        stop(),
        settle(),
        goal_resume(),
        reserve(),
        claim(),
        goal_edit(None, Some(9)),
        admit(),
        reserve(),
        stop(),
        asked("go"),
        calls([("f1", "run_command"), ("f2", "run_command")]),
        start("f1", ToolClass::Exec),
        prompt("later"),
        stop(),
        settle(),
        asked("again"),
        fails(),
        slash("/plan sketch"),
        slash("/plan off"),
    ])
}

fn waiting_long() -> Steps {
    all([
        claim(),
        admit(),
        calls([("g1", "ask_user_question"), ("g2", "read_file")]),
        act("g1", ask_user(vec![item("color", ["red", "blue"])])),
        restart(),
        prompt("while you were away"),
        fail_call("g2"),
        end_step(),
        admit(),
        concludes(),
        restart(),
        goal_resume(),
        reserve(),
    ])
}
