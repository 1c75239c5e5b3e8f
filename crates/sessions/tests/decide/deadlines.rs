//! Questions with a time limit: what stands when it is over, and that it only runs where it was set.

use events::{ActorKind, QuestionItem, SessionEvent};
use sessions::{Code, next_deadline};

use crate::given::{Session, given};
use crate::wishes::*;

/// A question that recommends blue.
fn color() -> QuestionItem {
    recommending("color", ["red", "blue"])
}

fn calling() -> Session {
    given([clock(1_000), asked("hi"), calls([("c1", "ask_user_question")])])
}

fn waiting() -> Session {
    calling().and([act("c1", ask_within(vec![color()], 60))])
}

#[test]
fn the_recommended_option_stands_when_the_time_is_over() {
    let facts = waiting().and([clock(61_000)]).when(expire()).facts();
    let lines: Vec<String> = facts.iter().map(crate::facts::line).collect();
    assert_eq!(lines, ["question/answered blue", "tool/result c1 ok"]);
    let SessionEvent::QuestionAnswered(answered) = &facts[0] else { panic!("the first fact is the answer") };
    assert_eq!(answered.by.kind, ActorKind::Host);
    let SessionEvent::ToolResult(result) = &facts[1] else { panic!("the second fact is the result") };
    let told: serde_json::Value =
        serde_json::from_str(&events::plain_text(&result.content)).expect("the result is JSON");
    assert_eq!(told["answered_by"], "default-after-timeout");
}

#[test]
fn nothing_stands_before_the_time_is_over() {
    waiting().and([clock(60_999)]).when(expire()).refused(Code::QuestionNotDue);
}

#[test]
fn a_question_without_a_limit_never_ends_by_itself() {
    calling()
        .and([act("c1", ask_user(vec![color()])), clock(u64::MAX)])
        .when(expire())
        .refused(Code::QuestionNotDue);
}

#[test]
fn an_answer_in_time_is_the_persons() {
    waiting()
        .and([clock(60_000)])
        .when(answer(vec![choose("color", ["red"])]))
        .then(["question/answered red", "tool/result c1 ok"])
        .holds(|state| next_deadline(state, Some(state.epoch)).is_none());
}

#[test]
fn a_time_that_ended_while_no_host_was_open_waits_for_a_person() {
    let later = waiting().and([restart(), clock(999_000)]);
    assert_eq!(next_deadline(&later.state, Some(later.epoch)), None);
    later
        .when(expire())
        .refused(Code::QuestionNotDue)
        .when(answer(vec![choose("color", ["red"])]))
        .then(["question/answered red", "tool/result c1 ok"]);
}

#[test]
fn the_first_time_to_end_is_looked_at_first_and_only_by_the_host_that_runs_it() {
    let session = waiting();
    let next = next_deadline(&session.state, Some(session.epoch)).expect("a time runs");
    assert_eq!((next.at_ms, next.question_id), (61_000, open_question(&session.state).0));
    assert_eq!(next_deadline(&session.state, None), None);
}

#[test]
fn a_time_limit_needs_a_recommendation_for_each_question_and_a_sensible_length() {
    let undecided = item("undecided", ["a", "b"]);
    let mut torn = item("torn", ["a", "b"]);
    torn.options.iter_mut().for_each(|option| option.recommended = true);
    let many = QuestionItem { multi_select: true, ..torn.clone() };
    calling().and([act("c1", ask_within(vec![color(), many], 30))]);
    for (items, seconds) in [
        (vec![color(), undecided], 60),
        (vec![torn], 60),
        (vec![color()], 29),
        (vec![color()], 86_401),
        (vec![color()], u64::MAX),
    ] {
        calling().when(act("c1", ask_within(items, seconds))).then(["tool/result c1 QUESTION_INVALID"]);
    }
}

#[test]
fn outside_plan_mode_questions_are_asked_where_the_settings_say_so() {
    let forbidden = || limits(|limits| limits.questions_in_default_mode = false);
    calling()
        .and([forbidden()])
        .when(act("c1", ask_user(vec![color()])))
        .then(["tool/result c1 QUESTION_UNAVAILABLE"]);
    let planning = given([plan_on(), asked("hi"), calls([("c1", "ask_user_question")]), forbidden()]);
    planning
        .when(act("c1", ask_user(vec![color()])))
        .then(["tool/started c1 ask", "question/asked ask-user"]);
}
