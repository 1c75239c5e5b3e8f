//! The goal as a compare-and-set state machine: each phase with each operation.

use events::{GoalChange, GoalPhase, GoalRef, SessionEvent};
use sessions::{ClientCommand, Code};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

/// The states of the transition table.
fn none() -> Session {
    given([])
}

fn armed() -> Session {
    given([goal_create("ship it", Some(3))])
}

fn disarmed() -> Session {
    given([goal_create("ship it", Some(3)), restart()])
}

fn paused() -> Session {
    given([goal_create("ship it", Some(3)), goal_pause()])
}

fn blocked() -> Session {
    given([goal_create("ship it", Some(3)), block("missing-access", "no key")])
}

fn complete() -> Session {
    given([goal_create("ship it", Some(3)), goal_complete()])
}

#[track_caller]
fn all_refused(from: fn() -> Session, code: Code, operations: impl IntoIterator<Item = Steps>) {
    for operation in operations {
        from().when(operation).refused(code);
    }
}

#[test]
fn without_a_goal_there_is_only_create() {
    none().when(goal_create("ship it", None)).then(["goal/change create r1 active 0/256"]);
    let others = [goal_edit(Some("x"), None), goal_pause(), goal_resume(), goal_complete(), goal_clear()];
    all_refused(none, Code::GoalNotFound, others);
    all_refused(none, Code::GoalNotFound, [block("a", "b"), reserve()]);
}

#[test]
fn an_armed_goal_is_edited_paused_completed_blocked_and_cleared() {
    armed().when(goal_edit(Some("x"), None)).then(["goal/change edit r2 active 0/3"]);
    armed().when(goal_pause()).then(["goal/change pause r2 paused 0/3"]);
    armed().when(goal_complete()).then(["goal/change complete r2 complete 0/3"]);
    armed().when(block("a", "b")).then(["goal/change block r2 blocked 0/3"]);
    armed().when(goal_clear()).then(["goal/change clear r2"]);
    all_refused(armed, Code::GoalAlreadyExists, [goal_create("another", None)]);
    all_refused(armed, Code::GoalInvalidTransition, [goal_resume()]);
}

#[test]
fn a_disarmed_goal_may_be_resumed_too() {
    disarmed().when(goal_edit(Some("x"), None)).then(["goal/change edit r2 active 0/3"]);
    disarmed().when(goal_pause()).then(["goal/change pause r2 paused 0/3"]);
    disarmed().when(goal_resume()).then(["goal/change resume r2 active 0/3"]);
    disarmed().when(goal_complete()).then(["goal/change complete r2 complete 0/3"]);
    disarmed().when(block("a", "b")).then(["goal/change block r2 blocked 0/3"]);
    disarmed().when(goal_clear()).then(["goal/change clear r2"]);
    all_refused(disarmed, Code::GoalAlreadyExists, [goal_create("another", None)]);
}

#[test]
fn a_paused_goal_is_edited_resumed_completed_and_cleared() {
    paused().when(goal_edit(Some("x"), None)).then(["goal/change edit r3 paused 0/3"]);
    paused().when(goal_resume()).then(["goal/change resume r3 active 0/3"]);
    paused().when(goal_complete()).then(["goal/change complete r3 complete 0/3"]);
    paused().when(goal_clear()).then(["goal/change clear r3"]);
    all_refused(paused, Code::GoalAlreadyExists, [goal_create("another", None)]);
    all_refused(paused, Code::GoalInvalidTransition, [goal_pause(), block("a", "b")]);
}

#[test]
fn a_blocked_goal_is_edited_resumed_completed_and_cleared() {
    blocked().when(goal_edit(Some("x"), None)).then(["goal/change edit r3 blocked 0/3"]);
    blocked().when(goal_resume()).then(["goal/change resume r3 active 0/3"]);
    blocked().when(goal_complete()).then(["goal/change complete r3 complete 0/3"]);
    blocked().when(goal_clear()).then(["goal/change clear r3"]);
    all_refused(blocked, Code::GoalAlreadyExists, [goal_create("another", None)]);
    all_refused(blocked, Code::GoalInvalidTransition, [goal_pause(), block("a", "b")]);
}

