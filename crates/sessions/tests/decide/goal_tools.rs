//! The goal through the model's tools: whose authority, in which order it is checked, and what follows.

use events::{Block, SessionEvent, Source, Target};
use projections::State;
use sessions::{ToolAction, UpdateAction};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

const GOAL_TOOL: [(&str, &str); 2] = [("c1", "update_goal"), ("c2", "update_goal")];

/// A person's turn in which the model calls goal tools.
fn by_person() -> Session {
    given([goal_create("ship it", Some(9)), asked("hi"), calls(GOAL_TOOL)])
}

/// The goal's first round, in which the model calls goal tools.
fn by_round() -> Session {
    by_round_number(1)
}

fn by_round_number(number: usize) -> Session {
    let rounds: Vec<Steps> = (1..number).map(|_| whole_round()).collect();
    given([goal_create("ship it", Some(9)), all(rounds), round(), calls(GOAL_TOOL)])
}

/// A round whose goal was edited meanwhile.
fn by_stale_round() -> Session {
    given([goal_create("ship it", Some(9)), round(), goal_edit(Some("x"), None), calls(GOAL_TOOL)])
}

/// A round in which a person spoke up.
fn by_round_with_person() -> Session {
    given([goal_create("ship it", Some(9)), round(), calls([("c0", "x")])]).and([
        prompt_to("hold on", Target::NextStep),
        fail_call("c0"),
        end_step(),
        admit(),
        calls(GOAL_TOOL),
    ])
}

fn edit() -> Steps {
    update_goal("c1", UpdateAction::Edit, |update| update.objective = Some("x".to_owned()))
}

fn pause() -> Steps {
    update_goal("c1", UpdateAction::Pause, |_| {})
}

fn resume() -> Steps {
    update_goal("c1", UpdateAction::Resume, |_| {})
}

fn complete() -> Steps {
    update_goal("c1", UpdateAction::Complete, |update| update.evidence = Some("all tests pass".to_owned()))
}

fn blocked() -> Steps {
    update_goal("c1", UpdateAction::Blocked, |update| update.blocked_reason = Some(" no key ".to_owned()))
}

#[track_caller]
fn fails_with(session: Session, tool: Steps, code: &str) {
    let goals = session.state.goals.clone();
    let expected = format!("tool/result c1 {code}");
    let after = session.when(tool).then([expected.as_str()]);
    assert_eq!(after.state.goals, goals, "a refused tool changes nothing");
}

#[test]
fn a_persons_turn_may_do_everything() {
    by_person().when(edit()).then([
        "tool/started c1 session",
        "goal/change edit r2 active 0/9",
        "tool/result c1 ok",
    ]);
    by_person().when(pause()).then([
        "tool/started c1 session",
        "goal/change pause r2 paused 0/9",
        "tool/result c1 ok",
    ]);
    by_person().and([goal_pause()]).when(resume()).then([
        "tool/started c1 session",
        "goal/change resume r3 active 0/9",
        "tool/result c1 ok",
    ]);
    by_person().when(complete()).then([
        "tool/started c1 session",
        "goal/change complete r2 complete 0/9",
        "tool/result c1 ok",
    ]);
    by_person().when(blocked()).then([
        "tool/started c1 session",
        "goal/change block r2 blocked 0/9",
        "tool/result c1 ok",
    ]);
}

#[test]
fn a_persons_turn_creates_a_goal() {
    given([asked("hi"), calls([("c1", "create_goal")])])
        .when(act("c1", create_goal("ship it", Some(9))))
        .then(["tool/started c1 session", "goal/change create r1 active 0/9", "tool/result c1 ok"]);
}

#[test]
fn a_round_may_only_conclude_its_goal() {
    let denied = "GOAL_TOOL_AUTHORITY_REQUIRED";
    fails_with(by_round(), edit(), denied);
    fails_with(by_round(), pause(), denied);
    fails_with(by_round(), resume(), denied);
    fails_with(by_round(), act("c1", create_goal("another", None)), denied);
    by_round().when(complete()).then([
        "tool/started c1 session",
        "goal/change complete r2 complete 1/9",
        "tool/result c1 ok",
        "input/queued next-step notice goal",
    ]);
    by_round_number(3).when(blocked()).then([
        "tool/started c1 session",
        "goal/change block r2 blocked 3/9",
        "tool/result c1 ok",
        "input/queued next-step notice goal",
    ]);
}

#[test]
fn a_stale_round_has_no_authority() {
    for tool in [edit(), pause(), resume(), complete(), blocked(), act("c1", create_goal("another", None))] {
        fails_with(by_stale_round(), tool, "GOAL_TOOL_AUTHORITY_REQUIRED");
    }
}

#[test]
fn anybody_may_read_the_goal() {
    for session in [by_person(), by_round(), by_stale_round()] {
        session.when(act("c1", ToolAction::GetGoal)).then(["tool/started c1 session", "tool/result c1 ok"]);
    }
}

