use crate::remote::Api::Responses;
use crate::remote::stage::{all_are_expected, check};

const TOKENS: &str = "tokens: 40 (32) -> 12 (4)";

#[test]
fn text_comes_with_its_usage() {
    check(Responses, "text", &["text: Grüße, 世界 👋", TOKENS, "Stop"]);
    check(Responses, "unknown_parts", &["text: Hi", TOKENS, "Stop"]);
}

#[test]
fn sealed_reasoning_keeps_its_place_between_parallel_calls() {
    check(
        Responses,
        "reasoning_and_parallel_calls",
        &[
            "reasoning: Let me think.",
            "",
            "Then look.",
            r#"call_a = list_files({"path":"src"})"#,
            r#"call_b = search({"pattern":"a\"b\u00e9"})"#,
            r#"before call 0: {"id": "rs_0", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Let me think."}, {"type": "summary_text", "text": "Then look."}], "encrypted_content": "gAAAAABo"}"#,
            r#"before call 1: {"id": "rs_2", "type": "reasoning", "summary": [], "encrypted_content": "gAAAAABo"}"#,
            TOKENS,
            "ToolCalls",
        ],
    );
}

#[test]
fn calls_come_out_whole_however_they_stream() {
    check(
        Responses,
        "interleaved_calls",
        &[
            r#"call_a = list_files({"path":"src"})"#,
            r#"call_b = read_file({"path":"a"})"#,
            TOKENS,
            "ToolCalls",
        ],
    );
    check(Responses, "call_that_did_not_stream", &["call_a = get_goal({})", TOKENS, "ToolCalls"]);
    check(Responses, "whole_response", &["text: Hi", "call_a = list_files({})", TOKENS, "ToolCalls"]);
}

#[test]
fn every_end_has_its_meaning() {
    check(Responses, "output_limit", &["text: I will", TOKENS, "MaxTokens"]);
    check(Responses, "content_filter", &["text: Half", TOKENS, "Refusal"]);
    check(Responses, "refusal", &["text: I cannot help.", TOKENS, "Refusal"]);
}

#[test]
fn a_broken_answer_is_a_failure_with_its_class() {
    let text = "text: The answer ";
    let cut = "stream-cut: the provider ended its answer without saying that it was finished";
    check(Responses, "cut", &[text, cut]);
    let half = "stream-cut: the provider's answer broke off in the middle of an event";
    check(Responses, "cut_in_event", &[text, half]);
    check(Responses, "failed", &[text, "overloaded: The server had an error"]);
    check(Responses, "error_inside", &[text, "rate-limit: Too fast"]);
    let garbage = "unknown: the provider sent an event that is no answer (expected value at line 1 column 1): hello there";
    check(Responses, "bare_garbage", &[garbage]);
}

#[test]
fn every_fixture_is_expected_somewhere() {
    all_are_expected(Responses, include_str!("tests.rs"));
}
