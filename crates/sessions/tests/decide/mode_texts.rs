//! What the model is told when the rules of its mode change, or what it was told is no longer there.

use events::{CompactionSummary, Digest, ModeText, Seq, SessionEvent, plain_text};
use projections::State;
use sessions::AgentCommand;

use crate::given::{Session, Steps, given};
use crate::wishes::*;

/// A request whose mode text has this hash.
fn header_with(hash: &'static str) -> Steps {
    agent(move |state| {
        let mut header = request_header(state);
        header.mode_text = Some(ModeText { plan: state.plan.active, hash: Digest(hash.to_owned()) });
        AgentCommand::Header(header)
    })
}

fn told(session: &Session) -> Vec<String> {
    let notices = session.log.iter().filter_map(|envelope| match &envelope.event {
        SessionEvent::UserMessage(data) if data.input_id.is_none() => Some(plain_text(&data.content)),
        _ => None,
    });
    notices.collect()
}

fn turn(hash: &'static str) -> Steps {
    all([prompt("hi"), claim(), admit(), header_with(hash), concludes()])
}

fn summed_up(up_to: u64) -> Steps {
    let summary = CompactionSummary {
        first_seq: Seq(1),
        last_seq: Seq(up_to),
        text: "hello was said".to_owned(),
        usage: None,
    };
    fact(summary)
}

#[test]
fn other_rules_of_the_same_mode_are_told_with_the_request_that_has_them() {
    let session = given([turn("old"), prompt("go on"), claim(), admit(), header_with("new")]);
    let told = told(&session);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("<mode_change>") && told[0].contains("default mode were replaced"),
        "{told:?}"
    );
    let last_two = session.lines("").len() - 2;
    assert!(session.lines("")[last_two].starts_with("user/message"), "{:?}", session.lines(""));
}

#[test]
fn the_same_rules_are_told_once() {
    assert_eq!(told(&given([turn("same"), turn("same"), turn("other"), turn("other")])).len(), 1);
}

#[test]
fn a_switch_is_told_as_a_switch_alone() {
    let told = told(&given([turn("default"), plan_on(), turn("plan")]));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("switched this session to plan mode"), "{told:?}");
}

#[test]
fn after_a_summary_the_mode_is_told_once_more() {
    let session = given([plan_on(), turn("plan"), summed_up(5)]).and([turn("plan"), turn("plan")]);
    let told = told(&session);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("summed up") && told[0].contains("plan mode is on"), "{told:?}");
    assert!(!session.state.plan.retell);
}

#[test]
fn a_switch_after_a_summary_is_told_once() {
    let told = told(&given([turn("default"), summed_up(5), plan_on(), turn("plan")]));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("switched"), "{told:?}");
}

#[test]
fn the_mode_text_in_force_is_recorded() {
    let in_force = |state: &State| {
        state.requests.header.as_ref().and_then(|header| header.mode_text.clone()).map(|text| text.hash.0)
    };
    assert_eq!(in_force(&given([turn("old"), turn("new")]).state), Some("new".to_owned()));
}
