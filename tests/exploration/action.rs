//! Everything that may happen next, and the command it is.

use agent::Next;
use events::{Answer, AssistantDelta, Block, CallId, Channel, InputId, QuestionId, StepFinish, Target};
use goal_driver::Step;
use projections::{Call, CallStage, Input, State, WorkspaceMark};
use serde_json::json;
use sessions::{AgentCommand, Answered, BudgetEdit, ClientCommand, Command, DriverCommand};
use tools::{Invocation, Registry};

use crate::bound::{PROMPTS_MAX, ROUNDS_MAX};
use crate::world::{Host, World};

/// How old somebody's picture of the goal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The newest revision.
    Now,
    /// The revision before.
    Past,
    /// The goal before.
    Gone,
}

/// What the model does when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// It says something and is done.
    Says,
    /// Some of its text arrives.
    Streams,
    /// It calls `get_goal`.
    Reads,
    /// It calls `ask_user_question`.
    Asks,
    /// It calls `create_goal`.
    Creates,
    /// It calls `update_goal` with `pause`.
    Pauses,
    /// It calls `update_goal` with `resume`.
    Resumes,
    /// It calls `update_goal` with `complete`.
    Completes,
    /// It calls `update_goal` with `blocked`.
    Blocks,
    /// It hits its output limit.
    Overflows,
    /// It cannot be asked.
    Fails,
}

const CHOICES: [Choice; 11] = [
    Choice::Says,
    Choice::Streams,
    Choice::Reads,
    Choice::Asks,
    Choice::Creates,
    Choice::Pauses,
    Choice::Resumes,
    Choice::Completes,
    Choice::Blocks,
    Choice::Overflows,
    Choice::Fails,
];

/// What the driver wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The round after those that were started.
    Reserve,
    /// The round that was started last, once more.
    ReserveAgain,
    /// The end of a goal without rounds.
    Block,
}

/// One thing that may happen. A tab's actions carry how old its picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// A person creates a goal.
    Create,
    /// A person pauses the goal.
    Pause(Sight),
    /// A person resumes it.
    Resume(Sight),
    /// A person edits it.
    Edit(Sight),
    /// A person gives it other rounds.
    Budget(Sight, u32),
    /// A person declares it met.
    Complete(Sight),
    /// A person clears it.
    Clear(Sight),
    /// A person stops the turn they saw.
    Stop {
        /// Whether it is the newest turn, or the one before.
        newest: bool,
        /// Whether waiting inputs stay.
        keep_inbox: bool,
    },
    /// A person chooses a mode.
    Plan(bool),
    /// A person writes.
    Prompt(Target),
    /// A person answers what the model asked.
    Answer,
    /// A person puts that aside.
    Dismiss,
    /// A person sends what waits.
    Send,
    /// A person drops what waits.
    Drop,
    /// The driver submits what it found due at this or an earlier look.
    Drive(Wish, Sight),
    /// The agent submits what it found due at this or an earlier look.
    Agent(Next, Choice),
    /// The host dies, and another one acquires the session.
    Crash,
    /// That one repairs what the one before left.
    Repair,
}

impl Action {
    /// Says whether it comes from a tab.
    pub(crate) fn is_a_persons(self) -> bool {
        !matches!(self, Self::Drive(..) | Self::Agent(..) | Self::Crash | Self::Repair)
    }

    /// Returns the sight of the goal that a person acts on.
    pub(crate) fn sight(self) -> Option<Sight> {
        match self {
            Self::Pause(sight)
            | Self::Resume(sight)
            | Self::Edit(sight)
            | Self::Budget(sight, _)
            | Self::Complete(sight)
            | Self::Clear(sight) => Some(sight),
            _ => None,
        }
    }

    /// Says whether it names a goal by a reference that is not the newest.
    pub(crate) fn is_stale(self) -> bool {
        let sight = match self {
            Self::Drive(Wish::ReserveAgain, _) => return true,
            Self::Drive(_, sight) => Some(sight),
            other => other.sight(),
        };
        sight.is_some_and(|sight| sight != Sight::Now)
    }

