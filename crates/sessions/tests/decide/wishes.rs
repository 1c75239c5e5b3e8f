//! What people, the agent and the goal driver can wish for, as steps.

use events::{
    Actor, ActorKind, Answer, AssistantDelta, Block, CallId, Channel, ClientId, Digest, GoalRef, InputId,
    ModeText, QuestionId, QuestionItem, QuestionOption, RequestAttempt, RequestHeader, SandboxProfile,
    StepFinish, Target, Todo, TodoStatus, ToolClass, ToolFailure, ToolOutcome, ToolResult, ToolSandbox,
    Usage,
};
use projections::{OpenQuestion, State, WorkspaceMark};
use sessions::{
    AgentCommand, Answered, BudgetEdit, ClientCommand, Command, DriverCommand, Limits, ReviewVerdict,
    ToolAction, UpdateAction, UpdateGoal,
};

use crate::given::{Step, Steps};

/// The person behind the only tab.
pub(crate) fn person() -> Actor {
    Actor::user(ClientId::from("tab"))
}

fn wish(actor: Actor, command: impl Fn(&State) -> Command + 'static) -> Steps {
    vec![Step::Wish(actor, Box::new(command))]
}

/// A person wishes what `command` says of the state they see.
pub(crate) fn client(command: impl Fn(&State) -> ClientCommand + 'static) -> Steps {
    wish(person(), move |state| Command::Client(command(state)))
}

/// The agent wishes what `command` says of the state it sees.
pub(crate) fn agent(command: impl Fn(&State) -> AgentCommand + 'static) -> Steps {
    wish(Actor::HOST, move |state| Command::Agent(command(state)))
}

fn driver(command: impl Fn(&State) -> DriverCommand + 'static) -> Steps {
    wish(Actor::DRIVER, move |state| Command::Driver(command(state)))
}

/// Joins steps to one sequence.
pub(crate) fn all(steps: impl IntoIterator<Item = Steps>) -> Steps {
    steps.into_iter().flatten().collect()
}

pub(crate) fn restart() -> Steps {
    vec![Step::Restart]
}

pub(crate) fn clock(now_ms: u64) -> Steps {
    vec![Step::Clock(now_ms)]
}

pub(crate) fn limits(change: impl Fn(&mut Limits) + 'static) -> Steps {
    vec![Step::Limits(Box::new(change))]
}

pub(crate) fn fact(event: impl Into<events::SessionEvent>) -> Steps {
    vec![Step::Fact(event.into())]
}

// People: inputs.

pub(crate) fn prompt(text: &str) -> Steps {
    prompt_to(text, Target::NextTurn)
}

pub(crate) fn prompt_to(text: &str, target: Target) -> Steps {
    let text = text.to_owned();
    client(move |_| ClientCommand::Prompt { text: text.clone(), target })
}

pub(crate) fn slash(line: &str) -> Steps {
    let line = line.to_owned();
    client(move |_| ClientCommand::Slash { line: line.clone() })
}

/// Stops the newest turn and keeps what waits.
pub(crate) fn stop() -> Steps {
    client(|state| ClientCommand::Stop { turn: state.turn.number, keep_inbox: true })
}

/// Stops the newest turn and drops what waits.
pub(crate) fn stop_and_drop() -> Steps {
    client(|state| ClientCommand::Stop { turn: state.turn.number, keep_inbox: false })
}

pub(crate) fn stop_turn(turn: u32) -> Steps {
    client(move |_| ClientCommand::Stop { turn, keep_inbox: true })
}

/// Returns the waiting input with this index, the next step's first.
pub(crate) fn waiting(state: &State, index: usize) -> InputId {
    state.inbox.iter().nth(index).expect("an input waits").input_id
}

pub(crate) fn send(index: usize) -> Steps {
    client(move |state| ClientCommand::InputSend { input_id: waiting(state, index) })
}

pub(crate) fn edit_input(index: usize, text: &str) -> Steps {
    let text = text.to_owned();
    client(move |state| ClientCommand::InputEdit { input_id: waiting(state, index), text: text.clone() })
}

