//! A provider that fails: its words are kept, the goal is disarmed, and the session takes the next prompt.

use model::scripted::{Gate, Reply};
use model::{Failure, FailureClass};
use serde_json::json;
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
