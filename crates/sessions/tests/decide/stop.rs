//! Stop: what it does depends on the turn that the person saw and on what followed.

use events::Target;
use sessions::Code;

use crate::given::{Session, Steps, given};
use crate::wishes::*;

fn with_goal(steps: impl IntoIterator<Item = Steps>) -> Session {
    given([goal_create("ship it", Some(9))]).and(steps)
}

#[test]
fn a_running_round_is_cancelled_and_its_goal_paused() {
    with_goal([round()])
        .when(stop())
        .then(["goal/change pause r2 paused 1/9", "turn/cancelled 1 keep"])
        .when(settle())
        .then(["step/end 1.1 aborted", "turn/end 1 aborted"]);
}

#[test]
fn a_claimed_round_is_cancelled_and_costs_no_number() {
    let session = with_goal([reserve(), claim()])
        .when(stop())
        .then(["goal/change pause r2 paused 0/9", "turn/cancelled 1 keep"])
        .when(settle())
        .then(["input/withdrawn turn-ended", "turn/end 1 aborted"]);
    assert_eq!(session.goal().rounds_started, 0);
}

#[test]
fn a_reserved_round_is_withdrawn_and_its_goal_paused() {
    with_goal([reserve()]).when(stop()).then(["input/withdrawn stopped", "goal/change pause r2 paused 0/9"]);
    with_goal([whole_turn("hi"), reserve()])
        .when(stop_turn(1))
        .then(["input/withdrawn stopped", "goal/change pause r2 paused 0/9"]);
}

#[test]
fn a_persons_turn_is_cancelled_and_the_goal_disarms() {
    let session = with_goal([asked("hi")])
        .when(stop())
        .then(["turn/cancelled 1 keep"])
        .when(settle())
        .then(["step/end 1.1 aborted", "turn/end 1 aborted"]);
    assert_eq!(session.goal().goal.revision, 1, "it is not paused");
    assert!(!session.is_armed());
}

#[test]
fn the_round_that_followed_the_named_turn_is_stopped() {
    with_goal([whole_turn("hi"), round()])
        .when(stop_turn(1))
        .then(["goal/change pause r2 paused 1/9", "turn/cancelled 2 keep"]);
    with_goal([whole_round(), reserve(), claim()])
        .when(stop_turn(1))
        .then(["goal/change pause r2 paused 1/9", "turn/cancelled 2 keep"]);
}

#[test]
fn the_round_that_is_about_to_follow_the_named_turn_does_not() {
    with_goal([whole_round()])
        .when(stop_turn(1))
        .then(["goal/change pause r2 paused 1/9"])
        .when(reserve())
        .refused(Code::RoundNotDue);
}

#[test]
fn stopping_after_the_last_round_leaves_the_goal_to_its_driver() {
    given([goal_create("ship it", Some(1)), whole_round()]).when(stop()).then_nothing();
}

#[test]
fn a_persons_turn_that_followed_the_named_one_goes_on() {
    given([whole_turn("hi"), asked("more")]).when(stop_turn(1)).refused(Code::TurnOver);
    with_goal([whole_round(), asked("more")]).when(stop_turn(1)).refused(Code::TurnOver);
}

#[test]
fn a_turn_that_has_not_begun_cannot_be_stopped() {
    given([asked("hi")]).when(stop_turn(2)).refused(Code::TurnOver);
    given([]).when(stop_turn(1)).refused(Code::TurnOver);
}

#[test]
fn stopping_a_turn_that_is_over_does_nothing() {
    given([whole_turn("hi")]).when(stop()).then_nothing();
    with_goal([whole_round(), goal_pause()]).when(stop()).then_nothing();
    with_goal([asked("hi"), stop(), settle()]).when(stop()).then_nothing();
    given([]).when(stop()).then_nothing();
}

#[test]
fn a_second_press_changes_nothing_more() {
    given([asked("hi"), stop()]).when(stop()).then_nothing();
    with_goal([round(), stop()]).when(stop()).then_nothing();
}

#[test]
fn a_press_while_the_turn_is_closing_stops_a_goal_that_was_resumed_since() {
    with_goal([round(), stop(), goal_resume()]).when(stop()).then(["goal/change pause r4 paused 1/9"]);
}

#[test]
fn dropping_the_input_that_held_a_round_back_does_not_let_the_round_start() {
    with_goal([prompt("first")])
        .when(stop_and_drop())
        .then(["goal/change pause r2 paused 0/9", "input/withdrawn stopped"]);
}