pub(crate) fn move_input(index: usize, target: Target, position: u32) -> Steps {
    client(move |state| ClientCommand::InputMove { input_id: waiting(state, index), target, position })
}

pub(crate) fn drop_input(index: usize) -> Steps {
    client(move |state| ClientCommand::InputWithdraw { input_id: waiting(state, index) })
}

// People: plan mode.

pub(crate) fn plan_on() -> Steps {
    client(|_| ClientCommand::PlanSet { active: true })
}

pub(crate) fn plan_off() -> Steps {
    client(|_| ClientCommand::PlanSet { active: false })
}

/// Chooses the mode by a word.
pub(crate) fn mode(word: &str) -> Steps {
    let word = word.to_owned();
    client(move |_| ClientCommand::ModeSet { mode: word.clone() })
}

/// Decides on the newest proposal.
pub(crate) fn review(verdict: ReviewVerdict, feedback: Option<&str>) -> Steps {
    review_seen(verdict, feedback, |_| {})
}

/// Decides on what `change` makes of the newest proposal's revision and hash.
pub(crate) fn review_seen(
    verdict: ReviewVerdict,
    feedback: Option<&str>,
    change: impl Fn(&mut (u32, Digest)) + 'static,
) -> Steps {
    let feedback = feedback.map(str::to_owned);
    client(move |state| {
        let proposal = state.plan.proposal.as_ref().expect("a plan was proposed");
        let mut seen = (proposal.revision, proposal.sha256.clone());
        change(&mut seen);
        let feedback = feedback.clone();
        ClientCommand::PlanReview {
            plan_id: proposal.plan_id,
            revision: seen.0,
            sha256: seen.1,
            verdict,
            feedback,
        }
    })
}

// People: the goal.

/// Returns the identity of the goal that stands; one that never was when none does.
pub(crate) fn goal_ref(state: &State) -> GoalRef {
    let none = || GoalRef { id: "goal-none".into(), revision: 1 };
    state.goals.current.as_ref().map_or_else(none, |current| current.goal.reference())
}

pub(crate) fn goal_create(objective: &str, rounds_max: Option<u32>) -> Steps {
    let objective = objective.to_owned();
    client(move |_| ClientCommand::GoalCreate {
        objective: objective.clone(),
        rounds_max,
        budgets: BudgetEdit::default(),
    })
}

pub(crate) fn goal_edit(objective: Option<&str>, rounds_max: Option<u32>) -> Steps {
    let objective = objective.map(str::to_owned);
    client(move |state| ClientCommand::GoalEdit {
        goal: goal_ref(state),
        objective: objective.clone(),
        rounds_max,
        budgets: BudgetEdit::default(),
    })
}

pub(crate) fn goal_pause() -> Steps {
    client(|state| ClientCommand::GoalPause { goal: goal_ref(state) })
}

pub(crate) fn goal_resume() -> Steps {
    client(|state| ClientCommand::GoalResume { goal: goal_ref(state) })
}

pub(crate) fn goal_complete() -> Steps {
    client(|state| ClientCommand::GoalComplete { goal: goal_ref(state) })
}

pub(crate) fn goal_clear() -> Steps {
    client(|state| ClientCommand::GoalClear { goal: goal_ref(state) })
}

// The goal driver.

pub(crate) fn reserve() -> Steps {
    driver(|state| DriverCommand::Reserve {
        goal: goal_ref(state),
        round: state.goals.current.as_ref().map_or(0, |current| current.rounds_started) + 1,
    })
}

pub(crate) fn reserve_round(round: u32) -> Steps {
    driver(move |state| DriverCommand::Reserve { goal: goal_ref(state), round })
}

/// Reserves round 1 of revision `revision`.
pub(crate) fn reserve_seen(revision: u64) -> Steps {
    driver(move |state| DriverCommand::Reserve {
        goal: GoalRef { revision, ..goal_ref(state) },
        round: state.goals.current.as_ref().map_or(0, |current| current.rounds_started) + 1,
    })
}

pub(crate) fn block(code: &str, message: &str) -> Steps {
    let (code, message) = (code.to_owned(), message.to_owned());
    driver(move |state| DriverCommand::Block {
        goal: goal_ref(state),
        code: code.clone(),
        message: message.clone(),
    })
}

