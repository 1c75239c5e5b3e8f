//! Every API of models over real HTTP: a turn with tools, and everything that goes wrong on the way.

use std::time::Duration;

use model::remote::Api;
use model::scripted::Reply;
use model::{Chunk, Finish, Message};
use serde_json::json;
use tests::{Fault, Seen, Tab, World};

/// Plays scenarios through each API.
macro_rules! through_each_api {
    ($($claim:ident)*) => {
        through_each_api!(chat Chat: $($claim)*);
        through_each_api!(responses Responses: $($claim)*);
        through_each_api!(messages Messages: $($claim)*);
    };
    ($module:ident $api:ident: $($claim:ident)*) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $claim() {
                    super::$claim(::tests::World::inside_through(::model::remote::Api::$api).await).await;
                }
            )*
        }
    };
}

through_each_api! {
    a_turn_calls_tools_and_tells_the_model_what_came_of_them
    a_refused_and_a_broken_request_are_made_again
    an_answer_that_is_cut_is_asked_for_again_and_garbage_ends_the_turn
    a_stalled_answer_ends_with_stop_and_keeps_its_text
    an_answer_that_drips_is_whole
}

fn is_over(seen: &Seen) -> bool {
    seen.at("/turn/number") == 1 && seen.at("/turn/phase") == "idle" && seen.at("/turn/last_end").is_object()
}

/// Waits until the model is about to be asked again for the `attempt`th time, and lets that time come.
async fn waits(world: &World, tab: &Tab, attempt: u64) {
    tab.until("the wait", |seen| seen.at("/turn/retry/attempt") == attempt).await;
    world.clock.advance(Duration::from_secs(30));
}

fn classes(seen: &Seen) -> Vec<String> {
    let class = |data: &serde_json::Value| data["class"].as_str().unwrap_or_default().to_owned();
    seen.of_type("request/attempt").map(class).collect()
}

