//! What becomes of a goal when its round ends one way or another, and when people work beside it: phase, rounds,
//! activation, and how often the model was asked.

use events::{GoalPhase, Target};
use sessions::Code;

use crate::given::{Session, Steps, given};
use crate::wishes::*;

/// What stands in the end.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    phase: GoalPhase,
    /// Why it is blocked.
    code: Option<String>,
    revision: u64,
    rounds_started: u32,
    is_armed: bool,
    /// Requests, those made again included.
    asked: usize,
}

/// An active goal of revision 1, disarmed.
const LEFT_ALONE: Outcome = Outcome {
    phase: GoalPhase::Active,
    code: None,
    revision: 1,
    rounds_started: 0,
    is_armed: false,
    asked: 0,
};

impl Outcome {
    fn of(session: &Session) -> Self {
        let current = session.goal();
        Self {
            phase: current.goal.phase,
            code: current.goal.blocked_reason.as_ref().map(|reason| reason.code.clone()),
            revision: current.goal.revision,
            rounds_started: current.rounds_started,
            is_armed: session.is_armed(),
            asked: session.lines("step/start").len() + session.lines("request/attempt").len(),
        }
    }
}

#[track_caller]
fn comes_to(rounds_max: u32, steps: impl IntoIterator<Item = Steps>, expected: &Outcome) -> Session {
    let session = given([goal_create("ship it", Some(rounds_max))]).and(steps);
    assert_eq!(&Outcome::of(&session), expected);
    session
}

/// Blocks the goal as its driver does when all rounds are used.
fn spent() -> Steps {
    block("round-limit", "all rounds are used")
}

fn blocked(revision: u64, rounds_started: u32, asked: usize) -> Outcome {
    let code = Some("round-limit".to_owned());
    Outcome { phase: GoalPhase::Blocked, code, revision, rounds_started, asked, ..LEFT_ALONE }
}

fn paused(rounds_started: u32, asked: usize) -> Outcome {
    Outcome { phase: GoalPhase::Paused, revision: 2, rounds_started, asked, ..LEFT_ALONE }
}

#[test]
fn two_clean_rounds_of_two_block_the_goal() {
    comes_to(2, [whole_round(), whole_round(), spent()], &blocked(2, 2, 2));
}

#[test]
fn a_provider_that_fails_in_a_round_leaves_the_goal_active_and_disarmed() {
    let session = comes_to(9, [round(), fails()], &Outcome { rounds_started: 1, asked: 1, ..LEFT_ALONE });
    session.when(reserve()).refused(Code::RoundNotDue);
}

#[test]
fn a_round_that_hits_the_output_limit_leaves_the_goal_active_and_disarmed() {
    let cut = [round(), says_too_much(), end_turn()];
    comes_to(9, cut, &Outcome { rounds_started: 1, asked: 1, ..LEFT_ALONE });
}

#[test]
fn a_request_that_is_made_again_is_one_round() {
    comes_to(1, [round(), retries(), concludes(), spent()], &blocked(2, 1, 2));
}

#[test]
fn a_round_that_a_person_stops_counts_and_its_goal_is_paused() {
    comes_to(9, [round(), stop(), settle()], &paused(1, 1));
}

#[test]
fn a_round_that_is_stopped_before_its_message_does_not_count() {
    comes_to(9, [reserve(), stop()], &paused(0, 0));
    comes_to(9, [reserve(), claim(), stop(), settle()], &paused(0, 0));
}

#[test]
fn a_persons_turn_that_is_stopped_disarms_the_goal_and_is_no_round() {
    comes_to(9, [asked("hi"), stop(), settle()], &Outcome { asked: 1, ..LEFT_ALONE });
}

