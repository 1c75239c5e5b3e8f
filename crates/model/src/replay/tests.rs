use futures_util::FutureExt;

use super::*;
use crate::{Assembly, Finish};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/model").join(name)
}

fn request() -> Request {
    Request {
        model: String::new(),
        system: String::new(),
        messages: Vec::new(),
        tools: Vec::new(),
        effort: None,
        max_output_tokens: None,
    }
}

/// Asks once and returns the text, the calls' names and how it ended.
fn played(replay: &Replay) -> (String, Vec<String>, Result<Option<Finish>, FailureClass>) {
    let mut assembly = Assembly::new();
    for chunk in replay.stream(request()).collect::<Vec<_>>().now_or_never().unwrap() {
        match chunk {
            Ok(chunk) => assembly.push(&chunk),
            Err(failure) => return (assembly.text().to_owned(), Vec::new(), Err(failure.class)),
        }
    }
    let names = assembly.calls().into_iter().map(|call| call.name).collect();
    (assembly.text().to_owned(), names, Ok(assembly.finish()))
}

#[test]
fn a_recording_in_any_api_is_played_again_and_again() {
    for (folder, calls) in [
        ("openai/parallel_calls.sse", ["list_files", "search"]),
        ("openai-responses/reasoning_and_parallel_calls.sse", ["list_files", "search"]),
        ("anthropic/thinking_and_parallel_calls.sse", ["list_files", "search"]),
    ] {
        let replay = Replay::open(&fixture(folder)).unwrap();
        for _ in 0..2 {
            let (_, names, end) = played(&replay);
            assert_eq!(
                (names, end),
                (calls.map(str::to_owned).to_vec(), Ok(Some(Finish::ToolCalls))),
                "{folder}"
            );
        }
    }
    let cut = Replay::open(&fixture("anthropic/cut.sse")).unwrap();
    assert_eq!(played(&cut), ("The answer ".to_owned(), vec![], Err(FailureClass::StreamCut)));
}

#[test]
fn the_files_of_a_folder_are_played_in_turn_and_then_it_is_over() {
    let folder = std::env::temp_dir().join(format!("replay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(fixture("anthropic/text.sse"), folder.join("2.sse")).unwrap();
    std::fs::copy(fixture("openai/reasoning.sse"), folder.join("1.sse")).unwrap();
    let replay = Replay::open(&folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(played(&replay).0, "42");
    assert_eq!(played(&replay).0, "Grüße, 世界 👋");
    assert_eq!(played(&replay).2, Err(FailureClass::BadRequest));
}

#[test]
fn what_cannot_be_read_is_refused_with_its_name() {
    let told = Replay::open(Path::new("/nowhere/at/all.sse")).unwrap_err().to_string();
    assert!(told.starts_with("cannot play /nowhere/at/all.sse: "), "{told}");
}
