//! Facts about inputs, turns, steps, requests, messages and tool calls.

use serde::{Deserialize, Serialize};

use crate::{Actor, Block, CallId, Digest, InputId, MessageId, ProviderItem, Source, Usage};

/// Which of the two lists an input waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Opens a turn of its own, first come first served.
    NextTurn,
    /// Joins the next step, whichever turn that is in.
    NextStep,
}

/// An input waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputQueued {
    /// The input.
    pub input_id: InputId,
    /// The list.
    pub target: Target,
    /// Where it came from.
    pub source: Source,
    /// What it says; at most 1 MiB.
    pub content: Vec<Block>,
    /// Whether it opens a turn on an idle session; notices wait for another input instead.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub wakes: bool,
}

fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_true(value: &bool) -> bool {
    *value
}

/// A waiting input has another content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputEdited {
    /// The input.
    pub input_id: InputId,
    /// What it says now.
    pub content: Vec<Block>,
}

/// A waiting input has another place; in a new epoch this is what sends a held input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMoved {
    /// The input.
    pub input_id: InputId,
    /// The list it goes to.
    pub target: Target,
    /// Its index there, from 0; past the end means last.
    pub position: u32,
}

/// A turn took inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputClaimed {
    /// The turn.
    pub turn: u32,
    /// The inputs, in the order in which the model will see them.
    pub input_ids: Vec<InputId>,
}

/// Claimed inputs go back to the head of their lists, for their turn ended before it showed them to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputReturned {
    /// The inputs, in order.
    pub input_ids: Vec<InputId>,
}

/// An input is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputWithdrawn {
    /// The input.
    pub input_id: InputId,
    /// Why, e.g. `dropped`, `outranked`, `restarted`, `forked`.
    pub why: String,
}

/// A turn begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStart {
    /// From 1, without gaps.
    pub turn: u32,
    /// The commit checked out in the workspace, where there is git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_head: Option<String>,
    /// A hash over the workspace's files that are not ignored; taken when a goal's round begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_hash: Option<Digest>,
}

/// A turn is being stopped: no step and no tool of it starts after this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnCancelled {
    /// The turn.
    pub turn: u32,
    /// Who stopped it.
    pub by: Actor,
    /// Whether waiting inputs stay.
    pub keep_inbox: bool,
}

/// A turn is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The turn.
    pub turn: u32,
    /// How it ended.
    pub reason: TurnEndReason,
    /// The commit checked out in the workspace then, where there is git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_head: Option<String>,
    /// A hash over the workspace's files that are not ignored; taken when a goal's round ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_hash: Option<Digest>,
    /// Set when the goal stays armed after an outage of the provider, and its next round waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_retry: Option<GoalRetry>,
}

impl TurnEnd {
    /// Returns the end of a turn of which nothing else is known.
    #[must_use]
    pub fn new(turn: u32, reason: TurnEndReason) -> Self {
        Self { turn, reason, workspace_head: None, dirty_hash: None, goal_retry: None }
    }
}

/// A goal waits for its provider to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalRetry {
    /// How many times in a row it waits now, from 1.
    pub retry: u32,
    /// No round starts before, in milliseconds since 1970.
    pub not_before_ms: u64,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TurnEndReason {
    /// The model had nothing more to do.
    Completed,
    /// It was stopped.
    Aborted {
        /// Who stopped it.
        by: Actor,
    },
    /// Its input was not admitted.
    Blocked {
        /// A stable code.
        code: String,
        /// One sentence.
        message: String,
    },
    /// The model could not be asked.
    Error {
        /// The failure's class, e.g. `auth`, `network`, `stream-cut`.
        code: String,
        /// The provider's words.
        message: String,
    },
    /// The model's output limit was reached.
    MaxTokens,
    /// The turn had its 200 steps.
    StepLimit,
    /// The host died during it.
    Interrupted,
}