    /// Returns the command; none when `world` has nothing that it could be about.
    pub(crate) fn command(self, world: &World) -> Option<Command> {
        let state = &world.state;
        let client = match self {
            Self::Create => ClientCommand::GoalCreate {
                objective: OBJECTIVE.to_owned(),
                rounds_max: None,
                budgets: BudgetEdit::default(),
            },
            Self::Pause(sight) => ClientCommand::GoalPause { goal: world.seen(sight) },
            Self::Resume(sight) => ClientCommand::GoalResume { goal: world.seen(sight) },
            Self::Edit(sight) => {
                let objective = Some(OBJECTIVE.to_owned());
                let budgets = BudgetEdit::default();
                ClientCommand::GoalEdit { goal: world.seen(sight), objective, rounds_max: None, budgets }
            }
            Self::Budget(sight, rounds) => {
                let rounds_max = Some(rounds);
                let budgets = BudgetEdit::default();
                ClientCommand::GoalEdit { goal: world.seen(sight), objective: None, rounds_max, budgets }
            }
            Self::Complete(sight) => ClientCommand::GoalComplete { goal: world.seen(sight) },
            Self::Clear(sight) => ClientCommand::GoalClear { goal: world.seen(sight) },
            Self::Stop { newest, keep_inbox } => {
                ClientCommand::Stop { turn: state.turn.number - u32::from(!newest), keep_inbox }
            }
            Self::Plan(active) => ClientCommand::PlanSet { active },
            Self::Prompt(target) => ClientCommand::Prompt { text: "look at this".to_owned(), target },
            Self::Answer => {
                let answer = Answer { id: "q".to_owned(), selected: vec!["a".to_owned()], custom: None };
                ClientCommand::Answer { question_id: asked(state)?, revision: 1, answers: vec![answer] }
            }
            Self::Dismiss => ClientCommand::DismissQuestion { question_id: asked(state)?, revision: 1 },
            Self::Send => ClientCommand::InputSend { input_id: waiting(state)? },
            Self::Drop => ClientCommand::InputWithdraw { input_id: waiting(state)? },
            Self::Drive(wish, sight) => return Some(drive(world, wish, sight)),
            Self::Agent(due, choice) => return work(state, due, choice).map(Command::Agent),
            Self::Crash | Self::Repair => return None,
        };
        Some(Command::Client(client))
    }
}

const OBJECTIVE: &str = "ship it";
const QUESTION: &str = r#"{"questions": [{"id": "q", "header": "Way", "question": "Which way?", "options":
    [{"label": "a", "description": "one"}, {"label": "b", "description": "the other"}]}]}"#;

fn asked(state: &State) -> Option<QuestionId> {
    state.questions.open.first().map(|question| question.asked.question_id)
}

fn waiting(state: &State) -> Option<InputId> {
    state.inbox.iter().find(|input| input.is_from_person()).map(|input| input.input_id)
}

fn drive(world: &World, wish: Wish, sight: Sight) -> Command {
    let goal = world.seen(sight);
    let started = world.state.goals.current.as_ref().map_or(0, |current| current.rounds_started);
    Command::Driver(match wish {
        Wish::Reserve => DriverCommand::Reserve { goal, round: started + 1 },
        Wish::ReserveAgain => DriverCommand::Reserve { goal, round: started },
        Wish::Block => {
            DriverCommand::Block { goal, code: "round-limit".to_owned(), message: "it is used up".to_owned() }
        }
    })
}

fn work(state: &State, due: Next, choice: Choice) -> Option<AgentCommand> {
    match due {
        Next::Wait => None,
        Next::Claim => Some(AgentCommand::Claim(WorkspaceMark::default())),
        Next::Admit => Some(AgentCommand::Admit),
        Next::Ask => Some(ask(state, choice)),
        Next::Call => act(state),
        Next::EndStep => Some(AgentCommand::EndStep),
        Next::EndTurn => Some(AgentCommand::EndTurn(WorkspaceMark::default())),
        Next::Settle => Some(AgentCommand::Settle),
    }
}

fn ask(state: &State, choice: Choice) -> AgentCommand {
    match choice {
        Choice::Says => answered(Block::text("done"), StepFinish::Stop),
        Choice::Overflows => answered(Block::text("and so on and"), StepFinish::MaxTokens),
        Choice::Reads => called(state, "get_goal", "{}".to_owned()),
        Choice::Asks => called(state, "ask_user_question", QUESTION.to_owned()),
        Choice::Creates => called(state, "create_goal", json!({ "objective": OBJECTIVE }).to_string()),
        Choice::Pauses | Choice::Resumes | Choice::Completes | Choice::Blocks => {
            called(state, "update_goal", update(state, choice))
        }
        Choice::Fails => AgentCommand::Fail {
            code: "overloaded".to_owned(),
            message: "try later".to_owned(),
            outage: None,
        },
        Choice::Streams => AgentCommand::Delta(AssistantDelta {
            turn: state.turn.number,
            step: state.turn.open.as_ref().map_or(0, |open| open.steps),
            attempt: 1,
            offset: 0,
            channel: Channel::Text,
            text: "do".to_owned(),
        }),
    }
}

fn called(state: &State, name: &str, arguments: String) -> AgentCommand {
    let call_id = CallId(format!("call-{}", state.head));
    answered(Block::ToolCall { call_id, name: name.to_owned(), arguments }, StepFinish::ToolCalls)
}

fn answered(block: Block, finish: StepFinish) -> AgentCommand {
    AgentCommand::Answered(Answered {
        items: Vec::new(),
        content: vec![block],
        usage: None,
        finish,
        model: "m".to_owned(),
        plan: None,
    })
}

