//! The session list.

use std::time::Instant;

use serde_json::{Value, json};

use crate::tab::Tab;
use crate::world::World;

fn titles(list: &Value) -> Vec<String> {
    let rows = list["rows"].as_array().unwrap();
    rows.iter().map(|row| row["title"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn the_list_is_told_now_and_when_it_changes() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.send(json!({ "type": "watch-sessions" })).await;
    let list = tab.next().await;
    assert_eq!((&list["type"], titles(&list)), (&json!("sessions"), vec![String::new()]));
    assert_eq!(list["rows"][0]["status"], "idle");
    let id = tab.command(session.id(), json!({ "type": "set-title", "title": "named" })).await;
    let changed = tab.until("sessions").await;
    assert_eq!(titles(&changed), ["named"], "after {id}");
    world.session().await;
    let more = tab.until("sessions").await;
    assert_eq!(titles(&more).len(), 2);
}

#[tokio::test]
async fn many_changes_are_few_lists() {
    let world = World::start().await;
    let session = world.session().await;
    let (mut watcher, mut writer) = (Tab::of(&world).await, Tab::of(&world).await);
    watcher.send(json!({ "type": "watch-sessions" })).await;
    watcher.next().await;
    let started = Instant::now();
    for number in 0..100 {
        let title = format!("title {number}");
        writer.done(session.id(), json!({ "type": "set-title", "title": title })).await;
    }
    let mut lists = 1;
    while titles(&watcher.until("sessions").await) != ["title 99"] {
        lists += 1;
    }
    let most = 2 + started.elapsed().as_millis() / world.limits.list_every.as_millis();
    assert!(lists <= most, "{lists} lists, {most} at most");
}

#[tokio::test]
async fn a_list_that_did_not_change_is_not_told_again() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.send(json!({ "type": "watch-sessions" })).await;
    tab.next().await;
    // Something is recorded that changes no row; another watcher's first list is made after that.
    let mut other = Tab::of(&world).await;
    other.done(session.id(), json!({ "type": "plan-set", "active": false })).await;
    other.send(json!({ "type": "watch-sessions" })).await;
    other.next().await;
    other.done(session.id(), json!({ "type": "set-title", "title": "news" })).await;
    assert_eq!(titles(&tab.next().await), ["news"]);
}

#[tokio::test]
async fn a_first_list_is_never_older_than_its_watcher() {
    let world = World::start().await;
    let mut early = Tab::of(&world).await;
    early.send(json!({ "type": "watch-sessions" })).await;
    early.next().await;
    for count in 1..4 {
        world.session().await;
        let mut late = Tab::of(&world).await;
        late.send(json!({ "type": "watch-sessions" })).await;
        assert_eq!(titles(&late.next().await).len(), count);
    }
}
