//! Putting a plan forward, and the person's decision on exactly that text.

use events::{Digest, PlanId};
use projections::ProposalState;
use sessions::{ClientCommand, Code, ReviewVerdict, sha256};

use crate::given::{Session, given};
use crate::wishes::*;

fn planning() -> Session {
    given([plan_on(), asked("plan it"), calls([("p1", "exit_plan_mode")])])
}

#[track_caller]
fn is_refused(markdown: &str, code: &str) {
    let expected = format!("tool/result p1 {code}");
    planning().when(exit_plan("p1", markdown)).then([expected.as_str()]);
}

#[track_caller]
fn is_proposed(markdown: &str, title: &str) {
    let proposed = format!("plan/proposed r1 {title}");
    let expected = ["tool/started p1 session", &proposed, "question/asked plan-review"];
    let session = planning().when(exit_plan("p1", markdown)).then(expected);
    let proposal = session.state.plan.proposal.expect("it is proposed");
    assert_eq!(proposal.sha256, sha256(markdown), "the text is kept as it was sent");
}

#[test]
fn a_plan_begins_with_one_hash_and_white_space() {
    is_proposed("# Fix it\n\nstep one", "Fix it");
    is_proposed("#\tFix it", "Fix it");
    is_proposed("#\nFix it", "Fix it");
    is_proposed("\n\n  # Fix it\n", "Fix it");
    is_proposed("# x", "x");
}

#[test]
fn what_begins_otherwise_is_no_plan() {
    for markdown in ["", "   ", "do things", "#x", "## x", "### x", "#", "# ", "#\n\n", "text\n# x", "-# x"] {
        is_refused(markdown, "PLAN_INVALID");
    }
}

#[test]
fn a_plan_may_fill_its_limit_and_no_more() {
    let filled = |bytes: usize| format!("# {}", "x".repeat(bytes - 2));
    is_proposed(&filled(256 << 10), &"x".repeat((256 << 10) - 2));
    is_refused(&filled((256 << 10) + 1), "PLAN_INVALID");
}

#[test]
fn a_plan_is_put_forward_in_plan_mode_only() {
    given([asked("plan it"), calls([("p1", "exit_plan_mode")])])
        .when(exit_plan("p1", "# Plan"))
        .then(["tool/result p1 PLAN_MODE_REQUIRED"]);
}

#[test]
fn a_selection_alone_is_not_plan_mode_yet() {
    given([asked("plan it"), calls([("p1", "exit_plan_mode")]), plan_on()])
        .when(exit_plan("p1", "# Plan"))
        .then(["tool/result p1 PLAN_MODE_REQUIRED"]);
}

#[test]
fn the_mode_is_checked_before_the_text() {
    given([asked("plan it"), calls([("p1", "exit_plan_mode")])])
        .when(exit_plan("p1", "no heading"))
        .then(["tool/result p1 PLAN_MODE_REQUIRED"]);
}

#[test]
fn approval_leaves_plan_mode_from_the_next_step() {
    given([in_review("# Plan")])
        .when(review(ReviewVerdict::Approve, None))
        .then([
            "question/answered Approve",
            "plan/reviewed r1 approved",
            "plan/selected off silently",
            "tool/result p1 ok",
        ])
        .holds(|state| state.plan.active && state.is_planning())
        .when(end_step())
        .then(["step/end 1.1 toolcalls"])
        .when(admit())
        .then(["plan/mode off", "step/start 1.2"])
        .holds(|state| !state.is_planning());
}

#[test]
fn an_approved_plan_stays_readable() {
    let session = given([in_review("# Plan"), review(ReviewVerdict::Approve, None), end_step(), admit()]);
    let proposal = session.state.plan.proposal.expect("it is kept");
    assert_eq!((proposal.state, proposal.title.as_str()), (ProposalState::Approved, "Plan"));
}

#[test]
fn keep_planning_returns_the_comment_to_the_model() {
    let (session, lines) = given([in_review("# Plan")])
        .when(review(ReviewVerdict::KeepPlanning, Some("  consider the resume path ")))
        .told();
    assert_eq!(
        lines,
        [
            "question/answered consider the resume path",
            "plan/reviewed r1 keep-planning: consider the resume path",
            "tool/result p1 PLAN_KEEP_PLANNING",
        ]
    );
    assert!(last_result(&session).contains("consider the resume path"));
    assert!(session.state.plan.active && session.state.plan.pending.is_none());
}

