//! A provider that fails: its words are kept, the goal is disarmed, and the session takes the next prompt.

use std::time::Duration;

use model::scripted::{Gate, Reply};
use model::{Failure, FailureClass};
use serde_json::json;
use sessions::Clock;
use tests::{Seen, World};

in_both_places! {
    a_refused_key_ends_the_turn_with_the_providers_words_and_disarms_the_goal
    an_answer_that_breaks_off_keeps_what_had_streamed
}

fn has_failed(seen: &Seen) -> bool {
    seen.at("/turn/last_end/kind") == "error"
}

/// Waits until the session shows that the goal does not go on, then lets a prompt through.
async fn disarmed_yet_alive(world: &World) -> Seen {
    let tab = world.tab("later").await;
    let seen = tab.seen();
    assert_eq!((seen.at("/goal/phase"), seen.at("/goal/activation")), (&json!("active"), &json!("disarmed")));
    world.model.push(Reply::text("I am here again."));
    tab.types("are you there?").await.accepted();
    let is_over = |seen: &Seen| seen.at("/turn/number") == 2 && seen.at("/turn/phase") == "idle";
    let seen = tab.until("the next turn is over", is_over).await;
    assert_eq!(seen.at("/turn/last_end/kind"), "completed");
    assert_eq!(seen.of_type("goal/round").count(), 1, "no round starts by itself\n{}", seen.account());
    seen
}

async fn a_refused_key_ends_the_turn_with_the_providers_words_and_disarms_the_goal(world: World) {
    world.model.push(Reply::failure(Failure::new(FailureClass::Auth, "this key was revoked on Tuesday")));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("/goal ship it").await.accepted();
    for tab in [&a, &b] {
        let seen = tab.until("the turn failed", has_failed).await;
        assert_eq!(seen.at("/turn/last_end/code"), "auth");
        assert_eq!(seen.at("/turn/last_end/message"), "this key was revoked on Tuesday");
        assert_eq!(seen.at("/goal/waiting"), "disarmed: a turn ended in an error (auth)");
    }
    let is_listed = |seen: &Seen| seen.row(world.session)["status"] == "error";
    a.until("the session list tells it", is_listed).await;
    disarmed_yet_alive(&world).await;
}

async fn an_answer_that_breaks_off_keeps_what_had_streamed(world: World) {
    let cut = Failure::new(FailureClass::StreamCut, "the line went dead");
    let gate = Gate::new();
    world.model.push(Reply::new().says("Half a sent").holds(&gate).fails(cut));
    let tab = world.tab("a").await;
    tab.types("/goal ship it").await.accepted();
    tab.until("the text", |seen| seen.streamed() == "Half a sent").await;
    gate.release();
    let seen = tab.until("the turn failed", has_failed).await;
    assert_eq!(seen.at("/turn/last_end/code"), "stream-cut");
    assert!(seen.at("/turn/last_end/message").as_str().is_some_and(|words| !words.is_empty()));
    let message = seen.of_type("assistant/message").next_back().cloned().unwrap_or_default();
    assert_eq!(
        (&message["interrupted"], &message["content"][0]["text"]),
        (&json!(true), &json!("Half a sent"))
    );
    disarmed_yet_alive(&world).await;
    assert!(world.asked_last().contains("Half a sent"));
}

/// A model that is out for as many attempts, then says something, in a world whose clock stands still.
async fn out_for(failures: &[Failure]) -> World {
    let world = World::inside_trying_again().await;
    failures.iter().for_each(|failure| world.model.push(Reply::failure(failure.clone())));
    world.model.push(Reply::text("Here I am."));
    world
}

fn waits_for_attempt(attempt: u64) -> impl Fn(&Seen) -> bool {
    move |seen| seen.at("/turn/retry/attempt") == attempt
}

