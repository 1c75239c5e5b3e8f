//! Slash lines: their grammar, their replies, and how they are recorded.

use events::SessionEvent;
use sessions::{Code, SLASH_COMMANDS};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

/// Carries out a line and returns its facts without run and done, whether it succeeded, and the reply.
#[track_caller]
fn typed(session: Session, line: &str) -> (Vec<String>, bool, String) {
    let facts = session.when(slash(line)).facts();
    let lines: Vec<String> = facts.iter().map(crate::facts::line).collect();
    let [SessionEvent::CommandRun(run), .., SessionEvent::CommandDone(done)] = &facts[..] else {
        panic!("a line is recorded as run and done: {lines:?}");
    };
    assert_eq!(run.command_id, done.command_id);
    assert!(line.ends_with(&run.args), "the arguments are kept verbatim");
    let text = done.text.clone().expect("a reply is given");
    (lines[1..lines.len() - 1].to_vec(), done.kind == events::CommandOutcome::Success, text)
}

#[track_caller]
fn replies<const N: usize>(session: Session, line: &str, facts: [&str; N], reply: &str) {
    let (changes, succeeded, text) = typed(session, line);
    assert_eq!(changes, facts, "{line}");
    assert!(succeeded, "{line}: {text}");
    assert!(text.contains(reply), "{line}: {text}");
}

#[track_caller]
fn complains(session: Session, line: &str, reply: &str) {
    let (changes, succeeded, text) = typed(session, line);
    assert!(changes.is_empty(), "a refused line changes nothing: {changes:?}");
    assert!(!succeeded, "{line}: {text}");
    assert!(text.contains(reply), "{line}: {text}");
}

#[test]
fn what_is_no_command_is_not_recorded() {
    let lines =
        ["", "plan", " /plan", "/", "/ plan", "/Plan", "/1", "/plan!", "/plan:off", "//plan", "/pl\u{e4}n"];
    for line in lines.into_iter().chain(["/mode", "/review", "/goals", "/compact"]) {
        given([]).when(slash(line)).refused(Code::UnknownCommand);
    }
}

#[test]
fn a_name_ends_at_white_space() {
    for line in ["/plan", "/plan ", "/plan\toff", "/plan\noff", "/plan\r\noff"] {
        given([]).when(slash(line)).told();
    }
}

#[test]
fn commands_are_listed_by_name() {
    let names: Vec<&str> = SLASH_COMMANDS.iter().map(|command| command.name).collect();
    assert_eq!(names, ["goal", "model", "plan"]);
}

#[test]
fn plan_enters_plan_mode() {
    replies(given([]), "/plan", ["plan/mode on"], "Plan mode is on.");
    replies(given([asked("hi")]), "/plan", ["plan/selected on"], "from the next step");
    replies(given([plan_on()]), "/plan", [], "on already");
    replies(given([asked("hi"), plan_on()]), "/plan", [], "from the next step");
}

#[test]
fn plan_takes_a_leaving_back() {
    replies(given([plan_on(), asked("hi"), plan_off()]), "/plan", ["plan/selected on"], "stays on");
}

#[test]
fn plan_off_leaves_plan_mode() {
    replies(given([plan_on()]), "/plan off", ["plan/mode off"], "Plan mode is off.");
    replies(given([plan_on(), asked("hi")]), "/plan off", ["plan/selected off"], "Leaving");
    replies(given([plan_on(), asked("hi"), plan_off()]), "/plan \toff\n", [], "Leaving");
    replies(given([asked("hi"), plan_on()]), "/plan off", ["plan/selected off"], "withdrawn");
    replies(given([]), "/plan off", [], "was not on");
}

#[test]
fn anything_else_is_a_message_for_the_next_step() {
    let message = ["plan/mode on", "input/queued next-step user: draft the migration"];
    replies(given([]), "/plan   draft the migration  ", message, "Plan mode is on.");
    replies(given([]), "/plan OFF", ["plan/mode on", "input/queued next-step user: OFF"], "is on");
    replies(given([]), "/plan off now", ["plan/mode on", "input/queued next-step user: off now"], "is on");
    replies(given([plan_on()]), "/plan more", ["input/queued next-step user: more"], "on already");
}

