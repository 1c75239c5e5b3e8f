//! Frames that are not what they should be.

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use uuid::Uuid;

use crate::tab::{Tab, refused_with, upgrade};
use crate::world::World;

#[tokio::test]
async fn a_frame_that_is_none_is_refused_and_the_connection_stays() {
    let world = World::start().await;
    let mut tab = Tab::of(&world).await;
    let session = Uuid::now_v7().to_string();
    let frames = [
        "not json".to_owned(),
        "[]".to_owned(),
        json!({ "type": "shout" }).to_string(),
        json!({ "type": "open", "session": "nobody" }).to_string(),
        json!({ "type": "open", "session": session, "cursor": { "log": session } }).to_string(),
        json!({ "type": "ping", "n": 1, "m": 2 }).to_string(),
        json!({ "type": "watch-sessions", "since": 1 }).to_string(),
    ];
    for frame in frames {
        tab.send_text(&frame).await;
        let refused = tab.next().await;
        assert_eq!((&refused["code"], &refused["id"]), (&json!("BAD_FRAME"), &Value::Null), "{frame}");
    }
    tab.socket.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    assert_eq!(tab.next().await["code"], "BAD_FRAME");
    tab.send(json!({ "type": "ping", "n": 3 })).await;
    assert_eq!(tab.next().await, json!({ "type": "pong", "n": 3 }));
}

#[tokio::test]
async fn a_command_that_is_none_is_refused_by_its_id_and_changes_nothing() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    let commands = [
        (json!({ "type": "prompt", "text": "hi", "shout": true }), "shout"),
        (json!({ "type": "fly" }), "fly"),
        (json!({ "type": "prompt" }), "text"),
        (json!({ "type": "stop", "turn": "one", "keep_inbox": true }), "one"),
        (json!(null), ""),
    ];
    for (command, named) in commands {
        let refused = tab.done(session.id(), command).await;
        assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("BAD_FRAME")));
        assert_eq!(refused["session"], json!(session.id()));
        assert!(refused["message"].as_str().unwrap().contains(named), "{refused}");
    }
    assert_eq!(session.view().state.head.0, 2);
}

#[tokio::test]
async fn a_frame_with_a_field_too_many_is_refused_by_its_id() {
    let world = World::start().await;
    let mut tab = Tab::of(&world).await;
    let (id, session) = (Uuid::now_v7().to_string(), Uuid::now_v7().to_string());
    tab.send(json!({ "type": "command", "id": id, "session": session, "command": {}, "now": true })).await;
    let refused = tab.next().await;
    assert_eq!((&refused["id"], &refused["session"]), (&json!(id), &json!(session)));
}

#[tokio::test]
async fn an_unknown_session_is_refused_when_opened_and_when_commanded() {
    let world = World::start().await;
    let mut tab = Tab::of(&world).await;
    let session = events::SessionId(Uuid::now_v7());
    tab.send(json!({ "type": "open", "session": session })).await;
    let refused = tab.next().await;
    assert_eq!((&refused["code"], &refused["session"]), (&json!("SESSION_NOT_FOUND"), &json!(session)));
    let refused = tab.done(session, json!({ "type": "prompt", "text": "anybody?" })).await;
    assert_eq!(refused["code"], "SESSION_NOT_FOUND");
}

#[tokio::test]
async fn another_subprotocol_is_refused() {
    let world = World::start().await;
    for protocol in [None, Some("waymark.v2")] {
        let mut request = upgrade(&world, "");
        request.headers_mut().remove("sec-websocket-protocol");
        if let Some(protocol) = protocol {
            request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(protocol));
        }
        assert_eq!(refused_with(&world, request).await, 400);
    }
    assert_eq!(refused_with(&world, upgrade(&world, "?client=")).await, 400);
}
