use proptest::prelude::*;

use crate::remote::stage::{all_are_expected, check};
use crate::remote::{Api, decode_recorded};
use crate::{Assembly, Chunk};

#[test]
fn text_and_reasoning_come_out_under_every_name() {
    check(Api::Chat, "text", &["text: Grüße, 世界 👋", "tokens: 40 (32) -> 12 (4)", "Stop"]);
    check(
        Api::Chat,
        "reasoning_content",
        &["reasoning: Let me think.", "text: 42", "tokens: 9 (8) -> 7 (0)", "Stop"],
    );
    check(Api::Chat, "reasoning", &["reasoning: Let me think.", "text: 42", "Stop"]);
    check(Api::Chat, "crlf", &["text: ab", "Stop"]);
}

#[test]
fn calls_come_out_whole_however_a_server_numbers_them() {
    check(
        Api::Chat,
        "parallel_calls",
        &[
            r#"call_a = list_files({"path":"src"})"#,
            r#"call_b = search({"pattern":"a\"b\u00e9"})"#,
            "tokens: 40 (32) -> 12 (4)",
            "ToolCalls",
        ],
    );
    check(
        Api::Chat,
        "whole_calls_without_index",
        &[
            "call_0 = list_files({})",
            r#"call_1 = read_file({"path":"a"})"#,
            r#"call_2 = search({"pattern":"b","n":1.0})"#,
            "ToolCalls",
        ],
    );
    check(
        Api::Chat,
        "all_calls_at_index_zero",
        &["call_a = list_files({})", r#"call_b = read_file({"path":"a"})"#, "ToolCalls"],
    );
    check(Api::Chat, "repeated_id_and_name", &[r#"call_a = list_files({"path":"src"})"#, "ToolCalls"]);
    check(
        Api::Chat,
        "whole_message",
        &["text: Hi", "call_a = list_files({})", "tokens: 40 (32) -> 12 (4)", "ToolCalls"],
    );
}

#[test]
fn every_end_has_its_meaning() {
    check(Api::Chat, "output_limit", &["text: I will", "call_a = list_files({})", "MaxTokens"]);
    check(Api::Chat, "refusal", &["text: I cannot help.", "Refusal"]);
    check(Api::Chat, "content_filter", &["text: Half", "Refusal"]);
    check(Api::Chat, "done_without_finish", &["text: Hi", "Stop"]);
    check(Api::Chat, "finish_without_done", &["text: Hi", "Stop"]);
}

#[test]
fn a_broken_answer_is_a_failure_with_its_class() {
    let cut = "stream-cut: the provider ended its answer without saying that it was finished";
    let half = "stream-cut: the provider's answer broke off in the middle of an event";
    check(Api::Chat, "cut", &["text: The answer is", cut]);
    check(Api::Chat, "cut_in_event", &["text: The answer ", half]);
    check(Api::Chat, "cut_in_character", &["text: The answer ", half]);
    check(
        Api::Chat,
        "error_inside",
        &["text: The ", "overloaded: The server had an error while processing your request"],
    );
    check(Api::Chat, "error_with_status", &["text: The ", "rate-limit: Provider returned error"]);
    check(Api::Chat, "bare_error_text", &["unknown: model requires more system memory"]);
    let garbage = "unknown: the provider sent an event that is no answer (expected value at line 1 column 1): hello there";
    check(Api::Chat, "bare_garbage", &[garbage]);
}

#[test]
fn every_fixture_is_expected_somewhere() {
    all_are_expected(Api::Chat, include_str!("tests.rs"));
}

proptest! {
    #[test]
    fn calls_survive_any_cut_of_their_arguments(
        texts in prop::collection::vec("[a-z\"\\\\é ]{0,12}", 1..4),
        order in prop::collection::vec((0_usize..4, 1_usize..6), 0..60),
    ) {
        let wanted: Vec<String> = texts.iter().map(|text| serde_json::json!({"x": text}).to_string()).collect();
        let mut rest: Vec<Vec<char>> = wanted.iter().map(|text| text.chars().collect()).collect();
        let mut events: Vec<String> = (0..wanted.len()).map(|at| piece(at, Some("t"), "")).collect();
        let all = (0..wanted.len()).map(|at| (at, usize::MAX));
        for (at, count) in order.into_iter().chain(all) {
            let at = at % wanted.len();
            let taken: String = { let left = &mut rest[at]; left.drain(..count.min(left.len())).collect() };
            events.push(piece(at, None, &taken));
        }
        events.push("data: [DONE]\n\n".to_owned());
        let (chunks, finish) = decode_recorded(Api::Chat, [events.concat().into_bytes()]);
        let mut assembly = Assembly::new();
        chunks.iter().for_each(|chunk| assembly.push(chunk));
        assembly.push(&Chunk::Finish(finish.unwrap()));
        let got: Vec<String> = assembly.calls().into_iter().map(|call| call.arguments).collect();
        prop_assert_eq!(got, wanted);
    }
}

fn piece(index: usize, name: Option<&str>, arguments: &str) -> String {
    let call_id = name.map(|_| format!("c{index}"));
    let call = serde_json::json!({"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}});
    format!("data: {}\n\n", serde_json::json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
}
