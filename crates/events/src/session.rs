//! Facts about a session as a whole, its permissions, models, hooks, children, commands and compactions.

use serde::{Deserialize, Serialize};

use crate::{Actor, CallId, CommandId, Epoch, Seq, SessionId, Usage};

/// A session begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCreated {
    /// A title given by its creator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Absolute path of the folder it works in.
    pub workspace: String,
    /// The session it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// The last event it shares with its parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork_seq: Option<Seq>,
    /// The permission preset it starts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
}

/// A host took the session over; its writes carry this epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOpened {
    /// Greater than any before.
    pub epoch: Epoch,
    /// Names the process, e.g. `pid 4711`.
    pub host: String,
}

/// The session has a title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTitled {
    /// At most 80 bytes, one line.
    pub title: String,
    /// A person's title is never replaced by a made one.
    pub by: Actor,
}

/// The session is put away, or taken out again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionArchived {
    /// Whether it is put away.
    pub archived: bool,
    /// Who did it.
    pub by: Actor,
}

/// The session is deleted: nothing is appended after this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDeleted {
    /// Who did it.
    pub by: Actor,
}

/// A person allowed calls ahead of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionGranted {
    /// `once` or `session`.
    pub scope: String,
    /// What it covers, e.g. `exec:cargo *`.
    pub pattern: String,
}

/// A grant is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRevoked {
    /// The grant's pattern.
    pub pattern: String,
}

/// The session has another permission preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionPreset {
    /// `ask`, `edit` or `full`.
    pub preset: String,
}

/// A role is served by another model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSelected {
    /// `main`, `plan`, `summary`, `judge` or `title`.
    pub role: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The effort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
}

/// An external command was asked at a hook point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRan {
    /// `session-start`, `pre-step`, `pre-tool`, `post-tool` or `turn-end`.
    pub point: String,
    /// `allow`, `deny` or `failed`.
    pub decision: String,
    /// The configured command's name.
    pub hook: String,
    /// What it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A child session works for a call of this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSpawned {
    /// The child.
    pub child: SessionId,
    /// The call that waits for it.
    pub call_id: CallId,
    /// What it is for.
    pub task: String,
    /// Tokens set aside for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// A child session is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEnded {
    /// The child.
    pub child: SessionId,
    /// How it ended.
    pub reason: String,
}

/// A program runs on in the background, or has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandBackground {
    /// The call that started it.
    pub call_id: CallId,
    /// `running`, `exited` or `stopped`.
    pub state: String,
    /// Its exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
}

/// A slash line is carried out; in one batch with its `command/done`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRun {
    /// The command.
    pub command_id: CommandId,
    /// The name after the slash.
    pub name: String,
    /// Everything after the name, verbatim.
    pub args: String,
}

/// What came of a slash line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandDone {
    /// The command.
    pub command_id: CommandId,
    /// Whether it was carried out.
    pub kind: CommandOutcome,
    /// The reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Whether a slash line was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandOutcome {
    /// It was.
    Success,
    /// It was refused; nothing else changed.
    Error,
}

/// The surface is about to be shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionStart {
    /// First event of the range.
    pub first_seq: Seq,
    /// Last event of the range.
    pub last_seq: Seq,
}

/// A summary stands for a range of the surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionSummary {
    /// First event of the range.
    pub first_seq: Seq,
    /// Last event of the range.
    pub last_seq: Seq,
    /// The summary.
    pub text: String,
    /// What making it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// The shortening is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionEnd {
    /// What went wrong; absent when nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
