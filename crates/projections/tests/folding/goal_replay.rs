//! A goal's recorded changes: each has to follow from the goal before it.

use events::{BlockedReason, GoalAfter, GoalChange, GoalPhase, GoalRef, SessionEvent};
use projections::DamageCode;

use crate::recorded::*;

/// Returns the goal of [`goal`] one revision on, changed by `change`.
fn next(change: impl FnOnce(&mut GoalAfter)) -> GoalAfter {
    let mut after = goal("g");
    after.goal.revision = 2;
    after.updated_at = 200;
    change(&mut after);
    after
}

fn phase(phase: GoalPhase) -> impl FnOnce(&mut GoalAfter) {
    move |after| {
        after.goal.phase = phase;
        if phase == GoalPhase::Blocked {
            after.goal.blocked_reason = Some(reason("a", "b"));
        }
    }
}

fn reason(code: &str, message: &str) -> BlockedReason {
    BlockedReason { code: code.to_owned(), message: message.to_owned() }
}

#[track_caller]
fn does_not_follow(before: &[SessionEvent], change: GoalChange) {
    breaks(before, change.into(), DamageCode::GoalReplay);
}

fn cleared(id: &str, revision: u64, cleared_at: u64) -> GoalChange {
    GoalChange::Clear { cleared: GoalRef { id: id.into(), revision }, cleared_at }
}

#[test]
fn a_goal_begins_active_at_revision_one_without_rounds() {
    sound(&[created("g")]);
    let changes: [fn(&mut GoalAfter); 3] = [
        |after| after.goal.revision = 2,
        |after| after.goal.phase = GoalPhase::Paused,
        |after| after.rounds_started = 1,
    ];
    for change in changes {
        let mut after = goal("g");
        change(&mut after);
        does_not_follow(&[], GoalChange::Create(after));
    }
}

#[test]
fn without_a_goal_nothing_but_create_follows() {
    does_not_follow(&[], GoalChange::Edit(next(|_| {})));
    does_not_follow(&[], GoalChange::Pause(next(phase(GoalPhase::Paused))));
    does_not_follow(&[], GoalChange::Resume(next(|_| {})));
    does_not_follow(&[], GoalChange::Complete(next(phase(GoalPhase::Complete))));
    does_not_follow(&[], GoalChange::Block(next(phase(GoalPhase::Blocked))));
    does_not_follow(&[], cleared("g", 2, 200));
}

#[test]
fn a_second_goal_begins_only_after_a_complete_or_cleared_one() {
    does_not_follow(&[created("g")], GoalChange::Create(goal("h")));
    let complete: SessionEvent = GoalChange::Complete(next(phase(GoalPhase::Complete))).into();
    sound(&[created("g"), complete, created("h")]);
    sound(&[created("g"), cleared("g", 2, 200).into(), created("h")]);
}

#[test]
fn an_id_is_never_used_again() {
    let complete: SessionEvent = GoalChange::Complete(next(phase(GoalPhase::Complete))).into();
    does_not_follow(&[created("g"), complete], GoalChange::Create(goal("g")));
    does_not_follow(&[created("g"), cleared("g", 2, 200).into()], GoalChange::Create(goal("g")));
    let later = [created("g"), cleared("g", 2, 200).into(), created("h"), cleared("h", 2, 200).into()];
    does_not_follow(&later, GoalChange::Create(goal("g")));
}

#[test]
fn a_change_keeps_identity_times_and_rounds() {
    let wrongs: [fn(&mut GoalAfter); 7] = [
        |after| after.goal.id = "h".into(),
        |after| after.goal.revision = 3,
        |after| after.goal.revision = 1,
        |after| after.created_at = 101,
        |after| after.updated_at = 99,
        |after| after.rounds_started = 1,
        |after| after.updated_at = 0,
    ];
    for wrong in wrongs {
        does_not_follow(&[created("g")], GoalChange::Edit(next(wrong)));
    }
    sound(&[created("g"), GoalChange::Edit(next(|after| after.updated_at = 100)).into()]);
}

#[test]
fn only_an_edit_changes_the_aim() {
    let aims: [fn(&mut GoalAfter); 2] =
        [|after| after.goal.objective = "other".to_owned(), |after| after.goal.budgets.rounds = 9];
    for aim in aims {
        sound(&[created("g"), GoalChange::Edit(next(aim)).into()]);
        let pause = next(|after| {
            aim(after);
            after.goal.phase = GoalPhase::Paused;
        });
        does_not_follow(&[created("g")], GoalChange::Pause(pause));
    }
}

