//! What a model is asked.

use serde::{Deserialize, Serialize};

/// Everything that a provider needs to know to answer once.
///
/// Encodes to the same bytes each time: fields in the order below, object keys of tool parameters sorted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The model's name, as the provider knows it.
    pub model: String,
    /// The system prompt; empty means none.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// How hard the model should think; none leaves it to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The most tokens that the answer may have; none leaves it to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "kebab-case")]
pub enum Message {
    /// A person, or the host on behalf of one.
    User {
        /// What it says.
        text: String,
    },
    /// The model's earlier answer.
    Assistant {
        /// What it says; may be empty when it only called tools.
        text: String,
        /// What it thought; empty when the provider does not tell.
        reasoning: String,
        /// The tools it called, in order.
        calls: Vec<Call>,
        /// What only its provider can read; goes back to the model that it came from, and to no other.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        items: Vec<Item>,
    },
    /// The result of one call.
    Tool {
        /// The call that it answers.
        call_id: String,
        /// What the model is told.
        text: String,
        /// Whether the call went wrong.
        is_error: bool,
    },
}

/// A part of an answer that only its provider can read, such as sealed reasoning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The provider's name.
    pub provider: String,
    /// The model that gave it.
    pub model: String,
    /// The call that it stands before, from 0; what stands before the first call stands before the text too.
    pub before_call: u32,
    /// JSON text, exactly as it came.
    pub json: String,
}

/// A model's wish to run a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The provider's id of it, or one made up from its place in the answer.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// JSON text, exactly as the model wrote it; may be no JSON at all.
    pub arguments: String,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name to call it by.
    pub name: String,
    /// What it does, for a model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: serde_json::Value,
}

/// How hard a model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Little.
    Low,
    /// The middle.
    Medium,
    /// Much.
    High,
}

impl Effort {
    /// Returns the effort with this name on the wire.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Low, Self::Medium, Self::High].into_iter().find(|effort| effort.name() == name)
    }

    /// Returns the effort's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
