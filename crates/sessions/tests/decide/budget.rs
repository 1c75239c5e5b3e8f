//! Budgets of tokens, time and progress: what is counted, when a round may still ask, and what blocks.

use events::{Digest, GoalPhase, Todo, TodoStatus, Usage};
use projections::WorkspaceMark;
use sessions::{AgentCommand, BudgetEdit, ClientCommand, Code};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

fn create(budgets: BudgetEdit) -> Steps {
    client(move |_| ClientCommand::GoalCreate {
        objective: "ship it".to_owned(),
        rounds_max: Some(9),
        budgets,
    })
}

fn edit(budgets: BudgetEdit) -> Steps {
    client(move |state| ClientCommand::GoalEdit {
        goal: goal_ref(state),
        objective: None,
        rounds_max: None,
        budgets,
    })
}

fn tokens(tokens: u64) -> BudgetEdit {
    BudgetEdit { tokens: Some(tokens), ..BudgetEdit::default() }
}

fn time_ms(time_ms: u64) -> BudgetEdit {
    BudgetEdit { time_ms: Some(time_ms), ..BudgetEdit::default() }
}

fn no_progress(rounds: u32) -> BudgetEdit {
    BudgetEdit { no_progress: Some(rounds), ..BudgetEdit::default() }
}

/// A step of the running round: a call of 12 tokens, and its result.
fn step(call_id: &str) -> Steps {
    all([calls([(call_id, "x")]), fail_call(call_id), end_step()])
}

/// A round that ends with a workspace that looks like `seen`.
fn round_leaving(seen: &'static str) -> Steps {
    let ends = agent(move |_| {
        let dirty_hash = Some(Digest(seen.to_owned()));
        AgentCommand::EndTurn(WorkspaceMark { head: None, dirty_hash })
    });
    all([round(), says("done"), ends])
}

fn blocked_as(session: &Session) -> Option<&str> {
    session.goal().goal.blocked_reason.as_ref().map(|reason| reason.code.as_str())
}

const WRAP_UP: [&str; 3] = ["goal/change block r2 blocked 1/9", "step/start 1.2", "user/message notice goal"];

#[test]
fn a_round_under_its_budget_goes_on_asking() {
    let session = given([create(tokens(13)), round(), step("c1")]);
    session.when(admit()).then(["step/start 1.2"]);
}

#[test]
fn a_round_over_its_tokens_gets_one_step_to_close_and_is_blocked() {
    let session = given([create(tokens(12)), round(), step("c1")]).when(admit()).then(WRAP_UP);
    assert_eq!(blocked_as(&session), Some("token-limit"));
    assert!(session.state.turn.step().is_some_and(|step| step.wraps_up));
    let session = session
        .and([header()])
        .when(says("so far so good"))
        .then(["assistant/message 1.2: so far so good", "step/end 1.2 stop"]);
    session.when(end_turn()).then(["turn/end 1 completed"]).when(reserve()).refused(Code::RoundNotDue);
}

#[test]
fn a_step_that_closes_calls_nothing_whatever_the_model_says() {
    let session = given([create(tokens(12)), round(), step("c1"), admit(), header()]);
    session.when(calls([("c2", "write_file")])).then(["assistant/message 1.2:", "step/end 1.2 stop"]);
}

#[test]
fn a_persons_word_waits_for_the_step_after_the_closing_one() {
    let session =
        given([create(tokens(12)), round(), step("c1"), prompt_to("wait", events::Target::NextStep)]);
    let session = session.when(admit()).then(WRAP_UP).and([header(), says("closed")]);
    session.when(admit()).then(["input/claimed 1", "step/start 1.3", "user/message user: wait"]);
}

#[test]
fn a_person_who_joins_a_round_over_budget_is_answered_outside_the_goal() {
    let session = given([create(tokens(12)), round(), prompt_to("why?", events::Target::NextStep)]);
    let session = session.and([says("done")]).when(admit()).then([
        "goal/change block r2 blocked 1/9",
        "input/claimed 1",
        "step/start 1.2",
        "user/message user: why?",
    ]);
    assert!(session.state.turn.step().is_some_and(|step| !step.wraps_up));
}