#[test]
fn a_complete_goal_is_edited_replaced_and_cleared() {
    complete().when(goal_create("another", None)).then(["goal/change create r1 active 0/256"]);
    complete().when(goal_edit(Some("x"), None)).then(["goal/change edit r3 complete 0/3"]);
    complete().when(goal_clear()).then(["goal/change clear r3"]);
    let others = [goal_pause(), goal_resume(), goal_complete(), block("a", "b")];
    all_refused(complete, Code::GoalInvalidTransition, others);
}

#[test]
fn a_complete_goal_from_paused_or_blocked_loses_its_reason() {
    for from in [paused, blocked] {
        let session = from().and([goal_complete()]);
        assert_eq!(session.goal().goal.phase, GoalPhase::Complete);
        assert_eq!(session.goal().goal.blocked_reason, None);
    }
}

#[test]
fn a_stale_reference_is_refused_before_anything_else_is_looked_at() {
    let seen = |change: fn(&mut GoalRef)| {
        move |state: &projections::State| {
            let mut seen = goal_ref(state);
            change(&mut seen);
            seen
        }
    };
    let wrongs: [fn(&mut GoalRef); 3] =
        [|seen| seen.revision += 1, |seen| seen.revision -= 1, |seen| seen.id = "goal-other".into()];
    for wrong in wrongs {
        let seen = seen(wrong);
        all_refused(
            complete,
            Code::GoalStaleRevision,
            [
                client(move |state| ClientCommand::GoalPause { goal: seen(state) }),
                client(move |state| ClientCommand::GoalResume { goal: seen(state) }),
                client(move |state| ClientCommand::GoalComplete { goal: seen(state) }),
                client(move |state| ClientCommand::GoalClear { goal: seen(state) }),
                client(move |state| ClientCommand::GoalEdit {
                    goal: seen(state),
                    objective: None,
                    rounds_max: None,
                    budgets: sessions::BudgetEdit::default(),
                }),
            ],
        );
    }
}

#[test]
fn creating_checks_the_objective_then_the_rounds_then_the_goal_that_stands() {
    all_refused(armed, Code::GoalInvalidObjective, [goal_create(" ", Some(0))]);
    all_refused(armed, Code::GoalInvalidMaxRounds, [goal_create("another", Some(0))]);
    all_refused(armed, Code::GoalAlreadyExists, [goal_create("another", Some(1))]);
}

#[test]
fn an_objective_is_trimmed_and_neither_blank_nor_too_long() {
    let session = given([goal_create("  finish the\nfeature \n", None)]);
    assert_eq!(session.goal().goal.objective, "finish the\nfeature");

    let longest = "x".repeat(8 << 10);
    given([goal_create(&format!(" {longest} "), None)]);
    let too_long = format!("{longest}x");
    all_refused(
        none,
        Code::GoalInvalidObjective,
        ["", " \n\t", &too_long].map(|text| goal_create(text, None)),
    );
    all_refused(
        armed,
        Code::GoalInvalidObjective,
        ["", " ", &too_long].map(|text| goal_edit(Some(text), None)),
    );
}

#[test]
fn rounds_go_from_one_to_ten_thousand() {
    for rounds in [1, 10_000] {
        given([goal_create("ship it", Some(rounds)), goal_edit(None, Some(rounds))]);
    }
    all_refused(none, Code::GoalInvalidMaxRounds, [0, 10_001, u32::MAX].map(|it| goal_create("x", Some(it))));
    all_refused(armed, Code::GoalInvalidMaxRounds, [0, 10_001].map(|it| goal_edit(None, Some(it))));
}

#[test]
fn the_configured_default_holds_when_no_rounds_are_named() {
    given([limits(|limits| limits.rounds_default = 17)])
        .when(goal_create("ship it", None))
        .then(["goal/change create r1 active 0/17"]);
}

#[test]
fn an_edit_changes_something() {
    all_refused(armed, Code::GoalInvalidEdit, [goal_edit(None, None)]);
}