#[test]
fn what_waits_stays_unless_the_person_says_otherwise() {
    let busy = || given([asked("hi"), prompt("later"), prompt_to("soon", Target::NextStep)]);
    busy().when(stop()).then(["turn/cancelled 1 keep"]).holds(|state| state.inbox.len() == 2);
    busy()
        .when(stop_and_drop())
        .then(["turn/cancelled 1 drop", "input/withdrawn stopped", "input/withdrawn stopped"])
        .holds(|state| state.inbox.is_empty());
}

#[test]
fn a_second_press_may_still_drop_what_waits() {
    given([asked("hi"), prompt("later"), stop()]).when(stop_and_drop()).then(["input/withdrawn stopped"]);
}

#[test]
fn dropping_works_without_a_turn() {
    given([prompt("later")]).when(stop_and_drop()).then(["input/withdrawn stopped"]);
    with_goal([reserve()])
        .when(stop_and_drop())
        .then(["input/withdrawn stopped", "goal/change pause r2 paused 0/9"]);
}

#[test]
fn dropping_takes_held_inputs_too() {
    given([prompt("old"), restart(), asked("hi")])
        .when(stop_and_drop())
        .then(["turn/cancelled 1 drop", "input/withdrawn stopped"]);
}

#[test]
fn a_refused_stop_drops_nothing() {
    let seen = client(|_| sessions::ClientCommand::Stop { turn: 1, keep_inbox: false });
    given([whole_turn("hi"), asked("more"), prompt("later")]).when(seen).refused(Code::TurnOver);
}

#[test]
fn a_round_whose_goal_is_complete_is_cancelled_alone() {
    with_goal([round(), goal_complete()]).when(stop()).then(["turn/cancelled 1 keep"]);
}

#[test]
fn a_round_whose_goal_was_edited_is_still_its_goals_round() {
    with_goal([round(), goal_edit(Some("x"), None)])
        .when(stop())
        .then(["goal/change pause r3 paused 1/9", "turn/cancelled 1 keep"]);
}

#[test]
fn nothing_of_a_cancelled_turn_starts() {
    use events::ToolClass;
    let stopped = || given([asked("hi"), calls([("c1", "read"), ("c2", "get_goal")]), stop()]);
    stopped().when(start("c1", ToolClass::Read)).refused(Code::TurnCancelled);
    stopped().when(act("c2", sessions::ToolAction::GetGoal)).refused(Code::TurnCancelled);
    stopped().when(fail_call("c1")).refused(Code::TurnCancelled);
    stopped().when(end_step()).refused(Code::TurnCancelled);
    stopped().when(end_turn()).refused(Code::TurnCancelled);
    given([asked("hi"), stop()]).when(says("x")).refused(Code::TurnCancelled);
    given([asked("hi"), stop()]).when(streams("x")).refused(Code::TurnCancelled);
    given([prompt("hi"), claim(), stop()]).when(admit()).refused(Code::TurnCancelled);
}

#[test]
fn a_body_that_ran_when_its_turn_was_stopped_may_still_report() {
    use events::ToolClass;
    given([asked("hi"), calls([("c1", "run"), ("c2", "run")]), start("c1", ToolClass::Exec), stop()])
        .when(finish("c1"))
        .then(["tool/result c1 ok"])
        .when(settle())
        .then(["tool/result c2 ABORTED_BEFORE_DISPATCH", "step/end 1.1 aborted", "turn/end 1 aborted"]);
}

#[test]
fn calls_of_a_stopped_turn_get_their_results_in_order() {
    use events::ToolClass;
    given([asked("hi"), calls([("c1", "run"), ("c2", "run")]), start("c1", ToolClass::Exec), stop()])
        .when(settle())
        .then([
            "tool/result c1 ABORTED",
            "tool/result c2 ABORTED_BEFORE_DISPATCH",
            "step/end 1.1 aborted",
            "turn/end 1 aborted",
        ]);
}

#[test]
fn what_streamed_before_the_stop_is_kept() {
    given([asked("hi"), streams("half an ans"), stop()]).when(settle()).then([
        "assistant/message 1.1 interrupted: half an ans",
        "step/end 1.1 aborted",
        "turn/end 1 aborted",
    ]);
}

#[test]
fn only_a_stopped_turn_is_settled() {
    given([asked("hi")]).when(settle()).refused(Code::TurnOver);
    given([whole_turn("hi")]).when(settle()).refused(Code::TurnOver);
}

#[test]
fn a_cancelled_turn_of_a_dead_host_ends_aborted() {
    given([asked("hi"), calls([("c1", "run")]), stop()]).when(restart()).then([
        "tool/result c1 TOOL_NOT_STARTED",
        "step/end 1.1 interrupted",
        "turn/end 1 aborted",
    ]);
}

