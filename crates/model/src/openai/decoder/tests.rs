use std::fmt::Write as _;
use std::path::PathBuf;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use proptest::prelude::*;

use super::*;
use crate::{Assembly, sse};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/model/openai")
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{name}.sse"))).unwrap()
}

/// Decodes an answer whose bytes arrive in these pieces.
fn decode(pieces: Vec<Vec<u8>>) -> (Vec<Chunk>, Result<Finish, Failure>) {
    let bytes = stream::iter(pieces.into_iter().map(|piece| Ok(Bytes::from(piece))));
    let events: Vec<_> = sse::events(bytes).collect().now_or_never().unwrap();
    let mut decoder = Decoder::default();
    let mut chunks = Vec::new();
    for event in events {
        match event.and_then(|data| decoder.push(&data)) {
            Ok(more) => chunks.extend(more),
            Err(failure) => return (chunks, Err(failure)),
        }
    }
    (chunks, decoder.finish())
}

/// Writes an answer on a few lines.
fn told(chunks: &[Chunk], finish: &Result<Finish, Failure>) -> String {
    let mut assembly = Assembly::new();
    chunks.iter().for_each(|chunk| assembly.push(chunk));
    if let Ok(finish) = finish {
        assembly.push(&Chunk::Finish(*finish));
    }
    let mut lines = String::new();
    for (channel, text) in [("reasoning", assembly.reasoning()), ("text", assembly.text())] {
        if !text.is_empty() {
            let _ = writeln!(lines, "{channel}: {text}");
        }
    }
    for call in assembly.calls() {
        let _ = writeln!(lines, "{} = {}({})", call.call_id, call.name, call.arguments);
    }
    if let Some(usage) = assembly.usage() {
        let (cached, reasoned) = (usage.cached_input_tokens, usage.reasoning_tokens);
        let _ = writeln!(
            lines,
            "tokens: {} ({cached}) -> {} ({reasoned})",
            usage.input_tokens, usage.output_tokens
        );
    }
    match finish {
        Ok(finish) => lines + &format!("{finish:?}"),
        Err(failure) => lines + &failure.to_string(),
    }
}

fn check(name: &str, expect: &[&str]) {
    let (chunks, finish) = decode(vec![fixture(name)]);
    assert_eq!(told(&chunks, &finish), expect.join("\n"), "{name}");
}

#[test]
fn text_and_reasoning_come_out_under_every_name() {
    check("text", &["text: Grüße, 世界 👋", "tokens: 40 (32) -> 12 (4)", "Stop"]);
    check("reasoning_content", &["reasoning: Let me think.", "text: 42", "tokens: 9 (8) -> 7 (0)", "Stop"]);
    check("reasoning", &["reasoning: Let me think.", "text: 42", "Stop"]);
    check("crlf", &["text: ab", "Stop"]);
}

#[test]
fn calls_come_out_whole_however_a_server_numbers_them() {
    check(
        "parallel_calls",
        &[
            r#"call_a = list_files({"path":"src"})"#,
            r#"call_b = search({"pattern":"a\"b\u00e9"})"#,
            "tokens: 40 (32) -> 12 (4)",
            "ToolCalls",
        ],
    );
    check(
        "whole_calls_without_index",
        &[
            "call_0 = list_files({})",
            r#"call_1 = read_file({"path":"a"})"#,
            r#"call_2 = search({"pattern":"b","n":1.0})"#,
            "ToolCalls",
        ],
    );
    check(
        "all_calls_at_index_zero",
        &["call_a = list_files({})", r#"call_b = read_file({"path":"a"})"#, "ToolCalls"],
    );
    check("repeated_id_and_name", &[r#"call_a = list_files({"path":"src"})"#, "ToolCalls"]);
    check(
        "whole_message",
        &["text: Hi", "call_a = list_files({})", "tokens: 40 (32) -> 12 (4)", "ToolCalls"],
    );
}

#[test]
fn every_end_has_its_meaning() {
    check("output_limit", &["text: I will", "call_a = list_files({})", "MaxTokens"]);
    check("refusal", &["text: I cannot help.", "Refusal"]);
    check("content_filter", &["text: Half", "Refusal"]);
    check("done_without_finish", &["text: Hi", "Stop"]);
    check("finish_without_done", &["text: Hi", "Stop"]);
}

#[test]
fn a_broken_answer_is_a_failure_with_its_class() {
    let cut = "stream-cut: the provider ended its answer without saying that it was finished";
    let half = "stream-cut: the provider's answer broke off in the middle of an event";
    check("cut", &["text: The answer is", cut]);
    check("cut_in_event", &["text: The answer ", half]);
    check("cut_in_character", &["text: The answer ", half]);
    check(
        "error_inside",
        &["text: The ", "overloaded: The server had an error while processing your request"],
    );
    check("error_with_status", &["text: The ", "rate-limit: Provider returned error"]);
    check("error_text", &["unknown: model requires more system memory"]);
    let garbage = "unknown: the provider sent an event that is no answer (expected value at line 1 column 1): hello there";
    check("garbage", &[garbage]);
}

#[test]
fn every_fixture_is_expected_somewhere() {
    let source = include_str!("tests.rs");
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(name == "README" || source.contains(&format!("\"{name}\"")), "{name} is not checked");
    }
}

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let names = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let names = names.filter(|path| path.extension().is_some_and(|extension| extension == "sse"));
    names.map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

/// Splits bytes at these places.
fn split(bytes: &[u8], mut places: Vec<usize>) -> Vec<Vec<u8>> {
    places.iter_mut().for_each(|place| *place %= bytes.len() + 1);
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect()
}

#[test]
fn one_byte_at_a_time_gives_the_same_chunks() {
    for (name, bytes) in fixtures() {
        let single = bytes.iter().map(|byte| vec![*byte]).collect();
        assert_eq!(decode(single), decode(vec![bytes]), "{name}");
    }
}

proptest! {
    #[test]
    fn any_split_gives_the_same_chunks(places in prop::collection::vec(any::<usize>(), 0..30)) {
        for (name, bytes) in fixtures() {
            prop_assert_eq!(decode(split(&bytes, places.clone())), decode(vec![bytes]), "{}", name);
        }
    }

    #[test]
    fn no_bytes_are_a_bug(bytes in prop::collection::vec(any::<u8>(), 0..400), json in ".{0,80}") {
        let _ = decode(vec![bytes]);
        let _ = Decoder::default().push(&json);
    }

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
        let (chunks, finish) = decode(vec![events.concat().into_bytes()]);
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
