//! Event data of OpenAI's responses in, chunks out.
//!
//! The format is that of the API reference, "Streaming events"; events and kinds of items that are not known are passed
//! over.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::remote::api::Decode;
use crate::remote::refusal::{self, unreadable};
use crate::{Chunk, Failure, FailureClass, Finish, Usage};

/// What is remembered of an answer between two events.
#[derive(Default)]
pub(in crate::remote) struct Decoder {
    open: BTreeMap<u64, Open>,
    calls: u32,
    declined: bool,
    ready: Vec<Chunk>,
    end: Option<End>,
}

/// An item of the answer that has begun.
#[derive(Default)]
struct Open {
    /// Which call of the answer it is.
    call: Option<u32>,
    /// Whether anything of it streamed; what did not is in the whole item.
    streamed: bool,
    /// Whether it is whole.
    whole: bool,
}

#[derive(Clone, Copy)]
enum End {
    Completed,
    OutputLimit,
    Filtered,
}

/// The data of any event, or a whole response from a server that does not stream.
#[derive(Deserialize)]
struct Event {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    output_index: u64,
    #[serde(default)]
    summary_index: u64,
    #[serde(default)]
    delta: String,
    #[serde(default)]
    item: Option<Box<RawValue>>,
    #[serde(default)]
    response: Option<Response>,
    #[serde(default)]
    object: String,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status: String,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    output: Vec<Box<RawValue>>,
    #[serde(default)]
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: String,
    #[serde(default)]
    encrypted_content: Option<String>,
    #[serde(default)]
    content: Option<Vec<Part>>,
    #[serde(default)]
    summary: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
    #[serde(default)]
    refusal: String,
}

impl Decode for Decoder {
    fn push(&mut self, data: &str) -> Result<Vec<Chunk>, Failure> {
        let data = data.trim();
        if self.end.is_some() || data.is_empty() || data == "[DONE]" {
            return Ok(Vec::new());
        }
        let event: Event = serde_json::from_str(data).map_err(|error| unreadable(&error, data))?;
        if event.kind == "error" {
            let whole = serde_json::from_str(data).unwrap_or_default();
            return Err(refusal::within_stream(event.error.as_ref().unwrap_or(&whole)));
        }
        if let Some(error) = event.error.as_ref().filter(|error| !error.is_null()) {
            return Err(refusal::within_stream(error));
        }
        if event.object == "response" {
            let response = serde_json::from_str(data).map_err(|error| unreadable(&error, data))?;
            self.close(response)?;
        } else {
            self.read(event)?;
        }
        Ok(std::mem::take(&mut self.ready))
    }

    fn is_done(&self) -> bool {
        self.end.is_some()
    }

    fn is_finished(&self) -> bool {
        self.end.is_some()
    }

    fn finish(&self) -> Result<Finish, Failure> {
        match self.end {
            None => Err(Failure::new(
                FailureClass::StreamCut,
                "the provider ended its answer without saying that it was finished",
            )),
            Some(End::OutputLimit) => Ok(Finish::MaxTokens),
            Some(End::Filtered) => Ok(Finish::Refusal),
            Some(End::Completed) if self.declined => Ok(Finish::Refusal),
            Some(End::Completed) if self.calls > 0 => Ok(Finish::ToolCalls),
            Some(End::Completed) => Ok(Finish::Stop),
        }
    }
}