impl TurnEndReason {
    /// Returns the reason's name on the wire.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Aborted { .. } => "aborted",
            Self::Blocked { .. } => "blocked",
            Self::Error { .. } => "error",
            Self::MaxTokens => "max-tokens",
            Self::StepLimit => "step-limit",
            Self::Interrupted => "interrupted",
        }
    }
}

/// A step begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepStart {
    /// The turn.
    pub turn: u32,
    /// From 1 within the turn.
    pub step: u32,
    /// Whether the model gets no tools, for a budget is used up and it only has to close.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wraps_up: bool,
}

/// A step is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepEnd {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// How the model's answer ended.
    pub finish: StepFinish,
    /// What it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The role the model was asked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Micro-units of the configured currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

/// How a step's answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepFinish {
    /// The model stopped by itself.
    Stop,
    /// It asked for tools.
    ToolCalls,
    /// It hit its output limit.
    MaxTokens,
    /// It declined.
    Refusal,
    /// The request failed.
    Error,
    /// It was stopped.
    Aborted,
    /// The host died.
    Interrupted,
}

/// A message of the user role enters the surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserMessage {
    /// The message.
    pub message_id: MessageId,
    /// The input it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_id: Option<InputId>,
    /// Where it came from.
    pub source: Source,
    /// What it says.
    pub content: Vec<Block>,
}

/// A piece of the answer as it streamed; the message that follows replaces all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssistantDelta {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Bytes of this channel that streamed before in this attempt.
    pub offset: u64,
    /// What kind of text it is.
    pub channel: Channel,
    /// The text.
    pub text: String,
}

/// What kind of text streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// The answer.
    Text,
    /// The model's reasoning.
    Reasoning,
    /// A plan written as text.
    Plan,
}

/// The model's answer, whole and authoritative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// The message.
    pub message_id: MessageId,
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// Text, reasoning and calls, in order.
    pub content: Vec<Block>,
    /// What it used, when the provider said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether it was cut short by a stop or a crash; calls are left out then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What only the provider can read, for it to be sent back as it came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ProviderItem>,
}

/// The model asks for a tool. Written before any permission is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// Verbatim JSON text.
    pub arguments: String,
}

/// What a tool's call may do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolClass {
    /// Looks at the workspace.
    Read,
    /// Changes files of the workspace.
    Write,
    /// Runs a program.
    Exec,
    /// Changes the session: plan, goal, todos.
    Session,
    /// Asks a person.
    Ask,
}

impl ToolClass {
    /// Returns the class's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exec => "exec",
            Self::Session => "session",
            Self::Ask => "ask",
        }
    }
}

/// A tool's body may run from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolStarted {
    /// The call.
    pub call_id: CallId,
    /// What it may do.
    pub class: ToolClass,
    /// What confines it; absent for tools that run no program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<ToolSandbox>,
}

/// What confines a program that a tool runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSandbox {
    /// `bubblewrap`, `landlock`, or `none` where nothing does.
    pub by: String,
    /// What the program may change.
    pub profile: SandboxProfile,
    /// Whether it has the host's network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
}

/// What a confined program may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxProfile {
    /// Nothing that outlives it.
    ReadOnly,
    /// The workspace.
    Workspace,
    /// Whatever the host may change.
    Off,
}

impl SandboxProfile {
    /// Returns the profile's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Workspace => "workspace",
            Self::Off => "off",
        }
    }
}

/// A call has its one result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call.
    pub call_id: CallId,
    /// Whether it worked.
    pub outcome: ToolOutcome,
    /// What the model is told.
    pub content: Vec<Block>,
    /// What went wrong, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolFailure>,
    /// Unified diff of an edit, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How long the body ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Whether a call worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolOutcome {
    /// It did.
    Ok,
    /// It did not; the content says why.
    Error,
}

/// What went wrong with a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// A stable code, e.g. `PLAN_MODE`, `TOOL_OUTCOME_UNKNOWN`.
    pub code: String,
    /// One sentence.
    pub message: String,
}
