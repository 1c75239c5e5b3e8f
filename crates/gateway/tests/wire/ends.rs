//! How a server ends.

use serde_json::json;

use crate::tab::Tab;
use crate::world::World;

#[tokio::test]
async fn a_server_that_ends_says_goodbye_after_what_still_waits() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.open(session.id()).await;
    tab.done(session.id(), json!({ "type": "set-title", "title": "last words" })).await;
    let goodbye = tokio::spawn(async move {
        let close = tab.closed().await;
        (u16::from(close.code), close.reason.to_string())
    });
    world.stop().await;
    assert_eq!(goodbye.await.unwrap(), (1001, "going away".to_owned()));
}

#[tokio::test]
async fn a_server_ends_in_time_whatever_its_clients_do() {
    let world = World::start().await;
    let silent = Tab::of(&world).await;
    let started = std::time::Instant::now();
    world.stop().await;
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
    drop(silent);
}