#[test]
fn a_turn_that_waits_since_before_a_restart_can_be_stopped() {
    let ask = act("c1", ask_user(vec![item("color", ["red", "blue"])]));
    given([asked("hi"), calls([("c1", "ask_user_question")]), ask, restart()])
        .when(stop())
        .then(["question/withdrawn stopped", "turn/cancelled 1 keep"])
        .when(settle())
        .then(["tool/result c1 ABORTED", "step/end 1.1 aborted", "turn/end 1 aborted"]);
}

#[test]
fn a_running_round_is_stopped_with_what_waits_behind_it() {
    with_goal([round(), prompt("later")]).when(stop_and_drop()).then([
        "goal/change pause r2 paused 1/9",
        "turn/cancelled 1 drop",
        "input/withdrawn stopped",
    ]);
    with_goal([reserve(), claim(), prompt("later")]).when(stop_and_drop()).then([
        "goal/change pause r2 paused 0/9",
        "turn/cancelled 1 drop",
        "input/withdrawn stopped",
    ]);
}

#[test]
fn a_persons_turn_is_stopped_with_what_waits_and_its_goal_disarms() {
    let session = with_goal([asked("hi"), prompt("later")])
        .when(stop_and_drop())
        .then(["turn/cancelled 1 drop", "input/withdrawn stopped"]);
    assert!(session.goal().goal.phase == events::GoalPhase::Active && !session.is_armed());
    session.and([settle()]).when(reserve()).refused(Code::RoundNotDue);
}

#[test]
fn the_round_that_followed_the_named_turn_is_stopped_with_what_waits() {
    let seen = client(|_| sessions::ClientCommand::Stop { turn: 1, keep_inbox: false });
    with_goal([whole_turn("hi"), round(), prompt("later")]).when(seen).then([
        "goal/change pause r2 paused 1/9",
        "turn/cancelled 2 drop",
        "input/withdrawn stopped",
    ]);
}

#[test]
fn what_a_person_queued_behind_the_named_turn_runs_when_it_is_kept() {
    given([whole_turn("hi"), prompt("more")]).when(stop()).then_nothing().and([claim()]);
    let session = with_goal([whole_round(), prompt("more")]).when(stop()).then_nothing().and([claim()]);
    assert!(session.is_armed(), "the person goes on with it");
}

#[test]
fn a_goal_that_waits_for_other_reasons_is_left_as_it_is() {
    for waits in [plan_on(), goal_pause(), goal_complete(), block("a", "b"), restart(), goal_clear()] {
        with_goal([whole_round(), waits]).when(stop()).then_nothing();
    }
}

#[test]
fn a_persons_turn_that_is_stopped_changes_no_goal_that_is_not_active() {
    for end in [goal_pause(), goal_complete(), block("a", "b"), goal_clear()] {
        with_goal([end, asked("hi")]).when(stop()).then(["turn/cancelled 1 keep"]);
    }
}

#[test]
fn a_round_that_asks_is_stopped_with_its_question() {
    let ask = act("c1", ask_user(vec![item("color", ["red", "blue"])]));
    with_goal([round(), calls([("c1", "ask_user_question")]), ask])
        .when(stop())
        .then(["goal/change pause r2 paused 1/9", "question/withdrawn stopped", "turn/cancelled 1 keep"])
        .when(settle())
        .then(["tool/result c1 ABORTED", "step/end 1.1 aborted", "turn/end 1 aborted"]);
}

#[test]
fn nothing_joins_a_turn_that_is_being_stopped() {
    let session = given([asked("hi"), stop(), prompt_to("wait", Target::NextStep)]);
    let session = session.when(admit()).refused(Code::TurnCancelled).and([settle(), claim(), admit()]);
    assert_eq!(session.lines("user/message"), ["user/message user: hi", "user/message user: wait"]);
}

#[test]
fn what_a_stopped_turn_had_claimed_and_not_told_waits_again() {
    given([prompt("hi"), claim(), stop()])
        .when(settle())
        .then(["input/returned 1", "turn/end 1 aborted"])
        .holds(|state| state.inbox.len() == 1);
}

#[test]
fn a_cancelled_round_of_a_dead_host_ends_aborted_and_stays_paused() {
    let session =
        with_goal([round(), stop()]).when(restart()).then(["step/end 1.1 interrupted", "turn/end 1 aborted"]);
    assert_eq!((session.goal().goal.phase, session.is_armed()), (events::GoalPhase::Paused, false));
}
