//! A fork begins with nothing that waited in its parent.

use events::{Epoch, SessionCreated, SessionId};
use projections::{Activation, State};
use sessions::fork_batch;

use crate::given::{Session, given, opened};
use crate::story::story;
use crate::wishes::*;

/// Forks `parent` at its head.
pub(crate) fn forked(parent: &Session) -> Session {
    let mut child = parent.clone();
    child.epoch = Epoch(parent.state.epoch.0 + 1);
    let created = SessionCreated {
        title: None,
        workspace: "/w".to_owned(),
        parent: Some(SessionId(uuid::Uuid::nil())),
        fork_seq: Some(parent.state.head),
        preset: None,
    };
    let mut batch = vec![created.into(), opened(child.epoch)];
    batch.extend(fork_batch(&parent.state));
    child.record(&events::Actor::HOST, batch);
    child
}

fn may_be_forked(state: &State) -> bool {
    state.turn.open.is_none()
}

#[test]
fn a_fork_at_any_legal_place_begins_clean() {
    let whole = story();
    let cuts: Vec<Session> = whole.batch_ends().into_iter().map(|end| whole.cut(end)).collect();
    let legal: Vec<&Session> = cuts.iter().filter(|cut| may_be_forked(&cut.state)).collect();
    assert!(legal.len() > 30, "the story has many legal places: {}", legal.len());
    for parent in legal {
        let child = forked(parent);
        assert_eq!(child.state.damage, None);
        assert!(child.state.inbox.is_empty());
        assert!(child.state.questions.open.is_empty());
        assert!(child.state.plan.pending.is_none());
        assert!(child.state.permissions.grants.is_empty());
        assert!(child.state.goals.current.as_ref().is_none_or(|goal| goal.flight.is_none()));
    }
}

#[test]
fn a_fork_keeps_mode_goal_todos_and_title() {
    let whole = story();
    for end in whole.batch_ends() {
        let parent = whole.cut(end);
        if !may_be_forked(&parent.state) {
            continue;
        }
        let child = forked(&parent);
        assert_eq!(child.state.plan.active, parent.state.plan.active);
        assert_eq!(child.state.todos, parent.state.todos);
        assert_eq!(child.state.session.title, parent.state.session.title);
        let goal = |session: &Session| {
            session.state.goals.current.clone().map(|goal| (goal.goal, goal.rounds_started))
        };
        assert_eq!(goal(&child), goal(&parent));
    }
}

#[test]
fn a_forked_goal_is_disarmed_until_it_is_resumed() {
    let parent = given([goal_create("ship it", None), whole_round()]);
    let child = forked(&parent);
    assert!(parent.is_armed());
    assert_eq!(child.goal().activation(Some(child.epoch)), Activation::Disarmed);
    assert!(child.and([goal_resume()]).is_armed());
}

#[test]
fn a_fork_withdraws_a_pending_selection_silently() {
    let parent = given([asked("hi"), plan_on(), concludes()]);
    let batch = fork_batch(&parent.state);
    let lines: Vec<String> = batch.iter().map(crate::facts::line).collect();
    assert_eq!(lines, ["plan/selected off silently by another"]);
    let child = forked(&parent).and([prompt("more"), claim()]);
    child.when(admit()).then(["step/start 2.1", "user/message user: more"]);
}

#[test]
fn a_fork_withdraws_inputs_and_the_reservation() {
    let parent = given([prompt("old"), restart(), goal_create("ship it", None), reserve()]);
    let lines: Vec<String> = fork_batch(&parent.state).iter().map(crate::facts::line).collect();
    assert_eq!(lines, ["input/withdrawn forked", "input/withdrawn forked"]);
    assert!(forked(&parent).goal().flight.is_none());
}

#[test]
fn a_fork_revokes_what_was_granted() {
    let granted =
        events::PermissionGranted { scope: "session".to_owned(), pattern: "exec:cargo *".to_owned() };
    let parent = given([fact(granted)]);
    let lines: Vec<String> = fork_batch(&parent.state).iter().map(crate::facts::line).collect();
    assert_eq!(lines, ["permission/revoked exec:cargo *"]);
}

#[test]
fn a_quiet_parent_leaves_nothing_to_withdraw() {
    assert!(fork_batch(&given([whole_turn("hi")]).state).is_empty());
}

#[test]
fn a_fork_may_be_worked_in_at_once() {
    let whole = story();
    for end in whole.batch_ends() {
        let parent = whole.cut(end);
        if may_be_forked(&parent.state) {
            forked(&parent).and([whole_turn("go on")]);
        }
    }
}

#[test]
fn the_review_of_a_text_plan_is_not_inherited() {
    let parent = given([text_in_review("# Plan\n")]);
    let child = forked(&parent);
    assert!(child.state.plan.active && child.state.questions.open.is_empty());
    let state = child.state.plan.proposal.as_ref().map(|plan| plan.state);
    assert_eq!(state, Some(projections::ProposalState::Withdrawn));
    assert_eq!(child.state.damage, None);
}