#[test]
fn an_edit_checks_the_objective_before_the_rounds() {
    all_refused(armed, Code::GoalInvalidObjective, [goal_edit(Some(" "), Some(0))]);
    all_refused(armed, Code::GoalInvalidMaxRounds, [goal_edit(Some("x"), Some(0))]);
}

#[test]
fn an_edit_changes_what_it_names_and_nothing_else() {
    let before = blocked();
    let after = before.clone().and([goal_edit(Some(" new aim "), None)]);
    let (old, new) = (before.goal().goal.clone(), after.goal().goal.clone());
    assert_eq!(new.objective, "new aim");
    assert_eq!((new.budgets, new.phase, new.blocked_reason), (old.budgets, old.phase, old.blocked_reason));

    let after = after.and([goal_edit(None, Some(9))]);
    assert_eq!(after.goal().goal.objective, "new aim");
    assert_eq!(after.goal().goal.budgets.rounds, 9);
}

#[test]
fn a_blocker_is_a_kebab_case_code_and_a_sentence() {
    let session = armed().and([block("x1-y2", "  no key  ")]);
    let reason = session.goal().goal.blocked_reason.clone().expect("it is blocked");
    assert_eq!((reason.code.as_str(), reason.message.as_str()), ("x1-y2", "no key"));

    for code in ["", "Not Canonical", "a_b", "-a", "a-", "a--b", "1a", "A", "ä"] {
        armed().when(block(code, "no key")).refused(Code::GoalInvalidBlockReason);
    }
    armed().when(block("missing-access", " ")).refused(Code::GoalInvalidBlockReason);
}

#[test]
fn blocking_looks_at_the_phase_before_the_reason() {
    paused().when(block("Not Canonical", " ")).refused(Code::GoalInvalidTransition);
}

#[test]
fn resume_needs_a_round_that_is_left() {
    let spent = || given([goal_create("ship it", Some(1)), whole_round(), block("round-limit", "spent")]);
    all_refused(spent, Code::GoalInvalidTransition, [goal_resume()]);

    let session = spent().and([goal_edit(None, Some(2))]);
    assert_eq!(session.goal().goal.phase, GoalPhase::Blocked, "raising the budget does not resume");
    assert!(session.goal().goal.blocked_reason.is_some());
    let session = session.and([goal_resume()]);
    assert_eq!(session.goal().goal.blocked_reason, None);
    assert_eq!(session.goal().rounds_started, 1);
}

#[test]
fn the_budget_may_be_lowered_below_the_rounds_started() {
    given([goal_create("ship it", Some(3)), whole_round(), whole_round()])
        .when(goal_edit(None, Some(1)))
        .then(["goal/change edit r2 active 2/1"])
        .when(reserve())
        .refused(Code::RoundNotDue)
        .when(block("round-limit", "all rounds are used"))
        .then(["goal/change block r3 blocked 2/1"]);
}

#[test]
fn the_clock_may_go_backwards() {
    let session = given([clock(100), goal_create("ship it", None), clock(90), goal_pause()]);
    let times = (session.goal().created_at, session.goal().updated_at);
    assert_eq!(times, (100, 100));

    let session = session.and([clock(120), goal_resume(), clock(80), goal_clear()]);
    let cleared_at = session.log.iter().rev().find_map(|envelope| match &envelope.event {
        SessionEvent::GoalChange(GoalChange::Clear { cleared_at, .. }) => Some(*cleared_at),
        _ => None,
    });
    assert_eq!(cleared_at, Some(120));
}

#[test]
fn clearing_leaves_a_tombstone_one_revision_on() {
    let before = given([goal_create("ship it", None), goal_pause()]);
    let id = before.goal().goal.id.clone();
    let facts = before.when(goal_clear()).facts();
    let expected = GoalRef { id, revision: 3 };
    assert!(
        matches!(&facts[..], [SessionEvent::GoalChange(GoalChange::Clear { cleared, .. })] if *cleared == expected)
    );
}

