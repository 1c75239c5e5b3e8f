//! What the binary counts for whoever watches it.

use tests::{Place, World};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_is_counted_and_nothing_that_was_said_or_is_secret() {
    let world = World::at(Place::BinaryRehearsing).await;
    let tab = world.tab("a").await;
    tab.types("/goal water the xylophone rounds=2").await.accepted();
    tab.until("the goal is met", |seen| seen.at("/goal/phase") == "complete").await;
    tab.until("the turn is over", |seen| seen.at("/turn/phase") == "idle").await;
    let asked = world.door().get("/v1/metrics").await;
    assert_eq!(asked.status, 200);
    for line in [
        "waymark_rounds_total 2",
        "waymark_turns_total{end=\"completed\"} 2",
        "waymark_sockets 1",
        "waymark_followers 1",
    ] {
        assert!(asked.text.lines().any(|counted| counted == line), "{line} is not in\n{}", asked.text);
    }
    for name in [
        "waymark_append_seconds_count",
        "waymark_flush_seconds_bucket",
        "waymark_tokens_total{kind=\"output\"}",
        "waymark_tools_total{outcome=\"ok\"}",
        "# HELP waymark_events_total",
    ] {
        assert!(asked.text.contains(name), "{name} is not in\n{}", asked.text);
    }
    assert!(!asked.text.contains("xylophone") && !asked.text.contains(&world.door().token));
}
