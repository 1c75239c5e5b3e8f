//! Whether a goal may go on by itself: armed in one epoch by a person, disarmed by trouble.

use crate::given::{Steps, given};
use crate::wishes::*;

#[track_caller]
fn armed_after(steps: impl IntoIterator<Item = Steps>) {
    let session = given([goal_create("ship it", Some(5))]).and(steps);
    assert!(session.is_armed(), "disarmed by {:?}", session.goal().disarmed_by);
}

#[track_caller]
fn disarmed_after(steps: impl IntoIterator<Item = Steps>) {
    assert!(!given([goal_create("ship it", Some(5))]).and(steps).is_armed());
}

#[test]
fn creating_and_resuming_arm() {
    armed_after([]);
    armed_after([goal_pause(), goal_resume()]);
    armed_after([block("a", "b"), goal_resume()]);
    armed_after([restart(), goal_resume()]);
}

#[test]
fn pausing_blocking_and_completing_disarm() {
    disarmed_after([goal_pause()]);
    disarmed_after([block("a", "b")]);
    disarmed_after([goal_complete()]);
}

#[test]
fn an_edit_changes_nothing_about_it() {
    armed_after([goal_edit(Some("x"), None)]);
    disarmed_after([restart(), goal_edit(Some("x"), None)]);
    disarmed_after([asked("hi"), fails(), goal_edit(Some("x"), None)]);
}

#[test]
fn a_restart_disarms_until_a_person_resumes() {
    disarmed_after([restart()]);
    disarmed_after([restart(), whole_turn("hi")]);
    disarmed_after([goal_pause(), restart()]);
}

#[test]
fn a_reader_that_owns_nothing_sees_it_disarmed() {
    let session = given([goal_create("ship it", None)]);
    assert_eq!(session.goal().activation(None), projections::Activation::Disarmed);
}

#[test]
fn a_turn_that_fails_disarms() {
    disarmed_after([asked("hi"), fails()]);
    disarmed_after([round(), fails()]);
}

#[test]
fn a_turn_that_hits_the_output_limit_disarms() {
    disarmed_after([asked("hi"), says_too_much(), end_turn()]);
    disarmed_after([round(), says_too_much(), end_turn()]);
}

#[test]
fn a_stopped_turn_of_a_person_disarms_at_once() {
    disarmed_after([asked("hi"), stop()]);
    disarmed_after([asked("hi"), stop(), settle()]);
}

#[test]
fn turns_that_come_to_their_own_end_do_not_disarm() {
    armed_after([whole_turn("hi")]);
    armed_after([whole_round(), whole_round()]);
    armed_after([limits(|limits| limits.steps_per_turn_max = 1), asked("hi"), concludes()]);
}

#[test]
fn a_stale_round_does_not_disarm() {
    armed_after([reserve(), claim(), goal_edit(Some("x"), None), admit()]);
}

#[test]
fn resuming_while_the_stopped_round_is_still_closing_stands() {
    armed_after([round(), goal_pause(), goal_resume(), settle()]);
    armed_after([reserve(), claim(), goal_pause(), goal_resume(), settle()]);
    armed_after([asked("hi"), stop(), goal_resume(), settle()]);
}

#[test]
fn a_goal_created_while_the_old_one_is_still_closing_is_armed() {
    armed_after([round(), goal_clear(), goal_create("another", None), settle()]);
}

#[test]
fn it_says_what_disarmed_it() {
    let failed = given([goal_create("ship it", None), asked("hi"), fails()]);
    assert_eq!(failed.goal().disarmed_by.as_deref(), Some("a turn ended in an error (network)"));

    let stopped = given([goal_create("ship it", None), asked("hi"), stop(), settle()]);
    assert_eq!(stopped.goal().disarmed_by.as_deref(), Some("a turn was stopped"));
}
