//! Chat completions, as a server writes them.

use model::{Call, Chunk, Finish, Message, Request, ToolSpec};
use serde_json::{Value, json};

use super::{Dialect, event, text};

#[derive(Default)]
pub(super) struct Chat;

impl Dialect for Chat {
    fn request(body: &Value) -> Request {
        let messages = body["messages"].as_array().expect("a request has messages");
        let (system, told): (Vec<_>, Vec<_>) =
            messages.iter().partition(|message| message["role"] == "system");
        Request {
            model: text(&body["model"]),
            system: system.first().map(|message| text(&message["content"])).unwrap_or_default(),
            messages: told.into_iter().map(message).collect(),
            tools: body["tools"].as_array().into_iter().flatten().map(tool).collect(),
            effort: None,
            max_output_tokens: None,
        }
    }

    fn piece(&mut self, chunk: Chunk) -> Vec<String> {
        vec![event(&piece(chunk))]
    }

    fn end(&mut self) -> Vec<String> {
        vec!["data: [DONE]\n\n".to_owned()]
    }
}

fn piece(chunk: Chunk) -> Value {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    match chunk {
        Chunk::Text(text) => delta(json!({"content": text})),
        Chunk::Reasoning(text) => delta(json!({"reasoning_content": text})),
        Chunk::CallDelta { index, call_id, name, arguments } => delta(json!({"tool_calls": [{
            "index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments},
        }]})),
        Chunk::Item(_) => delta(json!({})),
        Chunk::Usage(usage) => json!({"choices": [], "usage": {
            "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens,
        }}),
        Chunk::Finish(finish) => {
            let reason = match finish {
                Finish::Stop => "stop",
                Finish::ToolCalls => "tool_calls",
                Finish::MaxTokens => "length",
                Finish::Refusal => "content_filter",
            };
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        }
    }
}

fn message(message: &Value) -> Message {
    let content = text(&message["content"]);
    match message["role"].as_str() {
        Some("user") => Message::User { text: content },
        Some("tool") => {
            let is_error = content.starts_with("Error");
            Message::Tool { call_id: text(&message["tool_call_id"]), text: content, is_error }
        }
        Some("assistant") => {
            let calls = message["tool_calls"].as_array().into_iter().flatten().map(call).collect();
            Message::Assistant { text: content, reasoning: String::new(), calls, items: Vec::new() }
        }
        role => panic!("a message has the role {role:?}"),
    }
}

fn call(call: &Value) -> Call {
    let function = &call["function"];
    Call {
        call_id: text(&call["id"]),
        name: text(&function["name"]),
        arguments: text(&function["arguments"]),
    }
}

fn tool(tool: &Value) -> ToolSpec {
    let function = &tool["function"];
    ToolSpec {
        name: text(&function["name"]),
        description: text(&function["description"]),
        parameters: function["parameters"].clone(),
    }
}
