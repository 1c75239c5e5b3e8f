//! What may be asked of a session: by people, by the agent, by the goal driver.

use events::{
    Answer, AssistantDelta, Block, CallId, Digest, GoalRef, InputId, PlanId, ProviderItem, QuestionId,
    RequestAttempt, RequestHeader, StepFinish, Target, ToolClass, ToolFailure, ToolResult, ToolSandbox,
    Usage, Verdict,
};
use projections::WorkspaceMark;
use serde::{Deserialize, Serialize};

use crate::ToolAction;

/// A wish; it may be refused.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// From the host itself: own the session, so that what its last host left is repaired.
    Own,
    /// From the host itself: own the session no longer, for a worker of it broke down.
    Disown,
    /// From the host itself: the time of a question is over.
    Expire {
        /// The question.
        question_id: QuestionId,
        /// Its revision.
        revision: u32,
    },
    /// From a person: stop what the session does and delete it for good.
    Delete,
    /// From a tab, an editor or a script.
    Client(ClientCommand),
    /// From the host's agent.
    Agent(AgentCommand),
    /// From the host's goal driver.
    Driver(DriverCommand),
}

/// What a client may ask for; its JSON form is the `command` member of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClientCommand {
    /// Queues text for the model.
    Prompt {
        /// The text; not blank.
        text: String,
        /// Where it waits; the next turn when left out.
        #[serde(default = "next_turn")]
        target: Target,
    },
    /// Carries out a slash line such as `/goal ship it`.
    Slash {
        /// The whole line.
        line: String,
    },
    /// Stops a turn.
    Stop {
        /// The turn the person saw.
        turn: u32,
        /// Whether waiting inputs stay.
        keep_inbox: bool,
    },
    /// Chooses the mode.
    PlanSet {
        /// True is plan mode.
        active: bool,
    },
    /// Chooses the mode by a word.
    ModeSet {
        /// What [`Mode::read`](crate::Mode::read) understands.
        mode: String,
    },
    /// Decides on a plan.
    PlanReview {
        /// The plan shown.
        plan_id: PlanId,
        /// The revision shown.
        revision: u32,
        /// SHA-256 of the text shown.
        sha256: Digest,
        /// The decision.
        verdict: ReviewVerdict,
        /// What the person wrote, with `keep-planning`.
        #[serde(default)]
        feedback: Option<String>,
    },
    /// Creates a goal.
    GoalCreate {
        /// What is to be reached.
        objective: String,
        /// Rounds; the configured default when left out.
        #[serde(default)]
        rounds_max: Option<u32>,
        /// The other budgets; the configured defaults when left out.
        #[serde(default, skip_serializing_if = "BudgetEdit::is_empty")]
        budgets: BudgetEdit,
    },
    /// Changes a goal's objective or rounds.
    GoalEdit {
        /// The goal the person saw.
        goal: GoalRef,
        /// The new objective.
        #[serde(default)]
        objective: Option<String>,
        /// The new round budget.
        #[serde(default)]
        rounds_max: Option<u32>,
        /// The other new budgets.
        #[serde(default, skip_serializing_if = "BudgetEdit::is_empty")]
        budgets: BudgetEdit,
    },
    /// Pauses a goal and stops its round.
    GoalPause {
        /// The goal the person saw.
        goal: GoalRef,
    },
    /// Takes a goal up again.
    GoalResume {
        /// The goal the person saw.
        goal: GoalRef,
    },
    /// Declares a goal met.
    GoalComplete {
        /// The goal the person saw.
        goal: GoalRef,
    },
    /// Removes a goal and stops its round.
    GoalClear {
        /// The goal the person saw.
        goal: GoalRef,
    },
    /// Answers a question.
    Answer {
        /// The question.
        question_id: QuestionId,
        /// The revision the person saw.
        revision: u32,
        /// One for each item, in order.
        answers: Vec<Answer>,
    },
    /// Puts a question aside.
    DismissQuestion {
        /// The question.
        question_id: QuestionId,
        /// The revision the person saw.
        revision: u32,
    },
    /// Sends a held input, or brings a queued one into the running turn.
    InputSend {
        /// The input.
        input_id: InputId,
    },
    /// Changes a waiting input's text.
    InputEdit {
        /// The input.
        input_id: InputId,
        /// The new text.
        text: String,
    },
    /// Moves a waiting input.
    InputMove {
        /// The input.
        input_id: InputId,
        /// The list it goes to.
        target: Target,
        /// Its index there, from 0.
        position: u32,
    },
    /// Drops a waiting input.
    InputWithdraw {
        /// The input.
        input_id: InputId,
    },
    /// Names the session.
    SetTitle {
        /// One line.
        title: String,
    },
    /// Puts the session away or takes it out.
    Archive {
        /// Whether it is put away.
        archived: bool,
    },
}

