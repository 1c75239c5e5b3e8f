use serde_json::{Value, json};

use super::*;
use crate::Effort;
use crate::remote::Api;
use crate::remote::stage::request;

const DIALECT: Dialect<'_> =
    Dialect { provider: "anthropic", completion_limit: false, replay_reasoning: false };

fn body(request: &Request) -> Value {
    serde_json::from_str(&Api::Messages.body(request, &DIALECT).unwrap()).unwrap()
}

fn said(messages: Vec<Message>) -> Value {
    body(&Request { messages, ..request() })["messages"].clone()
}

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

fn answered(text: &str, calls: &[&str], items: Vec<Item>) -> Message {
    let call =
        |id: &&str| Call { call_id: (*id).into(), name: "t".into(), arguments: r#"{"b":1,"a":1.0}"#.into() };
    Message::Assistant {
        text: text.into(),
        reasoning: "hm".into(),
        calls: calls.iter().map(call).collect(),
        items,
    }
}

fn tool(call_id: &str, text: &str, is_error: bool) -> Message {
    Message::Tool { call_id: call_id.into(), text: text.into(), is_error }
}

fn sealed(before_call: u32, model: &str) -> Item {
    let json = r#"{"type":"thinking","thinking":"hm","signature":"c2ln"}"#.to_owned();
    Item { provider: "anthropic".into(), model: model.into(), before_call, json }
}

#[test]
fn the_system_prompt_has_a_field_and_results_are_content_of_the_user() {
    let body = body(&request());
    assert_eq!(
        (&body["model"], &body["max_tokens"], &body["stream"]),
        (&json!("m-1"), &json!(99), &json!(true))
    );
    let cached = json!({"type": "ephemeral"});
    assert_eq!(body["system"], json!([{"type": "text", "text": "Be brief.", "cache_control": cached}]));
    assert_eq!(
        body["tools"][0],
        json!({"name": "list_files", "description": "Lists.", "input_schema": {"type": "object"}})
    );
    assert_eq!(
        (&body["thinking"]["type"], &body["output_config"]),
        (&json!("adaptive"), &json!({"effort": "high"}))
    );
    let call = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let expected = json!([
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [
            call("c1", "list_files", json!({})),
            call("c2", "search", json!({"not_json": "{\"pat"})),
            call("c3", "search", json!({"a": 1.0})),
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt", "cache_control": cached},
        ]},
    ]);
    assert_eq!(body["messages"], expected);
}

#[test]
fn a_request_without_effort_and_limit_asks_for_no_thinking() {
    let body = body(&Request { effort: None, max_output_tokens: None, ..request() });
    assert_eq!((body.get("thinking"), body.get("output_config")), (None, None));
    assert_eq!(body["max_tokens"], OUTPUT_TOKENS_MAX);
}

#[test]
fn roles_alternate_whatever_the_history_and_no_text_is_blank() {
    let odd = said(vec![
        answered("first", &[], vec![]),
        user("a"),
        user(" "),
        answered("  ", &["x.1"], vec![]),
        tool("x.1", "no such file", true),
        user("b"),
        answered("one", &[], vec![]),
        answered("two \n", &[], vec![]),
        user("c"),
    ]);
    let roles: Vec<_> = odd.as_array().unwrap().iter().map(|told| told["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user", "assistant", "user"]);
    let texts = |at: usize| odd[at]["content"].as_array().unwrap().iter().map(|part| part["text"].clone());
    assert_eq!(texts(2).collect::<Vec<_>>(), [json!("a"), json!("(empty)")]);
    assert_eq!(texts(5).collect::<Vec<_>>(), [json!("one"), json!("two")]);
    assert_eq!(odd[3]["content"].as_array().unwrap().len(), 1, "a blank text is left out before a call");
    let result = &odd[4]["content"][0];
    assert_eq!((&result["tool_use_id"], &result["is_error"]), (&json!("x_1"), &json!(true)));
    assert_eq!(odd[3]["content"][0]["id"], "x_1");
}

#[test]
fn sealed_reasoning_goes_back_to_its_own_model_in_its_place_and_arguments_to_the_letter() {
    let history =
        |model| vec![user("hi"), answered("so", &["c1", "c2"], vec![sealed(0, model), sealed(1, model)])];
    let kinds = |messages| {
        let told = said(messages);
        let parts = told[1]["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part["type"].as_str().unwrap().to_owned());
        parts.collect::<Vec<_>>()
    };
    assert_eq!(kinds(history("m-1")), ["thinking", "text", "tool_use", "thinking", "tool_use"]);
    assert_eq!(kinds(history("m-2")), ["text", "tool_use", "tool_use"]);
    let text = Api::Messages.body(&Request { messages: history("m-1"), ..request() }, &DIALECT).unwrap();
    assert!(text.contains(r#""input":{"b":1,"a":1.0}"#), "{text}");
    assert!(text.contains(r#"{"type":"thinking","thinking":"hm","signature":"c2ln"}"#), "{text}");
    assert!(!text.contains("medium") && Effort::Medium.name() == "medium");
}
