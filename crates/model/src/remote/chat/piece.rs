//! The data of one event, read as leniently as servers write it.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::Usage;

/// One `chat.completion.chunk`, or a whole `chat.completion` from a server that does not stream.
#[derive(Deserialize)]
pub(super) struct Piece {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    pub(super) usage: Option<UsagePiece>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

impl Piece {
    /// Returns the one choice that was asked for.
    pub(super) fn into_choice(self) -> Option<Choice> {
        self.choices?.into_iter().find(|choice| choice.index.is_none_or(|index| index == 0))
    }
}

#[derive(Deserialize)]
pub(super) struct Choice {
    #[serde(default)]
    index: Option<u32>,
    #[serde(default, alias = "message")]
    pub(super) delta: Option<Delta>,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
pub(super) struct Delta {
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    reasoning_content: Option<Value>,
    #[serde(default)]
    reasoning: Option<Value>,
    #[serde(default)]
    pub(super) refusal: Option<String>,
    #[serde(default)]
    pub(super) tool_calls: Option<Vec<CallPiece>>,
}

impl Delta {
    pub(super) fn text(&self) -> String {
        self.content.as_ref().map(words).unwrap_or_default()
    }

    /// Returns the reasoning under whichever name it came; a server that sends both repeats itself.
    pub(super) fn reasoning(&self) -> String {
        let first = self.reasoning_content.as_ref().map(words).filter(|text| !text.is_empty());
        first.or_else(|| self.reasoning.as_ref().map(words)).unwrap_or_default()
    }
}

/// Returns the text of a string, or of a list of parts.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

#[derive(Deserialize)]
pub(super) struct CallPiece {
    #[serde(default)]
    pub(super) index: Option<u32>,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) function: Option<FunctionPiece>,
}

#[derive(Default, Deserialize)]
pub(super) struct FunctionPiece {
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

impl FunctionPiece {
    /// Returns the arguments' text. Servers that send an object instead of its text get its exact spelling.
    pub(super) fn arguments(&self) -> String {
        let raw = self.arguments.as_deref().map_or("null", RawValue::get);
        if raw == "null" {
            String::new()
        } else {
            serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned())
        }
    }
}

/// Token counts under the names that servers give them; anything that is no count is zero.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct UsagePiece(Value);

impl UsagePiece {
    pub(super) fn usage(&self) -> Usage {
        let cached = self.count("/prompt_tokens_details/cached_tokens");
        Usage {
            input_tokens: self.count("/prompt_tokens"),
            output_tokens: self.count("/completion_tokens"),
            cached_input_tokens: cached.max(self.count("/prompt_cache_hit_tokens")),
            reasoning_tokens: self.count("/completion_tokens_details/reasoning_tokens"),
        }
    }

    fn count(&self, pointer: &str) -> u64 {
        self.0.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
    }
}
