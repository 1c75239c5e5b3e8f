//! A plan that the model writes into its text: put forward, reviewed while the session is idle, carried out.

use events::{Block, PlanOrigin, SessionEvent, Source, StepFinish, Target, plain_text};
use projections::{ProposalState, Slices, TurnPhase};
use sessions::{Code, ReviewVerdict, sha256};

use crate::given::{Session, given};
use crate::wishes::*;

const PROPOSED: [&str; 2] = ["plan/proposed r1 Plan", "question/asked plan-review"];

fn planning() -> Session {
    given([plan_on(), asked("plan it")])
}

fn waiting_for_review() -> Session {
    given([text_in_review("# Plan\n")])
}

fn phase(session: &Session) -> TurnPhase {
    Slices::of(&session.state, Some(session.epoch)).turn.phase
}

/// Returns the source and the text of the newest queued input.
fn last_queued(session: &Session) -> (Source, String) {
    let queued = session.log.iter().rev().find_map(|envelope| match &envelope.event {
        SessionEvent::InputQueued(data) => Some((data.source.clone(), plain_text(&data.content))),
        _ => None,
    });
    queued.expect("an input was queued")
}

#[test]
fn a_block_in_an_answer_is_put_forward_and_its_turn_ends() {
    let (session, lines) = planning().when(writes_plan("# Plan\n")).told();
    assert_eq!(lines[1..], [PROPOSED[0], PROPOSED[1], "step/end 1.1 stop"]);
    session
        .when(end_turn())
        .then(["turn/end 1 completed"])
        .holds(|state| state.questions.review().is_some_and(|review| review.asked.call_id.is_none()))
        .holds(|state| state.plan.proposal.as_ref().is_some_and(|plan| plan.from == PlanOrigin::Text));
}

#[test]
fn the_plan_and_the_message_are_kept_as_they_were_written() {
    let markdown = "\n # Plan\n\ttabs, \u{1F600}, trailing  \n";
    let (session, lines) = planning().when(writes_plan(markdown)).told();
    assert_eq!(lines[0], format!("assistant/message 1.1: <proposed_plan>\n{markdown}</proposed_plan>"));
    let proposed = session.log.iter().find_map(|envelope| match &envelope.event {
        SessionEvent::PlanProposed(data) => Some((data.markdown.clone(), data.sha256.clone())),
        _ => None,
    });
    assert_eq!(proposed, Some((markdown.to_owned(), sha256(markdown))));
}

#[test]
fn a_block_without_a_heading_is_a_plan_called_plan() {
    for markdown in ["- step one\n", "## Steps\n", "First\n# Then\n", "#\n"] {
        let (_, lines) = planning().when(writes_plan(markdown)).told();
        assert_eq!(lines[1..3], PROPOSED, "{markdown:?}");
    }
    let (_, lines) = planning().when(writes_plan("# Fix it\n")).told();
    assert_eq!(lines[1], "plan/proposed r1 Fix it");
}

#[test]
fn an_empty_block_is_no_plan() {
    for markdown in ["", " \n\t\n"] {
        let (_, lines) = planning().when(writes_plan(markdown)).told();
        assert_eq!(lines[1..], ["step/end 1.1 stop"]);
    }
}

#[test]
fn a_block_is_a_plan_in_plan_mode_only() {
    let not_proposed = |session: Session| {
        let (session, lines) = session.when(writes_plan("# Plan\n")).told();
        assert_eq!(lines[1..], ["step/end 1.1 stop"]);
        assert!(session.state.questions.open.is_empty());
    };
    not_proposed(given([asked("hi")]));
    not_proposed(given([asked("hi"), plan_on()]));
    not_proposed(given([plan_on(), asked("hi"), plan_off()]));
}

