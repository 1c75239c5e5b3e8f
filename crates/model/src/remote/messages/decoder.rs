//! Event data of Anthropic's messages in, chunks out.
//!
//! The format is that of the API reference, "Streaming messages"; events and kinds of content that are not known are passed
//! over, as it asks for.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::remote::api::Decode;
use crate::remote::refusal::{self, unreadable};
use crate::{Chunk, Failure, FailureClass, Finish, Usage};

/// What is remembered of an answer between two events.
#[derive(Default)]
pub(in crate::remote) struct Decoder {
    open: BTreeMap<u64, Open>,
    calls: u32,
    usage: Usage,
    stop_reason: Option<String>,
    done: bool,
}

/// A piece of content that has begun and not ended.
enum Open {
    Text,
    Thinking { text: String, signature: String },
    Call { index: u32, streamed: bool, whole: String },
    Sealed(String),
}

/// The data of any event, or a whole message from a server that does not stream.
#[derive(Deserialize)]
struct Event {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    index: u64,
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    content_block: Option<Box<RawValue>>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    usage: Option<Counts>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    content: Vec<Box<RawValue>>,
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    thinking: String,
    #[serde(default)]
    signature: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    input: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
struct Delta {
    #[serde(default)]
    text: String,
    #[serde(default)]
    thinking: String,
    #[serde(default)]
    signature: String,
    #[serde(default)]
    partial_json: String,
    #[serde(default)]
    stop_reason: Option<String>,
}

/// Token counts; what a later event leaves out stays as it was.
#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

impl Decode for Decoder {
    fn push(&mut self, data: &str) -> Result<Vec<Chunk>, Failure> {
        let data = data.trim();
        if self.done || data.is_empty() {
            return Ok(Vec::new());
        }
        let event: Event = serde_json::from_str(data).map_err(|error| unreadable(&error, data))?;
        if let Some(error) = event.error.as_ref().filter(|error| !error.is_null()) {
            return Err(refusal::within_stream(error));
        }
        let mut chunks = Vec::new();
        match event.kind.as_str() {
            "message_start" => chunks.extend(self.count(event.message.and_then(|message| message.usage))),
            "content_block_start" => self.begin(event.index, event.content_block.as_deref(), &mut chunks)?,
            "content_block_delta" => self.add(event.index, event.delta.unwrap_or_default(), &mut chunks),
            "content_block_stop" => self.end(event.index, &mut chunks),
            "message_delta" => {
                let reason = event.delta.and_then(|delta| delta.stop_reason);
                self.stop_reason = reason.or(self.stop_reason.take());
                chunks.extend(self.count(event.usage));
            }
            "message_stop" => self.done = true,
            "message" => self.whole(event, &mut chunks)?,
            _ => {}
        }
        Ok(chunks)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn is_finished(&self) -> bool {
        self.done || self.stop_reason.is_some()
    }

    fn finish(&self) -> Result<Finish, Failure> {
        let at_rest = if self.calls == 0 { Finish::Stop } else { Finish::ToolCalls };
        match self.stop_reason.as_deref() {
            None if !self.done => Err(Failure::new(
                FailureClass::StreamCut,
                "the provider ended its answer without saying that it was finished",
            )),
            Some("max_tokens" | "model_context_window_exceeded") => Ok(Finish::MaxTokens),
            Some("refusal") => Ok(Finish::Refusal),
            _ => Ok(at_rest),
        }
    }
}

impl Decoder {
    fn begin(
        &mut self,
        index: u64,
        content: Option<&RawValue>,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), Failure> {
        let Some(raw) = content else { return Ok(()) };
        let content: Content =
            serde_json::from_str(raw.get()).map_err(|error| unreadable(&error, raw.get()))?;
        let open = match content.kind.as_str() {
            "text" => {
                push_words(content.text, Chunk::Text, chunks);
                Open::Text
            }
            "thinking" => {
                push_words(content.thinking.clone(), Chunk::Reasoning, chunks);
                Open::Thinking { text: content.thinking, signature: content.signature }
            }
            "tool_use" => self.call(content, chunks),
            "redacted_thinking" => Open::Sealed(raw.get().to_owned()),
            _ => return Ok(()),
        };
        self.open.insert(index, open);
        Ok(())
    }

    fn call(&mut self, content: Content, chunks: &mut Vec<Chunk>) -> Open {
        let (index, call_id) = (self.calls, content.id.filter(|id| !id.is_empty()));
        self.calls = self.calls.saturating_add(1);
        chunks.push(Chunk::CallDelta { index, call_id, name: content.name, arguments: String::new() });
        let whole = content.input.map_or_else(|| "{}".to_owned(), |input| input.get().to_owned());
        Open::Call { index, streamed: false, whole }
    }

    fn add(&mut self, index: u64, delta: Delta, chunks: &mut Vec<Chunk>) {
        match self.open.get_mut(&index) {
            Some(Open::Text) => push_words(delta.text, Chunk::Text, chunks),
            Some(Open::Thinking { text, signature }) => {
                text.push_str(&delta.thinking);
                signature.push_str(&delta.signature);
                push_words(delta.thinking, Chunk::Reasoning, chunks);
            }
            Some(Open::Call { index, streamed, .. }) if !delta.partial_json.is_empty() => {
                *streamed = true;
                let arguments = delta.partial_json;
                chunks.push(Chunk::CallDelta { index: *index, call_id: None, name: None, arguments });
            }
            Some(Open::Call { .. } | Open::Sealed(_)) | None => {}
        }
    }

    /// Content that is whole: sealed reasoning can go back, and arguments that did not stream came with the beginning.
    fn end(&mut self, index: u64, chunks: &mut Vec<Chunk>) {
        match self.open.remove(&index) {
            Some(Open::Thinking { text, signature }) if !signature.is_empty() => {
                let item = json!({"type": "thinking", "thinking": text, "signature": signature});
                chunks.push(Chunk::Item(item.to_string()));
            }
            Some(Open::Sealed(json)) => chunks.push(Chunk::Item(json)),
            Some(Open::Call { index, streamed: false, whole }) => {
                chunks.push(Chunk::CallDelta { index, call_id: None, name: None, arguments: whole });
            }
            Some(Open::Text | Open::Thinking { .. } | Open::Call { .. }) | None => {}
        }
    }

    fn whole(&mut self, event: Event, chunks: &mut Vec<Chunk>) -> Result<(), Failure> {
        for (index, content) in (0..).zip(&event.content) {
            self.begin(index, Some(content), chunks)?;
            self.end(index, chunks);
        }
        chunks.extend(self.count(event.usage));
        self.stop_reason = event.stop_reason;
        self.done = true;
        Ok(())
    }

    /// The provider counts what it read from its cache, and what it put there, apart from the rest of the input.
    fn count(&mut self, counts: Option<Counts>) -> Option<Chunk> {
        let counts = counts?;
        if let Some(fresh) = counts.input_tokens {
            let read = counts.cache_read_input_tokens.unwrap_or(0);
            let written = counts.cache_creation_input_tokens.unwrap_or(0);
            self.usage.input_tokens = fresh.saturating_add(read).saturating_add(written);
            self.usage.cached_input_tokens = read;
        }
        self.usage.output_tokens = counts.output_tokens.unwrap_or(self.usage.output_tokens);
        Some(Chunk::Usage(self.usage))
    }
}

fn push_words(words: String, kind: fn(String) -> Chunk, chunks: &mut Vec<Chunk>) {
    if !words.is_empty() {
        chunks.push(kind(words));
    }
}

#[cfg(test)]
mod tests;