// The agent.

pub(crate) fn claim() -> Steps {
    agent(|_| AgentCommand::Claim(WorkspaceMark::default()))
}

pub(crate) fn admit() -> Steps {
    agent(|_| AgentCommand::Admit)
}

/// The first header, or one for the mode in force.
pub(crate) fn header() -> Steps {
    agent(|state| AgentCommand::Header(request_header(state)))
}

pub(crate) fn request_header(state: &State) -> RequestHeader {
    let system = if state.plan.active { "plan" } else { "default" };
    RequestHeader {
        role: Some("main".to_owned()),
        turn: state.turn.number,
        step: state.turn.open.as_ref().map_or(0, |open| open.steps),
        provider: "rehearsal".to_owned(),
        model: "rehearsal".to_owned(),
        effort: None,
        max_output_tokens: None,
        system_hash: Digest(system.to_owned()),
        tools_hash: Digest("tools".to_owned()),
        mode_text: Some(ModeText { plan: state.plan.active, hash: Digest(system.to_owned()) }),
        system: Some(system.to_owned()),
        tools: None,
    }
}

pub(crate) fn streams(text: &str) -> Steps {
    streams_on(Channel::Text, text)
}

/// A piece of a plan arrives.
pub(crate) fn streams_plan(text: &str) -> Steps {
    streams_on(Channel::Plan, text)
}

fn streams_on(channel: Channel, text: &str) -> Steps {
    let text = text.to_owned();
    agent(move |state| {
        AgentCommand::Delta(AssistantDelta {
            turn: state.turn.number,
            step: state.turn.open.as_ref().map_or(0, |open| open.steps),
            attempt: 1,
            offset: 0,
            channel,
            text: text.clone(),
        })
    })
}

/// The model answers in words.
pub(crate) fn says(text: &str) -> Steps {
    answers_with(vec![Block::text(text)], StepFinish::Stop)
}

/// The model writes a plan into its answer.
pub(crate) fn writes_plan(markdown: &str) -> Steps {
    let text = format!("<proposed_plan>\n{markdown}</proposed_plan>");
    answers_planning(vec![Block::text(text)], Some(markdown), StepFinish::Stop)
}

/// The model runs into its output limit.
pub(crate) fn says_too_much() -> Steps {
    answers_with(vec![Block::text("and so on")], StepFinish::MaxTokens)
}

/// The model calls tools: pairs of call id and name.
pub(crate) fn calls<const N: usize>(pairs: [(&str, &str); N]) -> Steps {
    let block = |(call_id, name): (&str, &str)| Block::ToolCall {
        call_id: call_id.into(),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
    };
    answers_with(pairs.into_iter().map(block).collect(), StepFinish::ToolCalls)
}

pub(crate) fn answers_with(content: Vec<Block>, finish: StepFinish) -> Steps {
    answers_planning(content, None, finish)
}

/// The model answers, and its text holds this plan as a block.
pub(crate) fn answers_planning(content: Vec<Block>, plan: Option<&str>, finish: StepFinish) -> Steps {
    let plan = plan.map(str::to_owned);
    let usage = Usage { input_tokens: 10, output_tokens: 2, ..Usage::default() };
    let model = "rehearsal".to_owned();
    let answer = Answered { items: Vec::new(), content, plan, usage: Some(usage), finish, model };
    by_model(move |_| AgentCommand::Answered(answer.clone()))
}

/// The model answers in words, and uses that much.
pub(crate) fn answers_using(usage: Usage) -> Steps {
    let (content, finish) = (vec![Block::text("done")], StepFinish::Stop);
    let answer = Answered {
        items: Vec::new(),
        content,
        plan: None,
        usage: Some(usage),
        finish,
        model: "rehearsal".to_owned(),
    };
    by_model(move |_| AgentCommand::Answered(answer.clone()))
}

/// The agent records what the model did.
pub(crate) fn by_model(command: impl Fn(&State) -> AgentCommand + 'static) -> Steps {
    wish(Actor::MODEL, move |state| Command::Agent(command(state)))
}

