//! The body of a request, as responses have it.
//!
//! The format is that of OpenAI's API reference, "Create a model response". Nothing is stored at the provider: the whole
//! conversation goes along each time, sealed reasoning included.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::remote::api::Dialect;
use crate::{Call, Item, Message, Request, ToolSpec};

#[derive(Serialize)]
pub(in crate::remote) struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    input: Vec<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    store: bool,
    stream: bool,
}

impl<'a> Body<'a> {
    pub(in crate::remote) fn new(request: &'a Request, dialect: &Dialect<'_>) -> Self {
        let input = request.messages.iter().flat_map(|message| items(message, request, dialect));
        // A model that does not reason refuses to be asked about its reasoning.
        let reasons = request.effort.is_some() || dialect.replay_reasoning;
        Self {
            model: &request.model,
            instructions: &request.system,
            input: input.collect(),
            tools: request.tools.iter().map(tool).collect(),
            reasoning: request.effort.map(|effort| json!({"effort": effort.name(), "summary": "auto"})),
            include: reasons.then_some("reasoning.encrypted_content").into_iter().collect(),
            max_output_tokens: request.max_output_tokens,
            store: false,
            stream: true,
        }
    }
}

fn items(message: &Message, request: &Request, dialect: &Dialect<'_>) -> Vec<Box<RawValue>> {
    match message {
        Message::User { text } => {
            vec![raw(
                &json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}),
            )]
        }
        Message::Tool { call_id, text, .. } => {
            vec![raw(&json!({"type": "function_call_output", "call_id": call_id, "output": text}))]
        }
        Message::Assistant { text, calls, items, .. } => {
            let ours = |item: &&Item| item.provider == dialect.provider && item.model == request.model;
            let sealed: Vec<&Item> = items.iter().filter(ours).collect();
            answer(text, calls, &sealed)
        }
    }
}

/// Returns an answer's items: sealed ones in the place where they came, text in front of the calls.
///
/// Reasoning with nothing behind it is left out: the provider takes it only together with what it led to.
fn answer(text: &str, calls: &[Call], sealed: &[&Item]) -> Vec<Box<RawValue>> {
    let before = |place: usize| {
        let here = move |item: &&&Item| usize::try_from(item.before_call).unwrap_or(usize::MAX) == place;
        sealed.iter().filter(here).filter_map(|item| RawValue::from_string(item.json.clone()).ok())
    };
    let mut told = Vec::new();
    if !text.is_empty() {
        told.extend(before(0));
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        told.push(raw(&json!({"type": "message", "role": "assistant", "content": content})));
    }
    for (place, call) in calls.iter().enumerate() {
        told.extend(before(place).filter(|_| place > 0 || text.is_empty()));
        let Call { call_id, name, arguments } = call;
        told.push(raw(&json!({
            "type": "function_call", "call_id": call_id, "name": name, "arguments": arguments,
        })));
    }
    told
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function", "name": spec.name, "description": spec.description,
        "parameters": spec.parameters, "strict": false,
    })
}

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).expect("a value is JSON")
}

#[cfg(test)]
mod tests;
