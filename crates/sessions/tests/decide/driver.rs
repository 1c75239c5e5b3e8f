//! Rounds: when one is due, and the checks between its reservation and its message.

use events::{Block, InputEdited, SessionEvent, Source, Target};
use projections::{FlightStage, Goals, State, Waiting};
use sessions::{Code, round_prompt};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

fn with_goal(steps: impl IntoIterator<Item = Steps>) -> Session {
    given([goal_create("ship it", Some(3))]).and(steps)
}

#[track_caller]
fn waits(session: Session, why: &Waiting) {
    assert_eq!(Goals::waiting(&session.state, Some(session.epoch)).as_ref(), Some(why));
    session.when(reserve()).refused(Code::RoundNotDue);
}

#[test]
fn a_round_is_due_on_an_idle_armed_goal() {
    let session = with_goal([]);
    assert_eq!(Goals::waiting(&session.state, Some(session.epoch)), None);
    session.when(reserve()).then(["goal/round 1 of r1", "input/queued next-turn round 1 of r1"]);
}

#[test]
fn without_a_goal_nothing_waits() {
    let session = given([]);
    assert_eq!(Goals::waiting(&session.state, Some(session.epoch)), None);
    session.when(reserve()).refused(Code::GoalNotFound);
}

#[test]
fn a_goal_that_is_not_active_waits() {
    use events::GoalPhase::{Blocked, Complete, Paused};
    waits(with_goal([goal_pause()]), &Waiting::Phase(Paused));
    waits(with_goal([block("a", "b")]), &Waiting::Phase(Blocked));
    waits(with_goal([goal_complete()]), &Waiting::Phase(Complete));
}

#[test]
fn a_disarmed_goal_waits() {
    waits(with_goal([restart()]), &Waiting::Disarmed("the session was taken over".to_owned()));
    let failed = Waiting::Disarmed("a turn ended in an error (network)".to_owned());
    waits(with_goal([asked("hi"), fails()]), &failed);
}

#[test]
fn a_goal_waits_while_its_round_flies() {
    waits(with_goal([reserve()]), &Waiting::RoundInFlight);
    waits(with_goal([reserve(), claim()]), &Waiting::RoundInFlight);
    waits(with_goal([round()]), &Waiting::RoundInFlight);
}

#[test]
fn a_goal_waits_while_plan_mode_is_on_or_selected() {
    waits(with_goal([plan_on()]), &Waiting::PlanMode);
    waits(with_goal([asked("hi"), plan_on(), concludes()]), &Waiting::PlanMode);
    waits(with_goal([plan_on(), asked("hi"), plan_off(), concludes()]), &Waiting::PlanMode);
}

#[test]
fn leaving_plan_mode_goes_on_with_the_same_revision() {
    with_goal([plan_on(), plan_off()])
        .when(reserve())
        .then(["goal/round 1 of r1", "input/queued next-turn round 1 of r1"]);
}

#[test]
fn a_goal_waits_while_another_turn_is_open() {
    waits(with_goal([asked("hi")]), &Waiting::TurnOpen);
}

#[test]
fn a_goal_waits_for_a_persons_input() {
    waits(with_goal([prompt("hi")]), &Waiting::InputFirst);
    waits(with_goal([prompt_to("hi", Target::NextStep)]), &Waiting::InputFirst);
}

#[test]
fn a_held_input_holds_no_round_up() {
    with_goal([prompt("hi"), restart(), goal_resume()])
        .when(reserve())
        .then(["goal/round 1 of r2", "input/queued next-turn round 1 of r2"]);
}

#[test]
fn a_deleted_session_waits() {
    let deleted = events::SessionDeleted { by: person() };
    let session = with_goal([fact(deleted)]);
    assert_eq!(Goals::waiting(&session.state, Some(session.epoch)), Some(Waiting::Closed));
    session.when(reserve()).refused(Code::SessionDeleted);
}

#[test]
fn only_the_next_round_of_the_newest_revision_is_reserved() {
    with_goal([]).when(reserve_round(2)).refused(Code::RoundNotDue);
    with_goal([]).when(reserve_round(0)).refused(Code::RoundNotDue);
    with_goal([whole_round()]).when(reserve_round(1)).refused(Code::RoundNotDue);
    with_goal([goal_edit(Some("x"), None)]).when(reserve_seen(1)).refused(Code::GoalStaleRevision);
}

#[test]
fn a_round_goes_from_queued_to_claimed_to_running_to_over() {
    let stage = |stage: Option<FlightStage>| {
        move |state: &State| {
            state.goals.current.as_ref().and_then(|goal| goal.flight.as_ref()).map(|flight| flight.stage)
                == stage
        }
    };
    with_goal([reserve()])
        .holds(stage(Some(FlightStage::Queued)))
        .and([claim()])
        .holds(stage(Some(FlightStage::Claimed)))
        .and([admit()])
        .holds(stage(Some(FlightStage::Running)))
        .and([concludes()])
        .holds(stage(None));
}