pub(crate) fn start(call_id: &str, class: ToolClass) -> Steps {
    let call_id = CallId::from(call_id);
    agent(move |_| AgentCommand::StartCall { call_id: call_id.clone(), class, sandbox: None })
}

/// A command is about to run, confined by `profile` of some sandbox.
pub(crate) fn start_confined(call_id: &str, profile: SandboxProfile) -> Steps {
    let call_id = CallId::from(call_id);
    let sandbox = ToolSandbox { by: "landlock".to_owned(), profile, network: false };
    agent(move |_| AgentCommand::StartCall {
        call_id: call_id.clone(),
        class: ToolClass::Exec,
        sandbox: Some(sandbox.clone()),
    })
}

pub(crate) fn finish(call_id: &str) -> Steps {
    let call_id = CallId::from(call_id);
    let tool = Actor { kind: ActorKind::Tool, client: None };
    wish(tool, move |_| {
        Command::Agent(AgentCommand::FinishCall(ToolResult {
            call_id: call_id.clone(),
            outcome: ToolOutcome::Ok,
            content: vec![Block::text("done")],
            error: None,
            diff: None,
            duration_ms: Some(1),
        }))
    })
}

pub(crate) fn fail_call(call_id: &str) -> Steps {
    let call_id = CallId::from(call_id);
    let failure = ToolFailure { code: "INVALID_ARGS".to_owned(), message: "no such field".to_owned() };
    agent(move |_| AgentCommand::FailCall { call_id: call_id.clone(), failure: failure.clone() })
}

pub(crate) fn act(call_id: &str, action: ToolAction) -> Steps {
    act_seeing(call_id, move |_| action.clone())
}

/// A session tool whose arguments follow from what the model was shown.
pub(crate) fn act_seeing(call_id: &str, action: impl Fn(&State) -> ToolAction + 'static) -> Steps {
    let call_id = CallId::from(call_id);
    wish(Actor::MODEL, move |state| {
        Command::Agent(AgentCommand::Act { call_id: call_id.clone(), action: action(state) })
    })
}

/// The model is asked again, within the same step.
pub(crate) fn retries() -> Steps {
    agent(|state| {
        AgentCommand::Retry(RequestAttempt {
            turn: state.turn.number,
            step: state.turn.open.as_ref().map_or(0, |open| open.steps),
            attempt: state.turn.step().map_or(0, |step| step.attempt() + 1),
            class: "overloaded".to_owned(),
            message: "try later".to_owned(),
            delay_ms: 5,
            fallback: None,
            usage: None,
        })
    })
}

pub(crate) fn end_step() -> Steps {
    agent(|_| AgentCommand::EndStep)
}

pub(crate) fn end_turn() -> Steps {
    agent(|_| AgentCommand::EndTurn(WorkspaceMark::default()))
}

pub(crate) fn settle() -> Steps {
    agent(|_| AgentCommand::Settle)
}

pub(crate) fn fails() -> Steps {
    agent(|_| AgentCommand::Fail { code: "network".to_owned(), message: "no route".to_owned(), outage: None })
}

// Sequences.

/// A person's prompt is before the model.
pub(crate) fn asked(text: &str) -> Steps {
    all([prompt(text), claim(), admit(), header()])
}

/// The open step is answered in words and its turn ends.
pub(crate) fn concludes() -> Steps {
    all([says("done"), end_turn()])
}

/// A person's turn from its prompt to its end.
pub(crate) fn whole_turn(text: &str) -> Steps {
    all([asked(text), concludes()])
}

/// The next round is before the model.
pub(crate) fn round() -> Steps {
    all([reserve(), claim(), admit(), header()])
}

/// The next round from its reservation to its end.
pub(crate) fn whole_round() -> Steps {
    all([round(), concludes()])
}

/// A plan waits for review in plan mode.
pub(crate) fn in_review(markdown: &str) -> Steps {
    all([plan_on(), asked("plan it"), proposes("p1", markdown)])
}

/// A plan that the model wrote into its answer waits for review in plan mode, and its turn is over.
pub(crate) fn text_in_review(markdown: &str) -> Steps {
    all([plan_on(), asked("plan it"), writes_plan(markdown), end_turn()])
}