#[test]
fn the_tool_goes_before_the_block() {
    let call = |name: &str| Block::ToolCall {
        call_id: "p1".into(),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
    };
    let answer = |name| answers_planning(vec![call(name)], Some("# Plan\n"), StepFinish::ToolCalls);
    let (_, lines) = planning().when(answer("exit_plan_mode")).told();
    assert_eq!(lines[1..], ["tool/call p1 exit_plan_mode"]);
    let (_, lines) = planning().when(answer("read_file")).told();
    assert_eq!(lines[1..], ["tool/call p1 read_file", PROPOSED[0], PROPOSED[1]]);
}

#[test]
fn a_plan_may_fill_its_limit_and_no_more() {
    let (_, lines) = planning().when(writes_plan(&"x".repeat(256 << 10))).told();
    assert_eq!(lines[1..3], PROPOSED);
    let (session, lines) = planning().when(writes_plan(&"x".repeat((256 << 10) + 1))).told();
    assert_eq!(lines[1..], ["input/queued next-step notice plan-proposal", "step/end 1.1 stop"]);
    assert!(last_queued(&session).1.contains("262145 bytes, 262144 are allowed"));
    session.holds(|state| state.plan.proposal.is_none()).when(admit()).then([
        "input/claimed 1",
        "step/start 1.2",
        "user/message notice plan-proposal",
    ]);
}

#[test]
fn a_revision_follows_the_text() {
    let again = |text| all([prompt("go on"), claim(), admit(), writes_plan(text), end_turn()]);
    let identity = |session: &Session| {
        let plan = session.state.plan.proposal.as_ref().expect("it was proposed");
        (plan.plan_id, plan.revision)
    };
    let first = waiting_for_review();
    let (plan_id, _) = identity(&first);
    let same = first.and([again("# Plan\n")]);
    assert_eq!(identity(&same), (plan_id, 1));
    assert!(same.state.questions.review().is_some(), "the same text is put forward again");
    let other = same.and([again("# Better plan\n")]);
    assert_eq!(identity(&other), (plan_id, 2));
    other
        .when(review_seen(ReviewVerdict::Approve, None, |seen| *seen = (1, sha256("# Plan\n"))))
        .refused(Code::PlanStale);
}

/// The model writes a plan, reads a file, and is asked again within the same turn.
fn in_an_open_turn() -> Session {
    let call =
        Block::ToolCall { call_id: "r1".into(), name: "read_file".to_owned(), arguments: "{}".to_owned() };
    planning().and([
        answers_planning(vec![call], Some("# Plan\n"), StepFinish::ToolCalls),
        start("r1", events::ToolClass::Read),
        finish("r1"),
        end_step(),
    ])
}

#[test]
fn a_newer_text_withdraws_the_review_of_the_older_one() {
    let (session, lines) = in_an_open_turn().and([admit()]).when(writes_plan("# Better plan\n")).told();
    let expected = [
        "question/withdrawn a newer plan",
        "plan/reviewed r1 withdrawn",
        "plan/proposed r2 Better plan",
        "question/asked plan-review",
        "step/end 1.2 stop",
    ];
    assert_eq!(lines[1..], expected);
    assert_eq!(session.state.questions.open.len(), 1);
}

#[test]
fn the_text_that_is_in_review_stays_so_when_it_comes_again() {
    let (_, lines) = in_an_open_turn().and([admit()]).when(writes_plan("# Plan\n")).told();
    assert_eq!(lines[1..], ["step/end 1.2 stop"]);
}

#[test]
fn the_tools_plan_takes_the_place_of_the_texts() {
    in_an_open_turn()
        .and([admit(), calls([("p1", "exit_plan_mode")])])
        .when(exit_plan("p1", "# Plan\n"))
        .then([
            "question/withdrawn a newer plan",
            "plan/reviewed r1 withdrawn",
            "tool/started p1 session",
            "plan/proposed r1 Plan",
            "question/asked plan-review",
        ]);
}

