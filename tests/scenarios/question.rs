//! Questions with a time limit: in a running server, on its clock.

use std::time::Duration;

use model::scripted::Reply;
use serde_json::json;
use tests::{Place, Seen, World};

fn asks(call_id: &str) -> Reply {
    let question = json!({
        "questions": [{"id": "db", "header": "Database", "question": "Which one?", "options": [
            {"label": "SQLite", "recommended": true}, {"label": "Postgres"},
        ]}],
        "answer_within_seconds": 60,
    });
    Reply::call(call_id, "ask_user_question", &question.to_string())
}

fn is_asked(seen: &Seen) -> bool {
    seen.at("/questions/0/deadline_at_ms").is_u64()
}

fn is_idle(seen: &Seen) -> bool {
    seen.at("/turn/number") == 1 && seen.at("/turn/phase") == "idle"
}

/// A world whose model has asked with a time limit.
async fn asked() -> (World, tests::Tab) {
    let world = World::at(Place::Inside).await;
    world.model.push(asks("c1"));
    world.model.push(Reply::text("SQLite it is."));
    let tab = world.tab("a").await;
    tab.types("choose a database").await.accepted();
    tab.until("the question", is_asked).await;
    (world, tab)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_time_is_over_the_recommendation_stands_and_the_turn_goes_on() {
    let (world, tab) = asked().await;
    world.clock.advance(Duration::from_secs(60));
    let seen = tab.until("the turn is over", is_idle).await;
    let answered = seen.of_type("question/answered").next().expect("the question has its answer");
    assert_eq!(answered["by"]["kind"], "host");
    assert_eq!(answered["answers"][0]["selected"], json!(["SQLite"]));
    assert!(world.asked_last().contains("default-after-timeout"), "{}", world.asked_last());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_before_its_time_is_over_ends_the_limit() {
    let (world, tab) = asked().await;
    world.clock.advance(Duration::from_secs(59));
    let seen = tab.seen();
    let answer = json!({
        "type": "answer", "question_id": seen.at("/questions/0/question_id"), "revision": 1,
        "answers": [{"id": "db", "selected": ["Postgres"]}],
    });
    tab.presses(answer).await.accepted();
    world.clock.advance(Duration::from_secs(60));
    let seen = tab.until("the turn is over", is_idle).await;
    let by: Vec<_> = seen.of_type("question/answered").map(|answered| &answered["by"]["kind"]).collect();
    assert_eq!(by, ["user"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_time_that_ended_while_the_server_was_gone_waits_for_a_person() {
    let (mut world, tab) = asked().await;
    world.crash().await;
    world.clock.advance(Duration::from_secs(3600));
    world.restart().await;
    // Another command makes the new host own the session, so that its clock could speak.
    tab.presses(json!({"type": "set-title", "title": "Databases"})).await.accepted();
    let seen = tab.until("the title", |seen| seen.at("/title") == "Databases").await;
    assert!(is_asked(&seen), "{}", seen.account());
    assert_eq!(seen.at("/questions/0/from_epoch_is_current"), false);
    assert_eq!(seen.of_type("question/answered").count(), 0);
}
