//! The calls of one answer: reads side by side, everything else alone, results in the order of the calls.

use model::scripted::Reply;
use tests::{Seen, World};

in_both_places! {
    reads_begin_together
    a_write_stands_alone_between_reads
    results_stand_in_the_order_of_the_calls
    at_most_ten_reads_run_side_by_side
    a_call_that_cannot_be_read_stands_alone_too
}

const SIDE_BY_SIDE: usize = 10;

/// Lets the model make these calls and returns what a tab has seen when the turn is over.
async fn called(world: &World, calls: &[(&str, &str, String)]) -> Seen {
    let calls = calls.iter().map(|(id, name, arguments)| (*id, *name, arguments.as_str()));
    world.model.push(Reply::calls(calls));
    let tab = world.tab("a").await;
    tab.types("look").await.accepted();
    tab.until("the turn is over", |seen| seen.at("/turn/last_end/kind") == "completed").await
}

/// Returns the starts and results of calls in the order of the log, as `start c1` and `result c1`.
fn course(seen: &Seen) -> Vec<String> {
    let word = |event: &serde_json::Value| {
        let what = match event["type"].as_str() {
            Some("tool/started") => "start",
            Some("tool/result") => "result",
            _ => return None,
        };
        Some(format!("{what} {}", event["data"]["call_id"].as_str().unwrap_or_default()))
    };
    seen.events().filter_map(word).collect()
}

fn reads(path: &str) -> String {
    format!(r#"{{"path":"{path}"}}"#)
}

async fn reads_begin_together(world: World) {
    world.home.has("a.txt", "one\n");
    let all = ["c1", "c2", "c3"].map(|id| (id, "read_file", reads("a.txt")));
    let seen = called(&world, &all).await;
    let expected = ["start c1", "start c2", "start c3", "result c1", "result c2", "result c3"];
    assert_eq!(course(&seen), expected, "{}", seen.account());
}

async fn a_write_stands_alone_between_reads(world: World) {
    world.home.has("a.txt", "one\n");
    let write = r#"{"path":"a.txt","content":"two\n"}"#.to_owned();
    let calls = [
        ("c1", "read_file", reads("a.txt")),
        ("c2", "write_file", write),
        ("c3", "read_file", reads("a.txt")),
    ];
    let seen = called(&world, &calls).await;
    let expected = ["start c1", "result c1", "start c2", "result c2", "start c3", "result c3"];
    assert_eq!(course(&seen), expected, "{}", seen.account());
    let read: Vec<String> = seen.of_type("tool/result").map(|result| result["content"].to_string()).collect();
    assert!(read[0].contains("one") && read[2].contains("two"), "{read:?}");
}

async fn results_stand_in_the_order_of_the_calls(world: World) {
    // The first has much more to do than the others.
    for number in 0..200 {
        world.home.has(&format!("many/{number}.txt"), &"a line of no interest\n".repeat(2000));
    }
    world.home.has("a.txt", "one\n");
    let search = r#"{"pattern":"nowhere to be found"}"#.to_owned();
    let calls = [
        ("c1", "search", search),
        ("c2", "read_file", reads("a.txt")),
        ("c3", "read_file", reads("missing.txt")),
    ];
    let seen = called(&world, &calls).await;
    let expected = ["start c1", "start c2", "start c3", "result c1", "result c2", "result c3"];
    assert_eq!(course(&seen), expected, "{}", seen.account());
}

async fn at_most_ten_reads_run_side_by_side(world: World) {
    world.home.has("a.txt", "one\n");
    let ids: Vec<String> = (1..=13).map(|number| format!("c{number}")).collect();
    let calls: Vec<_> = ids.iter().map(|id| (id.as_str(), "read_file", reads("a.txt"))).collect();
    let seen = called(&world, &calls).await;
    let (mut running, mut most) = (0_usize, 0);
    let course = course(&seen);
    for word in &course {
        running = if word.starts_with("start") { running + 1 } else { running - 1 };
        most = most.max(running);
    }
    assert_eq!(most, SIDE_BY_SIDE, "{}", seen.account());
    let results: Vec<&str> = course.iter().filter_map(|word| word.strip_prefix("result ")).collect();
    assert_eq!(results, ids);
}

async fn a_call_that_cannot_be_read_stands_alone_too(world: World) {
    world.home.has("a.txt", "one\n");
    let calls = [
        ("c1", "read_file", reads("a.txt")),
        ("c2", "read_file", "{}".to_owned()),
        ("c3", "read_file", reads("a.txt")),
    ];
    let seen = called(&world, &calls).await;
    let expected = ["start c1", "result c1", "result c2", "start c3", "result c3"];
    assert_eq!(course(&seen), expected, "{}", seen.account());
}
