//! OpenAI's responses, as a server writes them.

use model::{Call, Chunk, Finish, Item, Message, Request, ToolSpec, Usage};
use serde_json::{Value, json};

use super::{Dialect, event, text};

#[derive(Default)]
pub(super) struct Responses {
    place: u64,
    open: Option<(Open, Value)>,
    usage: Usage,
    finish: Option<Finish>,
}

#[derive(Clone, Copy, PartialEq)]
enum Open {
    Message,
    Reasoning,
    Call(u32),
}

impl Dialect for Responses {
    fn request(body: &Value) -> Request {
        assert_eq!(body["store"], false, "nothing is stored at the provider");
        let model = text(&body["model"]);
        Request {
            system: text(&body["instructions"]),
            messages: conversation(body["input"].as_array().expect("a request has input"), &model),
            tools: body["tools"].as_array().into_iter().flatten().map(tool).collect(),
            model,
            effort: None,
            max_output_tokens: None,
        }
    }

    fn piece(&mut self, chunk: Chunk) -> Vec<String> {
        match chunk {
            Chunk::Text(text) => {
                let events =
                    self.open(Open::Message, json!({"type": "message", "role": "assistant", "content": []}));
                self.delta(events, "response.output_text.delta", &text)
            }
            Chunk::Reasoning(text) => {
                let events = self.open(Open::Reasoning, json!({"type": "reasoning", "summary": []}));
                self.delta(events, "response.reasoning_summary_text.delta", &text)
            }
            Chunk::CallDelta { index, call_id, name, arguments } => {
                let item =
                    json!({"type": "function_call", "call_id": call_id, "name": name, "arguments": ""});
                let events = self.open(Open::Call(index), item);
                self.delta(events, "response.function_call_arguments.delta", &arguments)
            }
            Chunk::Item(json) => {
                let mut events = self.close();
                let item: Value = serde_json::from_str(&json).expect("an item is JSON");
                events.push(self.done(&item));
                events
            }
            Chunk::Usage(usage) => {
                self.usage = usage;
                Vec::new()
            }
            Chunk::Finish(finish) => {
                self.finish = Some(finish);
                self.close()
            }
        }
    }

    fn end(&mut self) -> Vec<String> {
        let usage =
            json!({"input_tokens": self.usage.input_tokens, "output_tokens": self.usage.output_tokens});
        let (status, reason) = match self.finish {
            Some(Finish::MaxTokens) => ("incomplete", json!({"reason": "max_output_tokens"})),
            Some(Finish::Refusal) => ("incomplete", json!({"reason": "content_filter"})),
            Some(Finish::Stop | Finish::ToolCalls) => ("completed", Value::Null),
            None => return Vec::new(),
        };
        let response = json!({"status": status, "incomplete_details": reason, "usage": usage, "output": []});
        vec![event(&json!({"type": format!("response.{status}"), "response": response}))]
    }
}

impl Responses {
    fn open(&mut self, open: Open, item: Value) -> Vec<String> {
        if self.open.as_ref().is_some_and(|(known, _)| *known == open) {
            return Vec::new();
        }
        let mut events = self.close();
        let place = self.place;
        events
            .push(event(&json!({"type": "response.output_item.added", "output_index": place, "item": item})));
        self.open = Some((open, item));
        events
    }

    fn delta(&self, mut events: Vec<String>, kind: &str, delta: &str) -> Vec<String> {
        events.push(event(&json!({"type": kind, "output_index": self.place, "delta": delta})));
        events
    }

    fn close(&mut self) -> Vec<String> {
        let closed = self.open.take().map(|(_, item)| self.done(&item));
        closed.into_iter().collect()
    }

    fn done(&mut self, item: &Value) -> String {
        let place = self.place;
        self.place += 1;
        event(&json!({"type": "response.output_item.done", "output_index": place, "item": item}))
    }
}

/// Items of one answer stand in a row: they become one message again.
fn conversation(items: &[Value], model: &str) -> Vec<Message> {
    let mut told: Vec<Message> = Vec::new();
    for item in items {
        match item["type"].as_str() {
            Some("message") if item["role"] == "user" => {
                told.push(Message::User { text: text(&item["content"][0]["text"]) });
            }
            Some("function_call_output") => {
                let output = text(&item["output"]);
                let is_error = output.starts_with("Error");
                told.push(Message::Tool { call_id: text(&item["call_id"]), text: output, is_error });
            }
            _ => join(&mut told, item, model),
        }
    }
    told
}

fn join(told: &mut Vec<Message>, item: &Value, model: &str) {
    if !matches!(told.last(), Some(Message::Assistant { .. })) {
        let (text, reasoning) = (String::new(), String::new());
        told.push(Message::Assistant { text, reasoning, calls: Vec::new(), items: Vec::new() });
    }
    let Some(Message::Assistant { text: said, calls, items, .. }) = told.last_mut() else { return };
    match item["type"].as_str() {
        Some("message") => *said = text(&item["content"][0]["text"]),
        Some("function_call") => calls.push(Call {
            call_id: text(&item["call_id"]),
            name: text(&item["name"]),
            arguments: text(&item["arguments"]),
        }),
        Some("reasoning") => items.push(Item {
            provider: "openai".to_owned(),
            model: model.to_owned(),
            before_call: u32::try_from(calls.len()).expect("a few calls"),
            json: item.to_string(),
        }),
        kind => panic!("the conversation has {kind:?}"),
    }
}

fn tool(tool: &Value) -> ToolSpec {
    ToolSpec {
        name: text(&tool["name"]),
        description: text(&tool["description"]),
        parameters: tool["parameters"].clone(),
    }
}