#[test]
fn between_rounds_the_driver_blocks_what_is_used_up() {
    let session = given([create(tokens(12)), whole_round()]);
    assert_eq!(session.goal().exhausted().map(|it| it.code()), Some("token-limit"));
    session.when(reserve()).refused(Code::RoundNotDue);
}

#[test]
fn a_persons_turn_uses_nothing_of_the_goals() {
    let session = given([create(tokens(12)), whole_turn("hi"), clock(9_000), whole_turn("ho")]);
    assert_eq!(session.goal().spent, projections::Spent::default());
}

#[test]
fn cached_input_counts_unless_configured_otherwise() {
    let used = Usage { input_tokens: 100, cached_input_tokens: 90, output_tokens: 5, ..Usage::default() };
    let counted = |free: bool| {
        let session = given([limits(move |limits| limits.cached_input_free = free), create(tokens(50))]);
        let session = session.and([round(), answers_using(used), end_turn()]);
        session.goal().spent.tokens(&session.goal().goal.budgets)
    };
    assert_eq!((counted(false), counted(true)), (105, 15));
}

#[test]
fn a_guessed_usage_marks_the_sum_as_guessed() {
    let used = Usage { output_tokens: 1, estimated: true, ..Usage::default() };
    let session = given([create(tokens(50)), round(), answers_using(used), end_turn(), whole_round()]);
    assert!(session.goal().spent.estimated);
}

#[test]
fn what_had_streamed_of_a_lost_answer_counts() {
    let session = given([create(tokens(50)), round(), streams("eight by")]).and([fails()]);
    let spent = session.goal().spent;
    assert_eq!((spent.output_tokens, spent.estimated), (2, true));
}

#[test]
fn time_counts_while_a_round_runs() {
    let session = given([create(time_ms(5_000)), clock(2_000), round(), clock(6_999), step("c1")]);
    assert_eq!(session.goal().spent.time_ms, 4_999);
    let session = session.when(admit()).then(["step/start 1.2"]);
    let session = session.and([header(), clock(7_000), step("c2")]);
    let session = session.when(admit()).then([
        "goal/change block r2 blocked 1/9",
        "step/start 1.3",
        "user/message notice goal",
    ]);
    assert_eq!(blocked_as(&session), Some("time-limit"));
}

#[test]
fn time_between_rounds_does_not_count() {
    let session = given([create(time_ms(5_000)), whole_round(), clock(90_000), whole_round()]);
    assert_eq!(session.goal().spent.time_ms, 0);
}

#[test]
fn waiting_for_a_person_takes_no_time() {
    let question = act("c1", ask_user(vec![item("way", ["yes", "no"])]));
    let asks = all([round(), calls([("c1", "ask_user_question")]), question]);
    let session = given([create(time_ms(5_000)), asks, clock(90_000)]).and([dismiss(), clock(91_000)]);
    let session = session.and([end_step()]);
    assert_eq!(session.goal().spent.time_ms, 1_000);
}

#[test]
fn a_clock_that_goes_backwards_takes_no_time_back() {
    let session = given([create(time_ms(5_000)), round(), clock(3_000), step("c1"), clock(500), admit()]);
    assert_eq!(session.goal().spent.time_ms, 2_000);
}

#[test]
fn the_time_between_two_hosts_does_not_count() {
    let session = given([create(time_ms(5_000)), round(), clock(900_000), restart()]);
    assert_eq!(session.goal().spent.time_ms, 0);
}

#[test]
fn rounds_that_change_nothing_block_after_as_many_as_allowed() {
    let session = given([create(no_progress(2)), whole_round()]);
    assert_eq!(session.goal().exhausted(), None);
    let session = session.and([whole_round()]);
    assert_eq!(session.goal().exhausted().map(|it| it.code()), Some("no-progress"));
    session.when(reserve()).refused(Code::RoundNotDue);
}

#[test]
fn a_changed_file_is_progress() {
    let session = given([create(no_progress(2)), whole_round(), round_leaving("a")]);
    assert_eq!(session.goal().progress.rounds_without, 0);
}