#[test]
fn approval_leaves_plan_mode_and_has_the_plan_carried_out() {
    let session = waiting_for_review().when(review(ReviewVerdict::Approve, None)).then([
        "question/answered Approve",
        "plan/reviewed r1 approved",
        "plan/selected off silently",
        "plan/mode off",
        "input/queued next-turn plan r1",
    ]);
    let plan = session.state.plan.proposal.clone().expect("it is kept");
    assert_eq!(plan.state, ProposalState::Approved);
    let (source, text) = last_queued(&session);
    let expected = Source::Plan { plan_id: plan.plan_id, revision: 1, sha256: sha256("# Plan\n") };
    assert_eq!(source, expected);
    for named in ["\"Plan\"", "revision 1", &plan.sha256.0, &plan.plan_id.to_string()] {
        assert!(text.contains(named), "{named} is missing in {text}");
    }
    session
        .holds(|state| !state.is_planning() && state.plan.pending.is_none())
        .when(claim())
        .then(["turn/start 2", "input/claimed 1"])
        .when(admit())
        .then(["step/start 2.1", "user/message plan r1"]);
}

#[test]
fn approval_is_given_once() {
    waiting_for_review()
        .and([review(ReviewVerdict::Approve, None)])
        .when(review(ReviewVerdict::Approve, None))
        .refused(Code::PlanReviewGone)
        .holds(|state| state.inbox.len() == 1);
}

#[test]
fn the_label_alone_is_consent() {
    let (_, lines) = waiting_for_review().when(answer(vec![choose("plan-review", ["Approve"])])).told();
    assert_eq!(lines.last().map(String::as_str), Some("input/queued next-turn plan r1"));
    let (_, lines) = waiting_for_review().when(answer(vec![write("plan-review", "tests first")])).told();
    assert_eq!(lines[1], "plan/reviewed r1 keep-planning: tests first");
}

#[test]
fn approval_in_an_open_turn_waits_for_its_next_step() {
    in_an_open_turn()
        .when(review(ReviewVerdict::Approve, None))
        .then([
            "question/answered Approve",
            "plan/reviewed r1 approved",
            "plan/selected off silently",
            "input/queued next-turn plan r1",
        ])
        .holds(|state| state.is_planning())
        .when(admit())
        .then(["plan/mode off", "step/start 1.2"])
        .and([concludes()])
        .when(claim())
        .then(["turn/start 2", "input/claimed 1"]);
}

#[test]
fn a_full_inbox_leaves_the_review_open() {
    for verdict in [ReviewVerdict::Approve, ReviewVerdict::KeepPlanning] {
        waiting_for_review()
            .and([limits(|limits| limits.inputs_queued_max = 0)])
            .when(review(verdict, None))
            .refused(Code::InboxFull)
            .holds(|state| state.questions.review().is_some() && state.plan.active);
    }
}

#[test]
fn keep_planning_goes_to_the_model_as_the_persons_words() {
    let session =
        waiting_for_review().and([review(ReviewVerdict::KeepPlanning, Some(" tests first\nthen code "))]);
    let (source, text) = last_queued(&session);
    let plan = session.state.plan.proposal.clone().expect("it is kept");
    assert_eq!((source, plan.state), (Source::User, ProposalState::Kept));
    for named in ["> tests first\n> then code\n", "revision 1", &plan.plan_id.to_string()] {
        assert!(text.contains(named), "{named} is missing in {text}");
    }
    session
        .holds(|state| state.plan.active && state.questions.open.is_empty())
        .holds(|state| state.inbox.next_turn.len() == 1)
        .and([claim(), admit()]);
}

#[test]
fn keep_planning_in_an_open_turn_joins_it() {
    in_an_open_turn()
        .and([review(ReviewVerdict::KeepPlanning, None)])
        .holds(|state| state.inbox.next_step.len() == 1)
        .and([admit()])
        .holds(|state| state.inbox.is_empty() && state.turn.number == 1);
}

#[test]
fn dismissing_tells_the_model_nothing() {
    let gone = ["question/withdrawn dismissed", "plan/reviewed r1 dismissed"];
    waiting_for_review().when(review(ReviewVerdict::Dismiss, None)).then(gone);
    waiting_for_review().when(dismiss()).then(gone).holds(|state| state.plan.active);
}