#[test]
fn a_goal_that_is_edited_while_its_round_waits_runs_the_new_objective_only() {
    let edited = goal_edit(Some("ship more"), None);
    let armed = Outcome { revision: 2, is_armed: true, ..LEFT_ALONE };
    let session = comes_to(1, [reserve(), edited], &armed).and([whole_round()]);
    assert_eq!(session.lines("user/message"), ["user/message round 1 of r2"]);
    assert_eq!(Outcome::of(&session.and([spent()])), blocked(3, 1, 1));
}

#[test]
fn a_host_that_dies_in_a_round_leaves_the_goal_active_and_the_round_counted() {
    comes_to(9, [round(), restart()], &Outcome { rounds_started: 1, asked: 1, ..LEFT_ALONE });
}

#[test]
fn a_host_that_dies_while_a_round_waits_leaves_nothing_of_it() {
    for waiting in [reserve(), all([reserve(), claim()])] {
        let session = comes_to(9, [waiting, restart()], &LEFT_ALONE);
        assert!(session.state.inbox.is_empty() && session.state.turn.open.is_none());
        assert!(session.goal().flight.is_none());
    }
}

#[test]
fn a_person_who_writes_before_the_first_round_is_answered_first() {
    for target in [Target::NextTurn, Target::NextStep] {
        let session = given([goal_create("ship it", None), prompt_to("hi", target)]);
        let session = session.when(reserve()).refused(Code::RoundNotDue);
        let session = session.and([claim(), admit(), header(), concludes(), round()]);
        let asked = ["user/message user: hi", "user/message round 1 of r1"];
        assert_eq!(session.lines("user/message"), asked, "{target:?}");
    }
}

#[test]
fn a_person_who_writes_while_a_round_waits_is_answered_first() {
    for target in [Target::NextTurn, Target::NextStep] {
        let session = given([goal_create("ship it", None), reserve(), prompt_to("hi", target)]);
        let session = session.and([claim(), admit(), header(), concludes(), round()]);
        let asked = ["user/message user: hi", "user/message round 1 of r1"];
        assert_eq!(session.lines("user/message"), asked, "{target:?}");
    }
}

#[test]
fn a_person_who_writes_while_a_round_runs_is_answered_between_two_rounds() {
    let session = given([goal_create("ship it", None), round(), prompt("hi"), concludes()]);
    let session = session.when(reserve()).refused(Code::RoundNotDue);
    let session = session.and([claim(), admit(), header(), concludes(), round()]);
    let asked = ["user/message round 1 of r1", "user/message user: hi", "user/message round 2 of r1"];
    assert_eq!(session.lines("user/message"), asked);
}

/// Nobody has to wake anybody: what waits is due as soon as it may run, whatever the goal does.
#[test]
fn a_person_who_outranked_a_round_is_answered_whatever_becomes_of_the_goal() {
    for end in [goal_pause(), block("a", "b"), goal_clear(), goal_complete(), goal_edit(Some("x"), None)] {
        let session = given([goal_create("ship it", None), reserve(), prompt("hi"), end]);
        let session = session.and([claim(), admit()]);
        assert_eq!(session.lines("user/message"), ["user/message user: hi"]);
    }
}

#[test]
fn work_that_is_queued_after_a_goal_ended_runs_and_the_goal_stays_as_it_is() {
    for end in [goal_pause(), block("a", "b"), goal_complete()] {
        let session = given([goal_create("ship it", None), whole_round(), end]);
        let before = Outcome::of(&session);
        let after = Outcome::of(&session.and([whole_turn("tidy up")]));
        assert_eq!(after, Outcome { asked: before.asked + 1, ..before });
    }
}

#[test]
fn a_round_that_fails_leaves_what_a_person_queued_meanwhile_to_be_answered() {
    let session = given([goal_create("ship it", None), round(), prompt("hi"), fails()]);
    assert!(!session.is_armed());
    let session = session.and([claim(), admit(), header(), concludes()]);
    assert_eq!(session.lines("user/message"), ["user/message round 1 of r1", "user/message user: hi"]);
    session.when(reserve()).refused(Code::RoundNotDue);
}
