//! What becomes of a selection at the boundary: at once when idle, before the next step of an open turn.

use events::{SessionEvent, Target};
use sessions::ReviewVerdict;

use crate::given::{Session, given};
use crate::wishes::*;

#[track_caller]
fn told_of_plan(session: &Session, expected: &[&str]) {
    assert_eq!(session.lines("plan/"), expected);
}

#[test]
fn what_was_committed_on_an_idle_session_is_recorded_once() {
    let session = given([plan_on(), plan_off(), whole_turn("hi"), whole_turn("more")]);
    told_of_plan(&session, &["plan/mode on", "plan/mode off"]);
}

#[test]
fn the_mode_in_force_may_be_chosen_in_an_open_turn_too_and_changes_nothing() {
    given([asked("hi")]).when(plan_off()).then_nothing();
    given([plan_on(), asked("hi")]).when(plan_on()).then_nothing();
}

#[test]
fn a_mode_that_nobody_chose_leaves_no_trace_at_the_boundary() {
    told_of_plan(&given([whole_turn("hi"), asked("more"), calls([("c1", "x")])]), &[]);
}

#[test]
fn the_mode_is_recorded_before_the_first_request_and_needs_no_notice() {
    let session = given([plan_on(), asked("plan it")]);
    let place = |line: &str| {
        let found = session.log.iter().position(|it| crate::facts::line(&it.event).starts_with(line));
        found.unwrap_or_else(|| panic!("no {line}"))
    };
    assert!(place("plan/mode on") < place("request/header"));
    assert_eq!(session.lines("user/message"), ["user/message user: plan it"]);
    let header = session.state.requests.header.as_ref().expect("the model was asked");
    assert_eq!(header.system_hash.0, "plan");
}

#[test]
fn a_selection_made_between_two_attempts_waits_for_the_next_admitted_step() {
    let between = given([asked("hi"), plan_on(), retries()]);
    assert!(!between.state.plan.active && between.state.is_planning());
    told_of_plan(&between, &["plan/selected on"]);

    let next = between.and([concludes(), asked("go on"), concludes()]);
    told_of_plan(&next, &["plan/selected on", "plan/mode on"]);
    let notices = next.lines("user/message notice plan-mode");
    assert_eq!(notices.len(), 1);
}

#[test]
fn a_plan_line_in_an_open_turn_waits_with_its_message() {
    let (session, lines) = given([asked("hi")]).when(slash("/plan   draft the migration  ")).told();
    let [run, selected, queued, done] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(run, "command/run plan   draft the migration");
    assert_eq!(selected, "plan/selected on");
    assert_eq!(queued, "input/queued next-step user: draft the migration");
    assert!(done.starts_with("command/done success Entering plan mode"), "{done}");
    let session = session.and([calls([("c1", "x")]), fail_call("c1"), end_step(), admit()]);
    assert!(session.state.plan.active);
    assert_eq!(
        session.lines("user/message user"),
        ["user/message user: hi", "user/message user: draft the migration"]
    );
}

#[test]
fn a_bare_plan_line_queues_nothing() {
    let (session, _) = given([asked("hi")]).when(slash("/plan")).told();
    assert!(session.state.inbox.is_empty());
}

#[test]
fn an_entry_that_was_taken_back_by_a_line_leaves_neither_mode_nor_notice() {
    let session = given([asked("hi"), slash("/plan"), slash("/plan off"), concludes(), whole_turn("more")]);
    told_of_plan(&session, &["plan/selected on", "plan/selected off"]);
    assert!(session.lines("user/message notice").is_empty());
}

#[test]
fn leaving_twice_by_a_line_is_committed_once() {
    let session = given([plan_on(), asked("hi"), slash("/plan off"), slash("/plan off"), concludes()])
        .and([whole_turn("do it")]);
    told_of_plan(&session, &["plan/mode on", "plan/selected off", "plan/mode off"]);
}

#[test]
fn after_an_approval_the_model_is_asked_as_in_the_default_mode() {
    let approved = review(ReviewVerdict::Approve, None);
    let session = given([in_review("# Plan"), approved, end_step(), admit(), header()]);
    let header = session.state.requests.header.as_ref().expect("the model was asked");
    assert_eq!(header.system_hash.0, "default");
    assert!(session.lines("user/message notice").is_empty());
}

#[test]
fn a_turn_that_a_prompt_joins_commits_at_the_step_that_takes_it() {
    given([asked("hi"), plan_on(), says("done"), prompt_to("and plan it", Target::NextStep)])
        .when(admit())
        .then([
            "input/claimed 1",
            "plan/mode on",
            "step/start 1.2",
            "user/message user: and plan it",
            "user/message notice plan-mode",
        ]);
}

#[test]
fn the_plan_of_a_review_is_asked_about_with_exactly_two_ways_out() {
    let session = given([in_review("# Plan")]);
    let asked = session.log.iter().find_map(|envelope| match &envelope.event {
        SessionEvent::QuestionAsked(data) => Some(data.clone()),
        _ => None,
    });
    let items = asked.expect("the review is a question").items;
    let labels: Vec<&str> = items[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!((items.len(), labels), (1, vec!["Approve", "Keep planning"]));
}
