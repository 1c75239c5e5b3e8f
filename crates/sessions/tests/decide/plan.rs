//! Plan mode: choosing it, when it takes effect, and what the model is told.

use events::{SandboxProfile, Source, Target, ToolClass};
use projections::State;
use sessions::{ClientCommand, ReviewVerdict};

use crate::given::given;
use crate::wishes::*;

fn mode(active: bool, pending: Option<bool>) -> impl Fn(&State) -> bool {
    move |state| {
        (state.plan.active, state.plan.pending.as_ref().map(|selection| selection.active))
            == (active, pending)
    }
}

#[test]
fn a_new_session_does_not_plan() {
    given([]).holds(mode(false, None));
}

#[test]
fn choosing_the_mode_that_is_in_force_does_nothing() {
    given([]).when(plan_off()).then_nothing();
    given([plan_on()]).when(plan_on()).then_nothing();
}

#[test]
fn choosing_the_mode_that_is_selected_already_does_nothing() {
    given([asked("hi"), plan_on()]).when(plan_on()).then_nothing().holds(mode(false, Some(true)));
    given([plan_on(), asked("hi"), plan_off()])
        .when(plan_off())
        .then_nothing()
        .holds(mode(true, Some(false)));
}

#[test]
fn choosing_another_mode_in_an_open_turn_waits() {
    given([asked("hi")]).when(plan_on()).then(["plan/selected on"]).holds(mode(false, Some(true)));
    given([plan_on(), asked("hi")])
        .when(plan_off())
        .then(["plan/selected off"])
        .holds(mode(true, Some(false)));
}

#[test]
fn choosing_the_mode_in_force_again_withdraws_the_selection() {
    given([asked("hi"), plan_on()]).when(plan_off()).then(["plan/selected off"]).holds(mode(false, None));
    given([plan_on(), asked("hi"), plan_off()])
        .when(plan_on())
        .then(["plan/selected on"])
        .holds(mode(true, None));
}

#[test]
fn a_selection_that_outlived_its_turn_is_withdrawn_the_same_way() {
    given([asked("hi"), plan_on(), concludes()])
        .holds(mode(false, Some(true)))
        .when(plan_off())
        .then(["plan/selected off"])
        .holds(mode(false, None));
}

#[test]
fn choosing_another_mode_on_an_idle_session_takes_effect_at_once() {
    given([])
        .when(plan_on())
        .then(["plan/mode on"])
        .holds(mode(true, None))
        .when(plan_off())
        .then(["plan/mode off"])
        .holds(mode(false, None));
}

#[test]
fn a_selection_commits_before_the_next_step_starts() {
    given([asked("hi"), calls([("c1", "read_file")]), plan_on(), start("c1", ToolClass::Read)])
        .and([finish("c1"), end_step()])
        .when(admit())
        .then(["plan/mode on", "step/start 1.2", "user/message notice plan-mode"])
        .holds(mode(true, None));
}

#[test]
fn a_selection_at_a_turns_last_step_commits_at_the_first_step_of_the_next_turn() {
    given([asked("hi"), plan_on(), concludes(), prompt("go on"), claim()])
        .holds(mode(false, Some(true)))
        .when(admit())
        .then([
            "plan/mode on",
            "step/start 2.1",
            "user/message user: go on",
            "user/message notice plan-mode",
        ]);
}

#[test]
fn flips_that_come_to_nothing_leave_neither_mode_nor_notice() {
    given([asked("hi"), calls([("c1", "x")]), plan_on(), plan_off(), fail_call("c1"), end_step()])
        .when(admit())
        .then(["step/start 1.2"])
        .holds(mode(false, None));
}

#[test]
fn a_selection_survives_a_stopped_turn() {
    given([asked("hi"), plan_on(), stop(), settle()]).holds(mode(false, Some(true)));
}

#[test]
fn a_selection_survives_a_restart() {
    given([asked("hi"), plan_on(), restart()])
        .holds(mode(false, Some(true)))
        .and([prompt("go on"), claim(), admit()])
        .holds(mode(true, None));
}

#[test]
fn entering_restricts_at_once_and_leaving_only_when_it_is_committed() {
    let entering = given([asked("hi"), calls([("c1", "write_file"), ("c2", "run")]), plan_on()]);
    entering
        .when(start("c1", ToolClass::Write))
        .then(["tool/result c1 PLAN_MODE_REFUSED"])
        .when(start("c2", ToolClass::Exec))
        .then(["tool/result c2 PLAN_MODE_REFUSED"]);

    let leaving = given([plan_on(), asked("hi"), calls([("c1", "write_file")]), plan_off()]);
    leaving.when(start("c1", ToolClass::Write)).then(["tool/result c1 PLAN_MODE_REFUSED"]);
}

#[test]
fn a_command_runs_in_plan_mode_only_where_it_can_change_nothing() {
    let planning = given([plan_on(), asked("hi"), calls([("c1", "run"), ("c2", "run"), ("c3", "run")])]);
    planning
        .when(start_confined("c1", SandboxProfile::Workspace))
        .then(["tool/result c1 PLAN_MODE_REFUSED"])
        .when(start_confined("c2", SandboxProfile::Off))
        .then(["tool/result c2 PLAN_MODE_REFUSED"])
        .when(start_confined("c3", SandboxProfile::ReadOnly))
        .then(["tool/started c3 exec"]);

    let entering = given([asked("hi"), calls([("c1", "run")]), plan_on()]);
    entering.when(start_confined("c1", SandboxProfile::Workspace)).then(["tool/result c1 PLAN_MODE_REFUSED"]);
}