#[test]
fn each_operation_ends_in_its_phase() {
    let before = [created("g")];
    does_not_follow(&before, GoalChange::Edit(next(phase(GoalPhase::Paused))));
    does_not_follow(&before, GoalChange::Pause(next(|_| {})));
    does_not_follow(&before, GoalChange::Resume(next(phase(GoalPhase::Paused))));
    does_not_follow(&before, GoalChange::Complete(next(|_| {})));
    does_not_follow(&before, GoalChange::Block(next(|_| {})));
    sound(&[created("g"), GoalChange::Resume(next(|_| {})).into()]);
}

#[test]
fn a_phase_allows_only_its_operations() {
    let paused: SessionEvent = GoalChange::Pause(next(phase(GoalPhase::Paused))).into();
    let third = |phase_of: GoalPhase| {
        let mut after = next(phase(phase_of));
        after.goal.revision = 3;
        after
    };
    let before = [created("g"), paused];
    does_not_follow(&before, GoalChange::Pause(third(GoalPhase::Paused)));
    does_not_follow(&before, GoalChange::Block(third(GoalPhase::Blocked)));
    sound(&[before.to_vec(), vec![GoalChange::Resume(third(GoalPhase::Active)).into()]].concat());

    let before = [created("g"), GoalChange::Complete(next(phase(GoalPhase::Complete))).into()];
    does_not_follow(&before, GoalChange::Resume(third(GoalPhase::Active)));
    does_not_follow(&before, GoalChange::Complete(third(GoalPhase::Complete)));
}

#[test]
fn a_resume_needs_a_round_that_is_left() {
    let rounds = [1, 2, 3].map(|round| said(round, of_round(round)));
    let spent = [vec![created("g")], rounds.to_vec()].concat();
    does_not_follow(&spent, GoalChange::Resume(next(|after| after.rounds_started = 3)));
}

#[test]
fn a_blocked_goal_and_only_a_blocked_goal_has_a_reason() {
    does_not_follow(&[created("g")], GoalChange::Block(next(|after| after.goal.phase = GoalPhase::Blocked)));
    let with_reason = next(|after| after.goal.blocked_reason = Some(reason("a", "b")));
    does_not_follow(&[created("g")], GoalChange::Edit(with_reason));
    for malformed in [reason("", "b"), reason("a", ""), reason("a", " b"), reason(" a", "b")] {
        let after = next(|after| {
            after.goal.phase = GoalPhase::Blocked;
            after.goal.blocked_reason = Some(malformed);
        });
        does_not_follow(&[created("g")], GoalChange::Block(after));
    }
}

#[test]
fn an_edit_of_a_blocked_goal_keeps_its_reason() {
    let blocked: SessionEvent = GoalChange::Block(next(phase(GoalPhase::Blocked))).into();
    let edited = next(|after| {
        after.goal.revision = 3;
        after.goal.phase = GoalPhase::Blocked;
        after.goal.blocked_reason = Some(reason("other", "b"));
    });
    does_not_follow(&[created("g"), blocked], GoalChange::Edit(edited));
}

#[test]
fn a_malformed_goal_does_not_follow() {
    let malformed: [fn(&mut GoalAfter); 5] = [
        |after| after.goal.objective = String::new(),
        |after| after.goal.objective = " ship it".to_owned(),
        |after| after.goal.budgets.rounds = 0,
        |after| after.updated_at = 99,
        |after| after.goal.id = "".into(),
    ];
    for change in malformed {
        let mut after = goal("g");
        change(&mut after);
        does_not_follow(&[], GoalChange::Create(after));
    }
}

#[test]
fn a_clear_names_the_revision_after_the_last() {
    sound(&[created("g"), cleared("g", 2, 100).into()]);
    does_not_follow(&[created("g")], cleared("g", 3, 100));
    does_not_follow(&[created("g")], cleared("g", 1, 100));
    does_not_follow(&[created("g")], cleared("h", 2, 100));
    does_not_follow(&[created("g")], cleared("g", 2, 99));
}

#[test]
fn a_change_that_does_not_follow_is_believed_all_the_same() {
    let state = folded([created("g"), GoalChange::Edit(next(|after| after.goal.revision = 7)).into()]);
    assert!(state.damage.is_some());
    assert_eq!(state.goals.current.map(|current| current.goal.revision), Some(7));
}
