//! What reaches those who follow a session.

use serde_json::{Value, json};

use crate::agent;
use crate::tab::{Tab, seqs};
use crate::world::World;

#[tokio::test]
async fn the_first_frame_says_where_a_client_is() {
    let world = World::start().await;
    let tab = Tab::of(&world).await;
    assert_eq!(tab.hello["log"], world.log_id());
    assert_eq!(tab.hello["model"], "rehearsal");
    assert_eq!(tab.hello["workspace"], "/tmp/workspace");
    let names: Vec<&Value> = tab.hello["commands"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["goal", "model", "plan"]);
}

#[tokio::test]
async fn a_snapshot_has_every_slice_and_the_newest_history() {
    let world = World::start().await;
    let session = world.session().await;
    let snapshot = Tab::of(&world).await.open(session.id()).await;
    let slices = snapshot["slices"].as_object().unwrap();
    for name in ["plan", "goal", "todos", "turn", "inbox", "questions", "usage", "title", "session"] {
        assert!(slices.contains_key(name), "{name}");
    }
    assert_eq!(snapshot["cursor"], json!({ "log": world.log_id(), "seq": 2 }));
    assert_eq!(seqs(&snapshot), [1, 2]);
    assert_eq!(
        (&snapshot["history"]["more"], &snapshot["history"]["follows"]),
        (&json!(false), &json!(false))
    );
}

#[tokio::test]
async fn two_sockets_see_the_same_frames_in_the_same_order() {
    let world = World::start().await;
    let session = world.session().await;
    let (mut one, mut two) = (Tab::of(&world).await, Tab::of(&world).await);
    one.open(session.id()).await;
    two.open(session.id()).await;
    one.command(session.id(), json!({ "type": "goal-create", "objective": "ship it" })).await;
    two.command(session.id(), json!({ "type": "prompt", "text": "hello" })).await;
    one.command(session.id(), json!({ "type": "slash", "line": "/plan" })).await;
    let refused = two.done(session.id(), json!({ "type": "set-title", "title": "" })).await;
    assert_eq!(refused["code"], "TITLE_INVALID");
    let last = two.done(session.id(), json!({ "type": "set-title", "title": "The end" })).await;
    let last = last["seq"].as_u64().unwrap();

    let mut third = Tab::of(&world).await;
    let history = third.open(session.id()).await;
    let mut fourth = Tab::of(&world).await;
    fourth.open_from(session.id(), &json!({ "log": world.log_id(), "seq": 2 })).await;
    let resumed = fourth.until("snapshot").await;

    let seen = one.up_to(last).await;
    let events: Vec<Value> =
        seen.iter().flat_map(|frame| frame["events"].as_array().unwrap().clone()).collect();
    assert_eq!(&Value::from(events.clone()), &resumed["history"]["events"]);
    assert_eq!(&events[..], &history["history"]["events"].as_array().unwrap()[2..]);
}

#[tokio::test]
async fn tabs_that_watch_get_identical_updates() {
    let world = World::start().await;
    let session = world.session().await;
    let (mut one, mut two) = (Tab::of(&world).await, Tab::of(&world).await);
    one.open(session.id()).await;
    two.open(session.id()).await;
    let mut writer = Tab::of(&world).await;
    for number in 0..30 {
        writer
            .command(session.id(), json!({ "type": "set-title", "title": format!("title {number}") }))
            .await;
    }
    let last = writer.done(session.id(), json!({ "type": "plan-set", "active": true })).await;
    let last = last["seq"].as_u64().unwrap();
    assert_eq!(one.up_to(last).await, two.up_to(last).await);
}

#[tokio::test]
async fn a_batch_is_one_frame_with_every_slice_that_it_changed() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.open(session.id()).await;
    tab.command(session.id(), json!({ "type": "prompt", "text": "hello" })).await;
    tab.until("update").await;
    agent::begins(&session).await;
    let claimed = tab.until("update").await;
    let kinds: Vec<&Value> =
        claimed["events"].as_array().unwrap().iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["turn/start", "input/claimed"]);
    let changed: Vec<&String> = claimed["slices"].as_object().unwrap().keys().collect();
    assert_eq!(changed, ["inbox", "turn"]);
    assert_eq!(claimed["slices"]["turn"]["phase"], "running");
    assert_eq!(claimed["cursor"]["seq"], claimed["events"][1]["seq"]);
    assert_eq!(claimed["events"][0]["batch_end"], claimed["cursor"]["seq"]);
}

#[tokio::test]
async fn a_slash_line_and_its_answer_are_one_frame() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.open(session.id()).await;
    tab.command(session.id(), json!({ "type": "slash", "line": "/goal ship it" })).await;
    let update = tab.until("update").await;
    let events = update["events"].as_array().unwrap();
    assert_eq!(events.first().unwrap()["type"], "command/run");
    assert!(events.iter().any(|event| event["type"] == "goal/change"));
    assert_eq!(events.last().unwrap()["type"], "command/done");
    assert_eq!(update["slices"]["goal"]["objective"], "ship it");
}

#[tokio::test]
async fn a_host_that_lost_its_session_says_so_without_an_event() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.open(session.id()).await;
    tab.done(session.id(), json!({ "type": "goal-create", "objective": "ship it" })).await;
    let other = world.another_host().open(session.id()).await.unwrap();
    let own =
        sessions::Submission { actor: events::Actor::HOST, command: sessions::Command::Own, operation: None };
    other.submit(own).await.unwrap();

    tab.command(session.id(), json!({ "type": "set-title", "title": "mine?" })).await;
    let update = tab.find(|frame| frame["slices"]["goal"]["activation"] == "disarmed").await;
    assert_eq!(seqs(&update), [0; 0]);
}

#[tokio::test]
async fn a_closed_session_is_told_no_more() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.open(session.id()).await;
    tab.send(json!({ "type": "close", "session": session.id() })).await;
    tab.done(session.id(), json!({ "type": "set-title", "title": "unseen" })).await;
    tab.send(json!({ "type": "ping", "n": 7 })).await;
    assert_eq!(tab.next().await, json!({ "type": "pong", "n": 7 }));
}

#[tokio::test]
async fn opening_again_starts_over_with_a_snapshot() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.open(session.id()).await;
    let again = tab.open(session.id()).await;
    tab.command(session.id(), json!({ "type": "set-title", "title": "once" })).await;
    let update = tab.until("update").await;
    assert_eq!(update["cursor"]["seq"].as_u64().unwrap(), again["cursor"]["seq"].as_u64().unwrap() + 1);
    tab.send(json!({ "type": "ping", "n": 1 })).await;
    let frame = tab.find(|frame| frame["type"] != "receipt").await;
    assert_eq!(frame["type"], "pong", "the first follower is gone");
}