impl Decoder {
    fn read(&mut self, event: Event) -> Result<(), Failure> {
        let place = event.output_index;
        match event.kind.as_str() {
            "response.output_item.added" => self.begin(place, &item_of(event.item.as_deref())?),
            "response.output_text.delta" => self.words(place, event.delta, Chunk::Text),
            "response.refusal.delta" => {
                self.declined = true;
                self.words(place, event.delta, Chunk::Text);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.words(place, event.delta, Chunk::Reasoning);
            }
            "response.reasoning_summary_part.added" if event.summary_index > 0 => {
                self.words(place, "\n\n".to_owned(), Chunk::Reasoning);
            }
            "response.function_call_arguments.delta" => self.arguments(place, event.delta),
            "response.output_item.done" => self.end_item(place, event.item.as_deref())?,
            "response.completed" | "response.incomplete" | "response.failed" => {
                let cut = || {
                    Failure::new(FailureClass::StreamCut, "the provider ended its answer without the answer")
                };
                self.close(event.response.ok_or_else(cut)?)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, place: u64, item: &Item) {
        let open = self.open.entry(place).or_default();
        if item.kind == "function_call" && open.call.is_none() {
            let index = self.calls;
            open.call = Some(index);
            self.calls = self.calls.saturating_add(1);
            let call_id = item.call_id.clone().filter(|id| !id.is_empty());
            self.ready.push(Chunk::CallDelta {
                index,
                call_id,
                name: item.name.clone(),
                arguments: String::new(),
            });
        }
    }

    fn words(&mut self, place: u64, words: String, kind: fn(String) -> Chunk) {
        if !words.is_empty() {
            self.open.entry(place).or_default().streamed = true;
            self.ready.push(kind(words));
        }
    }

    fn arguments(&mut self, place: u64, arguments: String) {
        let Some(open) = self.open.get_mut(&place) else { return };
        if let Some(index) = open.call.filter(|_| !arguments.is_empty()) {
            open.streamed = true;
            self.ready.push(Chunk::CallDelta { index, call_id: None, name: None, arguments });
        }
    }

    /// Takes a whole item: what of it did not stream, and reasoning that can go back.
    fn end_item(&mut self, place: u64, raw: Option<&RawValue>) -> Result<(), Failure> {
        let item = item_of(raw)?;
        self.begin(place, &item);
        let open = self.open.entry(place).or_default();
        if std::mem::replace(&mut open.whole, true) {
            return Ok(());
        }
        if !open.streamed {
            match item.kind.as_str() {
                "function_call" => self.arguments(place, item.arguments.clone()),
                "message" => self.parts(place, item.content.as_deref(), Chunk::Text),
                "reasoning" => self.parts(place, item.summary.as_deref(), Chunk::Reasoning),
                _ => {}
            }
        }
        let is_sealed = item.kind == "reasoning" && item.encrypted_content.is_some();
        self.ready.extend(raw.filter(|_| is_sealed).map(|raw| Chunk::Item(raw.get().to_owned())));
        Ok(())
    }

    fn parts(&mut self, place: u64, parts: Option<&[Part]>, kind: fn(String) -> Chunk) {
        for part in parts.unwrap_or_default() {
            self.declined |= !part.refusal.is_empty();
            self.words(place, format!("{}{}", part.text, part.refusal), kind);
        }
    }

    fn close(&mut self, response: Response) -> Result<(), Failure> {
        if let Some(error) = response.error.as_ref().filter(|error| !error.is_null()) {
            return Err(refusal::within_stream(error));
        }
        for (place, item) in (0..).zip(&response.output) {
            self.end_item(place, Some(item))?;
        }
        self.ready.extend(
            response
                .usage
                .as_ref()
                .filter(|usage| usage.is_object())
                .map(|usage| Chunk::Usage(counts(usage))),
        );
        let why = response.incomplete_details.map(|details| details.reason).unwrap_or_default();
        self.end = Some(match (response.status.as_str(), why.as_str()) {
            ("incomplete", "content_filter") => End::Filtered,
            ("incomplete", _) => End::OutputLimit,
            ("failed" | "cancelled", _) => {
                return Err(Failure::new(FailureClass::Unknown, "the provider ended its answer in an error"));
            }
            _ => End::Completed,
        });
        Ok(())
    }
}

fn item_of(raw: Option<&RawValue>) -> Result<Item, Failure> {
    let text = raw.map_or("null", RawValue::get);
    serde_json::from_str(text).map_err(|error| unreadable(&error, text))
}

fn counts(usage: &Value) -> Usage {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    Usage {
        input_tokens: count("/input_tokens"),
        output_tokens: count("/output_tokens"),
        cached_input_tokens: count("/input_tokens_details/cached_tokens"),
        reasoning_tokens: count("/output_tokens_details/reasoning_tokens"),
    }
}

#[cfg(test)]
mod tests;
