//! Whatever is wished for in whatever order: nothing panics, nothing is damaged, nothing is lost.

use std::collections::HashSet;

use events::{CallId, Digest, Epoch, GoalRef, Source, StepFinish, Target, TodoStatus, ToolClass};
use projections::{CallStage, Goals, Slices, State, fold};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sessions::{
    AgentCommand, BudgetEdit, ClientCommand, Command, DriverCommand, ReviewVerdict, ToolAction, UpdateAction,
    UpdateGoal,
};

use crate::given::{Session, Step, Steps};
use crate::repair::{a_strict_provider_accepts, is_sound};
use crate::session::deleted;
use crate::wishes::*;

/// Something that may be wished for; numbers choose among what there is.
#[derive(Debug, Clone)]
enum Op {
    Prompt(bool, &'static str),
    Slash(&'static str),
    Stop { back: u32, keep_inbox: bool },
    Plan(bool),
    Mode(&'static str),
    Review { verdict: u8, stale: bool },
    Goal { what: u8, stale: bool, rounds: u32 },
    Answer(u8),
    Input { what: u8, index: usize, next_step: bool },
    GoOn(u8),
    Agent(u8),
    Say { finish: u8, calls: Vec<u8> },
    Call { index: usize, what: u8 },
    Reserve { ahead: u32 },
    Block,
    Session(u8),
    Host(bool),
    Clock(u64),
    TimeIsOver,
    Restart,
}

const LINES: &[&str] = &[
    "/plan",
    "/plan off",
    "/plan draft it",
    "/goal",
    "/goal ship it",
    "/goal edit ship more",
    "/goal budget rounds=1",
    "/goal budget rounds=6",
    "/goal budget tokens=30 time=1h no-progress=2",
    "/goal budget tokens=none time=none",
    "/goal pause",
    "/goal resume",
    "/goal clear",
    "/unknown",
    "no line",
];

fn ops() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (any::<bool>(), select(&["hi", "more", " "][..])).prop_map(|(step, text)| Op::Prompt(step, text)),
        2 => select(LINES).prop_map(Op::Slash),
        1 => (0..3u32, any::<bool>()).prop_map(|(back, keep_inbox)| Op::Stop { back, keep_inbox }),
        2 => any::<bool>().prop_map(Op::Plan),
        1 => select(&["plan", "default", "code", "PLAN"][..]).prop_map(Op::Mode),
        2 => (0..3u8, prop::bool::weighted(0.2)).prop_map(|(verdict, stale)| Op::Review { verdict, stale }),
        3 => (0..6u8, prop::bool::weighted(0.2), 0..4u32)
            .prop_map(|(what, stale, rounds)| Op::Goal { what, stale, rounds }),
        2 => (0..4u8).prop_map(Op::Answer),
        2 => (0..4u8, 0..3usize, any::<bool>())
            .prop_map(|(what, index, next_step)| Op::Input { what, index, next_step }),
        // What is due is done more often than not, so that turns come to something.
        60 => any::<u8>().prop_map(Op::GoOn),
        4 => (0..11u8).prop_map(Op::Agent),
        2 => (0..3u8, prop::collection::vec(0..3u8, 0..4)).prop_map(|(finish, calls)| Op::Say { finish, calls }),
        2 => (0..4usize, 0..17u8).prop_map(|(index, what)| Op::Call { index, what }),
        2 => (0..2u32).prop_map(|ahead| Op::Reserve { ahead }),
        1 => Just(Op::Block),
        1 => (0..4u8).prop_map(Op::Session),
        1 => any::<bool>().prop_map(Op::Host),
        1 => (0..5_000u64).prop_map(Op::Clock),
        2 => Just(Op::TimeIsOver),
        1 => Just(Op::Restart),
    ]
}

fn steps(op: &Op, state: &State) -> Steps {
    match op {
        Op::Prompt(step, text) => prompt_to(text, target(*step)),
        Op::Slash(line) => slash(line),
        Op::Stop { back, keep_inbox } => {
            let (turn, keep_inbox) = ((state.turn.number + 1).saturating_sub(*back), *keep_inbox);
            client(move |_| ClientCommand::Stop { turn, keep_inbox })
        }
        Op::Plan(true) => plan_on(),
        Op::Plan(false) => plan_off(),
        Op::Mode(word) => mode(word),
        Op::Review { verdict, stale } => review_of(*verdict, *stale, state),
        Op::Goal { what, stale, rounds } => goal_wish(*what, *stale, *rounds),
        Op::Answer(what) => answer_of(*what, state),
        Op::Input { what, index, next_step } => input_wish((*what, *index, *next_step), state),
        Op::GoOn(how) => due(*how, state),
        Op::Agent(what) => agent_wish(*what),
        Op::Say { finish, calls } => say(*finish, calls, state),
        Op::Call { index, what } => call_wish(*index, *what, state),
        Op::Reserve { ahead } => {
            reserve_round(state.goals.current.as_ref().map_or(0, |goal| goal.rounds_started) + ahead)
        }
        Op::Block => block("round-limit", "spent"),
        Op::Session(what) => session_wish(*what),
        Op::Host(owns) => host_wish(*owns),
        Op::Clock(now_ms) => clock(*now_ms),
        Op::TimeIsOver => time_is_over(state),
        Op::Restart => restart(),
    }
}

fn time_is_over(state: &State) -> Steps {
    let Some(question) = state.questions.open.first() else { return Steps::new() };
    all([clock(question.asked.deadline.unwrap_or_default().max(state.at_ms)), expire()])
}

fn session_wish(what: u8) -> Steps {
    client(move |_| match what {
        0 => ClientCommand::SetTitle { title: "a title".to_owned() },
        1 => ClientCommand::SetTitle { title: " ".to_owned() },
        _ => ClientCommand::Archive { archived: what == 2 },
    })
}

fn host_wish(owns: bool) -> Steps {
    let command = if owns { Command::Own } else { Command::Disown };
    vec![Step::Wish(events::Actor::HOST, Box::new(move |_| command.clone()))]
}

fn target(step: bool) -> Target {
    if step { Target::NextStep } else { Target::NextTurn }
}

fn review_of(verdict: u8, stale: bool, state: &State) -> Steps {
    let verdict = [ReviewVerdict::Approve, ReviewVerdict::KeepPlanning, ReviewVerdict::Dismiss]
        [usize::from(verdict % 3)];
    if state.plan.proposal.is_none() {
        return plan_on();
    }
    review_seen(verdict, Some("smaller"), move |seen| {
        if stale {
            seen.1 = Digest("0".repeat(64));
        }
    })
}

fn goal_wish(what: u8, stale: bool, rounds: u32) -> Steps {
    client(move |state| {
        let mut goal = goal_ref(state);
        goal.revision += u64::from(stale);
        match what {
            0 => ClientCommand::GoalCreate {
                objective: "ship it".to_owned(),
                rounds_max: Some(rounds),
                budgets: BudgetEdit::default(),
            },
            1 => ClientCommand::GoalEdit {
                goal,
                objective: None,
                rounds_max: Some(rounds),
                budgets: BudgetEdit::default(),
            },
            2 => ClientCommand::GoalPause { goal },
            3 => ClientCommand::GoalResume { goal },
            4 => ClientCommand::GoalComplete { goal },
            _ => ClientCommand::GoalClear { goal },
        }
    })
}

fn answer_of(what: u8, state: &State) -> Steps {
    let Some(question) = state.questions.open.first() else { return prompt("there was no question") };
    let item = question.asked.items[0].clone();
    match what {
        0 => dismiss(),
        1 => answer(vec![write(&item.id, "something else")]),
        2 => answer(vec![choose(&item.id, [item.options[1].label.as_str()])]),
        _ => answer(vec![choose(&item.id, [item.options[0].label.as_str()])]),
    }
}

fn input_wish((what, index, next_step): (u8, usize, bool), state: &State) -> Steps {
    if state.inbox.len() <= index {
        return claim();
    }
    match what {
        0 => send(index),
        1 => edit_input(index, "edited"),
        2 => move_input(index, target(next_step), 0),
        _ => drop_input(index),
    }
}

/// What an agent, a goal driver or a patient person would do next.
fn due(how: u8, state: &State) -> Steps {
    let Some(open) = &state.turn.open else {
        return match (how % 4, state.inbox.is_empty(), &state.goals.current) {
            (_, false, _) => claim(),
            (0, true, _) => prompt("hi"),
            (1, true, None) => goal_create("ship it", Some(4)),
            (1, true, Some(_)) => goal_resume(),
            (_, true, Some(_)) => reserve(),
            (_, true, None) => plan_on(),
        };
    };
    if open.cancelled.is_some() {
        return settle();
    }
    let Some(step) = &open.step else {
        let goes_on = open.steps == 0 || open.last.is_some_and(|last| last.had_calls);
        return if goes_on { admit() } else { end_turn() };
    };
    if !step.answered {
        return match how % 8 {
            0 => header(),
            1 => streams("so "),
            2 => say(how, &[], state),
            _ => say(0, &[0, 1, how % 3][..usize::from(how % 4)], state),
        };
    }
    match step.calls.iter().find(|call| call.stage != CallStage::Done) {
        None => end_step(),
        Some(call) if state.questions.holds(&call.call_id) => match how % 5 {
            4 => time_is_over(state),
            what => answer_of(what, state),
        },
        Some(call) if matches!(call.stage, CallStage::Started(_)) => finish(&call.call_id.0),
        Some(_) => call_wish(0, how % 17, state),
    }
}

fn agent_wish(what: u8) -> Steps {
    match what {
        0 | 1 => claim(),
        2 | 3 => admit(),
        4 => header(),
        5 => streams("so "),
        6 => end_step(),
        7 => end_turn(),
        8 => retries(),
        9 => fails(),
        _ => settle(),
    }
}

/// Ids may repeat within an answer, as careless providers have it; each answer has its own.
fn say(finish: u8, calls: &[u8], state: &State) -> Steps {
    let call = |id: &u8| events::Block::ToolCall {
        call_id: CallId(format!("c{}-{id}", state.head)),
        name: "tool".to_owned(),
        arguments: "{}".to_owned(),
    };
    let finish = [StepFinish::Stop, StepFinish::MaxTokens, StepFinish::Refusal][usize::from(finish % 3)];
    let text = events::Block::text("well");
    let plan = match state.head.0 % 3 {
        0 => None,
        1 => Some("# Plan\n"),
        _ => Some("no heading\n"),
    };
    answers_planning([text].into_iter().chain(calls.iter().map(call)).collect(), plan, finish)
}

fn call_wish(index: usize, what: u8, state: &State) -> Steps {
    let calls = state.turn.step().map_or(&[][..], |step| &step.calls);
    let open = calls.iter().filter(|call| call.stage != CallStage::Done).nth(index).or(calls.first());
    let Some(call) = open else { return admit() };
    let id = call.call_id.0.as_str();
    match what {
        0 => start(id, ToolClass::Read),
        1 => start(id, ToolClass::Write),
        2 | 3 => finish(id),
        4 => fail_call(id),
        5 => act(id, todo_write(vec![todo("one", TodoStatus::InProgress)])),
        6 => exit_plan(id, "# Plan"),
        7 => exit_plan(id, "# Another plan"),
        8 => act(id, create_goal("ship it", Some(2))),
        9 => update_goal(id, UpdateAction::Complete, |update| update.evidence = Some("seen".to_owned())),
        10 => update_goal(id, UpdateAction::Pause, |_| {}),
        11 => update_goal(id, UpdateAction::Resume, |_| {}),
        12 => update_goal(id, UpdateAction::Edit, |update| update.objective = Some("ship more".to_owned())),
        13 => {
            update_goal(id, UpdateAction::Blocked, |update| update.blocked_reason = Some("no key".to_owned()))
        }
        14 => act(id, ToolAction::GetGoal),
        15 => act(id, ask_user(vec![item("color", ["red", "blue"])])),
        _ => act(id, ask_within(vec![recommending("color", ["red", "blue"])], 30)),
    }
}

/// Takes one step and checks what has to hold of every step.
fn take(session: &mut Session, step: Step) -> Result<(), TestCaseError> {
    let before = session.state.clone();
    let stale =
        |seen: &GoalRef| before.goals.current.as_ref().is_none_or(|goal| goal.goal.reference() != *seen);
    let (actor, decided) = match step {
        Step::Wish(actor, wish) => {
            let command = wish(&session.state);
            let decided = session.decide(&actor, &command);
            if goal_of(&command).is_some_and(stale) {
                prop_assert!(decided.is_err(), "a stale goal was changed: {:?}", decided);
            }
            (actor, decided)
        }
        Step::Restart => (events::Actor::HOST, Ok(session.take_over())),
        other => {
            *session = session.clone().and([vec![other]]);
            return Ok(());
        }
    };
    match decided {
        Ok(facts) => session.record(&actor, facts),
        Err(_) => prop_assert_eq!(&session.state, &before, "a refusal changed something"),
    }
    prop_assert_eq!(session.state.damage, None, "after {:?}", session.log.last());
    holds_always(session)
}

fn goal_of(command: &Command) -> Option<&GoalRef> {
    match command {
        Command::Client(
            ClientCommand::GoalEdit { goal, .. }
            | ClientCommand::GoalPause { goal }
            | ClientCommand::GoalResume { goal }
            | ClientCommand::GoalComplete { goal }
            | ClientCommand::GoalClear { goal },
        )
        | Command::Driver(DriverCommand::Reserve { goal, .. } | DriverCommand::Block { goal, .. }) => {
            Some(goal)
        }
        _ => None,
    }
}

fn holds_always(session: &Session) -> Result<(), TestCaseError> {
    let state = &session.state;
    if let Some(open) = &state.turn.open {
        let with_person = open.claimed.iter().any(|input| input.is_from_person());
        let with_round = open.claimed.iter().any(|input| input.is_round());
        prop_assert!(!(with_person && with_round), "a round was claimed together with a person's input");
    }
    let queued = state.inbox.iter().filter(|input| input.is_round()).count();
    let flies = state.goals.current.as_ref().and_then(|goal| goal.flight.as_ref());
    prop_assert!(queued <= 1, "two rounds are queued");
    prop_assert!(queued == 0 || flies.is_some(), "a round is queued that does not fly");
    prop_assert!(state.plan.pending.as_ref().is_none_or(|pending| pending.active != state.plan.active));
    let reviews = state
        .questions
        .open
        .iter()
        .filter(|question| matches!(question.asked.intent, events::QuestionIntent::PlanReview { .. }));
    prop_assert!(reviews.count() <= 1, "two plans wait for review");
    let _ = (Slices::of(state, Some(session.epoch)), Goals::waiting(state, None));
    Ok(())
}

/// No round's message under plan mode, none after a pause, none twice, and no request of a round over its budget.
fn rounds_were_admitted_in_order(session: &Session) -> Result<(), TestCaseError> {
    let mut state = State::default();
    for envelope in &session.log {
        if let events::SessionEvent::UserMessage(data) = &envelope.event
            && let Source::Goal { round, .. } = data.source
        {
            let goal = state.goals.current.as_ref().expect("a round has a goal");
            prop_assert!(!state.is_planning(), "a round started under plan mode");
            prop_assert_eq!(goal.goal.phase, events::GoalPhase::Active);
            prop_assert_eq!(round, goal.rounds_started + 1);
            prop_assert!(round <= goal.goal.budgets.rounds);
        }
        if let events::SessionEvent::StepStart(_) = &envelope.event
            && let (Some(goal), Some(open)) = (&state.goals.current, &state.turn.open)
            && goal.goal.phase == events::GoalPhase::Active
            && goal.is_run_by(open)
        {
            prop_assert!(goal.over_for_request().is_none(), "a round asks over its budget");
        }
        fold(&mut state, envelope);
    }
    Ok(())
}

/// Folding at once, or up to any batch end, through a snapshot, and then on, gives the same state.
fn folding_is_the_same_from_anywhere(session: &Session) -> Result<(), TestCaseError> {
    let mut prefix = State::default();
    for (index, envelope) in session.log.iter().enumerate() {
        fold(&mut prefix, envelope);
        if envelope.seq != envelope.batch_end || index % 7 != 0 {
            continue;
        }
        let snapshot = serde_json::to_string(&prefix).expect("a state can be written");
        let mut state: State = serde_json::from_str(&snapshot).expect("a state can be read");
        session.log[index + 1..].iter().for_each(|later| fold(&mut state, later));
        prop_assert_eq!(&state, &session.state, "folded on from {}", envelope.seq);
    }
    prop_assert_eq!(&prefix, &session.state);
    Ok(())
}

proptest! {
    #[test]
    fn any_sequence_of_wishes_leaves_a_sound_session(ops in prop::collection::vec(ops(), 1..120)) {
        let mut session = Session::new();
        for op in &ops {
            for step in steps(op, &session.state) {
                take(&mut session, step)?;
            }
        }
        rounds_were_admitted_in_order(&session)?;
        let found = crate::plan_safety::proof(&session);
        prop_assert!(found.holds(), "what was decided is not proven safe: {:?}", found.breaches);
        folding_is_the_same_from_anywhere(&session)?;
        let repairs = session.take_over();
        session.record(&events::Actor::HOST, repairs);
        is_sound(&session);
        a_strict_provider_accepts(&session);
    }

    #[test]
    fn the_same_wishes_at_the_same_moments_give_the_same_facts(ops in prop::collection::vec(ops(), 1..40)) {
        let run = || {
            let mut session = Session::new();
            for op in &ops {
                for step in steps(op, &session.state) {
                    let _ = take(&mut session, step);
                }
            }
            session.log
        };
        prop_assert_eq!(run(), run());
    }
}

/// Lists kinds of something with the pattern of each; a new kind does not compile until it is listed.
macro_rules! kinds {
    ($list:ident, $of:ident($what:ty) { $($pattern:pat => $name:literal,)* }) => {
        const $list: &[&str] = &[$($name),*];

        fn $of(what: &$what) -> &'static str {
            match what {
                $($pattern => $name,)*
            }
        }
    };
}

