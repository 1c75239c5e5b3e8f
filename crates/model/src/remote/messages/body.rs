//! The body of a request, as messages have it.
//!
//! The format is that of Anthropic's API reference, "Create a Message": the system prompt has a field of its own, roles
//! alternate strictly beginning with the user, results of calls come first in the message behind the calls, no text is
//! blank. What the conversation begins with is marked for the provider's cache, and so is its newest message.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::assembly::is_json_object;
use crate::remote::api::Dialect;
use crate::{Call, Item, Message, Request, ToolSpec};

/// The output limit of a request that names none: the API wants one.
const OUTPUT_TOKENS_MAX: u32 = 32_000;
/// What stands for a text that has nothing to read in it.
const BLANK: &str = "(empty)";

#[derive(Serialize)]
pub(in crate::remote) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Value>,
    messages: Vec<Told>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
    stream: bool,
}

/// All that one side says before the other one does.
#[derive(Serialize)]
struct Told {
    role: &'static str,
    content: Vec<Box<RawValue>>,
}

impl<'a> Body<'a> {
    pub(in crate::remote) fn new(request: &'a Request, dialect: &Dialect<'_>) -> Self {
        let cached = json!({"type": "ephemeral"});
        let system = (!request.system.trim().is_empty())
            .then(|| json!({"type": "text", "text": request.system, "cache_control": cached}));
        Self {
            model: &request.model,
            max_tokens: request.max_output_tokens.unwrap_or(OUTPUT_TOKENS_MAX),
            system: system.into_iter().collect(),
            messages: conversation(request, dialect),
            tools: request.tools.iter().map(tool).collect(),
            // The model decides how long it thinks; the effort is its measure.
            thinking: request.effort.map(|_| json!({"type": "adaptive", "display": "summarized"})),
            output_config: request.effort.map(|effort| json!({"effort": effort.name()})),
            stream: true,
        }
    }
}

fn conversation(request: &Request, dialect: &Dialect<'_>) -> Vec<Told> {
    let mut told: Vec<Told> = Vec::new();
    for message in &request.messages {
        let (role, parts) = match message {
            Message::User { text } => ("user", vec![text_part(text)]),
            Message::Tool { call_id, text, is_error } => ("user", vec![result(call_id, text, *is_error)]),
            Message::Assistant { .. } => ("assistant", answer(message, request, dialect)),
        };
        match told.last_mut() {
            Some(last) if last.role == role => last.content.extend(parts),
            None if role == "assistant" => {
                told.push(Told { role: "user", content: vec![text_part("")] });
                told.push(Told { role, content: parts });
            }
            _ => told.push(Told { role, content: parts }),
        }
    }
    if let Some(last) =
        told.last_mut().filter(|last| last.role == "user").and_then(|last| last.content.last_mut())
    {
        *last = marked(last);
    }
    told
}

/// Returns an answer's parts: sealed ones in the place where they came, text in front of the calls.
fn answer(message: &Message, request: &Request, dialect: &Dialect<'_>) -> Vec<Box<RawValue>> {
    let Message::Assistant { text, calls, items, .. } = message else { return Vec::new() };
    let ours = |item: &&Item| item.provider == dialect.provider && item.model == request.model;
    let before = |place: usize| {
        let here = move |item: &&Item| usize::try_from(item.before_call).unwrap_or(usize::MAX) == place;
        items
            .iter()
            .filter(ours)
            .filter(here)
            .filter_map(|item| RawValue::from_string(item.json.clone()).ok())
    };
    let mut parts: Vec<_> = before(0).collect();
    if !text.trim().is_empty() || (calls.is_empty() && parts.is_empty()) {
        parts.push(text_part(text.trim_end()));
    }
    for (place, call) in calls.iter().enumerate() {
        parts.extend(before(place).filter(|_| place > 0));
        parts.push(tool_use(call));
    }
    parts.extend(before(calls.len()).filter(|_| !calls.is_empty()));
    parts
}

fn text_part(text: &str) -> Box<RawValue> {
    let text = if text.trim().is_empty() { BLANK } else { text };
    raw(&json!({"type": "text", "text": text}))
}

fn result(call_id: &str, text: &str, is_error: bool) -> Box<RawValue> {
    let mut part = json!({"type": "tool_result", "tool_use_id": safe_id(call_id), "content": text});
    if is_error {
        part["is_error"] = json!(true);
    }
    raw(&part)
}

/// Arguments go back to the letter where they are an object, for the cache knows them by their letters.
fn tool_use(call: &Call) -> Box<RawValue> {
    let input = match call.arguments.trim() {
        "" => "{}".to_owned(),
        text if is_json_object(text) => text.to_owned(),
        text => json!({"not_json": text}).to_string(),
    };
    let (id, name) = (json!(safe_id(&call.call_id)), json!(call.name));
    let part = format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{input}}}"#);
    RawValue::from_string(part).expect("whole JSON values make a whole object")
}

/// An id of another provider may have characters that this one refuses.
fn safe_id(call_id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    call_id.chars().map(safe).collect()
}

fn tool(spec: &ToolSpec) -> Value {
    json!({"name": spec.name, "description": spec.description, "input_schema": spec.parameters})
}

/// Marks the conversation's end, so that the next request finds everything up to here in the cache.
fn marked(part: &RawValue) -> Box<RawValue> {
    let mut value: Value = serde_json::from_str(part.get()).unwrap_or_default();
    if value.is_object() {
        value["cache_control"] = json!({"type": "ephemeral"});
    }
    raw(&value)
}

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).expect("a value is JSON")
}

#[cfg(test)]
mod tests;