#[test]
fn a_changed_list_is_progress_and_the_same_list_again_is_none() {
    let list = |status| todo_write(vec![Todo { content: "x".to_owned(), status }]);
    let lists = |id: &'static str, status| {
        all([round(), calls([(id, "todo_write")]), act(id, list(status)), end_step(), admit(), concludes()])
    };
    let session = given([create(no_progress(3)), lists("c1", TodoStatus::Pending)]);
    assert_eq!(session.goal().progress.rounds_without, 0);
    let session = session.and([lists("c2", TodoStatus::Pending)]);
    assert_eq!(session.goal().progress.rounds_without, 1);
    let session = session.and([lists("c3", TodoStatus::InProgress)]);
    assert_eq!(session.goal().progress.rounds_without, 0);
}

#[test]
fn resuming_starts_the_count_of_progress_afresh() {
    let session =
        given([create(no_progress(2)), whole_round(), whole_round(), block("no-progress", "stuck")]);
    let session = session.and([goal_resume()]);
    assert_eq!((session.goal().exhausted(), session.is_armed()), (None, true));
    session.and([whole_round()]);
}

#[test]
fn resuming_needs_room_in_each_budget_and_names_the_one_that_lacks_it() {
    let used_up = [
        (all([create(tokens(12)), whole_round()]), "tokens"),
        (all([create(time_ms(1)), round(), clock(2_000), concludes()]), "time"),
    ];
    for (steps, named) in used_up {
        let mut session = given([steps, block("spent", "spent")]);
        let resume = sessions::Command::Client(ClientCommand::GoalResume { goal: goal_ref(&session.state) });
        let refusal = session.decide(&person(), &resume).expect_err("nothing is left");
        assert_eq!(refusal.code, Code::GoalInvalidTransition);
        assert!(refusal.message.contains(&format!("/goal budget {named}=")), "{refusal}");
    }
}

#[test]
fn a_raised_budget_makes_room_again() {
    let session = given([create(tokens(12)), whole_round(), block("token-limit", "spent"), edit(tokens(40))]);
    assert_eq!(session.goal().goal.phase, GoalPhase::Blocked);
    session
        .and([goal_resume()])
        .when(reserve())
        .then(["goal/round 2 of r4", "input/queued next-turn round 2 of r4"]);
}

#[test]
fn nothing_takes_a_budget_away_and_what_is_left_out_stays() {
    let session = given([create(BudgetEdit { tokens: Some(5), time_ms: Some(6), no_progress: Some(7) })]);
    let budgets = session.and([edit(tokens(0))]).goal().goal.budgets;
    assert_eq!((budgets.tokens, budgets.time_ms, budgets.no_progress), (None, Some(6), Some(7)));
}

#[test]
fn a_budget_out_of_range_is_refused() {
    let session = || given([create(tokens(5))]);
    session().when(edit(tokens(1 << 53))).refused(Code::GoalInvalidBudget);
    session().when(edit(time_ms(1 << 53))).refused(Code::GoalInvalidBudget);
    session().when(edit(no_progress(10_001))).refused(Code::GoalInvalidBudget);
    given([]).when(create(tokens(u64::MAX))).refused(Code::GoalInvalidBudget);
}

#[test]
fn a_goal_begins_with_the_configured_budgets() {
    let configured = limits(|limits| {
        limits.goal_tokens_default = Some(100);
        limits.goal_time_ms_default = Some(200);
        limits.no_progress_default = Some(4);
    });
    let budgets = given([configured, goal_create("x", None)]).goal().goal.budgets;
    assert_eq!((budgets.tokens, budgets.time_ms, budgets.no_progress), (Some(100), Some(200), Some(4)));
}

#[test]
fn a_rounds_prompt_says_what_is_left() {
    let session = given([create(BudgetEdit {
        tokens: Some(1_500_012),
        time_ms: Some(7_200_000),
        no_progress: Some(3),
    })]);
    let session = session.and([whole_round()]);
    let text = sessions::round_prompt(session.goal(), 2);
    assert!(text.contains("\nTokens left: 1.5M of 1.5M\nTime left: 2h of 2h\n"), "{text}");
    assert!(text.contains("changed neither a todo nor a file: 1; the goal stops at 3\n"), "{text}");
    assert_eq!(text, sessions::round_prompt(session.goal(), 2));
}
