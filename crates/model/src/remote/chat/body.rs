//! The body of a request, as chat completions have it.
//!
//! The format is that of OpenAI's API reference, "Create chat completion".

use serde::Serialize;
use serde_json::{Value, json};

use crate::assembly::is_json_object;
use crate::remote::api::Dialect;
use crate::{Call, Message, Request, ToolSpec};

#[derive(Serialize)]
pub(in crate::remote) struct Body<'a> {
    model: &'a str,
    messages: Vec<Value>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

impl<'a> Body<'a> {
    pub(in crate::remote) fn new(request: &'a Request, dialect: &Dialect<'_>) -> Self {
        let limit = request.max_output_tokens;
        let system =
            (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
        let messages = request.messages.iter().map(|told| message(told, dialect.replay_reasoning));
        Self {
            model: &request.model,
            messages: system.into_iter().chain(messages).collect(),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
            tools: request.tools.iter().map(tool).collect(),
            reasoning_effort: request.effort.map(crate::Effort::name),
            max_tokens: limit.filter(|_| !dialect.completion_limit),
            max_completion_tokens: limit.filter(|_| dialect.completion_limit),
        }
    }
}

fn message(told: &Message, replay_reasoning: bool) -> Value {
    match told {
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::Tool { call_id, text, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": text})
        }
        Message::Assistant { text, reasoning, calls, items: _ } => {
            let mut value = json!({"role": "assistant", "content": text});
            if !calls.is_empty() {
                value["tool_calls"] = calls.iter().map(call).collect();
                if text.is_empty() {
                    value["content"] = Value::Null;
                }
            }
            if replay_reasoning && !reasoning.is_empty() {
                value["reasoning_content"] = json!(reasoning);
            }
            value
        }
    }
}

/// A server that renders earlier calls through a template refuses the whole conversation when one of them is
/// no JSON object, so a call that the model botched is wrapped.
fn call(call: &Call) -> Value {
    let arguments = match call.arguments.trim() {
        "" => "{}".to_owned(),
        text if is_json_object(text) => call.arguments.clone(),
        _ => json!({"not_json": call.arguments}).to_string(),
    };
    json!({"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

fn tool(spec: &ToolSpec) -> Value {
    json!({"type": "function", "function": {
        "name": spec.name, "description": spec.description, "parameters": spec.parameters,
    }})
}
