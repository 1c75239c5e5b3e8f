//! Pages of the past.

use events::Block;
use serde_json::{Value, json};

use crate::agent;
use crate::requests::get;
use crate::tab::{Tab, seqs};
use crate::world::World;

/// Has a session with `turns` finished turns of `pieces` streamed pieces each.
async fn talked(world: &World, turns: usize, pieces: usize) -> sessions::Session {
    let session = world.session().await;
    let mut tab = Tab::of(world).await;
    for _ in 0..turns {
        tab.done(session.id(), json!({ "type": "prompt", "text": "go on" })).await;
        agent::begins(&session).await;
        agent::streams(&session, pieces).await;
        agent::answers(&session, vec![Block::text("piece ".repeat(pieces))]).await;
        agent::ends(&session).await;
    }
    session
}

async fn page(world: &World, session: &sessions::Session, query: &str) -> Value {
    let answer = get(format!("/v1/sessions/{}/events{query}", session.id())).signed(world).of(world).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

fn kinds(page: &Value) -> Vec<&str> {
    let events = page["events"].as_array().or_else(|| page["history"]["events"].as_array()).unwrap();
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn streamed_pieces_that_an_answer_replaced_are_left_out() {
    let world = World::start().await;
    let session = talked(&world, 1, 5).await;
    let mut tab = Tab::of(&world).await;
    let snapshot = tab.open(session.id()).await;
    assert!(!kinds(&snapshot).contains(&"assistant/delta"));
    assert!(kinds(&snapshot).contains(&"assistant/message"));
    tab.done(session.id(), json!({ "type": "prompt", "text": "more" })).await;
    agent::begins(&session).await;
    agent::streams(&session, 3).await;
    let streaming = Tab::of(&world).await.open(session.id()).await;
    assert_eq!(kinds(&streaming).iter().filter(|kind| **kind == "assistant/delta").count(), 3);
    let live = tab.up_to(session.view().state.head.0).await;
    let live: Vec<&str> = live.iter().flat_map(kinds).collect();
    assert_eq!(live.iter().filter(|kind| **kind == "assistant/delta").count(), 3);
}

#[tokio::test]
async fn neighbouring_pages_touch_and_have_every_kept_event_once() {
    let world = World::start().await;
    let session = talked(&world, 6, 40).await;
    let whole = page(&world, &session, "").await;
    assert_eq!(whole["more"], false);
    for limit in [1, 2, 3, 7] {
        let mut newest_first = Vec::new();
        let mut before = session.view().state.head.0 + 1;
        loop {
            let page = page(&world, &session, &format!("?before={before}&limit={limit}")).await;
            let seqs = seqs(&page);
            assert_eq!(*seqs.last().unwrap(), before - 1, "pages touch");
            before = seqs[0];
            newest_first.extend(seqs.into_iter().rev());
            if page["more"] == false {
                break;
            }
        }
        newest_first.reverse();
        assert_eq!(newest_first, seqs(&whole), "limit {limit}");
    }
}

#[tokio::test]
async fn a_page_that_ends_between_pieces_and_their_answer_leaves_them_out_too() {
    let world = World::start().await;
    let session = talked(&world, 1, 10).await;
    let whole = page(&world, &session, "").await;
    let at = kinds(&whole).iter().position(|kind| *kind == "assistant/message").unwrap();
    let message = whole["events"][at]["seq"].as_u64().unwrap();
    let older = page(&world, &session, &format!("?before={}", message - 2)).await;
    assert!(!kinds(&older).contains(&"assistant/delta"));
}

#[tokio::test]
async fn a_page_has_whole_batches() {
    let world = World::start().await;
    let session = world.session().await;
    assert_eq!(seqs(&page(&world, &session, "?limit=1").await), [1, 2]);
    let inside = page(&world, &session, "?before=2").await;
    assert_eq!((seqs(&inside), &inside["more"]), (vec![], &json!(false)));
    let beyond = page(&world, &session, "?before=1000").await;
    assert_eq!(seqs(&beyond), [1, 2]);
}