/// Budgets besides rounds, as a person sets them: what is left out stays, 0 takes the budget away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetEdit {
    /// Input and output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Milliseconds in running rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Rounds in a row that may change nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_progress: Option<u32>,
}

impl BudgetEdit {
    /// Says whether it sets nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn next_turn() -> Target {
    Target::NextTurn
}

/// A person's decision on a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewVerdict {
    /// Leave plan mode and carry it out.
    Approve,
    /// Plan on.
    KeepPlanning,
    /// Put it aside to talk.
    Dismiss,
}

/// What the agent records.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentCommand {
    /// Opens a turn for what waits; says what the workspace looks like if a round is among it.
    Claim(WorkspaceMark),
    /// Opens the next step.
    Admit,
    /// What the request is made with, when that changed.
    Header(RequestHeader),
    /// A streamed piece.
    Delta(AssistantDelta),
    /// The request is made again.
    Retry(RequestAttempt),
    /// The whole answer.
    Answered(Answered),
    /// A tool's body is about to run.
    StartCall {
        /// The call.
        call_id: CallId,
        /// What it may do.
        class: ToolClass,
        /// What will confine it.
        sandbox: Option<ToolSandbox>,
    },
    /// A call cannot start: its tool or arguments are wrong.
    FailCall {
        /// The call.
        call_id: CallId,
        /// Why.
        failure: ToolFailure,
    },
    /// A body's result.
    FinishCall(ToolResult),
    /// A session tool's call.
    Act {
        /// The call.
        call_id: CallId,
        /// Its meaning.
        action: ToolAction,
    },
    /// The call of `update_goal` that claims completion, with what a judge said of it.
    Judge {
        /// The call.
        call_id: CallId,
        /// Its meaning.
        action: ToolAction,
        /// The judgement.
        judgement: Judgement,
    },
    /// All calls of the step have results.
    EndStep,
    /// The turn has nothing more to do; says what the workspace looks like if it ran a round.
    EndTurn(WorkspaceMark),
    /// The model could not be asked.
    Fail {
        /// The failure's class.
        code: String,
        /// The provider's words.
        message: String,
        /// Set when the provider is known to have an outage.
        outage: Option<Outage>,
    },
    /// Closes a turn that was stopped.
    Settle,
}

/// What a judge said of a claim of completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Whether the claim stands.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// What asking used.
    pub usage: Option<Usage>,
}

/// A provider's outage: the same request may well work later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outage {
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

/// A model's whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// Text, reasoning and calls, in order.
    pub content: Vec<Block>,
    /// What only the provider can read.
    pub items: Vec<ProviderItem>,
    /// The plan that its text holds as a block.
    pub plan: Option<String>,
    /// What it used.
    pub usage: Option<Usage>,
    /// How it ended.
    pub finish: StepFinish,
    /// The model that answered.
    pub model: String,
}

/// What the goal driver records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverCommand {
    /// Reserves a round.
    Reserve {
        /// The goal.
        goal: GoalRef,
        /// The round.
        round: u32,
    },
    /// Blocks the goal.
    Block {
        /// The goal.
        goal: GoalRef,
        /// Lower kebab-case.
        code: String,
        /// One sentence.
        message: String,
    },
}
