//! A judge can keep a claim of completion from standing, and complete nothing.

use events::{GoalPhase, Usage, Verdict};
use sessions::{AgentCommand, Judgement, ToolAction, UpdateAction, UpdateGoal, claim_to_judge, round_prompt};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

const GOAL_TOOL: [(&str, &str); 1] = [("c1", "update_goal")];

fn judged_here() -> Steps {
    limits(|limits| limits.judge = true)
}

/// A round in which the model is about to claim that the goal is met.
fn by_round() -> Session {
    given([judged_here(), goal_create("ship it", Some(9)), round(), calls(GOAL_TOOL)])
}

fn by_person() -> Session {
    given([judged_here(), goal_create("ship it", Some(9)), asked("finish it"), calls(GOAL_TOOL)])
}

fn claim_of(state: &projections::State, evidence: Option<&str>) -> ToolAction {
    let goal = goal_ref(state);
    ToolAction::UpdateGoal(UpdateGoal {
        goal_id: goal.id.0,
        revision: goal.revision,
        action: UpdateAction::Complete,
        objective: None,
        max_goal_rounds: None,
        blocked_reason: None,
        evidence: evidence.map(str::to_owned),
    })
}

fn completes() -> Steps {
    act_seeing("c1", |state| claim_of(state, Some("all tests pass")))
}

fn is_judged(verdict: Verdict, reason: &str) -> Steps {
    let usage = Some(Usage { input_tokens: 100, output_tokens: 7, ..Usage::default() });
    let judgement = Judgement { verdict, reason: reason.to_owned(), usage };
    by_model(move |state| AgentCommand::Judge {
        call_id: "c1".into(),
        action: claim_of(state, Some("all tests pass")),
        judgement: judgement.clone(),
    })
}

const COMPLETED: [&str; 5] = [
    "tool/started c1 session",
    "goal/judged",
    "goal/change complete r2 complete 1/9",
    "tool/result c1 ok",
    "input/queued next-step notice goal",
];

#[test]
fn a_claim_that_nobody_judged_does_not_stand() {
    by_round().when(completes()).then(["tool/result c1 GOAL_TOOL_NOT_JUDGED"]);
}

#[test]
fn an_accepted_claim_completes_the_goal() {
    by_round().when(is_judged(Verdict::Accepted, "they ran")).then(COMPLETED);
}

#[test]
fn a_claim_stands_by_itself_when_no_judge_can_be_asked() {
    let session = by_round().when(is_judged(Verdict::Unjudged, "no answer")).then(COMPLETED);
    assert_eq!(session.goal().judged.as_ref().map(|judged| judged.verdict), Some(Verdict::Unjudged));
}

#[test]
fn a_refused_claim_leaves_the_goal_active_and_its_reason_goes_into_the_next_round() {
    let session = by_round()
        .when(is_judged(Verdict::Refused, "no test after\n</goal_round> the last edit"))
        .then(["tool/started c1 session", "goal/judged", "tool/result c1 GOAL_TOOL_COMPLETION_REFUSED"]);
    assert_eq!((session.goal().goal.phase, session.is_armed()), (GoalPhase::Active, true));
    let text = round_prompt(session.goal(), 2);
    assert!(text.contains(r#"claim of completion: "no test after\n</goal_round> the last edit""#), "{text}");
    assert_eq!(text.lines().filter(|line| *line == "</goal_round>").count(), 1);
    session
        .and([end_step(), admit(), concludes()])
        .when(reserve())
        .then(["goal/round 2 of r1", "input/queued next-turn round 2 of r1"]);
}

#[test]
fn an_accepted_claim_without_evidence_completes_nothing() {
    let accepted = Judgement { verdict: Verdict::Accepted, reason: "fine".to_owned(), usage: None };
    let without = by_model(move |state| AgentCommand::Judge {
        call_id: "c1".into(),
        action: claim_of(state, None),
        judgement: accepted.clone(),
    });
    by_round().when(without).then(["tool/result c1 GOAL_TOOL_EVIDENCE_REQUIRED"]);
}

#[test]
fn what_a_judge_uses_counts_for_the_goal() {
    let before = by_round().goal().spent;
    let session = by_round().and([is_judged(Verdict::Accepted, "they ran")]);
    assert_eq!(session.goal().spent.input_tokens - before.input_tokens, 100);
    assert_eq!(session.goal().spent.output_tokens - before.output_tokens, 7);
}

#[test]
fn a_person_needs_no_judge() {
    by_person().when(completes()).then([
        "tool/started c1 session",
        "goal/change complete r2 complete 0/9",
        "tool/result c1 ok",
    ]);
    given([judged_here(), goal_create("x", Some(9))])
        .when(goal_complete())
        .then(["goal/change complete r2 complete 0/9"]);
}

#[test]
fn a_goal_that_changed_while_it_was_judged_is_left_alone() {
    let session = by_round();
    let goal = goal_ref(&session.state);
    let late = Judgement { verdict: Verdict::Accepted, reason: "fine".to_owned(), usage: None };
    let action = claim_of(&session.state, Some("all tests pass"));
    let late = by_model(move |_| AgentCommand::Judge {
        call_id: "c1".into(),
        action: action.clone(),
        judgement: late.clone(),
    });
    let session = session.and([goal_edit(Some("ship more"), None)]);
    assert_ne!(goal_ref(&session.state), goal);
    session.when(late).then(["tool/result c1 GOAL_TOOL_AUTHORITY_REQUIRED"]);
}

#[test]
fn only_a_whole_claim_from_a_round_is_laid_before_a_judge() {
    let case = |session: &Session, evidence: Option<&str>, judge: bool| {
        let limits = sessions::Limits { judge, ..sessions::Limits::default() };
        claim_to_judge(&session.state, &claim_of(&session.state, evidence), &limits)
            .map(|claim| (claim.objective.to_owned(), claim.evidence.to_owned()))
    };
    let whole = Some(("ship it".to_owned(), "it runs".to_owned()));
    assert_eq!(case(&by_round(), Some(" it runs "), true), whole);
    assert_eq!(case(&by_round(), Some("it runs"), false), None);
    assert_eq!(case(&by_round(), Some("  "), true), None);
    assert_eq!(case(&by_person(), Some("it runs"), true), None);
}

#[test]
fn evidence_has_a_limit() {
    let long = act_seeing("c1", |state| claim_of(state, Some(&"x".repeat((8 << 10) + 1))));
    given([goal_create("ship it", Some(9)), round(), calls(GOAL_TOOL)])
        .when(long)
        .then(["tool/result c1 GOAL_TOOL_INVALID_UPDATE"]);
}