async fn a_turn_calls_tools_and_tells_the_model_what_came_of_them(world: World) {
    let call = |index, id: &str, name: &str, arguments: &str| Chunk::CallDelta {
        index,
        call_id: Some(id.to_owned()),
        name: Some(name.to_owned()),
        arguments: arguments.to_owned(),
    };
    let sealed = r#"{"type":"reasoning","encrypted_content":"gAAA","summary":[]}"#;
    world.model.push(Reply::chunks([
        Chunk::Text("Working.".to_owned()),
        call(0, "c1", "write_file", r#"{"path":"a.txt","content":"hello"}"#),
        call(1, "c2", "read_file", r#"{"path":"missing.txt"}"#),
        Chunk::Finish(Finish::ToolCalls),
    ]));
    world.model.push(Reply::new().chunk(Chunk::Item(sealed.to_owned())).says("Done.").ends(Finish::Stop));
    let tab = world.tab("a").await;
    tab.types("write a.txt").await.accepted();
    let seen = tab.until("the turn is over", is_over).await;
    assert_eq!(seen.at("/turn/last_end/kind"), "completed", "{}", seen.account());
    assert_eq!(world.home.file("a.txt").as_deref(), Some("hello"));
    let asked = world.model.requests();
    let Some([.., Message::Assistant { text, calls, .. }, one, two]) =
        asked.last().map(|asked| &asked.messages[..])
    else {
        panic!("the model is told of both calls: {asked:?}");
    };
    let ids: Vec<_> = calls.iter().map(|call| call.call_id.as_str()).collect();
    assert_eq!((text.as_str(), ids), ("Working.", vec!["c1", "c2"]));
    assert!(matches!(one, Message::Tool { call_id, is_error: false, .. } if call_id == "c1"), "{one:?}");
    assert!(matches!(two, Message::Tool { call_id, is_error: true, .. } if call_id == "c2"), "{two:?}");
    assert!(asked[0].system.contains("Workspace folder") && asked[0].tools.len() > 3);
}

async fn a_refused_and_a_broken_request_are_made_again(world: World) {
    world.model_will(Fault::TooMany(20));
    world.model_will(Fault::Broken);
    world.model.push(Reply::text("Here I am."));
    let tab = world.tab("a").await;
    tab.types("hello").await.accepted();
    waits(&world, &tab, 2).await;
    waits(&world, &tab, 3).await;
    let seen = tab.until("the turn is over", is_over).await;
    assert_eq!(seen.at("/turn/last_end/kind"), "completed");
    assert_eq!(classes(&seen), ["rate-limit", "overloaded"]);
    assert_eq!(seen.of_type("request/attempt").next().map(|data| &data["delay_ms"]), Some(&json!(20_000)));
}

async fn an_answer_that_is_cut_is_asked_for_again_and_garbage_ends_the_turn(world: World) {
    world.model_will(Fault::Cut);
    world.model_will(Fault::Garbage);
    let tab = world.tab("a").await;
    tab.types("hello").await.accepted();
    waits(&world, &tab, 2).await;
    let seen = tab.until("the turn is over", is_over).await;
    assert_eq!(
        (seen.at("/turn/last_end/kind"), seen.at("/turn/last_end/code")),
        (&json!("error"), &json!("unknown"))
    );
    assert_eq!(classes(&seen), ["stream-cut"]);
}

async fn a_stalled_answer_ends_with_stop_and_keeps_its_text(world: World) {
    world.model_will(Fault::Stall);
    let tab = world.tab("a").await;
    tab.types("hello").await.accepted();
    tab.until("the text", |seen| seen.streamed() == "Half a sent").await;
    tab.presses(json!({"type": "stop", "turn": 1, "keep_inbox": true})).await.accepted();
    let seen = tab.until("the turn is over", is_over).await;
    assert_eq!(seen.at("/turn/last_end/kind"), "aborted");
    let message = seen.of_type("assistant/message").next_back().cloned().unwrap_or_default();
    assert_eq!(
        (&message["interrupted"], &message["content"][0]["text"]),
        (&json!(true), &json!("Half a sent"))
    );
}

async fn an_answer_that_drips_is_whole(world: World) {
    world.model_will(Fault::Drip);
    world.model.push(Reply::text("Grüße, 世界 👋"));
    let tab = world.tab("a").await;
    tab.types("hello").await.accepted();
    let seen = tab.until("the turn is over", is_over).await;
    let message = seen.of_type("assistant/message").next_back().cloned().unwrap_or_default();
    assert_eq!(message["content"][0]["text"], "Grüße, 世界 👋");
}

/// What only the provider can read goes back with the calls it led to, and stays there in later turns.
async fn sealed_reasoning_goes_back(world: World, sealed: &str) {
    let call = Reply::new().chunk(Chunk::Item(sealed.to_owned())).chunk(Chunk::CallDelta {
        index: 0,
        call_id: Some("c1".to_owned()),
        name: Some("list_files".to_owned()),
        arguments: "{}".to_owned(),
    });
    world.model.push(call.ends(Finish::ToolCalls));
    world.model.push(Reply::text("Nothing there."));
    let tab = world.tab("a").await;
    tab.types("look").await.accepted();
    tab.until("the turn is over", is_over).await;
    tab.types("look again").await.accepted();
    let second = |seen: &Seen| seen.at("/turn/number") == 2 && seen.at("/turn/phase") == "idle";
    tab.until("the second turn is over", second).await;
    let asked = world.model.requests();
    assert_eq!(asked.len(), 3);
    for request in &asked[1..] {
        let items = request.messages.iter().find_map(|message| match message {
            Message::Assistant { items, calls, .. } if !calls.is_empty() => Some(items.clone()),
            _ => None,
        });
        let told: Vec<_> = items.into_iter().flatten().map(|item| (item.before_call, item.json)).collect();
        assert_eq!(told, [(0, sealed.to_owned())]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sealed_reasoning_goes_back_to_responses() {
    let world = World::inside_through(Api::Responses).await;
    sealed_reasoning_goes_back(world, r#"{"encrypted_content":"gAAA","summary":[],"type":"reasoning"}"#)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sealed_reasoning_goes_back_to_messages() {
    let world = World::inside_through(Api::Messages).await;
    sealed_reasoning_goes_back(world, r#"{"data":"EmwKAhgB","type":"redacted_thinking"}"#).await;
}
