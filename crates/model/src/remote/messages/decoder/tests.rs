use crate::remote::Api::Messages;
use crate::remote::stage::{all_are_expected, check};

#[test]
fn text_comes_with_the_cached_part_of_its_input() {
    check(Messages, "text", &["text: Grüße, 世界 👋", "tokens: 45 (32) -> 12 (0)", "Stop"]);
    check(Messages, "end_without_stop", &["text: Hi", "tokens: 25 (0) -> 12 (0)", "Stop"]);
    check(Messages, "unknown_parts", &["text: Hi", "tokens: 25 (0) -> 12 (0)", "Stop"]);
}

#[test]
fn thinking_keeps_its_signature_and_its_place_between_parallel_calls() {
    check(
        Messages,
        "thinking_and_parallel_calls",
        &[
            "reasoning: Let me look.",
            "text: Looking.",
            r#"toolu_a = list_files({"path": "src"})"#,
            r#"toolu_b = search({"pattern":"a\"b\u00e9"})"#,
            r#"before call 0: {"signature":"EqQBCgIYAhIM","thinking":"Let me look.","type":"thinking"}"#,
            r#"before call 1: {"signature":"second","thinking":"","type":"thinking"}"#,
            "tokens: 25 (0) -> 89 (0)",
            "ToolCalls",
        ],
    );
    check(
        Messages,
        "sealed_thinking",
        &[
            "text: 42",
            r#"before call 0: {"type": "redacted_thinking", "data": "EmwKAhgB"}"#,
            "tokens: 25 (0) -> 12 (0)",
            "Stop",
        ],
    );
}

#[test]
fn a_call_whose_arguments_did_not_stream_has_those_it_began_with() {
    check(
        Messages,
        "call_without_arguments",
        &[
            "toolu_a = get_goal({})",
            r#"toolu_b = read_file({"path": "a"})"#,
            "tokens: 25 (0) -> 12 (0)",
            "ToolCalls",
        ],
    );
    check(
        Messages,
        "whole_message",
        &[
            "reasoning: Hm.",
            "text: Hi",
            r#"toolu_a = list_files({"n": 1.0})"#,
            r#"before call 0: {"signature":"c2ln","thinking":"Hm.","type":"thinking"}"#,
            "tokens: 3 (0) -> 2 (0)",
            "ToolCalls",
        ],
    );
}

#[test]
fn every_end_has_its_meaning() {
    check(Messages, "output_limit", &["text: I will", "tokens: 25 (0) -> 12 (0)", "MaxTokens"]);
    check(Messages, "refusal", &["text: I cannot", "tokens: 25 (0) -> 12 (0)", "Refusal"]);
}

#[test]
fn a_broken_answer_is_a_failure_with_its_class() {
    let (text, tokens) = ("text: The answer ", "tokens: 25 (0) -> 1 (0)");
    let cut = "stream-cut: the provider ended its answer without saying that it was finished";
    check(Messages, "cut", &[text, tokens, cut]);
    let half = "stream-cut: the provider's answer broke off in the middle of an event";
    check(Messages, "cut_in_event", &[text, tokens, half]);
    check(Messages, "error_inside", &[text, tokens, "overloaded: Overloaded"]);
    let long = "context-overflow: prompt is too long: 210000 tokens > 200000 maximum";
    check(Messages, "bare_error", &[long]);
    let garbage = "unknown: the provider sent an event that is no answer (expected value at line 1 column 1): hello there";
    check(Messages, "bare_garbage", &[garbage]);
}

#[test]
fn every_fixture_is_expected_somewhere() {
    all_are_expected(Messages, include_str!("tests.rs"));
}
