//! Facts about the requests that a model is asked with.

use serde::{Deserialize, Serialize};

use crate::{Digest, Usage};

/// What a request was made with; written when it differs from the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestHeader {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// The role that the model is asked in; none in logs of before there were roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The effort asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// The output limit asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// BLAKE3 of the system prompt.
    pub system_hash: Digest,
    /// BLAKE3 of the tool list's JSON.
    pub tools_hash: Digest,
    /// The text of the mode in force, which is part of the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_text: Option<ModeText>,
    /// The system prompt, when its hash is new to this log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The tool list's JSON, when its hash is new to this log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
}

/// The text that told the model of the mode in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeText {
    /// True is plan mode.
    pub plan: bool,
    /// BLAKE3 of the text; of an empty one where it is suppressed.
    pub hash: Digest,
}

/// A request is made again within its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestAttempt {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// From 2: the first attempt needs no event.
    pub attempt: u32,
    /// The class of the failure before it.
    pub class: String,
    /// The provider's words.
    pub message: String,
    /// How long the host waits first.
    pub delay_ms: u64,
    /// The model that is asked from here on, to the end of the turn, for the one before did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// What the attempt before used, where it had begun to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}