#[test]
fn a_plan_message_puts_an_open_review_aside() {
    let changes = [
        "question/withdrawn dismissed",
        "plan/reviewed r1 dismissed",
        "tool/result p1 PLAN_REVIEW_DISMISSED",
        "input/queued next-step user: smaller",
    ];
    replies(given([in_review("# Plan")]), "/plan smaller", changes, "on already");
}

#[test]
fn a_plan_message_that_is_too_large_is_refused_as_a_whole() {
    given([limits(|limits| limits.input_bytes_max = 4)])
        .when(slash("/plan 12345"))
        .refused(Code::InputTooLarge)
        .holds(|state| !state.plan.active);
}

fn with_goal(steps: impl IntoIterator<Item = Steps>) -> Session {
    given([goal_create("ship it", Some(5))]).and(steps)
}

#[test]
fn bare_goal_shows_the_goal() {
    replies(given([]), "/goal", [], "No goal is set.\nUsage: /goal");
    let expected = "Goal\nStatus: active\nObjective: ship it\nRounds: 0/5\nActivation: armed\n\nCommands: ";
    replies(with_goal([]), "/goal", [], expected);
    replies(with_goal([]), "/goal \n", [], "Commands: edit, budget, pause, clear");
    replies(
        with_goal([restart()]),
        "/goal",
        [],
        "Activation: disarmed\n\nCommands: edit, budget, resume, clear",
    );
    replies(with_goal([goal_pause()]), "/goal", [], "Status: paused\n");
    replies(with_goal([goal_pause()]), "/goal", [], "Commands: edit, budget, resume, clear");
    replies(with_goal([block("a-b", "no key")]), "/goal", [], "Status: blocked\nBlocker: a-b: no key\n");
    replies(with_goal([goal_complete()]), "/goal", [], "Commands: <objective>, clear");
}

#[test]
fn goal_with_a_text_creates_one() {
    replies(
        given([]),
        "/goal\n  finish the release  ",
        ["goal/change create r1 active 0/256"],
        "Goal created\n",
    );
    replies(
        given([]),
        "/goal  pause everything later",
        ["goal/change create r1 active 0/256"],
        "pause everything later",
    );
    for word in ["clear now", "resume it", "edited", "budget", "budget for the trip", "pauses"] {
        let line = format!("/goal {word}");
        replies(given([]), &line, ["goal/change create r1 active 0/256"], word);
    }
}

#[test]
fn a_second_goal_is_refused_until_the_first_is_complete() {
    for (steps, phase) in
        [(vec![], "active"), (vec![goal_pause()], "paused"), (vec![block("a", "b")], "blocked")]
    {
        complains(with_goal(steps), "/goal another", phase);
    }
    replies(with_goal([goal_complete()]), "/goal another", ["goal/change create r1 active 0/256"], "another");
}

#[test]
fn goal_edit_replaces_the_objective() {
    replies(with_goal([]), "/goal edit second", ["goal/change edit r2 active 0/5"], "Goal updated\n");
    replies(
        with_goal([]),
        "/goal EDIT\n  second  ",
        ["goal/change edit r2 active 0/5"],
        "Objective: second\n",
    );
    replies(with_goal([goal_pause()]), "/goal edit x", ["goal/change edit r3 paused 0/5"], "Status: paused");
    replies(
        with_goal([block("a", "b")]),
        "/goal edit x",
        ["goal/change edit r3 blocked 0/5"],
        "Blocker: a: b",
    );
}

#[test]
fn goal_edit_of_a_complete_goal_begins_another() {
    replies(
        with_goal([goal_complete()]),
        "/goal edit third",
        ["goal/change create r1 active 0/256"],
        "Goal created",
    );
}

#[test]
fn goal_edit_needs_an_objective_and_a_goal() {
    complains(given([]), "/goal edit", "needs a new objective");
    complains(with_goal([]), "/goal Edit ", "needs a new objective");
    complains(given([]), "/goal edit x", "/goal edit needs one");
}

