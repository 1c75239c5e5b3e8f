//! A turn from its claim to its end, and the session's own commands.

use events::{Block, ToolClass};
use sessions::{ClientCommand, Code, Command};

use crate::given::{Session, given};
use crate::wishes::*;

#[test]
fn a_turn_without_tools_is_one_step() {
    given([prompt("hi")])
        .when(claim())
        .then(["turn/start 1", "input/claimed 1"])
        .when(admit())
        .then(["step/start 1.1", "user/message user: hi"])
        .when(says("hello"))
        .then(["assistant/message 1.1: hello", "step/end 1.1 stop"])
        .when(end_turn())
        .then(["turn/end 1 completed"]);
}

#[test]
fn a_step_with_tools_ends_when_each_call_has_its_result() {
    given([asked("hi")])
        .when(calls([("c1", "read"), ("c2", "read")]))
        .then(["assistant/message 1.1:", "tool/call c1 read", "tool/call c2 read"])
        .when(end_step())
        .refused(Code::StepNotOpen)
        .when(start("c1", ToolClass::Read))
        .then(["tool/started c1 read"])
        .when(finish("c1"))
        .then(["tool/result c1 ok"])
        .when(fail_call("c2"))
        .then(["tool/result c2 INVALID_ARGS"])
        .when(end_step())
        .then(["step/end 1.1 toolcalls"]);
}

#[test]
fn nothing_happens_out_of_order() {
    given([]).when(admit()).refused(Code::StepNotOpen);
    given([]).when(says("x")).refused(Code::StepNotOpen);
    given([]).when(end_turn()).refused(Code::StepNotOpen);
    given([]).when(fails()).refused(Code::StepNotOpen);
    given([prompt("hi"), claim()]).when(says("x")).refused(Code::StepNotOpen);
    given([asked("hi")]).when(admit()).refused(Code::StepNotOpen);
    given([asked("hi")]).when(end_step()).refused(Code::StepNotOpen);
    given([asked("hi")]).when(end_turn()).refused(Code::StepNotOpen);
    given([asked("hi"), calls([("c1", "x")])]).when(says("x")).refused(Code::StepNotOpen);
    given([asked("hi"), says("x")]).when(streams("x")).refused(Code::StepNotOpen);
}

#[test]
fn a_step_needs_something_new_for_the_model() {
    given([asked("hi"), says("hello")]).when(admit()).refused(Code::StepNotOpen);
    given([asked("hi"), says("hello"), prompt("later")]).when(admit()).refused(Code::StepNotOpen);
    given([asked("hi"), says("hello"), prompt_to("and", events::Target::NextStep)]).when(admit()).then([
        "input/claimed 1",
        "step/start 1.2",
        "user/message user: and",
    ]);
}

#[test]
fn a_call_starts_once_and_has_one_result() {
    let done = given([asked("hi"), calls([("c1", "x")]), start("c1", ToolClass::Read)])
        .when(start("c1", ToolClass::Read))
        .refused(Code::StepNotOpen)
        .and([finish("c1")]);
    done.clone().when(finish("c1")).refused(Code::StepNotOpen);
    done.clone().when(fail_call("c1")).refused(Code::StepNotOpen);
    done.when(finish("other")).refused(Code::StepNotOpen);
}

#[test]
fn a_call_that_was_not_started_has_no_result_of_a_body() {
    given([asked("hi"), calls([("c1", "x")])]).when(finish("c1")).refused(Code::StepNotOpen);
}

#[test]
fn a_call_that_asks_a_person_has_no_result_of_a_body() {
    let ask = act("c1", ask_user(vec![item("color", ["red", "blue"])]));
    given([asked("hi"), calls([("c1", "ask")]), ask]).when(finish("c1")).refused(Code::StepNotOpen);
}

