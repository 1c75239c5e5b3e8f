//! Who did something, where a message came from, and what it holds.

use serde::{Deserialize, Serialize};

use crate::{CallId, ClientId, Digest, GoalId, PlanId, SessionEvent};

/// Who caused an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The kind of actor.
    pub kind: ActorKind,
    /// The tab, editor or script, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
}

impl Actor {
    /// The engine itself.
    pub const HOST: Self = Self { kind: ActorKind::Host, client: None };
    /// The model.
    pub const MODEL: Self = Self { kind: ActorKind::Model, client: None };
    /// The goal driver.
    pub const DRIVER: Self = Self { kind: ActorKind::Driver, client: None };

    /// Returns the person behind `client`.
    #[must_use]
    pub fn user(client: ClientId) -> Self {
        Self { kind: ActorKind::User, client: Some(client) }
    }
}

/// The kinds of actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActorKind {
    /// A person, through a client.
    User,
    /// The model, through a tool call or its text.
    Model,
    /// The goal driver.
    Driver,
    /// The engine: turn boundaries, repairs.
    Host,
    /// A tool's body.
    Tool,
}

/// Where an input or a message of the user role came from. Authority follows from this, never from text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Source {
    /// A person wrote it.
    User,
    /// The goal driver reserved it as a round.
    Goal {
        /// The goal.
        goal_id: GoalId,
        /// The goal's revision when the round was reserved.
        revision: u64,
        /// The round, from 1.
        round: u32,
    },
    /// The engine tells the model something: a mode change, a wrap-up.
    Notice {
        /// What the notice is about, e.g. `plan-mode`, `goal`.
        about: String,
        /// One line for a person.
        summary: String,
    },
    /// An approved text plan is to be carried out.
    Plan {
        /// The plan.
        plan_id: PlanId,
        /// Its approved revision.
        revision: u32,
        /// SHA-256 of the approved markdown.
        sha256: Digest,
    },
}

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Block {
    /// Text, markdown as a rule.
    Text {
        /// The text.
        text: String,
    },
    /// The model's reasoning.
    Reasoning {
        /// The text.
        text: String,
    },
    /// A call that the model asks for.
    ToolCall {
        /// The provider's id of the call.
        call_id: CallId,
        /// The tool.
        name: String,
        /// The arguments, verbatim JSON text as the model wrote it.
        arguments: String,
    },
    /// An image kept as an object.
    Image {
        /// BLAKE3 of the bytes.
        object: Digest,
        /// `image/png`, `image/jpeg` or `image/webp`.
        media_type: String,
        /// Size in bytes.
        bytes: u64,
    },
}

/// A part of an answer that only its provider can read, such as sealed reasoning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderItem {
    /// The provider.
    pub provider: String,
    /// The model that gave it.
    pub model: String,
    /// The call of the answer that it stands before, from 0.
    #[serde(default)]
    pub before_call: u32,
    /// JSON text, exactly as it came.
    pub json: String,
}

impl SessionEvent {
    /// Returns the objects that it names, which are kept beside the log.
    pub fn objects(&self) -> impl Iterator<Item = &Digest> {
        let content: &[Block] = match self {
            Self::InputQueued(input) => &input.content,
            Self::InputEdited(input) => &input.content,
            Self::UserMessage(message) => &message.content,
            Self::AssistantMessage(message) => &message.content,
            Self::ToolResult(result) => &result.content,
            _ => &[],
        };
        content.iter().filter_map(|block| match block {
            Block::Image { object, .. } => Some(object),
            Block::Text { .. } | Block::Reasoning { .. } | Block::ToolCall { .. } => None,
        })
    }
}

impl Block {
    /// Returns a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Returns the text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Reasoning { .. } | Self::ToolCall { .. } | Self::Image { .. } => None,
        }
    }
}

/// Joins the text blocks of `content`, one a line.
#[must_use]
pub fn plain_text(content: &[Block]) -> String {
    content.iter().filter_map(Block::as_text).collect::<Vec<_>>().join("\n")
}

/// Tokens of one model request, as the provider counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, cached ones included.
    pub input_tokens: u64,
    /// Output tokens, reasoning included.
    pub output_tokens: u64,
    /// The part of the input that the provider had cached.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// The part of the output that was reasoning.
    #[serde(default)]
    pub reasoning_tokens: u64,
    /// Whether the provider did not say, so that the numbers are guessed from the length of the texts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}
