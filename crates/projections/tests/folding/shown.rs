//! What is shown of a fact: the slices that it concerns, and no others.

use events::{Actor, Epoch, GoalChange, GoalPhase, Seq};
use events::{
    PlanMode, PlanSelected, SessionEvent, SessionTitled, Source, Todo, TodoStatus, TodoWrite, TurnEndReason,
};
use projections::{Slices, State};

use crate::recorded::*;

/// Returns the names of the slices that `fact` changes.
fn changed_by(state: &State, fact: SessionEvent) -> Vec<String> {
    let before = Slices::of(state, Some(Epoch(1)));
    let mut after = state.clone();
    add(&mut after, fact);
    let changed = Slices::of(&after, Some(Epoch(1))).changed_since(&before).expect("slices can be written");
    changed.keys().cloned().collect()
}

fn mode(active: bool) -> SessionEvent {
    PlanMode { active }.into()
}

fn selected(active: bool) -> SessionEvent {
    PlanSelected { active, by: Actor::HOST, narrate: true }.into()
}

fn todos(content: &str) -> SessionEvent {
    TodoWrite { todos: vec![Todo { content: content.to_owned(), status: TodoStatus::Pending }] }.into()
}

fn paused(revision: u64) -> SessionEvent {
    let mut after = goal("g");
    after.goal.revision = revision;
    after.goal.phase = GoalPhase::Paused;
    GoalChange::Pause(after).into()
}

#[test]
fn the_newest_mode_is_in_force() {
    assert!(!sound(&[]).plan.active);
    assert!(sound(&[mode(true), mode(false), mode(true)]).plan.active);
    let log = [mode(true), mode(false)];
    assert_eq!([0, 1, 2].map(|facts| sound(&log[..facts]).plan.active), [false, true, false]);
}

#[test]
fn a_selection_waits_until_its_mode_is_recorded() {
    let pending = |facts: &[SessionEvent]| sound(facts).plan.pending.map(|selection| selection.active);
    assert_eq!(pending(&[selected(true)]), Some(true));
    assert_eq!(pending(&[selected(true), mode(true)]), None);
    assert_eq!(pending(&[selected(true), selected(false)]), None);
    assert_eq!(pending(&[mode(true), selected(false)]), Some(false));
}

#[test]
fn the_head_is_the_last_position_folded() {
    let mut state = State::default();
    for (place, fact) in (1..).zip([opened(1), created("g"), paused(2), mode(true)]) {
        add(&mut state, fact);
        assert_eq!(state.head, Seq(place));
    }
}

#[test]
fn the_newest_change_of_a_goal_is_shown() {
    let shown = |facts: &[SessionEvent]| {
        Slices::of(&sound(facts), Some(Epoch(1))).goal.map(|goal| (goal.revision, goal.phase))
    };
    assert_eq!(shown(&[opened(1), created("g")]), Some((1, GoalPhase::Active)));
    assert_eq!(shown(&[opened(1), created("g"), paused(2)]), Some((2, GoalPhase::Paused)));
}

#[test]
fn a_goal_is_not_shown_again_for_what_does_not_concern_it() {
    let state = sound(&[opened(1), created("g"), paused(2), queued(1, Source::User)]);
    let others: [SessionEvent; 6] = [
        queued(2, Source::User),
        withdrawn(1),
        turn(1),
        mode(true),
        todos("one"),
        SessionTitled { title: "another".to_owned(), by: Actor::HOST }.into(),
    ];
    for fact in others {
        let name = fact.type_name().to_owned();
        let changed = changed_by(&state, fact);
        assert!(!changed.is_empty() && !changed.contains(&"goal".to_owned()), "{name} changes {changed:?}");
    }
}

#[test]
fn a_fact_shows_the_slices_that_it_concerns_alone() {
    let state = sound(&[opened(1), queued(1, Source::User)]);
    assert_eq!(changed_by(&state, mode(true)), ["plan"]);
    assert_eq!(changed_by(&state, selected(true)), ["plan"]);
    assert_eq!(changed_by(&state, todos("one")), ["todos"]);
    assert_eq!(changed_by(&state, created("g")), ["goal"]);
    assert_eq!(changed_by(&state, queued(2, Source::User)), ["inbox"]);
}

#[test]
fn the_newest_list_is_shown_until_the_next_turn_begins() {
    let over = [turn(1), todos("one"), todos("two"), turn_end(1, TurnEndReason::Completed)];
    let shown = sound(&over).todos.expect("a list stands");
    assert_eq!((shown.len(), shown[0].content.as_str()), (1, "two"));
    assert!(sound(&[&over[..], &[turn(2)]].concat()).todos.is_none());
}

#[test]
fn rounds_follow_one_another_with_other_messages_between_them() {
    let notice = Source::Notice { about: "goal".to_owned(), summary: "x".to_owned() };
    let facts =
        [created("g"), said(1, of_round(1)), said(2, Source::User), said(3, notice), said(4, of_round(2))];
    let state = sound(&facts);
    assert_eq!(state.goals.current.map(|current| current.rounds_started), Some(2));
}