#[test]
fn keep_planning_without_a_comment_asks_for_another_plan() {
    for comment in [None, Some(""), Some("  \n")] {
        let session = given([in_review("# Plan")]).when(review(ReviewVerdict::KeepPlanning, comment)).then([
            "question/answered Keep planning",
            "plan/reviewed r1 keep-planning",
            "tool/result p1 PLAN_KEEP_PLANNING",
        ]);
        assert!(last_result(&session).contains("revise"));
    }
}

fn last_result(session: &Session) -> String {
    match &session.log.last().expect("something happened").event {
        events::SessionEvent::ToolResult(data) => events::plain_text(&data.content),
        other => panic!("{} is no result", other.type_name()),
    }
}

#[test]
fn dismissing_puts_the_review_aside_to_talk() {
    given([in_review("# Plan")])
        .when(review(ReviewVerdict::Dismiss, None))
        .then([
            "question/withdrawn dismissed",
            "plan/reviewed r1 dismissed",
            "tool/result p1 PLAN_REVIEW_DISMISSED",
        ])
        .holds(|state| state.plan.active && state.questions.open.is_empty());
}

#[test]
fn a_decision_on_another_text_is_refused() {
    for verdict in [ReviewVerdict::Approve, ReviewVerdict::KeepPlanning, ReviewVerdict::Dismiss] {
        given([in_review("# Plan")])
            .when(review_seen(verdict, None, |seen| seen.0 += 1))
            .refused(Code::PlanStale)
            .when(review_seen(verdict, None, |seen| seen.1 = Digest("0".repeat(64))))
            .refused(Code::PlanStale)
            .holds(|state| state.questions.review().is_some());
    }
}

#[test]
fn a_decision_on_another_plan_is_refused() {
    given([in_review("# Plan")])
        .when(client(|state| {
            let proposal = state.plan.proposal.as_ref().expect("a plan was proposed");
            ClientCommand::PlanReview {
                plan_id: PlanId(uuid::Uuid::nil()),
                revision: proposal.revision,
                sha256: proposal.sha256.clone(),
                verdict: ReviewVerdict::Approve,
                feedback: None,
            }
        }))
        .refused(Code::PlanStale);
}

#[test]
fn a_review_is_decided_once() {
    let gone = [
        review(ReviewVerdict::Approve, None),
        review(ReviewVerdict::KeepPlanning, None),
        review(ReviewVerdict::Dismiss, None),
        plan_off(),
        all([stop(), settle()]),
        prompt("let us talk"),
    ];
    for first in gone {
        given([in_review("# Plan"), first])
            .when(review(ReviewVerdict::Approve, None))
            .refused(Code::PlanReviewGone);
    }
}

#[test]
fn the_label_alone_is_consent() {
    given([in_review("# Plan")]).when(answer(vec![choose("plan-review", ["Approve"])])).then([
        "question/answered Approve",
        "plan/reviewed r1 approved",
        "plan/selected off silently",
        "tool/result p1 ok",
    ]);
}

#[test]
fn the_other_label_and_a_text_are_no_consent() {
    given([in_review("# Plan")]).when(answer(vec![choose("plan-review", ["Keep planning"])])).then([
        "question/answered Keep planning",
        "plan/reviewed r1 keep-planning",
        "tool/result p1 PLAN_KEEP_PLANNING",
    ]);
    given([in_review("# Plan")]).when(answer(vec![write("plan-review", "add tests first")])).then([
        "question/answered add tests first",
        "plan/reviewed r1 keep-planning: add tests first",
        "tool/result p1 PLAN_KEEP_PLANNING",
    ]);
}

#[test]
fn an_answer_that_is_not_clear_is_refused_and_the_review_stays() {
    let mixed =
        events::Answer { custom: Some("change the tests".to_owned()), ..choose("plan-review", ["Approve"]) };
    let unclear = [
        vec![mixed],
        vec![choose("plan-review", ["Approve", "Keep planning"])],
        vec![choose("plan-review", ["Yes"])],
        vec![choose("plan-review", ["approve"])],
        vec![choose("plan-review", [])],
        vec![write("plan-review", " ")],
        vec![choose("another", ["Approve"])],
        vec![choose("plan-review", ["Approve"]), choose("plan-review", ["Approve"])],
        vec![],
    ];
    for answers in unclear {
        given([in_review("# Plan")])
            .when(answer(answers))
            .refused(Code::AnswerInvalid)
            .holds(|state| state.questions.review().is_some() && state.plan.pending.is_none());
    }
}

fn second_plan(markdown: &str) -> Session {
    given([in_review("# Plan"), review(ReviewVerdict::KeepPlanning, None), end_step(), admit()])
        .and([proposes("p2", markdown)])
}

