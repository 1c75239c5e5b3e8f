//! The session list.

use std::time::Instant;

use gateway::GatewayLimits;
use serde_json::{Value, json};

use crate::tab::Tab;
use crate::world::World;

fn titles(list: &Value) -> Vec<String> {
    let rows = list["rows"].as_array().unwrap();
    rows.iter().map(|row| row["title"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Creates sessions and names them, one after the other.
async fn named(world: &World, names: &[&str]) -> Vec<sessions::Session> {
    let mut sessions = Vec::new();
    for name in names {
        let session = world.session_named(name).await;
        world.clock_ticks();
        sessions.push(session);
    }
    sessions
}

async fn watch(tab: &mut Tab, query: &str, archived: bool) -> Value {
    tab.send(json!({ "type": "watch-sessions", "query": query, "archived": archived })).await;
    tab.until("sessions").await
}

#[tokio::test]
async fn the_list_is_told_at_first_then_only_what_changes() {
    let world = World::start().await;
    let session = named(&world, &["one", "two"]).await.remove(0);
    let mut tab = Tab::of(&world).await;
    tab.send(json!({ "type": "watch-sessions" })).await;
    let list = tab.next().await;
    assert_eq!(
        (&list["type"], titles(&list)),
        (&json!("sessions"), vec!["two".to_owned(), "one".to_owned()])
    );
    assert_eq!((&list["rows"][0]["status"], &list["next"]), (&json!("idle"), &Value::Null));
    let id = tab.command(session.id(), json!({ "type": "set-title", "title": "named" })).await;
    let changed = tab.until("sessions-changed").await;
    assert_eq!((titles(&changed), &changed["gone"]), (vec!["named".to_owned()], &json!([])), "after {id}");
    named(&world, &["three"]).await;
    assert_eq!(titles(&tab.until("sessions-changed").await), ["three"]);
}

#[tokio::test]
async fn many_changes_are_few_frames() {
    let world = World::start().await;
    let session = world.session().await;
    let (mut watcher, mut writer) = (Tab::of(&world).await, Tab::of(&world).await);
    watch(&mut watcher, "", false).await;
    let started = Instant::now();
    for number in 0..100 {
        let title = format!("title {number}");
        writer.done(session.id(), json!({ "type": "set-title", "title": title })).await;
    }
    let mut frames = 1;
    while titles(&watcher.until("sessions-changed").await) != ["title 99"] {
        frames += 1;
    }
    let most = 2 + started.elapsed().as_millis() / world.limits.list_every.as_millis();
    assert!(frames <= most, "{frames} frames, {most} at most");
}

#[tokio::test]
async fn a_row_that_did_not_change_is_not_told_again() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    watch(&mut tab, "", false).await;
    // Something is recorded that changes no row; the next frame of the list is about what came after it.
    let mut other = Tab::of(&world).await;
    other.done(session.id(), json!({ "type": "plan-set", "active": false })).await;
    other.done(session.id(), json!({ "type": "set-title", "title": "news" })).await;
    assert_eq!(titles(&tab.next().await), ["news"]);
}

#[tokio::test]
async fn a_first_list_is_never_older_than_its_watcher() {
    let world = World::start().await;
    for count in 1..4 {
        world.session().await;
        let mut late = Tab::of(&world).await;
        assert_eq!(titles(&watch(&mut late, "", false).await).len(), count);
    }
}

#[tokio::test]
async fn a_long_list_comes_page_by_page() {
    let world = World::with(GatewayLimits { list_rows_max: 2, ..GatewayLimits::default() }).await;
    let sessions = named(&world, &["1", "2", "3", "4", "5"]).await;
    let mut tab = Tab::of(&world).await;
    let head = watch(&mut tab, "", false).await;
    assert_eq!(titles(&head), ["5", "4"]);
    // A row that was not told yet goes to the head: it is news, and in no later page.
    tab.command(sessions[1].id(), json!({ "type": "set-title", "title": "2 again" })).await;
    assert_eq!(titles(&tab.until("sessions-changed").await), ["2 again"]);
    tab.send(json!({ "type": "more-sessions", "after": head["next"] })).await;
    let more = tab.until("sessions-more").await;
    assert_eq!((titles(&more), &more["next"]), (vec!["3".to_owned(), "1".to_owned()], &Value::Null));
}

#[tokio::test]
async fn a_page_of_a_list_that_nobody_watches_is_refused() {
    let world = World::start().await;
    let mut tab = Tab::of(&world).await;
    let after = format!("1.{}", world.session().await.id());
    for after in [after.as_str(), "yesterday"] {
        tab.send(json!({ "type": "more-sessions", "after": after })).await;
        assert_eq!(tab.next().await["code"], "BAD_FRAME");
    }
}

#[tokio::test]
async fn a_watched_search_tells_what_begins_and_what_ceases_to_fit() {
    let world = World::start().await;
    let sessions = named(&world, &["fix login", "write docs"]).await;
    let [login, docs] = [sessions[0].id(), sessions[1].id()];
    let mut tab = Tab::of(&world).await;
    let found = watch(&mut tab, "LOG fi", false).await;
    assert_eq!((titles(&found), &found["query"]), (vec!["fix login".to_owned()], &json!("LOG fi")));
    tab.command(docs, json!({ "type": "set-title", "title": "fix the log" })).await;
    assert_eq!(titles(&tab.until("sessions-changed").await), ["fix the log"]);
    tab.command(login, json!({ "type": "set-title", "title": "done" })).await;
    let changed = tab.until("sessions-changed").await;
    assert_eq!((titles(&changed), &changed["gone"]), (vec![], &json!([login])));
    let everything = watch(&mut tab, "", false).await;
    assert_eq!(titles(&everything), ["done", "fix the log"]);
    tab.send(json!({ "type": "watch-sessions", "query": "x".repeat(300) })).await;
    assert_eq!(tab.until("refused").await["code"], "QUERY_TOO_LONG");
}

#[tokio::test]
async fn an_archived_session_is_gone_unless_it_is_asked_for() {
    let world = World::start().await;
    let session = world.session_named("old").await.id();
    let (mut plain, mut archived) = (Tab::of(&world).await, Tab::of(&world).await);
    watch(&mut plain, "", false).await;
    watch(&mut archived, "", true).await;
    plain.command(session, json!({ "type": "archive", "archived": true })).await;
    let gone = plain.until("sessions-changed").await;
    assert_eq!(
        (titles(&gone), &gone["gone"], &gone["archived_total"]),
        (vec![], &json!([session]), &json!(1))
    );
    let changed = archived.until("sessions-changed").await;
    assert_eq!((&changed["rows"][0]["archived"], &changed["gone"]), (&json!(true), &json!([])));
    plain.command(session, json!({ "type": "archive", "archived": false })).await;
    let back = plain.until("sessions-changed").await;
    assert_eq!((titles(&back), &back["archived_total"]), (vec!["old".to_owned()], &json!(0)));
}

#[tokio::test]
async fn a_deleted_session_is_gone_from_every_list() {
    let world = World::start().await;
    let session = world.session_named("old").await;
    let mut tab = Tab::of(&world).await;
    watch(&mut tab, "", false).await;
    world.sessions.delete(session.id(), events::ClientId::from("test")).await.unwrap();
    let changed = tab.until("sessions-changed").await;
    assert_eq!((titles(&changed), &changed["gone"]), (vec![], &json!([session.id()])));
}

#[tokio::test]
async fn a_list_that_changed_by_more_than_a_page_is_told_anew() {
    let world = World::with(GatewayLimits { list_rows_max: 2, ..GatewayLimits::default() }).await;
    let sessions = named(&world, &["1", "2", "3"]).await;
    let mut tab = Tab::of(&world).await;
    watch(&mut tab, "", false).await;
    // Sooner or later all three change between two frames.
    for attempt in 0.. {
        for session in &sessions {
            let command = sessions::ClientCommand::SetTitle { title: format!("again {attempt}") };
            let id = events::CommandId(uuid::Uuid::now_v7());
            let submission = sessions::Submission::from_client(events::ClientId::from("test"), id, command);
            session.submit(submission).await.unwrap();
        }
        let frame = tab.next().await;
        if frame["type"] == "sessions" {
            assert_eq!((titles(&frame).len(), frame["next"].is_string()), (2, true));
            break;
        }
        assert!(titles(&frame).len() <= 2, "{frame}");
    }
}
