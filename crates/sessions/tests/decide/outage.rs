//! What a goal does when its provider has an outage.

use projections::{Goals, Waiting};
use sessions::{AgentCommand, Code, Outage};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

fn fails_with(outage: Option<Outage>) -> Steps {
    agent(move |_| AgentCommand::Fail {
        code: "overloaded".to_owned(),
        message: "try later".to_owned(),
        outage,
    })
}

fn outage() -> Steps {
    fails_with(Some(Outage::default()))
}

/// A goal that outlasts two outages in a row.
fn patient(steps: impl IntoIterator<Item = Steps>) -> Session {
    given([limits(|limits| limits.outage_retries_max = 2), goal_create("ship it", Some(9))]).and(steps)
}

fn waits_until(session: &Session) -> Option<(u32, u64)> {
    let back_off = session.goal().back_off.as_ref()?;
    Some((back_off.retry.retry, back_off.retry.not_before_ms))
}

#[test]
fn an_outage_disarms_unless_configured_otherwise() {
    let session = given([goal_create("ship it", Some(9)), round(), outage()]);
    assert!(!session.is_armed() && waits_until(&session).is_none());
}

#[test]
fn a_failure_that_is_no_outage_disarms_a_patient_goal_too() {
    assert!(!patient([round(), fails_with(None)]).is_armed());
}

#[test]
fn a_patient_goal_waits_and_says_until_when() {
    let session = patient([round(), outage()]);
    assert!(session.is_armed());
    assert_eq!(waits_until(&session), Some((1, 6_000)));
    let why = Goals::waiting(&session.state, Some(session.epoch));
    let text = why.as_ref().map(Waiting::text).unwrap_or_default();
    assert_eq!(text, "the model could not be asked (overloaded); retry 1 starts at 00:00:06 UTC");
    session.when(reserve()).refused(Code::RoundNotDue);
}

#[test]
fn once_the_wait_is_over_the_next_round_is_due() {
    patient([round(), outage(), clock(6_000)])
        .when(reserve())
        .then(["goal/round 2 of r1", "input/queued next-turn round 2 of r1"]);
}

#[test]
fn a_provider_that_asks_for_a_longer_wait_gets_it() {
    let session = patient([round(), fails_with(Some(Outage { retry_after_ms: Some(60_000) }))]);
    assert_eq!(waits_until(&session), Some((1, 61_000)));
}

#[test]
fn waits_grow_and_their_count_is_capped() {
    let session = patient([round(), outage(), clock(6_000), round(), outage()]);
    assert_eq!(waits_until(&session), Some((2, 16_000)));
    let session = session.and([clock(16_000), round(), outage()]);
    assert!(!session.is_armed(), "the third outage in a row disarms");
}

#[test]
fn a_turn_that_works_ends_the_outage() {
    let session = patient([round(), outage(), clock(6_000), whole_round()]);
    assert_eq!((waits_until(&session), session.is_armed()), (None, true));
    assert_eq!(waits_until(&session.and([round(), outage()])), Some((1, 11_000)));
}

#[test]
fn a_person_comes_first_while_a_goal_backs_off() {
    let session = patient([round(), outage(), prompt("are you there?")]);
    assert_eq!(Goals::waiting(&session.state, Some(session.epoch)), Some(Waiting::InputFirst));
}

#[test]
fn stop_pauses_a_goal_that_backs_off() {
    let session = patient([round(), outage()]).and([stop()]);
    assert_eq!(
        session.lines("goal/change").last().map(String::as_str),
        Some("goal/change pause r2 paused 1/9")
    );
    assert_eq!(waits_until(&session), None);
}

#[test]
fn a_new_host_does_not_go_on_waiting() {
    assert!(!patient([round(), outage(), restart()]).is_armed());
}