#[test]
fn plan_mode_lets_the_model_look_and_ask() {
    for class in [ToolClass::Read, ToolClass::Ask, ToolClass::Session] {
        let line = format!("tool/started c1 {}", class.name());
        given([plan_on(), asked("hi"), calls([("c1", "x")])]).when(start("c1", class)).then([line.as_str()]);
    }
}

#[test]
fn choosing_plan_mode_touches_neither_goal_nor_todos() {
    let before = given([goal_create("ship it", None), asked("hi"), calls([("c1", "todo_write")])])
        .and([act("c1", todo_write(vec![todo("one", events::TodoStatus::Pending)])), end_step()]);
    let (goals, todos) = (before.state.goals.clone(), before.state.todos.clone());
    let after = before.and([plan_on(), admit(), plan_off(), concludes()]);

    assert_eq!((after.state.goals, after.state.todos), (goals, todos));
}

fn notices(steps: impl IntoIterator<Item = crate::given::Steps>) -> Vec<String> {
    let session = given(steps);
    let told = session.log.iter().filter_map(|envelope| match &envelope.event {
        events::SessionEvent::UserMessage(data) => match &data.source {
            Source::Notice { about, summary } if about == "plan-mode" => Some(summary.clone()),
            _ => None,
        },
        _ => None,
    });
    told.collect()
}

#[test]
fn the_model_is_told_of_a_switch_exactly_once() {
    let told = notices([whole_turn("hi"), plan_on(), whole_turn("plan"), whole_turn("plan on")]);
    assert_eq!(told, ["plan mode on"]);

    let told = notices([plan_on(), whole_turn("plan"), plan_off(), whole_turn("do"), whole_turn("more")]);
    assert_eq!(told, ["plan mode off"]);
}

#[test]
fn the_model_is_not_told_before_its_first_request() {
    assert!(notices([plan_on(), whole_turn("plan")]).is_empty());
    assert!(notices([prompt("hi"), claim(), plan_on(), admit(), header(), concludes()]).is_empty());
}

#[test]
fn the_model_is_not_told_what_it_knows() {
    let told = notices([plan_on(), whole_turn("plan"), plan_off(), plan_on(), whole_turn("plan on")]);
    assert!(told.is_empty());
}

#[test]
fn a_switch_there_and_back_between_two_turns_is_no_switch() {
    let told = notices([whole_turn("hi"), plan_on(), plan_off(), whole_turn("more")]);
    assert!(told.is_empty());
}

#[test]
fn an_approval_tells_the_model_itself() {
    let approved = review(ReviewVerdict::Approve, None);
    let told = notices([in_review("# Plan"), approved, end_step(), admit(), header(), concludes()]);
    assert!(told.is_empty());
}

#[test]
fn an_approval_that_is_taken_back_before_it_takes_effect_is_told() {
    let approved = review(ReviewVerdict::Approve, None);
    let told = notices([in_review("# Plan"), approved, plan_on(), end_step(), admit(), concludes()]);
    assert_eq!(told, ["plan mode on"]);
}

#[test]
fn a_return_to_plan_mode_after_an_approval_is_told_even_without_a_request_in_between() {
    let approved = all([review(ReviewVerdict::Approve, None), end_step(), admit()]);
    let told = notices([in_review("# Plan"), approved, restart(), plan_on(), whole_turn("plan on")]);
    assert_eq!(told, ["plan mode on"]);
}

#[test]
fn choosing_plan_mode_withdraws_a_reserved_round() {
    given([goal_create("ship it", None), reserve()])
        .when(plan_on())
        .then(["input/withdrawn plan mode", "plan/mode on"])
        .holds(|state| state.goals.current.as_ref().is_some_and(|goal| goal.flight.is_none()));
}

#[test]
fn leaving_plan_mode_with_an_open_review_withdraws_the_review() {
    given([in_review("# Plan")]).when(plan_off()).then([
        "question/withdrawn plan mode was left",
        "plan/reviewed r1 withdrawn",
        "tool/result p1 PLAN_REVIEW_DISMISSED",
        "plan/selected off",
    ]);
}

#[test]
fn leaving_plan_mode_again_withdraws_a_review_that_came_meanwhile() {
    given([plan_on(), asked("plan it"), calls([("p1", "exit_plan_mode")]), plan_off()])
        .and([exit_plan("p1", "# Plan")])
        .when(plan_off())
        .then([
            "question/withdrawn plan mode was left",
            "plan/reviewed r1 withdrawn",
            "tool/result p1 PLAN_REVIEW_DISMISSED",
        ]);
}

#[test]
fn entering_plan_mode_again_leaves_an_open_review_alone() {
    given([in_review("# Plan")]).when(plan_on()).then_nothing();
}

#[test]
fn a_selection_is_known_by_who_made_it() {
    let session = given([asked("hi"), plan_on()]);
    assert_eq!(session.state.plan.pending.map(|selection| selection.by), Some(person()));
}

#[test]
fn a_prompt_in_plan_mode_is_only_a_prompt() {
    given([plan_on()])
        .when(client(|_| ClientCommand::Prompt { text: "go".to_owned(), target: Target::NextTurn }))
        .then(["input/queued next-turn user: go"])
        .holds(mode(true, None));
}