kinds!(COMMANDS, kind_of_command(Command) {
    Command::Own => "own",
    Command::Disown => "disown",
    Command::Expire { .. } => "expire",
    Command::Delete => "delete",
    Command::Client(ClientCommand::Prompt { .. }) => "prompt",
    Command::Client(ClientCommand::Slash { .. }) => "slash",
    Command::Client(ClientCommand::Stop { .. }) => "stop",
    Command::Client(ClientCommand::PlanSet { .. }) => "plan-set",
    Command::Client(ClientCommand::ModeSet { .. }) => "mode-set",
    Command::Client(ClientCommand::PlanReview { .. }) => "plan-review",
    Command::Client(ClientCommand::GoalCreate { .. }) => "goal-create",
    Command::Client(ClientCommand::GoalEdit { .. }) => "goal-edit",
    Command::Client(ClientCommand::GoalPause { .. }) => "goal-pause",
    Command::Client(ClientCommand::GoalResume { .. }) => "goal-resume",
    Command::Client(ClientCommand::GoalComplete { .. }) => "goal-complete",
    Command::Client(ClientCommand::GoalClear { .. }) => "goal-clear",
    Command::Client(ClientCommand::Answer { .. }) => "answer",
    Command::Client(ClientCommand::DismissQuestion { .. }) => "dismiss-question",
    Command::Client(ClientCommand::InputSend { .. }) => "input-send",
    Command::Client(ClientCommand::InputEdit { .. }) => "input-edit",
    Command::Client(ClientCommand::InputMove { .. }) => "input-move",
    Command::Client(ClientCommand::InputWithdraw { .. }) => "input-withdraw",
    Command::Client(ClientCommand::SetTitle { .. }) => "set-title",
    Command::Client(ClientCommand::Archive { .. }) => "archive",
    Command::Agent(AgentCommand::Claim(_)) => "claim",
    Command::Agent(AgentCommand::Admit) => "admit",
    Command::Agent(AgentCommand::Header(_)) => "header",
    Command::Agent(AgentCommand::Delta(_)) => "delta",
    Command::Agent(AgentCommand::Retry(_)) => "retry",
    Command::Agent(AgentCommand::Answered(_)) => "answered",
    Command::Agent(AgentCommand::StartCall { .. }) => "start-call",
    Command::Agent(AgentCommand::FailCall { .. }) => "fail-call",
    Command::Agent(AgentCommand::FinishCall(_)) => "finish-call",
    Command::Agent(AgentCommand::Act { .. } | AgentCommand::Judge { .. }) => "act",
    Command::Agent(AgentCommand::EndStep) => "end-step",
    Command::Agent(AgentCommand::EndTurn(_)) => "end-turn",
    Command::Agent(AgentCommand::Fail { .. }) => "fail",
    Command::Agent(AgentCommand::Settle) => "settle",
    Command::Driver(DriverCommand::Reserve { .. }) => "reserve",
    Command::Driver(DriverCommand::Block { .. }) => "block",
});

