//! A model with an outage: another attempt, another model, and what the next turn asks.

use crate::bench::Bench;
use events::{RequestAttempt, SessionEvent, TurnEndReason};
use model::scripted::Reply;
use model::{Failure, FailureClass};

async fn attempts(bench: &Bench) -> Vec<RequestAttempt> {
    let attempt = |event| match event {
        SessionEvent::RequestAttempt(data) => Some(data),
        _ => None,
    };
    bench.log().await.into_iter().filter_map(attempt).collect()
}

/// Returns the model of each request header and of each step's end, in order.
async fn models(bench: &Bench) -> Vec<String> {
    let model = |event| match event {
        SessionEvent::RequestHeader(data) => Some(format!("header {}", data.model)),
        SessionEvent::StepEnd(data) => Some(format!("step {}", data.model.unwrap_or_default())),
        _ => None,
    };
    bench.log().await.into_iter().filter_map(model).collect()
}

fn out() -> Reply {
    Reply::failure(Failure::new(FailureClass::Overloaded, "later"))
}

#[tokio::test]
async fn when_every_attempt_is_used_up_the_fallback_finishes_the_turn_and_the_next_one_asks_the_first_again()
{
    let bench = Bench::new().await;
    bench.main.push(out());
    bench.main.push(out());
    bench.fallback.push(Reply::call("c1", "list_files", "{}"));
    bench.fallback.push(Reply::text("I stood in."));
    assert_eq!(bench.turn().await, TurnEndReason::Completed);
    let told: Vec<_> = attempts(&bench).await.into_iter().map(|data| (data.attempt, data.fallback)).collect();
    assert_eq!(told, [(2, None), (3, Some("spare".to_owned()))]);
    assert_eq!((bench.main.requests().len(), bench.fallback.requests().len()), (2, 2));
    assert_eq!(bench.fallback.requests()[0].model, "spare");
    assert_eq!(bench.turn().await, TurnEndReason::Completed);
    let expected = ["header first", "header spare", "step spare", "step spare", "header first", "step first"];
    assert_eq!(models(&bench).await, expected);
}

#[tokio::test]
async fn the_turn_fails_once_the_fallback_is_used_up_too() {
    let bench = Bench::new().await;
    for model in [&bench.main, &bench.fallback] {
        model.push(out());
        model.push(out());
    }
    let end = bench.turn().await;
    assert!(matches!(&end, TurnEndReason::Error { code, .. } if code == "overloaded"), "{end:?}");
    let attempts: Vec<_> = attempts(&bench).await.into_iter().map(|data| data.attempt).collect();
    assert_eq!(attempts, [2, 3, 4]);
}

#[tokio::test]
async fn a_failure_that_time_does_not_heal_is_met_with_neither() {
    let bench = Bench::new().await;
    bench.main.push(Reply::failure(Failure::new(FailureClass::Auth, "no key")));
    let end = bench.turn().await;
    assert!(matches!(&end, TurnEndReason::Error { code, .. } if code == "auth"), "{end:?}");
    assert_eq!(attempts(&bench).await, []);
    assert_eq!(bench.fallback.requests().len(), 0);
}
