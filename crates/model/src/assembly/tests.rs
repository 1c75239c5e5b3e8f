use super::*;

fn delta(index: u32, call_id: Option<&str>, name: Option<&str>, arguments: &str) -> Chunk {
    let owned = |text: &str| text.to_owned();
    Chunk::CallDelta {
        index,
        call_id: call_id.map(owned),
        name: name.map(owned),
        arguments: arguments.into(),
    }
}

fn assembled(chunks: &[Chunk]) -> Assembly {
    let mut assembly = Assembly::new();
    chunks.iter().for_each(|chunk| assembly.push(chunk));
    assembly
}

fn names(assembly: &Assembly) -> Vec<(String, String, String)> {
    assembly.calls().into_iter().map(|call| (call.call_id, call.name, call.arguments)).collect()
}

fn named(call_id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (call_id.into(), name.into(), arguments.into())
}

#[test]
fn pieces_of_parallel_calls_find_their_call() {
    let assembly = assembled(&[
        delta(1, Some("b"), Some("search"), "{\"pat"),
        delta(0, Some("a"), Some("list_files"), ""),
        delta(1, None, None, "tern\":1}"),
        delta(0, Some("a"), Some("list_files"), "{}"),
        Chunk::Finish(Finish::ToolCalls),
    ]);
    assert_eq!(names(&assembly), [named("a", "list_files", "{}"), named("b", "search", "{\"pattern\":1}")]);
}

#[test]
fn the_output_limit_drops_half_a_call_and_keeps_a_whole_one() {
    let calls = [delta(0, Some("a"), Some("x"), "{}"), delta(1, Some("b"), Some("y"), "{\"z\":")];
    let cut = assembled(&[calls.as_slice(), &[Chunk::Finish(Finish::MaxTokens)]].concat());
    assert_eq!(names(&cut), [named("a", "x", "{}")]);
    assert_eq!(names(&assembled(&calls)), [named("a", "x", "{}")]);
}

#[test]
fn a_botched_call_of_a_finished_answer_is_kept_for_its_error() {
    let assembly = assembled(&[delta(0, Some("a"), Some("x"), "{\"z\":"), Chunk::Finish(Finish::ToolCalls)]);
    assert_eq!(names(&assembly), [named("a", "x", "{\"z\":")]);
}

#[test]
fn a_call_without_a_name_is_no_call() {
    let assembly = assembled(&[delta(0, Some("a"), None, "{}"), Chunk::Finish(Finish::ToolCalls)]);
    assert_eq!(assembly.calls(), []);
}

#[test]
fn call_ids_are_there_and_differ() {
    let assembly = assembled(&[
        delta(0, None, Some("x"), "{}"),
        delta(1, Some("call_0"), Some("y"), "{}"),
        delta(2, Some(""), Some("z"), "{}"),
        Chunk::Finish(Finish::ToolCalls),
    ]);
    let ids: Vec<_> = assembly.calls().into_iter().map(|call| call.call_id).collect();
    assert_eq!(ids, ["call_0", "call_0_1", "call_2"]);
}

#[test]
fn the_last_usage_and_text_in_order_count() {
    let usage = |output_tokens| Chunk::Usage(Usage { output_tokens, ..Usage::default() });
    let text = |text: &str| Chunk::Text(text.into());
    let assembly = assembled(&[text("a"), usage(1), Chunk::Reasoning("r".into()), text("b"), usage(2)]);
    assert_eq!((assembly.text(), assembly.reasoning()), ("ab", "r"));
    assert_eq!(assembly.usage().map(|usage| usage.output_tokens), Some(2));
    assert_eq!(assembly.finish(), None);
}
