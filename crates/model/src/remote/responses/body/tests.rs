use serde_json::{Value, json};

use super::*;
use crate::remote::Api;
use crate::remote::stage::request;

const DIALECT: Dialect<'_> = Dialect { provider: "openai", completion_limit: true, replay_reasoning: false };

fn body(request: &Request) -> Value {
    serde_json::from_str(&Api::Responses.body(request, &DIALECT).unwrap()).unwrap()
}

#[test]
fn the_conversation_becomes_items_and_nothing_is_stored() {
    let body = body(&request());
    let call = |id: &str, name: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments});
    let expected = json!({
        "model": "m-1",
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            call("c1", "list_files", ""),
            call("c2", "search", "{\"pat"),
            call("c3", "search", "{ \"a\":1.0}"),
            {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
        ],
        "tools": [{
            "type": "function", "name": "list_files", "description": "Lists.", "parameters": {"type": "object"}, "strict": false,
        }],
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 99,
        "store": false,
        "stream": true,
    });
    assert_eq!(body, expected);
}

#[test]
fn a_model_without_effort_is_not_asked_for_its_reasoning() {
    let body = body(&Request { effort: None, tools: vec![], max_output_tokens: None, ..request() });
    for absent in ["reasoning", "include", "tools", "max_output_tokens"] {
        assert_eq!(body.get(absent), None, "{absent}");
    }
}

#[test]
fn sealed_reasoning_goes_back_to_its_own_model_with_what_it_led_to() {
    let sealed = |before_call, id: &str| Item {
        provider: "openai".into(),
        model: "m-1".into(),
        before_call,
        json: format!(r#"{{"id":"{id}","type":"reasoning","summary":[],"encrypted_content":"gAAA"}}"#),
    };
    let calls: Vec<Call> =
        ["c1", "c2"].map(|id| Call { call_id: id.into(), name: "t".into(), arguments: "{}".into() }).into();
    let history = |text: &str, calls: &[Call], model: &str| {
        let answer = Message::Assistant {
            text: text.into(),
            reasoning: String::new(),
            calls: calls.to_vec(),
            items: vec![sealed(0, "rs_1"), sealed(1, "rs_2"), sealed(2, "rs_3")],
        };
        let asked = body(&Request { messages: vec![answer], model: model.into(), ..request() });
        let told = |item: &Value| item["id"].as_str().or(item["type"].as_str()).unwrap().to_owned();
        asked["input"].as_array().unwrap().iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(history("so", &calls, "m-1"), ["rs_1", "message", "function_call", "rs_2", "function_call"]);
    assert_eq!(history("", &calls, "m-1"), ["rs_1", "function_call", "rs_2", "function_call"]);
    assert_eq!(history("so", &calls, "m-2"), ["message", "function_call", "function_call"]);
}