#[test]
fn calls_with_the_same_id_in_one_answer_are_told_apart() {
    let session = given([asked("hi"), calls([("c1", "read"), ("c1", "write"), ("c1-2", "read")])]);
    let ids: Vec<String> = session
        .state
        .turn
        .step()
        .expect("a step is open")
        .calls
        .iter()
        .map(|call| call.call_id.to_string())
        .collect();
    assert_eq!(ids.len(), 3);
    let distinct: std::collections::HashSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), 3, "{ids:?}");
    let content = session.log.iter().find_map(|envelope| match &envelope.event {
        events::SessionEvent::AssistantMessage(data) => Some(data.content.clone()),
        _ => None,
    });
    let shown: Vec<String> = content
        .expect("the model answered")
        .iter()
        .filter_map(|block| match block {
            Block::ToolCall { call_id, .. } => Some(call_id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(shown, ids, "the message names the calls as the log does");
}

#[test]
fn every_answer_counts_towards_usage_once() {
    let session =
        given([asked("hi"), calls([("c1", "x")]), fail_call("c1"), end_step(), admit(), concludes()]);
    assert_eq!((session.state.usage.input_tokens, session.state.usage.output_tokens), (20, 4));
    assert_eq!(session.state.usage.requests, 2);
}

#[test]
fn an_answer_whose_turn_was_stopped_counts_towards_usage_too() {
    let session = given([asked("hi"), calls([("c1", "x")]), stop(), settle()]);
    assert_eq!(session.state.usage.input_tokens, 10);
}

#[test]
fn a_turn_ends_at_its_last_step() {
    let tool = |id: &'static str| all([calls([(id, "x")]), fail_call(id), end_step()]);
    given([limits(|limits| limits.steps_per_turn_max = 2), asked("hi"), tool("c1"), admit(), tool("c2")])
        .when(admit())
        .then(["turn/end 1 step-limit"]);
}

#[test]
fn a_turn_that_hit_the_output_limit_says_so() {
    given([asked("hi"), says_too_much()]).when(end_turn()).then(["turn/end 1 max-tokens"]);
}

#[test]
fn a_failed_turn_closes_everything_in_it() {
    given([asked("hi"), streams("half")]).when(fails()).then([
        "assistant/message 1.1 interrupted: half",
        "step/end 1.1 error",
        "turn/end 1 error",
    ]);
}

#[test]
fn deltas_of_another_step_are_refused() {
    let stale = agent(|_| {
        sessions::AgentCommand::Delta(events::AssistantDelta {
            turn: 1,
            step: 2,
            attempt: 1,
            offset: 0,
            channel: events::Channel::Text,
            text: "x".to_owned(),
        })
    });
    given([asked("hi")]).when(stale).refused(Code::StepNotOpen);
}

fn untitled() -> Session {
    let mut session = given([]);
    session.state.session.title = None;
    session
}

#[test]
fn the_first_prompt_gives_a_title() {
    let text = "fix the\nflaky test in the parser, please, and do it soon";
    untitled().and([prompt(text), claim()]).when(admit()).then([
        "step/start 1.1",
        "session/titled \"fix the flaky test in the parser, please…\"",
        &format!("user/message user: {text}"),
    ]);
}

#[test]
fn a_goal_gives_a_title() {
    untitled()
        .when(goal_create("ship it", None))
        .then(["session/titled \"ship it\"", "goal/change create r1 active 0/256"]);
}

#[test]
fn a_made_title_is_cut_at_a_character() {
    let (session, _) = untitled().when(goal_create(&"ä".repeat(100), None)).told();
    assert_eq!(session.state.session.title, Some("ä".repeat(22) + "…"));
}

fn title(text: &str) -> crate::given::Steps {
    let text = text.to_owned();
    client(move |_| ClientCommand::SetTitle { title: text.clone() })
}

#[test]
fn a_title_is_one_line_of_limited_length() {
    given([]).when(title(" a\n b\u{7}\tc ")).then(["session/titled \"a b c\""]);
    for wrong in ["", " \n ", "\u{7}", &"x".repeat(81)] {
        given([]).when(title(wrong)).refused(Code::TitleInvalid);
    }
    given([title(&"x".repeat(80))]);
}

#[test]
fn a_session_is_put_away_and_taken_out() {
    let archive = |archived| client(move |_| ClientCommand::Archive { archived });
    given([]).when(archive(false)).then_nothing();
    given([])
        .when(archive(true))
        .then(["session/archived true"])
        .when(archive(true))
        .then_nothing()
        .when(archive(false))
        .then(["session/archived false"]);
}

#[test]
fn a_deleted_or_damaged_session_takes_nothing_more() {
    let deleted = events::SessionDeleted { by: person() };
    given([fact(deleted)]).when(prompt("hi")).refused(Code::SessionDeleted);

    let mut damaged = given([]);
    damaged.record(&person(), vec![events::TurnEnd::new(1, events::TurnEndReason::Completed).into()]);
    assert!(damaged.state.damage.is_some());
    damaged.clone().when(prompt("hi")).refused(Code::SessionDamaged);
    assert!(damaged.decide(&person(), &Command::Own).is_err());
}

#[test]
fn a_request_is_made_again_within_its_step_only_before_anything_was_called() {
    let counts = |steps: Vec<crate::given::Steps>, attempt| {
        given(steps).holds(|state| state.turn.step().is_some_and(|step| step.attempt() == attempt));
    };
    counts(vec![asked("hi"), retries()], 2);
    counts(vec![asked("hi"), streams("ha"), retries(), retries()], 3);
    given([asked("hi"), calls([("c1", "x")])]).when(retries()).refused(Code::StepNotOpen);
    given([asked("hi"), says("hello")]).when(retries()).refused(Code::StepNotOpen);
    given([asked("hi"), stop()]).when(retries()).refused(Code::TurnCancelled);
}

#[test]
fn an_attempt_that_broke_off_is_counted_once_and_its_text_is_kept_when_no_later_one_says_anything() {
    given([asked("hi"), streams("half a sentence"), retries(), fails()]).holds(|state| {
        let spent = (state.usage.output_tokens, state.usage.requests);
        spent == (4, 1)
    });
    given([asked("hi"), streams("half"), retries()]).when(fails()).then([
        "assistant/message 1.1 interrupted: half",
        "step/end 1.1 error",
        "turn/end 1 error",
    ]);
}
