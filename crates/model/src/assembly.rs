//! The whole answer, put together from its pieces.

use std::collections::BTreeMap;

use crate::{Call, Chunk, Finish, Usage};

/// An answer under construction. Total: any chunks in any order make some answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assembly {
    text: String,
    reasoning: String,
    parts: BTreeMap<u32, CallParts>,
    items: Vec<(u32, String)>,
    usage: Option<Usage>,
    finish: Option<Finish>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct CallParts {
    call_id: Option<String>,
    name: String,
    arguments: String,
}

impl Assembly {
    /// Returns an answer that has no pieces yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one piece.
    pub fn push(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Text(text) => self.text.push_str(text),
            Chunk::Reasoning(text) => self.reasoning.push_str(text),
            Chunk::CallDelta { index, call_id, name, arguments } => {
                let parts = self.parts.entry(*index).or_default();
                parts.name_it(call_id.as_deref(), name.as_deref());
                parts.arguments.push_str(arguments);
            }
            Chunk::Item(json) => {
                let calls = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
                self.items.push((calls, json.clone()));
            }
            Chunk::Usage(usage) => self.usage = Some(*usage),
            Chunk::Finish(finish) => self.finish = Some(*finish),
        }
    }

    /// Returns the text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the reasoning so far.
    #[must_use]
    pub fn reasoning(&self) -> &str {
        &self.reasoning
    }

    /// Returns the calls that may be run, in order of their index.
    ///
    /// A call without a name is left out. Of an answer that ended at the output limit, or has not ended, a
    /// call whose arguments are not a whole JSON object is left out too: half a call is no wish. A call without an id
    /// gets `call_<index>`; an id that an earlier call of this answer has gets `_<index>` appended.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        let mut calls: Vec<Call> = Vec::new();
        for (index, parts) in self.parts.iter().filter(|(_, parts)| self.is_whole(parts)) {
            let mut call_id = parts.call_id.clone().unwrap_or_else(|| format!("call_{index}"));
            while calls.iter().any(|call| call.call_id == call_id) {
                call_id = format!("{call_id}_{index}");
            }
            calls.push(Call { call_id, name: parts.name.clone(), arguments: parts.arguments.clone() });
        }
        calls
    }

    /// Returns what only the provider can read: JSON texts, each with how many calls had begun before it.
    #[must_use]
    pub fn items(&self) -> &[(u32, String)] {
        &self.items
    }

    /// Returns what the request used, once the provider has said so.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Returns why the answer ended, once it has.
    #[must_use]
    pub fn finish(&self) -> Option<Finish> {
        self.finish
    }

    fn is_whole(&self, parts: &CallParts) -> bool {
        let ended = matches!(self.finish, Some(Finish::Stop | Finish::ToolCalls | Finish::Refusal));
        !parts.name.is_empty() && (ended || is_json_object(&parts.arguments))
    }
}

impl CallParts {
    /// Keeps the first id and the first name: some servers repeat them with each piece.
    fn name_it(&mut self, call_id: Option<&str>, name: Option<&str>) {
        if self.call_id.is_none() {
            self.call_id = call_id.filter(|id| !id.is_empty()).map(str::to_owned);
        }
        if self.name.is_empty() {
            name.unwrap_or_default().clone_into(&mut self.name);
        }
    }
}

/// Says whether `text` is one whole JSON object.
pub(crate) fn is_json_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests;