kinds!(ACTIONS, kind_of_action(ToolAction) {
    ToolAction::TodoWrite { .. } => "todo-write",
    ToolAction::ExitPlanMode { .. } => "exit-plan-mode",
    ToolAction::GetGoal => "get-goal",
    ToolAction::CreateGoal { .. } => "create-goal",
    ToolAction::UpdateGoal(UpdateGoal { action: UpdateAction::Edit, .. }) => "edit",
    ToolAction::UpdateGoal(UpdateGoal { action: UpdateAction::Pause, .. }) => "pause",
    ToolAction::UpdateGoal(UpdateGoal { action: UpdateAction::Resume, .. }) => "resume",
    ToolAction::UpdateGoal(UpdateGoal { action: UpdateAction::Complete, .. }) => "complete",
    ToolAction::UpdateGoal(UpdateGoal { action: UpdateAction::Blocked, .. }) => "blocked",
    ToolAction::AskUser { .. } => "ask-user",
});

/// Sessions that are tried until each kind was accepted: what is always refused proves nothing.
const TRIES: usize = 300;

#[test]
fn every_kind_of_wish_is_generated_and_accepted_somewhere() {
    let mut runner = TestRunner::deterministic();
    let mut accepted: HashSet<&str> = HashSet::new();
    let missing = |accepted: &HashSet<&str>| {
        COMMANDS.iter().chain(ACTIONS).filter(|kind| !accepted.contains(*kind)).copied().collect::<Vec<_>>()
    };
    for _ in 0..TRIES {
        if missing(&accepted).is_empty() {
            return;
        }
        let ops = prop::collection::vec(ops(), 60).new_tree(&mut runner).expect("a value").current();
        let mut session = Session::new();
        for op in &ops {
            for step in steps(op, &session.state) {
                note(&session, &step, &mut accepted);
                take(&mut session, step).expect("nothing breaks");
            }
        }
        // In the end, because it is the end.
        for step in deleted() {
            note(&session, &step, &mut accepted);
            take(&mut session, step).expect("nothing breaks");
        }
    }
    panic!("never accepted: {:?}", missing(&accepted));
}

