//! Anthropic's messages, as a server writes them. It is strict: roles alternate, and each call has its result next.

use model::{Call, Chunk, Finish, Item, Message, Request, ToolSpec, Usage};
use serde_json::{Value, json};

use super::{Dialect, event, text};

#[derive(Default)]
pub(super) struct Messages {
    begun: bool,
    index: u64,
    open: Option<Open>,
    usage: Usage,
}

#[derive(Clone, Copy, PartialEq)]
enum Open {
    Text,
    Thinking,
    Call(u32),
}

impl Dialect for Messages {
    fn request(body: &Value) -> Request {
        assert!(body["max_tokens"].is_u64(), "an output limit is demanded");
        let told = body["messages"].as_array().expect("a request has messages");
        let roles: Vec<_> = told.iter().map(|message| text(&message["role"])).collect();
        assert_eq!(roles.first().map(String::as_str), Some("user"), "the user begins");
        assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "roles alternate: {roles:?}");
        told.windows(2).for_each(|pair| assert_answered(&pair[0], &pair[1]));
        Request {
            model: text(&body["model"]),
            system: text(&body["system"][0]["text"]),
            messages: told.iter().flat_map(|message| read(message, &text(&body["model"]))).collect(),
            tools: body["tools"].as_array().into_iter().flatten().map(tool).collect(),
            effort: None,
            max_output_tokens: None,
        }
    }

    fn piece(&mut self, chunk: Chunk) -> Vec<String> {
        let mut events = self.begin();
        match chunk {
            Chunk::Text(text) => {
                events.extend(self.open(Open::Text, &json!({"type": "text", "text": ""})));
                events.push(self.delta(&json!({"type": "text_delta", "text": text})));
            }
            Chunk::Reasoning(text) => {
                events.extend(self.open(Open::Thinking, &json!({"type": "thinking", "thinking": ""})));
                events.push(self.delta(&json!({"type": "thinking_delta", "thinking": text})));
            }
            Chunk::CallDelta { index, call_id, name, arguments } => {
                let start = json!({"type": "tool_use", "id": call_id, "name": name, "input": {}});
                events.extend(self.open(Open::Call(index), &start));
                events.push(self.delta(&json!({"type": "input_json_delta", "partial_json": arguments})));
            }
            Chunk::Item(json) => {
                events.extend(self.close());
                let item: Value = serde_json::from_str(&json).expect("an item is JSON");
                let index = self.index;
                events.push(event(
                    &json!({"type": "content_block_start", "index": index, "content_block": item}),
                ));
                events.push(event(&json!({"type": "content_block_stop", "index": index})));
                self.index += 1;
            }
            Chunk::Usage(usage) => self.usage = usage,
            Chunk::Finish(finish) => {
                events.extend(self.close());
                let reason = match finish {
                    Finish::Stop => "end_turn",
                    Finish::ToolCalls => "tool_use",
                    Finish::MaxTokens => "max_tokens",
                    Finish::Refusal => "refusal",
                };
                events.push(event(&json!({"type": "message_delta", "delta": {"stop_reason": reason}})));
            }
        }
        events
    }

    fn end(&mut self) -> Vec<String> {
        let used =
            json!({"input_tokens": self.usage.input_tokens, "output_tokens": self.usage.output_tokens});
        let counted = json!({"type": "message_delta", "delta": {}, "usage": used});
        vec![event(&counted), event(&json!({"type": "message_stop"}))]
    }
}

impl Messages {
    fn begin(&mut self) -> Vec<String> {
        if std::mem::replace(&mut self.begun, true) {
            return Vec::new();
        }
        vec![event(
            &json!({"type": "message_start", "message": {"usage": {"input_tokens": 1, "output_tokens": 1}}}),
        )]
    }

    fn open(&mut self, open: Open, start: &Value) -> Vec<String> {
        if self.open == Some(open) {
            return Vec::new();
        }
        let mut events = self.close();
        self.open = Some(open);
        let index = self.index;
        events.push(event(&json!({"type": "content_block_start", "index": index, "content_block": start})));
        events
    }

    fn delta(&self, delta: &Value) -> String {
        event(&json!({"type": "content_block_delta", "index": self.index, "delta": delta}))
    }

    fn close(&mut self) -> Vec<String> {
        let closed =
            self.open.take().map(|_| event(&json!({"type": "content_block_stop", "index": self.index})));
        self.index += u64::from(closed.is_some());
        closed.into_iter().collect()
    }
}

/// Every call has exactly one result, at the head of the message behind it.
fn assert_answered(message: &Value, next: &Value) {
    let ids = |message: &Value, kind: &str, name: &str| {
        let parts = message["content"].as_array().into_iter().flatten();
        let of_kind = parts.take_while(|part| kind == "tool_use" || part["type"] == kind);
        of_kind.filter(|part| part["type"] == kind).map(|part| text(&part[name])).collect::<Vec<_>>()
    };
    let called = ids(message, "tool_use", "id");
    if !called.is_empty() {
        assert_eq!(ids(next, "tool_result", "tool_use_id"), called, "each call has its result next");
    }
}

fn read(message: &Value, model: &str) -> Vec<Message> {
    let parts = message["content"].as_array().expect("content is a list");
    if message["role"] == "assistant" {
        return vec![answer(parts, model)];
    }
    let said = parts.iter().map(|part| match part["type"].as_str() {
        Some("text") => Message::User { text: text(&part["text"]) },
        Some("tool_result") => Message::Tool {
            call_id: text(&part["tool_use_id"]),
            text: text(&part["content"]),
            is_error: part["is_error"] == true,
        },
        kind => panic!("the user says {kind:?}"),
    });
    said.collect()
}

fn answer(parts: &[Value], model: &str) -> Message {
    let (mut said, mut calls, mut items) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match part["type"].as_str() {
            Some("text") => said.push(text(&part["text"])),
            Some("tool_use") => {
                assert!(part["input"].is_object(), "arguments are an object");
                calls.push(Call {
                    call_id: text(&part["id"]),
                    name: text(&part["name"]),
                    arguments: part["input"].to_string(),
                });
            }
            _ => items.push(Item {
                provider: "anthropic".to_owned(),
                model: model.to_owned(),
                before_call: u32::try_from(calls.len()).expect("a few calls"),
                json: part.to_string(),
            }),
        }
    }
    Message::Assistant { text: said.join("\n"), reasoning: String::new(), calls, items }
}

fn tool(tool: &Value) -> ToolSpec {
    ToolSpec {
        name: text(&tool["name"]),
        description: text(&tool["description"]),
        parameters: tool["input_schema"].clone(),
    }
}