fn identity(session: &Session) -> (PlanId, u32) {
    let proposal = session.state.plan.proposal.as_ref().expect("a plan was proposed");
    (proposal.plan_id, proposal.revision)
}

#[test]
fn another_text_is_the_next_revision_of_the_same_plan() {
    let first = identity(&given([in_review("# Plan")]));
    let second = identity(&second_plan("# Better plan"));
    assert_eq!(second, (first.0, 2));
}

#[test]
fn the_same_text_is_the_same_revision_and_may_be_decided_on_again() {
    let again = second_plan("# Plan");
    assert_eq!(identity(&again).1, 1);
    again
        .and([review(ReviewVerdict::Approve, None)])
        .holds(|state| state.plan.proposal.as_ref().is_some_and(|it| it.state == ProposalState::Approved));
}

#[test]
fn another_stay_in_plan_mode_is_another_plan() {
    let first = given([in_review("# Plan"), review(ReviewVerdict::Approve, None), end_step(), admit()]);
    let before = identity(&first);
    let after = identity(&first.and([concludes(), in_review("# Plan")]));
    assert_ne!(after.0, before.0);
    assert_eq!(after.1, 1);
}

#[test]
fn an_old_revision_cannot_be_approved() {
    second_plan("# Better plan")
        .when(review_seen(ReviewVerdict::Approve, None, |seen| *seen = (1, sha256("# Plan"))))
        .refused(Code::PlanStale);
}

#[test]
fn a_newer_revision_withdraws_the_review_of_the_older_one() {
    let two = calls([("p1", "exit_plan_mode"), ("p2", "exit_plan_mode")]);
    given([plan_on(), asked("plan it"), two, exit_plan("p1", "# Plan")])
        .when(exit_plan("p2", "# Better plan"))
        .then([
            "question/withdrawn a newer plan",
            "plan/reviewed r1 withdrawn",
            "tool/result p1 PLAN_STALE",
            "tool/started p2 session",
            "plan/proposed r2 Better plan",
            "question/asked plan-review",
        ])
        .and([review(ReviewVerdict::Approve, None)])
        .holds(|state| state.questions.open.is_empty());
}

#[test]
fn the_plan_is_handed_over_exactly_as_it_was_sent() {
    let markdown = "\n # Plan\n\ttabs, \u{1F600}, trailing  \n";
    let session = given([in_review(markdown)]);
    let proposed = session.log.iter().find_map(|envelope| match &envelope.event {
        events::SessionEvent::PlanProposed(data) => Some(data.markdown.clone()),
        _ => None,
    });
    assert_eq!(proposed.as_deref(), Some(markdown));
}

#[test]
fn stopping_the_turn_withdraws_its_review() {
    given([in_review("# Plan")])
        .when(stop())
        .then(["question/withdrawn stopped", "plan/reviewed r1 withdrawn", "turn/cancelled 1 keep"])
        .when(settle())
        .then(["tool/result p1 ABORTED", "step/end 1.1 aborted", "turn/end 1 aborted"])
        .holds(|state| state.plan.active);
}

fn titles(session: &Session) -> Vec<&str> {
    session.state.plan.versions().map(|version| version.title.as_str()).collect()
}

#[test]
fn every_version_stays_at_hand_newest_first_and_each_text_once() {
    assert_eq!(titles(&second_plan("# Better plan")), ["Better plan", "Plan"]);
    assert_eq!(titles(&second_plan("# Plan")), ["Plan"]);
}

#[test]
fn the_approved_plan_stays_readable_while_another_is_made() {
    let approved =
        second_plan("# Better plan").and([review(ReviewVerdict::Approve, None), end_step(), admit()]);
    let next = approved.and([concludes(), in_review("# Next plan")]);
    let found = next.state.plan.approved().expect("a plan was approved");
    assert_eq!((found.title.as_str(), found.revision), ("Better plan", 2));
    assert_eq!(titles(&next), ["Next plan", "Better plan", "Plan"]);
}

#[test]
fn the_oldest_of_very_many_versions_are_left_to_the_log() {
    let mut session = planning();
    for revision in 0..150 {
        session = session.and([exit_plan_again(&format!("# Plan {revision}"))]);
    }
    assert_eq!(session.state.plan.versions().count(), 101);
    assert_eq!(titles(&session)[0], "Plan 149");
}

/// Puts a plan forward in a step of its own, after the one before was sent back.
fn exit_plan_again(markdown: &str) -> crate::given::Steps {
    let markdown = markdown.to_owned();
    all([
        exit_plan("p1", &markdown),
        review(ReviewVerdict::KeepPlanning, None),
        end_step(),
        admit(),
        calls([("p1", "exit_plan_mode")]),
    ])
}