/// The model puts a plan forward.
pub(crate) fn proposes(call_id: &str, markdown: &str) -> Steps {
    all([calls([(call_id, "exit_plan_mode")]), exit_plan(call_id, markdown)])
}

/// The open call puts a plan forward.
pub(crate) fn exit_plan(call_id: &str, markdown: &str) -> Steps {
    act(call_id, ToolAction::ExitPlanMode { plan: markdown.to_owned() })
}

// Tools.

pub(crate) fn todo(content: &str, status: TodoStatus) -> Todo {
    Todo { content: content.to_owned(), status }
}

pub(crate) fn todo_write(todos: Vec<Todo>) -> ToolAction {
    ToolAction::TodoWrite { todos, explanation: None }
}

pub(crate) fn create_goal(objective: &str, max_goal_rounds: Option<u32>) -> ToolAction {
    ToolAction::CreateGoal { objective: objective.to_owned(), max_goal_rounds }
}

/// `update_goal` of the goal that stands, changed by `change`.
pub(crate) fn update_goal(
    call_id: &str,
    action: UpdateAction,
    change: impl Fn(&mut UpdateGoal) + 'static,
) -> Steps {
    act_seeing(call_id, move |state| {
        let seen = goal_ref(state);
        let mut update = UpdateGoal {
            goal_id: seen.id.0,
            revision: seen.revision,
            action,
            objective: None,
            max_goal_rounds: None,
            blocked_reason: None,
            evidence: None,
        };
        change(&mut update);
        ToolAction::UpdateGoal(update)
    })
}

/// Returns an item with these options.
pub(crate) fn item<const N: usize>(id: &str, labels: [&str; N]) -> QuestionItem {
    let option = |label: &str| QuestionOption {
        label: label.to_owned(),
        description: String::new(),
        recommended: false,
    };
    QuestionItem {
        id: id.to_owned(),
        header: id.to_owned(),
        question: format!("which {id}?"),
        detail: None,
        options: labels.into_iter().map(option).collect(),
        multi_select: false,
    }
}

/// Returns an item that recommends its last option.
pub(crate) fn recommending<const N: usize>(id: &str, labels: [&str; N]) -> QuestionItem {
    let mut item = item(id, labels);
    item.options.last_mut().expect("an item has options").recommended = true;
    item
}

pub(crate) fn ask_user(items: Vec<QuestionItem>) -> ToolAction {
    ToolAction::AskUser { items, answer_within_s: None }
}

/// Asks with a time limit.
pub(crate) fn ask_within(items: Vec<QuestionItem>, seconds: u64) -> ToolAction {
    ToolAction::AskUser { items, answer_within_s: Some(seconds) }
}

/// The host's clock says that the oldest open question's time is over.
pub(crate) fn expire() -> Steps {
    wish(Actor::HOST, |state| {
        let (question_id, revision) = open_question(state);
        Command::Expire { question_id, revision }
    })
}

/// Returns the oldest open question.
pub(crate) fn open_question(state: &State) -> (QuestionId, u32) {
    let id = |question: &OpenQuestion| (question.asked.question_id, question.asked.revision);
    state.questions.open.first().map(id).expect("a question is open")
}

/// Answers the oldest open question.
pub(crate) fn answer(answers: Vec<Answer>) -> Steps {
    client(move |state| {
        let (question_id, revision) = open_question(state);
        ClientCommand::Answer { question_id, revision, answers: answers.clone() }
    })
}

/// Returns the answer that chooses `labels` for item `id`.
pub(crate) fn choose<const N: usize>(id: &str, labels: [&str; N]) -> Answer {
    Answer { id: id.to_owned(), selected: labels.map(str::to_owned).to_vec(), custom: None }
}

/// Returns the answer that gives a text for item `id`.
pub(crate) fn write(id: &str, text: &str) -> Answer {
    Answer { id: id.to_owned(), selected: Vec::new(), custom: Some(text.to_owned()) }
}

pub(crate) fn dismiss() -> Steps {
    client(|state| {
        let (question_id, revision) = open_question(state);
        ClientCommand::DismissQuestion { question_id, revision }
    })
}