#[test]
fn goal_budget_sets_several_budgets_in_any_order() {
    replies(
        with_goal([]),
        "/goal budget time=90m no-progress=5 Tokens=1.5M",
        ["goal/change edit r2 active 0/5"],
        "Rounds: 0/5\nTokens: 0/1.5M\nTime: 0s/1h30m\nActivation: armed",
    );
    let all_set = || with_goal([slash("/goal budget rounds=9 tokens=200k time=2h no-progress=2")]);
    let budgets = all_set().goal().goal.budgets;
    let kept = (budgets.rounds, budgets.tokens, budgets.time_ms, budgets.no_progress);
    assert_eq!(kept, (9, Some(200_000), Some(7_200_000), Some(2)));
    let budgets = all_set().and([slash("/goal budget tokens=none time=NONE")]).goal().goal.budgets;
    assert_eq!((budgets.tokens, budgets.time_ms, budgets.no_progress), (None, None, Some(2)));
    for wrong in
        ["tokens=0", "time=0m", "time=90", "no-progress=0", "tokens=1 tokens=2", "rounds=3 x", "rounds=none"]
    {
        complains(with_goal([]), &format!("/goal budget {wrong}"), "A budget is rounds=N");
    }
}

#[test]
fn goal_budget_sets_the_rounds() {
    replies(with_goal([]), "/goal budget rounds=20", ["goal/change edit r2 active 0/20"], "Rounds: 0/20");
    replies(with_goal([]), "/goal Budget rounds=1", ["goal/change edit r2 active 0/1"], "Goal updated");
    for wrong in
        ["rounds=", "rounds=x", "rounds=1.5", "rounds=-1", "turns=3", "rounds=99999999999", "rounds=3 4"]
    {
        complains(with_goal([]), &format!("/goal budget {wrong}"), "rounds=N");
    }
    complains(with_goal([]), "/goal budget rounds=0", "Not possible");
    complains(with_goal([]), "/goal budget rounds=10001", "Not possible");
    complains(given([]), "/goal budget rounds=3", "/goal budget needs one");
}

#[test]
fn goal_pause_and_resume() {
    replies(with_goal([]), "/goal PAUSE", ["goal/change pause r2 paused 0/5"], "Goal paused\n");
    replies(
        with_goal([goal_pause()]),
        "/goal resume",
        ["goal/change resume r3 active 0/5"],
        "Goal resumed\n",
    );
    replies(
        with_goal([restart()]),
        "/goal resume",
        ["goal/change resume r2 active 0/5"],
        "Activation: armed",
    );
    replies(with_goal([block("a", "b")]), "/goal Resume", ["goal/change resume r3 active 0/5"], "active");
    complains(given([]), "/goal pause", "/goal pause needs one");
    complains(given([]), "/goal resume", "/goal resume needs one");
    complains(with_goal([goal_pause()]), "/goal pause", "Not possible");
    complains(with_goal([block("a", "b")]), "/goal pause", "Not possible");
    complains(with_goal([]), "/goal resume", "Not possible");
    complains(with_goal([goal_complete()]), "/goal pause", "Not possible");
    complains(with_goal([goal_complete()]), "/goal resume", "Not possible");
}

#[test]
fn goal_resume_without_rounds_left_says_what_to_do() {
    let spent = given([goal_create("ship it", Some(1)), whole_round(), block("round-limit", "spent")]);
    complains(spent, "/goal resume", "/goal budget rounds=N");
}

#[test]
fn goal_clear_is_never_an_error() {
    replies(given([]), "/goal clear", [], "no goal to clear");
    for steps in [vec![], vec![goal_pause()], vec![block("a", "b")], vec![goal_complete()], vec![restart()]] {
        let (changes, succeeded, text) = typed(with_goal(steps), "/goal Clear");
        assert!(succeeded && changes[0].starts_with("goal/change clear"), "{changes:?}");
        assert_eq!(text, "Goal cleared.");
    }
}

#[test]
fn goal_pause_stops_the_running_round_between_run_and_done() {
    replies(
        with_goal([round()]),
        "/goal pause",
        ["goal/change pause r2 paused 1/5", "turn/cancelled 1 keep"],
        "Goal paused",
    );
    replies(
        with_goal([round()]),
        "/goal clear",
        ["turn/cancelled 1 keep", "goal/change clear r2"],
        "cleared",
    );
}

#[test]
fn a_goal_line_opens_no_turn_and_queues_nothing() {
    let (session, _) = given([]).when(slash("/goal ship it")).told();
    assert!(session.state.inbox.is_empty() && session.state.turn.number == 0);
}

#[test]
fn an_objective_that_is_too_long_is_an_error_reply() {
    complains(given([]), &format!("/goal {}", "x".repeat(8193)), "8192 are allowed");
}
