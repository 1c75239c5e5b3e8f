//! What a model answers, piece by piece.

use serde::{Deserialize, Serialize};

/// One piece of a streamed answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chunk {
    /// More of the answer's text.
    Text(String),
    /// More of the model's reasoning.
    Reasoning(String),
    /// More of one call. Pieces of several calls may alternate.
    CallDelta {
        /// Which call of this answer, from 0.
        index: u32,
        /// Its id, with the piece that brought it.
        call_id: Option<String>,
        /// The tool's name, with the piece that brought it.
        name: Option<String>,
        /// What to append to its arguments.
        arguments: String,
    },
    /// Something that only its provider can read, such as sealed reasoning: JSON text, to be sent back as it is.
    Item(String),
    /// What the answer used, for the whole request; a later one replaces an earlier one.
    Usage(Usage),
    /// Why the answer ended. Only [`Chunk::Usage`] may follow.
    Finish(Finish),
}

/// What a request used, in tokens as the provider counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub input_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: u64,
    /// Those of `input_tokens` that came from the provider's cache.
    pub cached_input_tokens: u64,
    /// Those of `output_tokens` that were reasoning.
    pub reasoning_tokens: u64,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finish {
    /// The model had nothing more to say.
    Stop,
    /// It waits for the results of its calls.
    ToolCalls,
    /// It ran into the output limit.
    MaxTokens,
    /// It, or the provider's filter, declined.
    Refusal,
}
