//! What one client may cost, and what that costs others.

use std::time::Duration;

use gateway::GatewayLimits;
use serde_json::{Value, json};

use crate::tab::{Tab, refused_with, upgrade};
use crate::world::World;

const PROMPTS: usize = 60;
const PROMPT_BYTES: usize = 250_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_slows_nobody_and_catches_up_with_a_snapshot() {
    let world = World::with(GatewayLimits {
        queue_frames_max: 4,
        lag_events_max: 5,
        page_bytes_max: 100_000,
        ..GatewayLimits::default()
    })
    .await;
    let session = world.session().await;
    let (mut stalled, mut brisk) = (Tab::narrow(&world).await, Tab::of(&world).await);
    stalled.open(session.id()).await;
    brisk.open(session.id()).await;

    let mut last = 0;
    for _ in 0..PROMPTS {
        let prompt = json!({ "type": "prompt", "text": "x".repeat(PROMPT_BYTES) });
        brisk.command(session.id(), prompt).await;
        last += 1;
        assert_eq!(cursor(&brisk.until("update").await), 2 + last);
    }

    let frames = stalled.up_to(2 + last).await;
    assert!(frames.windows(2).all(|pair| cursor(&pair[0]) < cursor(&pair[1])), "positions only grow");
    let snapshot = frames.iter().find(|frame| frame["type"] == "snapshot").expect("it skipped to now");
    assert_eq!(snapshot["history"]["follows"], false);
    assert!(frames.len() < PROMPTS, "{} frames", frames.len());
    assert_eq!(session.view().slices().inbox.len(), PROMPTS);
}

fn cursor(frame: &Value) -> u64 {
    frame["cursor"]["seq"].as_u64().unwrap()
}

#[tokio::test]
async fn a_client_that_falls_silent_is_given_up() {
    let world = World::with(GatewayLimits {
        ping_every: Duration::from_millis(50),
        silence_max: Duration::from_millis(300),
        goodbye_max: Duration::from_millis(100),
        sockets_max: 1,
        ..GatewayLimits::default()
    })
    .await;
    // It holds its end open, and answers no ping for nobody polls it.
    let silent = Tab::of(&world).await;
    let taken = refused_with(&world, upgrade(&world, "")).await;
    assert_eq!(taken, 503);
    let mut stream = silent.socket.into_inner();
    let mut left = Vec::new();
    let ended = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut left);
    tokio::time::timeout(crate::world::PATIENCE, ended).await.expect("the server hangs up").unwrap();
    let (close, code) = (0x88, 1008_u16.to_be_bytes());
    assert!(left.windows(4).any(|bytes| bytes[0] == close && bytes[2..4] == code), "{left:x?}");
}

#[tokio::test]
async fn a_client_that_answers_pings_stays() {
    let world = World::with(GatewayLimits {
        ping_every: Duration::from_millis(50),
        silence_max: Duration::from_millis(400),
        ..GatewayLimits::default()
    })
    .await;
    let mut tab = Tab::of(&world).await;
    for _ in 0..12 {
        assert!(tab.message().await.unwrap().is_ping());
    }
    tab.send(json!({ "type": "ping", "n": 1 })).await;
    assert_eq!(tab.next().await["type"], "pong");
}

#[tokio::test]
async fn one_connection_follows_a_bounded_number_of_sessions() {
    let world = World::with(GatewayLimits { sessions_per_socket_max: 2, ..GatewayLimits::default() }).await;
    let mut tab = Tab::of(&world).await;
    let (one, two, three) = (world.session().await, world.session().await, world.session().await);
    tab.open(one.id()).await;
    tab.open(two.id()).await;
    tab.send(json!({ "type": "open", "session": three.id() })).await;
    assert_eq!(tab.next().await["code"], "TOO_MANY_SESSIONS");
    tab.send(json!({ "type": "close", "session": one.id() })).await;
    tab.open(three.id()).await;
}

#[tokio::test]
async fn a_frame_beyond_the_limit_closes_its_connection() {
    let world = World::with(GatewayLimits { frame_bytes_max: 1000, ..GatewayLimits::default() }).await;
    let mut tab = Tab::of(&world).await;
    tab.send(json!({ "type": "ping", "n": 1 })).await;
    tab.next().await;
    tab.send_text(&"x".repeat(1001)).await;
    assert_eq!(u16::from(tab.closed().await.code), 1009);
    let mut tab = Tab::of(&world).await;
    tab.send_text(&"x".repeat(5000)).await;
    assert_eq!(u16::from(tab.closed().await.code), 1009);
}