/// Notes the kind of a wish that is about to be accepted.
fn note(session: &Session, step: &Step, accepted: &mut HashSet<&str>) {
    let Step::Wish(actor, wish) = step else { return };
    let command = wish(&session.state);
    let Ok(facts) = session.clone().decide(actor, &command) else { return };
    accepted.insert(kind_of_command(&command));
    let works = |fact: &events::SessionEvent| match fact {
        events::SessionEvent::ToolResult(result) => result.outcome == events::ToolOutcome::Ok,
        _ => true,
    };
    if let Command::Agent(AgentCommand::Act { action, .. }) = &command
        && facts.iter().all(works)
    {
        accepted.insert(kind_of_action(action));
    }
}

#[test]
fn a_goal_tool_of_another_goal_changes_nothing() {
    let stale = act_seeing("c1", |state| {
        let seen = goal_ref(state);
        ToolAction::UpdateGoal(UpdateGoal {
            goal_id: "goal-another".to_owned(),
            revision: seen.revision,
            action: UpdateAction::Pause,
            objective: None,
            max_goal_rounds: None,
            blocked_reason: None,
            evidence: None,
        })
    });
    let session =
        crate::given::given([goal_create("ship it", None), asked("hi"), calls([("c1", "update_goal")])]);
    assert_eq!(session.epoch, Epoch(1));
    session.when(stale).then(["tool/result c1 GOAL_STALE_REVISION"]);
}
