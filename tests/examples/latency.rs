//! How long an append takes to reach a second tab, and how long the binary takes to be ready. Prints; asserts nothing.
//!
//! `cargo run --release -p tests --example latency` measures the release build.

use std::time::Duration;

use serde_json::json;
use tests::{Home, Place, Process, Tab, World};
use tokio::time::Instant;

/// Appends that are measured.
const APPENDS: usize = 500;
/// Starts that are measured.
const STARTS: usize = 10;

#[tokio::main]
async fn main() {
    let world = World::at(Place::BinaryRehearsing).await;
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    let (mut to_tab, mut to_receipt) = (Vec::new(), Vec::new());
    for turn in 0..APPENDS {
        let (seen, answered) = append(&a, &b, &format!("title {turn}")).await;
        to_tab.push(seen);
        to_receipt.push(answered);
    }
    tell("append to second tab", &mut to_tab);
    tell("append to receipt", &mut to_receipt);
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        starts.push(Process::start(&Home::default(), &[]).await.ready_after);
    }
    tell("start to printed line", &mut starts);
}

/// Names the session in one tab, and waits until the other shows it and the first has its receipt.
async fn append(a: &Tab, b: &Tab, title: &str) -> (Duration, Duration) {
    let began = Instant::now();
    let seen = async {
        b.notices("the title", |seen| seen.at("/title") == title).await;
        began.elapsed()
    };
    let answered = async {
        a.presses(json!({"type": "set-title", "title": title})).await.accepted();
        began.elapsed()
    };
    tokio::join!(seen, answered)
}

fn tell(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("{what}: p50 {:?}, p99 {:?}, most {:?} ({} times)", at(50), at(99), at(100), times.len());
}