fn is_over(seen: &Seen) -> bool {
    seen.at("/turn/number") == 1 && seen.at("/turn/phase") == "idle" && seen.at("/turn/last_end").is_object()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_is_waited_out_within_the_step_and_both_tabs_see_until_when() {
    let limited =
        Failure { retry_after_ms: Some(7_000), ..Failure::new(FailureClass::RateLimit, "slow down") };
    let world = out_for(&[limited, Failure::new(FailureClass::Overloaded, "later")]).await;
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    let begun = world.clock.now_ms();
    a.types("hello").await.accepted();
    for tab in [&a, &b] {
        let seen = tab.until("the wait", waits_for_attempt(2)).await;
        assert_eq!(seen.at("/turn/retry/class"), "rate-limit");
        assert_eq!(seen.at("/turn/retry/until_ms"), begun + 7_000);
    }
    world.clock.advance(Duration::from_secs(7));
    a.until("the next wait", waits_for_attempt(3)).await;
    world.clock.advance(Duration::from_secs(1));
    let seen = b.until("the turn is over", is_over).await;
    assert_eq!((seen.at("/turn/last_end/kind"), seen.at("/turn/retry")), (&json!("completed"), &json!(null)));
    let attempts = seen.of_type("request/attempt").map(|data| {
        (data["step"].clone(), data["attempt"].clone(), data["class"].clone(), data["delay_ms"].clone())
    });
    let told = |attempt, class: &str, delay| (json!(1), json!(attempt), json!(class), json!(delay));
    assert_eq!(attempts.collect::<Vec<_>>(), [told(2, "rate-limit", 7_000), told(3, "overloaded", 1_000)]);
    assert_eq!(world.model.requests().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_ends_the_wait_for_another_attempt_at_once() {
    let world = out_for(&[Failure::new(FailureClass::Network, "nobody there")]).await;
    let tab = world.tab("a").await;
    tab.types("hello").await.accepted();
    tab.until("the wait", waits_for_attempt(2)).await;
    tab.presses(json!({"type": "stop", "turn": 1, "keep_inbox": true})).await.accepted();
    let seen = tab.until("the turn is over", is_over).await;
    assert_eq!(seen.at("/turn/last_end/kind"), "aborted");
    assert_eq!(world.model.requests().len(), 1, "the clock stood still, and nobody was asked again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_of_an_attempt_that_broke_off_is_replaced_by_the_next_and_nothing_is_called_twice() {
    let cut = Failure::new(FailureClass::StreamCut, "the line went dead");
    let world = World::inside_trying_again().await;
    world.model.push(Reply::call("c1", "write_file", r#"{"path":"a.txt","content":"a"}"#));
    world.model.push(Reply::new().says("Half a sent").fails(cut));
    world.model.push(Reply::text("A whole sentence."));
    let tab = world.tab("a").await;
    tab.types("hello").await.accepted();
    tab.until("the wait", |seen| seen.at("/turn/retry/class") == "stream-cut").await;
    let seen = tab.seen();
    assert_eq!(seen.streamed(), "Half a sent", "it stays until there is something better");
    world.clock.advance(Duration::from_secs(1));
    let seen = tab.until("the turn is over", is_over).await;
    assert_eq!(seen.of_type("tool/started").count(), 1, "{}", seen.account());
    let last = seen.of_type("assistant/message").next_back().cloned().unwrap_or_default();
    assert_eq!(last["content"][0]["text"], "A whole sentence.");
    let used = seen.of_type("request/attempt").next().cloned().unwrap_or_default();
    assert_eq!(used["usage"]["estimated"], true, "what had arrived was paid for: {used}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_goal_meets_an_outage_only_after_every_attempt_is_used_up() {
    let later = || Failure::new(FailureClass::Overloaded, "later");
    let world = out_for(&[later(), later(), later(), later(), later(), later()]).await;
    let tab = world.tab("a").await;
    tab.types("/goal ship it").await.accepted();
    for attempt in 2..=6 {
        let seen = tab.until("the wait", waits_for_attempt(attempt)).await;
        assert_eq!(seen.at("/goal/activation"), "armed");
        world.clock.advance(Duration::from_secs(10));
    }
    let seen = tab.until("the turn failed", has_failed).await;
    assert_eq!(seen.at("/goal/waiting"), "disarmed: a turn ended in an error (overloaded)");
    assert_eq!(world.model.requests().len(), 6);
}