#[test]
fn a_person_who_speaks_up_in_a_round_has_a_persons_authority() {
    by_round_with_person().when(edit()).then([
        "tool/started c1 session",
        "goal/change edit r2 active 1/9",
        "tool/result c1 ok",
    ]);
    by_round_with_person().when(complete()).then([
        "tool/started c1 session",
        "goal/change complete r2 complete 1/9",
        "tool/result c1 ok",
    ]);
    by_round_with_person().when(pause()).then([
        "tool/started c1 session",
        "goal/change pause r2 paused 1/9",
        "turn/cancelled 1 keep",
        "tool/result c1 ok",
    ]);
}

#[test]
fn a_round_concludes_its_goal_once() {
    let again = update_goal("c2", UpdateAction::Complete, |update| update.evidence = Some("yes".to_owned()));
    by_round().and([complete()]).when(again).then(["tool/result c2 GOAL_TOOL_AUTHORITY_REQUIRED"]);
}

#[test]
fn a_round_completes_only_with_evidence() {
    for evidence in [None, Some(String::new()), Some(" \n".to_owned())] {
        let tool =
            update_goal("c1", UpdateAction::Complete, move |update| update.evidence.clone_from(&evidence));
        fails_with(by_round(), tool, "GOAL_TOOL_EVIDENCE_REQUIRED");
    }
    let session = by_round().and([complete()]);
    assert_eq!(session.goal().goal.evidence.as_deref(), Some("all tests pass"));
}

#[test]
fn a_person_needs_no_evidence() {
    let session = by_person().and([update_goal("c1", UpdateAction::Complete, |_| {})]);
    assert_eq!(session.goal().goal.evidence, None);
}

#[test]
fn a_round_reports_a_blocker_only_after_three_rounds() {
    fails_with(by_round_number(1), blocked(), "GOAL_TOOL_BLOCK_THRESHOLD");
    fails_with(by_round_number(2), blocked(), "GOAL_TOOL_BLOCK_THRESHOLD");
    let session = by_round_number(3).and([blocked()]);
    let reason = session.goal().goal.blocked_reason.clone().expect("it is blocked");
    assert_eq!((reason.code.as_str(), reason.message.as_str()), ("model-reported", "no key"));
}

#[test]
fn a_person_may_report_a_blocker_at_once() {
    let session = by_person().and([limits(|limits| limits.blocked_after_rounds = 9), blocked()]);
    assert_eq!(session.goal().rounds_started, 0);
}

#[test]
fn the_reference_is_checked_before_authority() {
    let wrong: [fn(&mut sessions::UpdateGoal); 4] = [
        |update| update.goal_id = String::new(),
        |update| update.goal_id = format!(" {}", update.goal_id),
        |update| update.goal_id.push('\n'),
        |update| update.revision = 0,
    ];
    for change in wrong {
        for action in [UpdateAction::Pause, UpdateAction::Complete] {
            fails_with(by_round(), update_goal("c1", action, change), "GOAL_TOOL_INVALID_UPDATE");
        }
    }
}

#[test]
fn authority_is_checked_before_the_other_arguments() {
    let malformed = update_goal("c1", UpdateAction::Pause, |update| update.objective = Some("x".to_owned()));
    fails_with(by_round(), malformed, "GOAL_TOOL_AUTHORITY_REQUIRED");
    let malformed = update_goal("c1", UpdateAction::Complete, |update| update.max_goal_rounds = Some(3));
    fails_with(by_stale_round(), malformed, "GOAL_TOOL_AUTHORITY_REQUIRED");
}

#[test]
fn arguments_that_do_not_go_together_are_refused() {
    type Change = fn(&mut sessions::UpdateGoal);
    let objective: Change = |update| update.objective = Some("x".to_owned());
    let rounds: Change = |update| update.max_goal_rounds = Some(8);
    let reason: Change = |update| update.blocked_reason = Some("x".to_owned());
    let blank: Change = |update| update.blocked_reason = Some("  ".to_owned());
    let cases = [
        (UpdateAction::Edit, vec![reason, blank]),
        (UpdateAction::Pause, vec![objective, rounds, reason, blank]),
        (UpdateAction::Resume, vec![objective, rounds, reason, blank]),
        (UpdateAction::Complete, vec![objective, rounds, reason, blank]),
        (UpdateAction::Blocked, vec![objective, rounds, blank, |_| {}]),
    ];
    for (action, changes) in cases {
        for change in changes {
            fails_with(by_person(), update_goal("c1", action, change), "GOAL_TOOL_INVALID_UPDATE");
        }
    }
}

#[test]
fn arguments_are_checked_before_the_goal() {
    let stale = |update: &mut sessions::UpdateGoal| update.revision += 7;
    let malformed = update_goal("c1", UpdateAction::Pause, move |update| {
        stale(update);
        update.objective = Some("x".to_owned());
    });
    fails_with(by_person(), malformed, "GOAL_TOOL_INVALID_UPDATE");
    fails_with(by_person(), update_goal("c1", UpdateAction::Pause, stale), "GOAL_STALE_REVISION");
    fails_with(by_person(), update_goal("c1", UpdateAction::Edit, |_| {}), "GOAL_INVALID_EDIT");
    fails_with(by_person(), resume(), "GOAL_INVALID_TRANSITION");
    fails_with(given([asked("hi"), calls(GOAL_TOOL)]), pause(), "GOAL_NOT_FOUND");
}

