//! Tokens that are kept: what an owner's and a viewer's are good for, and how they end.

use std::time::Duration;

use gateway::{GatewayLimits, Role};
use serde_json::json;

use crate::requests::{Ask, delete, get, post};
use crate::stream::Listener;
use crate::tab::Tab;
use crate::world::World;

fn token(world: &World, role: Role) -> (String, String) {
    let made = world.tokens().make("of a test", role, 7).unwrap();
    (made.kept.id, made.secret)
}

fn by(ask: Ask, token: &str) -> Ask {
    ask.with("Authorization", format!("Bearer {token}"))
}

#[tokio::test]
async fn an_owners_token_works_across_restarts() {
    let mut world = World::start().await;
    let (_, token) = token(&world, Role::Owner);
    world.restart().await;
    let session = world.session().await.id();
    let command =
        json!({ "id": uuid::Uuid::now_v7(), "command": { "type": "set-title", "title": "by a script" } });
    let answer = by(post(format!("/v1/sessions/{session}/commands"), command), &token).of(&world).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut tab = Tab::let_in_by(&world, &token).await;
    assert_eq!(tab.hello["role"], "owner");
    assert_eq!(tab.open(session).await["slices"]["title"], "by a script");
}

#[tokio::test]
async fn a_viewer_sees_everything_and_changes_nothing() {
    let world = World::start().await;
    let (_, token) = token(&world, Role::Viewer);
    let session = world.session().await;
    let id = session.id();
    assert_eq!(by(get("/v1/sessions"), &token).of(&world).await.status, 200);
    let mut tab = Tab::let_in_by(&world, &token).await;
    assert_eq!(tab.hello["role"], "viewer");
    tab.open(id).await;
    let head = session.view().state.head;
    for ask in [
        post("/v1/sessions", json!({ "session": uuid::Uuid::now_v7() })),
        post(format!("/v1/sessions/{id}/fork"), json!({ "session": uuid::Uuid::now_v7(), "at_seq": 2 })),
        post(format!("/v1/sessions/{id}/commands"), json!({ "id": uuid::Uuid::now_v7(), "command": {} })),
        delete(format!("/v1/sessions/{id}")),
    ] {
        assert_eq!(by(ask, &token).of(&world).await.refusal(), (403, "VIEWER_ONLY".to_owned()));
    }
    let refused = tab.done(id, json!({ "type": "set-title", "title": "mine" })).await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("VIEWER_ONLY")));
    assert_eq!(session.view().state.head, head);
}

#[tokio::test]
async fn a_viewers_browser_stays_a_viewers() {
    let world = World::start().await;
    let (_, token) = token(&world, Role::Viewer);
    let answer = get(format!("/?token={token}")).of(&world).await;
    assert_eq!(answer.status, 303);
    let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_eq!(get("/").with("Cookie", &cookie).of(&world).await.status, 200);
    let asked = post("/v1/sessions", json!({ "session": uuid::Uuid::now_v7() })).with("Cookie", &cookie);
    assert_eq!(asked.of(&world).await.refusal(), (403, "VIEWER_ONLY".to_owned()));
}

#[tokio::test]
async fn a_token_that_is_taken_away_ends_what_it_opened() {
    let ping_every = Duration::from_millis(20);
    let world = World::with(GatewayLimits { ping_every, ..GatewayLimits::default() }).await;
    let session = world.session().await.id();
    let (id, token) = token(&world, Role::Viewer);
    let mut tab = Tab::let_in_by(&world, &token).await;
    tab.open(session).await;
    let mut listener = Listener::let_in_by(&world, &token, session, "").await;
    listener.frame().await;

    assert!(world.tokens().revoke(&id).unwrap());
    assert_eq!(by(get("/v1/sessions"), &token).of(&world).await.status, 401);
    tab.send(json!({ "type": "ping", "n": 1 })).await;
    let close = tab.closed().await;
    assert_eq!((u16::from(close.code), close.reason.as_str()), (1008, "signed out"));
    assert_eq!(listener.goodbye().await.as_deref(), Some("signed out"));
}
