//! Going on from a cursor.

use gateway::GatewayLimits;
use serde_json::{Value, json};

use crate::tab::{Tab, seqs};
use crate::world::World;

async fn titles(world: &World, session: &sessions::Session, count: usize) -> u64 {
    let mut tab = Tab::of(world).await;
    let mut last = 0;
    for number in 0..count {
        let title = format!("title {number}");
        last = tab.done(session.id(), json!({ "type": "set-title", "title": title })).await["seq"]
            .as_u64()
            .unwrap();
    }
    last
}

#[tokio::test]
async fn a_client_that_comes_back_sees_every_event_once() {
    let mut world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    let mut seen = seqs(&tab.open(session.id()).await);
    let last = titles(&world, &session, 3).await;
    let frames = tab.up_to(last).await;
    seen.extend(frames.iter().flat_map(seqs));
    let cursor = frames.last().unwrap()["cursor"].clone();
    drop(tab);

    titles(&world, &session, 4).await;
    world.restart().await;
    let mut tab = Tab::of(&world).await;
    tab.open_from(session.id(), &cursor).await;
    let snapshot = tab.until("snapshot").await;
    assert_eq!((&snapshot["history"]["follows"], &snapshot["history"]["more"]), (&json!(true), &json!(true)));
    assert_eq!(snapshot["slices"]["title"], "title 3");
    seen.extend(seqs(&snapshot));
    let last = titles(&world, &session, 2).await;
    seen.extend(tab.up_to(last).await.iter().flat_map(seqs));

    assert_eq!(seen, (1..=last).collect::<Vec<u64>>());
}

#[tokio::test]
async fn a_cursor_at_the_head_brings_no_event_again() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    let cursor = tab.open(session.id()).await["cursor"].clone();
    tab.open_from(session.id(), &cursor).await;
    let snapshot = tab.until("snapshot").await;
    assert_eq!(seqs(&snapshot), [0; 0]);
    assert_eq!((&snapshot["history"]["follows"], &snapshot["cursor"]), (&json!(true), &cursor));
}

#[tokio::test]
async fn a_cursor_inside_a_batch_brings_the_whole_batch() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.open_from(session.id(), &json!({ "log": world.log_id(), "seq": 1 })).await;
    assert_eq!(seqs(&tab.until("snapshot").await), [1, 2]);
}

async fn refused(world: &World, cursor: Value) -> Value {
    let session = world.session().await;
    let mut tab = Tab::of(world).await;
    tab.open_from(session.id(), &cursor).await;
    let refused = tab.until("refused").await;
    assert_eq!((&refused["id"], &refused["session"]), (&Value::Null, &json!(session.id())));
    assert_eq!(tab.until("resync").await["session"], json!(session.id()));
    assert_eq!(tab.open(session.id()).await["history"]["follows"], false);
    refused
}

#[tokio::test]
async fn a_cursor_of_another_log_is_refused_in_so_many_words() {
    let world = World::start().await;
    let other = uuid::Uuid::now_v7();
    let refused = refused(&world, json!({ "log": other, "seq": 1 })).await;
    assert_eq!(refused["code"], "CURSOR_OTHER_LOG");
    assert!(refused["message"].as_str().unwrap().contains(&other.to_string()));
}

#[tokio::test]
async fn a_cursor_beyond_the_end_is_refused_in_so_many_words() {
    let world = World::start().await;
    let refused = refused(&world, json!({ "log": world.log_id(), "seq": 99 })).await;
    assert_eq!(refused["code"], "CURSOR_AHEAD");
}

#[tokio::test]
async fn a_client_that_was_away_for_long_gets_the_newest_page() {
    let world =
        World::with(GatewayLimits { resume_events_max: 3, page_events_max: 2, ..GatewayLimits::default() })
            .await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    let cursor = tab.open(session.id()).await["cursor"].clone();
    let last = titles(&world, &session, 4).await;
    let mut late = Tab::of(&world).await;
    late.open_from(session.id(), &cursor).await;
    let snapshot = late.until("snapshot").await;
    assert_eq!(snapshot["history"]["follows"], false);
    assert_eq!(seqs(&snapshot), [last - 1, last]);
    assert_eq!(snapshot["history"]["more"], true);
}