#[test]
fn create_goal_passes_the_goals_own_refusals_on() {
    let fresh = || given([asked("hi"), calls(GOAL_TOOL)]);
    fails_with(fresh(), act("c1", create_goal(" ", None)), "GOAL_INVALID_OBJECTIVE");
    fails_with(fresh(), act("c1", create_goal("x", Some(0))), "GOAL_INVALID_MAX_ROUNDS");
    fails_with(by_person(), act("c1", create_goal("x", None)), "GOAL_ALREADY_EXISTS");
}

#[test]
fn the_result_is_the_goal_after_the_change() {
    let session = by_person().and([edit()]);
    let text = session
        .log
        .iter()
        .rev()
        .find_map(|envelope| match &envelope.event {
            SessionEvent::ToolResult(data) => Some(events::plain_text(&data.content)),
            _ => None,
        })
        .expect("the call has its result");
    let shown: serde_json::Value = serde_json::from_str(&text).expect("the result is JSON");
    assert_eq!(shown["goal"]["objective"], "x");
    assert_eq!(shown["goal"]["revision"], 2);
    assert_eq!(shown["goal"]["phase"], "active");
    assert_eq!(shown["goal"]["max_goal_rounds"], 9);
    assert_eq!(shown["activation"], "armed");
}

#[test]
fn without_a_goal_the_result_is_null() {
    let facts = given([asked("hi"), calls(GOAL_TOOL)]).when(act("c1", ToolAction::GetGoal)).facts();
    let SessionEvent::ToolResult(result) = &facts[1] else { panic!("the second fact is the result") };
    assert_eq!(result.content, [Block::text(r#"{"goal":null}"#)]);
}

fn wrap_up(session: &Session) -> (String, String) {
    let input = session.state.inbox.next_step.first().expect("a closing message is asked for");
    let Source::Notice { about, summary } = &input.source else { panic!("it is a notice") };
    assert_eq!(about, "goal");
    assert!(!input.wakes, "it opens no turn by itself");
    (summary.clone(), events::plain_text(&input.content))
}

#[test]
fn a_round_that_concludes_is_asked_for_a_closing_message() {
    let (summary, text) = wrap_up(&by_round().and([complete()]));
    assert_eq!(summary, "complete: ship it");
    assert!(
        text.starts_with("<goal_complete>\nObjective: \"ship it\"\n") && text.ends_with("</goal_complete>")
    );

    let (summary, text) = wrap_up(&by_round_number(3).and([blocked()]));
    assert_eq!(summary, "blocked: ship it");
    assert!(text.contains("Blocked: \" no key \"") && text.ends_with("</goal_blocked>"));
}

#[test]
fn the_closing_message_is_another_step_of_the_same_turn() {
    let other = all([fail_call("c2"), end_step()]);
    by_round().and([complete(), other]).when(admit()).then([
        "input/claimed 1",
        "step/start 1.2",
        "user/message notice goal",
    ]);
}

#[test]
fn a_closing_message_that_came_to_nothing_does_not_wait_for_the_next_turn() {
    for end in [all([stop(), settle()]), fails(), restart()] {
        by_round().and([complete(), end]).holds(|state: &State| state.inbox.is_empty());
    }
}

#[test]
fn a_closing_message_for_which_no_step_is_left_is_not_asked_for_later() {
    let last_step = limits(|limits| limits.steps_per_turn_max = 1);
    by_round()
        .and([last_step, complete(), fail_call("c2"), end_step()])
        .when(admit())
        .then(["input/withdrawn turn-ended", "turn/end 1 step-limit"]);
}

#[test]
fn a_long_objective_is_cut_in_the_summary() {
    let objective = "ä".repeat(300);
    let session = given([goal_create(&objective, None), round(), calls(GOAL_TOOL), complete()]);
    let (summary, _) = wrap_up(&session);
    assert_eq!(summary.chars().count(), 120);
    assert!(summary.ends_with('…'));
}

#[test]
fn a_summary_that_just_fits_is_whole() {
    let objective = "x".repeat(110);
    let session = given([goal_create(&objective, None), round(), calls(GOAL_TOOL), complete()]);
    assert_eq!(wrap_up(&session).0, format!("complete: {objective}"));
}

#[test]
fn an_objective_cannot_close_the_tag_around_it() {
    let session = given([goal_create("x\n</goal_complete>\ny", None), round(), calls(GOAL_TOOL), complete()]);
    let closing_lines = wrap_up(&session).1.lines().filter(|line| *line == "</goal_complete>").count();
    assert_eq!(closing_lines, 1);
}

#[test]
fn goal_tools_work_in_plan_mode() {
    given([plan_on(), goal_create("ship it", None), asked("hi"), calls(GOAL_TOOL)]).when(complete()).then([
        "tool/started c1 session",
        "goal/change complete r2 complete 0/256",
        "tool/result c1 ok",
    ]);
}
