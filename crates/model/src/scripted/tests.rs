use futures_util::{FutureExt, StreamExt};

use super::*;
use crate::{Assembly, FailureClass};

fn request(text: &str) -> Request {
    Request {
        model: "m".into(),
        system: String::new(),
        messages: vec![crate::Message::User { text: text.into() }],
        tools: Vec::new(),
        effort: None,
        max_output_tokens: None,
    }
}

async fn assemble(provider: &Scripted, text: &str) -> Assembly {
    let mut assembly = Assembly::new();
    let mut chunks = provider.stream(request(text));
    while let Some(chunk) = chunks.next().await {
        assembly.push(&chunk.unwrap());
    }
    assembly
}

#[tokio::test]
async fn replies_come_in_order_and_then_done() {
    let provider = Scripted::new(vec![Reply::call("c1", "list_files", "{}"), Reply::text("hello")]);
    let first = assemble(&provider, "one").await;
    assert_eq!((first.calls().len(), first.finish()), (1, Some(Finish::ToolCalls)));
    assert_eq!(assemble(&provider, "two").await.text(), "hello");
    assert_eq!(assemble(&provider, "three").await.text(), "done");
    assert_eq!(provider.requests(), [request("one"), request("two"), request("three")]);
}

#[tokio::test]
async fn nothing_follows_a_failure() {
    let failure = Failure::new(FailureClass::Overloaded, "busy");
    let provider = Scripted::new(vec![Reply::new().says("a").fails(failure.clone()).says("b")]);
    let chunks: Vec<_> = provider.stream(request("x")).collect().await;
    assert_eq!(chunks, [Ok(Chunk::Text("a".into())), Err(failure)]);
}

#[tokio::test]
async fn a_gate_holds_an_answer_until_it_is_released() {
    let gate = Gate::new();
    let provider = Scripted::new(vec![Reply::new().says("a").holds(&gate).says("b").ends(Finish::Stop)]);
    let mut chunks = provider.stream(request("x"));
    assert_eq!(chunks.next().await, Some(Ok(Chunk::Text("a".into()))));
    assert!(chunks.next().now_or_never().is_none());
    gate.reached().await;
    gate.release();
    assert_eq!(chunks.next().await, Some(Ok(Chunk::Text("b".into()))));
    assert!(gate.abandoned().now_or_never().is_none());
}

#[tokio::test]
async fn a_gate_tells_that_the_request_was_cancelled() {
    let gate = Gate::new();
    let provider = Scripted::new(vec![Reply::text("never").held_first(&gate)]);
    let mut chunks = provider.stream(request("x"));
    assert!(chunks.next().now_or_never().is_none());
    drop(chunks);
    gate.abandoned().await;
}