/// Returns the arguments with which a model that has read the goal as it is now changes it.
fn update(state: &State, choice: Choice) -> String {
    let current = state.goals.current.as_ref();
    let (id, revision) =
        current.map_or(("goal-of-yore", 1), |now| (now.goal.id.0.as_str(), now.goal.revision));
    let (action, more) = match choice {
        Choice::Pauses => ("pause", ""),
        Choice::Resumes => ("resume", ""),
        Choice::Completes => ("complete", r#", "evidence": "it works""#),
        _ => ("blocked", r#", "blocked_reason": "no way""#),
    };
    format!(r#"{{"action": "{action}", "goal_id": "{id}", "revision": {revision}{more}}}"#)
}

/// Says which call waits to be carried out, and whether its arguments name the newest revision.
pub(crate) fn open_call(state: &State) -> Option<(&Call, Choice, bool)> {
    let call = state.turn.step()?.calls.iter().find(|call| call.stage != CallStage::Done)?;
    let has_action = |action: &str| call.arguments.starts_with(&format!(r#"{{"action": "{action}""#));
    let choice = match call.name.as_str() {
        "get_goal" => Choice::Reads,
        "ask_user_question" => Choice::Asks,
        "create_goal" => Choice::Creates,
        _ if has_action("pause") => Choice::Pauses,
        _ if has_action("resume") => Choice::Resumes,
        _ if has_action("complete") => Choice::Completes,
        _ => Choice::Blocks,
    };
    let has_goal = state.goals.current.is_some();
    let is_newest = call.name != "update_goal" || has_goal && call.arguments == update(state, choice);
    Some((call, choice, is_newest))
}

thread_local! {
    static REGISTRY: Registry = Registry::standard();
}

fn act(state: &State) -> Option<AgentCommand> {
    let (call, _, _) = open_call(state)?;
    let call_id = call.call_id.clone();
    REGISTRY.with(|registry| match registry.parse(&call.name, &call.arguments) {
        Ok(Invocation::Session(action)) => Some(AgentCommand::Act { call_id, action }),
        Ok(Invocation::Body(_)) | Err(_) => None,
    })
}

/// Returns everything that may happen next within the bound.
pub(crate) fn possible(world: &World) -> Vec<Action> {
    if world.host == Host::Opened {
        return vec![Action::Repair, Action::Crash];
    }
    let mut actions = of_host(world);
    actions.extend(of_persons(world));
    actions.push(Action::Crash);
    actions
}

fn of_host(world: &World) -> Vec<Action> {
    let mut actions: Vec<Action> = due(world).into_iter().collect();
    let looks = world.agent_late.iter().copied().chain([world.agent_due()]);
    for look in looks.filter(|look| *look != Next::Wait) {
        let choices = if look == Next::Ask { &CHOICES[..] } else { &CHOICES[..1] };
        actions.extend(choices.iter().map(|choice| Action::Agent(look, *choice)));
    }
    actions.extend(world.driver_late.iter().filter_map(wish).map(|wish| Action::Drive(wish, Sight::Now)));
    for sight in past_sights(world) {
        actions.extend([Action::Drive(Wish::Reserve, *sight), Action::Drive(Wish::Block, *sight)]);
    }
    actions.push(Action::Drive(Wish::ReserveAgain, Sight::Now));
    actions
}

/// Returns what the host does next by itself, when the model calls nothing and nobody is late.
pub(crate) fn due(world: &World) -> Option<Action> {
    if let Some(wish) = wish(&world.driver_due()) {
        return Some(Action::Drive(wish, Sight::Now));
    }
    let due = world.agent_due();
    (due != Next::Wait).then_some(Action::Agent(due, Choice::Says))
}

fn wish(step: &Step) -> Option<Wish> {
    match step {
        Step::Wait { .. } => None,
        Step::Reserve { .. } => Some(Wish::Reserve),
        Step::Block { .. } => Some(Wish::Block),
    }
}

fn of_persons(world: &World) -> Vec<Action> {
    let mut actions = vec![Action::Create, Action::Plan(true), Action::Plan(false)];
    for sight in past_sights(world).iter().copied().chain([Sight::Now]) {
        let about_goal = [Action::Pause, Action::Resume, Action::Edit, Action::Complete, Action::Clear];
        actions.extend(about_goal.into_iter().map(|action| action(sight)));
        actions.extend([Action::Budget(sight, 1), Action::Budget(sight, ROUNDS_MAX)]);
    }
    for keep_inbox in [true, false] {
        actions.push(Action::Stop { newest: true, keep_inbox });
        if world.state.turn.number > 0 {
            actions.push(Action::Stop { newest: false, keep_inbox });
        }
    }
    if prompts(&world.state) < PROMPTS_MAX {
        actions.extend([Action::Prompt(Target::NextTurn), Action::Prompt(Target::NextStep)]);
    }
    if asked(&world.state).is_some() {
        actions.extend([Action::Answer, Action::Dismiss]);
    }
    if waiting(&world.state).is_some() {
        actions.extend([Action::Send, Action::Drop]);
    }
    actions
}

/// Returns the ways in which a picture of the goal may be out of date.
fn past_sights(world: &World) -> &'static [Sight] {
    if world.state.goals.current.is_some() { &[Sight::Past, Sight::Gone] } else { &[Sight::Gone] }
}

/// Returns how many inputs of persons no model has seen yet.
pub(crate) fn prompts(state: &State) -> usize {
    let claimed = state.turn.open.iter().flat_map(|open| &open.claimed);
    state.inbox.iter().chain(claimed).filter(|input: &&Input| input.is_from_person()).count()
}