#[test]
fn a_cleared_goal_is_gone() {
    given([goal_create("ship it", None), goal_clear()])
        .holds(|state| state.goals.current.is_none())
        .when(goal_clear())
        .refused(Code::GoalNotFound);
}

#[test]
fn every_goal_has_an_id_of_its_own() {
    let session = given([
        goal_create("one", None),
        goal_clear(),
        goal_create("two", None),
        goal_complete(),
        goal_create("three", None),
    ]);
    let mut ids = session.state.goals.seen.clone();
    assert!(ids.iter().all(|id| id.0.starts_with("goal-")));
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[test]
fn another_goal_starts_counting_at_nought() {
    let session = given([goal_create("one", None), whole_round(), goal_complete(), goal_create("two", None)]);
    assert_eq!((session.goal().rounds_started, session.goal().goal.revision), (0, 1));
}

#[test]
fn pausing_stops_the_running_round_in_the_same_batch() {
    given([goal_create("ship it", None), round()])
        .when(goal_pause())
        .then(["goal/change pause r2 paused 1/256", "turn/cancelled 1 keep"])
        .when(settle())
        .then(["step/end 1.1 aborted", "turn/end 1 aborted"]);
}

#[test]
fn pausing_withdraws_a_reserved_round_in_the_same_batch() {
    given([goal_create("ship it", None), reserve()])
        .when(goal_pause())
        .then(["input/withdrawn the goal changed", "goal/change pause r2 paused 0/256"]);
}

#[test]
fn pausing_stops_a_round_that_was_claimed_and_not_admitted() {
    given([goal_create("ship it", None), reserve(), claim()])
        .when(goal_pause())
        .then(["goal/change pause r2 paused 0/256", "turn/cancelled 1 keep"])
        .when(admit())
        .refused(Code::TurnCancelled)
        .when(settle())
        .then(["input/withdrawn turn-ended", "turn/end 1 aborted"])
        .holds(|state| state.goals.current.as_ref().is_some_and(|goal| goal.rounds_started == 0));
}

#[test]
fn pausing_again_does_not_stop_a_round_that_is_being_stopped() {
    given([goal_create("ship it", None), round(), goal_pause(), goal_resume()])
        .when(goal_pause())
        .then(["goal/change pause r4 paused 1/256"]);
}

#[test]
fn pausing_leaves_a_persons_turn_running() {
    given([goal_create("ship it", None), asked("hi")])
        .when(goal_pause())
        .then(["goal/change pause r2 paused 0/256"]);
}

#[test]
fn clearing_stops_the_running_round_in_the_same_batch() {
    given([goal_create("ship it", None), round()])
        .when(goal_clear())
        .then(["turn/cancelled 1 keep", "goal/change clear r2"]);
    given([goal_create("ship it", None), reserve()])
        .when(goal_clear())
        .then(["input/withdrawn the goal changed", "goal/change clear r2"]);
}

#[test]
fn editing_and_completing_let_the_running_round_end() {
    given([goal_create("ship it", None), round()])
        .when(goal_edit(Some("x"), None))
        .then(["goal/change edit r2 active 1/256"]);
    given([goal_create("ship it", None), round()])
        .when(goal_complete())
        .then(["goal/change complete r2 complete 1/256"]);
}

#[test]
fn whatever_changes_the_goal_withdraws_a_reserved_round() {
    let changes = [goal_edit(Some("x"), None), goal_complete(), block("a", "b"), goal_pause(), goal_clear()];
    for change in changes {
        let (session, lines) = given([goal_create("ship it", None), reserve()]).when(change).told();
        assert_eq!(lines[0], "input/withdrawn the goal changed");
        assert!(session.state.inbox.is_empty());
    }
}

#[test]
fn a_persons_turn_counts_no_round() {
    let session = given([goal_create("ship it", None), whole_turn("hi"), whole_turn("more")]);
    assert_eq!(session.goal().rounds_started, 0);
}

#[test]
fn an_edit_does_not_start_counting_anew() {
    let session =
        given([goal_create("ship it", None), whole_round(), goal_edit(Some("x"), None), whole_round()]);
    assert_eq!(session.goal().rounds_started, 2);
}