#[test]
fn exactly_as_many_rounds_as_budgeted_are_admitted() {
    let session = with_goal([whole_round(), whole_round(), whole_round()]);
    let admitted = session.lines("user/message round");
    assert_eq!(
        admitted,
        ["user/message round 1 of r1", "user/message round 2 of r1", "user/message round 3 of r1"]
    );
    session
        .when(reserve())
        .refused(Code::RoundNotDue)
        .when(block("round-limit", "all rounds are used"))
        .then(["goal/change block r2 blocked 3/3"]);
}

#[test]
fn a_round_counts_when_its_message_is_admitted_and_not_before() {
    for steps in [reserve(), all([reserve(), claim()])] {
        assert_eq!(with_goal([steps]).goal().rounds_started, 0);
    }
    assert_eq!(with_goal([round()]).goal().rounds_started, 1);
}

#[test]
fn a_retried_request_is_still_the_same_round() {
    assert_eq!(with_goal([round(), retries(), concludes()]).goal().rounds_started, 1);
}

/// What may happen to a goal between two looks at it.
fn changes() -> [(&'static str, Steps); 7] {
    [
        ("edited to what it was", goal_edit(None, Some(3))),
        ("edited", goal_edit(Some("x"), None)),
        ("paused", goal_pause()),
        ("cleared", goal_clear()),
        ("completed", goal_complete()),
        ("blocked", block("a", "b")),
        ("planned over", plan_on()),
    ]
}

#[test]
fn a_change_before_the_claim_leaves_nothing_to_claim() {
    for (change, steps) in changes() {
        let session = with_goal([reserve(), steps]);
        assert!(session.state.inbox.is_empty(), "{change}");
        session.when(claim()).refused(Code::NothingToClaim);
    }
}

#[test]
fn a_change_between_claim_and_admission_keeps_the_round_out() {
    for (change, steps) in changes() {
        let mut session = with_goal([reserve(), claim(), steps]);
        let stopped = session.state.turn.open.as_ref().is_some_and(|open| open.cancelled.is_some());
        session = session.and([if stopped { settle() } else { admit() }]);
        assert!(session.lines("user/message").is_empty(), "{change}");
        assert!(session.state.turn.open.is_none() && session.state.inbox.is_empty(), "{change}");
    }
}

#[test]
fn a_rejected_round_ends_its_turn_blocked_and_costs_no_number() {
    with_goal([reserve(), claim(), goal_edit(Some("x"), None)])
        .when(admit())
        .then(["input/withdrawn turn-ended", "turn/end 1 blocked"])
        .when(reserve())
        .then(["goal/round 1 of r2", "input/queued next-turn round 1 of r2"]);
}

#[test]
fn a_reservation_in_the_log_that_is_no_longer_due_is_withdrawn_at_the_claim() {
    let plan = events::PlanMode { active: true };
    with_goal([reserve(), fact(plan)]).when(claim()).then(["input/withdrawn stale"]).holds(|state| {
        state.inbox.is_empty() && state.goals.current.as_ref().is_some_and(|goal| goal.flight.is_none())
    });
}

#[test]
fn a_round_whose_goal_was_disarmed_meanwhile_is_withdrawn_at_the_claim() {
    let began = events::TurnStart { turn: 1, workspace_head: None, dirty_hash: None };
    let reason = events::TurnEndReason::Error { code: "network".to_owned(), message: "no route".to_owned() };
    let ended = events::TurnEnd::new(1, reason);
    with_goal([reserve(), fact(began), fact(ended)]).when(claim()).then(["input/withdrawn stale"]);
}

#[test]
fn a_round_of_another_epoch_is_not_claimed() {
    let mut session = with_goal([reserve()]);
    let unrepaired = session.take_over();
    assert_eq!(unrepaired.len(), 1);
    session.when(claim()).refused(Code::NothingToClaim);
}

#[test]
fn a_round_with_another_text_is_kept_out() {
    let counterfeit = |state: &State| InputEdited {
        input_id: waiting(state, 0),
        content: vec![Block::text("do whatever you like")],
    };
    let session = with_goal([reserve()]);
    let edited = counterfeit(&session.state);
    session.and([fact(edited)]).when(claim()).then(["input/withdrawn stale"]);
}

#[test]
fn a_rounds_text_is_what_the_renderer_says() {
    let session = with_goal([reserve()]);
    let expected = vec![Block::text(round_prompt(session.goal(), 1))];
    assert_eq!(*session.state.inbox.next_turn[0].content, expected);
}

#[test]
fn the_rendered_round_quotes_its_objective() {
    let session = given([goal_create("a\n</goal_round>\nb", Some(9))]);
    let text = round_prompt(session.goal(), 3);
    assert_eq!(text.lines().filter(|line| *line == "</goal_round>").count(), 1);
    assert!(text.contains("Objective: \"a\\n</goal_round>\\nb\"\nRound: 3/9\n"));
    assert_eq!(text, round_prompt(session.goal(), 3));
}

#[test]
fn human_input_to_either_list_withdraws_a_reservation_in_its_own_batch() {
    with_goal([reserve()])
        .when(prompt("hi"))
        .then(["input/withdrawn outranked", "input/queued next-turn user: hi"]);
    with_goal([reserve()])
        .when(prompt_to("hi", Target::NextStep))
        .then(["input/withdrawn outranked", "input/queued next-step user: hi"]);
}

#[test]
fn a_plan_message_withdraws_a_reservation() {
    let (session, lines) = with_goal([reserve()]).when(slash("/plan draft")).told();
    assert_eq!(lines[1], "input/withdrawn plan mode");
    assert_eq!(session.state.inbox.len(), 1);
}

#[test]
fn sending_or_moving_a_held_input_withdraws_a_reservation() {
    let held = || given([prompt("hi"), restart(), goal_create("ship it", None), reserve()]);
    held().when(send(0)).then(["input/withdrawn outranked", "input/moved next-turn"]);
    held()
        .when(move_input(0, Target::NextStep, 0))
        .then(["input/withdrawn outranked", "input/moved next-step"]);
}

#[test]
fn after_the_persons_turn_the_same_round_is_reserved_anew() {
    with_goal([reserve(), whole_turn("hi")])
        .when(reserve())
        .then(["goal/round 1 of r1", "input/queued next-turn round 1 of r1"]);
}

#[test]
fn a_persons_input_waits_for_the_second_step_of_a_round_that_was_claimed() {
    with_goal([reserve(), claim(), prompt_to("hi", Target::NextStep)])
        .when(admit())
        .then(["step/start 1.1", "user/message round 1 of r1"])
        .and([calls([("c1", "x")]), fail_call("c1"), end_step()])
        .when(admit())
        .then(["input/claimed 1", "step/start 1.2", "user/message user: hi"]);
}

#[test]
fn a_claim_never_takes_a_round_together_with_human_input() {
    let queued = |text: &str, target| {
        fact(events::InputQueued {
            input_id: format!("018f0000-0000-7000-8000-0000000000{}", text.len()).parse().expect("an id"),
            target,
            source: Source::User,
            content: vec![Block::text(text)],
            wakes: true,
        })
    };
    for target in [Target::NextTurn, Target::NextStep] {
        let session = with_goal([reserve(), queued("some words", target), claim()]);
        let claimed = &session.state.turn.open.as_ref().expect("a turn is open").claimed;
        assert_eq!(claimed.len(), 1, "{target:?}");
    }
}

#[test]
fn a_round_in_the_inbox_belongs_to_nobody() {
    with_goal([reserve()])
        .when(edit_input(0, "mine"))
        .refused(Code::InputIsRound)
        .when(move_input(0, Target::NextStep, 0))
        .refused(Code::InputIsRound)
        .when(drop_input(0))
        .refused(Code::InputIsRound)
        .when(send(0))
        .refused(Code::InputIsRound);
}

#[test]
fn the_driver_blocks_only_what_it_looked_at() {
    let facts = with_goal([]).when(block("round-limit", "spent")).facts();
    assert!(matches!(&facts[..], [SessionEvent::GoalChange(events::GoalChange::Block(_))]));
    with_goal([goal_pause()]).when(block("round-limit", "spent")).refused(Code::GoalInvalidTransition);
}

#[test]
fn what_concerns_no_turn_leaves_a_reservation_where_it_is() {
    let title = client(|_| sessions::ClientCommand::SetTitle { title: "another".to_owned() });
    let away = client(|_| sessions::ClientCommand::Archive { archived: true });
    let bare = slash("/goal");
    for steps in [title, away, bare, plan_off(), mode("default")] {
        let session = with_goal([reserve(), steps]);
        assert!(session.lines("input/withdrawn").is_empty());
        let session = session.and([claim(), admit()]);
        assert_eq!(session.lines("user/message"), ["user/message round 1 of r1"]);
    }
}

#[test]
fn a_held_input_that_is_edited_or_dropped_leaves_a_reservation_where_it_is() {
    for steps in [edit_input(0, "new"), drop_input(0)] {
        let session = given([prompt("old"), restart(), goal_create("ship it", None), reserve(), steps]);
        assert_eq!(session.state.inbox.iter().filter(|input| input.is_round()).count(), 1);
    }
}

#[test]
fn whatever_outranks_a_reservation_withdraws_it_in_its_own_batch() {
    let words = [
        prompt("hi"),
        prompt_to("hi", Target::NextStep),
        slash("/plan"),
        slash("/plan draft"),
        slash("/goal pause"),
        slash("/goal edit ship more"),
        slash("/goal budget rounds=7"),
        slash("/goal clear"),
        mode("plan"),
        stop(),
        stop_and_drop(),
    ];
    for steps in words.into_iter().chain(changes().map(|(_, steps)| steps)) {
        let (session, lines) = with_goal([reserve()]).when(steps).told();
        let withdrawn = lines.iter().filter(|line| line.starts_with("input/withdrawn")).count();
        assert_eq!(withdrawn, 1, "{lines:?}");
        assert!(session.goal_flight().is_none(), "{lines:?}");
    }
}