#[test]
fn typed_text_dismisses_the_review_and_waits_where_it_was_meant_to() {
    waiting_for_review().when(prompt("rather not")).then([
        "question/withdrawn dismissed",
        "plan/reviewed r1 dismissed",
        "input/queued next-turn user: rather not",
    ]);
    in_an_open_turn().when(prompt_to("rather not", Target::NextTurn)).then([
        "question/withdrawn dismissed",
        "plan/reviewed r1 dismissed",
        "input/queued next-turn user: rather not",
    ]);
}

#[test]
fn leaving_plan_mode_withdraws_the_review() {
    waiting_for_review()
        .when(plan_off())
        .then(["question/withdrawn plan mode was left", "plan/reviewed r1 withdrawn", "plan/mode off"])
        .holds(|state| state.inbox.is_empty());
}

#[test]
fn the_review_holds_no_turn_up() {
    let waiting = waiting_for_review();
    assert_eq!(phase(&waiting), TurnPhase::Idle);
    let running = in_an_open_turn();
    assert_eq!(phase(&running), TurnPhase::Running);
    running.and([admit(), concludes()]).holds(|state| state.questions.review().is_some());
}

#[test]
fn stop_leaves_the_review_open() {
    waiting_for_review().when(stop()).then_nothing().holds(|state| state.questions.review().is_some());
    in_an_open_turn()
        .when(stop())
        .then(["turn/cancelled 1 keep"])
        .when(settle())
        .then(["turn/end 1 aborted"])
        .and([review(ReviewVerdict::Approve, None)])
        .holds(|state| !state.plan.active && state.inbox.len() == 1);
}

#[test]
fn a_failed_turn_leaves_the_review_open() {
    in_an_open_turn().and([admit(), fails()]).holds(|state| state.questions.review().is_some());
}

#[test]
fn the_review_outlives_its_host() {
    for before in [waiting_for_review(), in_an_open_turn()] {
        let session = before.and([restart()]);
        crate::repair::is_sound(&session);
        session
            .holds(|state| state.turn.open.is_none() && state.questions.review().is_some())
            .and([review(ReviewVerdict::Approve, None), claim(), admit()])
            .holds(|state| state.turn.open.is_some() && !state.plan.active);
    }
}

#[test]
fn an_approved_plan_is_held_when_its_host_dies() {
    waiting_for_review()
        .and([review(ReviewVerdict::Approve, None), restart()])
        .when(claim())
        .refused(Code::NothingToClaim)
        .and([send(0), claim(), admit()]);
}

#[test]
fn no_goal_round_starts_between_approval_and_the_plan() {
    given([
        text_in_review("# Plan\n"),
        goal_create("ship it", Some(3)),
        review(ReviewVerdict::Approve, None),
    ])
    .when(reserve())
    .refused(Code::RoundNotDue);
}

#[test]
fn another_stay_in_plan_mode_is_another_plan() {
    let first = waiting_for_review();
    let before = first.state.plan.proposal.as_ref().map(|plan| plan.plan_id);
    let second = first.and([plan_off(), text_in_review("# Plan\n")]);
    let after = second.state.plan.proposal.as_ref().map(|plan| plan.plan_id);
    assert_ne!(after, before);
}

#[test]
fn a_stream_that_broke_off_keeps_its_plan_in_a_block() {
    let session = planning().and([streams("Intro"), streams_plan("# Pl"), fails()]);
    let lines = session.lines("assistant/message");
    assert_eq!(lines, ["assistant/message 1.1 interrupted: Intro\n<proposed_plan>\n# Pl\n</proposed_plan>"]);
    session.holds(|state| state.plan.proposal.is_none());
}

#[test]
fn an_answer_without_a_block_puts_nothing_forward() {
    given([plan_on(), asked("plan it")])
        .when(says("I am still looking."))
        .then(["assistant/message 1.1: I am still looking.", "step/end 1.1 stop"])
        .holds(|state| state.plan.proposal.is_none() && state.questions.open.is_empty());
}
