//! Each request is rebuilt from the log, byte for byte, and grows by what was added alone.

use crate::bench::Bench;
use agent::rebuilt_requests;
use events::TurnEndReason;
use model::scripted::Reply;
use model::{Failure, FailureClass, Request};
use sessions::ClientCommand;

/// Turns with tools, in plan mode and out of it again, with an outage in between.
async fn recorded() -> Bench {
    let bench = Bench::new().await;
    bench.main.push(Reply::call("c1", "list_files", "{}"));
    bench.main.push(Reply::text("Nothing here."));
    assert_eq!(bench.turn().await, TurnEndReason::Completed);
    bench.press(ClientCommand::PlanSet { active: true }).await;
    bench.main.push(Reply::call("c1", "write_file", r#"{"path":"a","content":"b"}"#));
    bench.main.push(Reply::failure(Failure::new(FailureClass::Overloaded, "later")));
    bench.main.push(Reply::text("I may not write."));
    assert_eq!(bench.turn().await, TurnEndReason::Completed);
    bench.press(ClientCommand::PlanSet { active: false }).await;
    bench.main.push(Reply::new().says("Half").fails(Failure::new(FailureClass::StreamCut, "cut")));
    bench.main.push(Reply::call("c1", "write_file", r#"{ "path" : "a", "content":"b" }"#));
    bench.main.push(Reply::text("Written."));
    assert_eq!(bench.turn().await, TurnEndReason::Completed);
    bench
}

fn bytes(request: &Request) -> String {
    serde_json::to_string(request).expect("a request is JSON")
}

#[tokio::test]
async fn each_request_is_rebuilt_from_the_log_byte_for_byte() {
    let bench = recorded().await;
    let made: Vec<String> = bench.main.requests().iter().map(bytes).collect();
    let rebuilt: Vec<String> = rebuilt_requests(&bench.envelopes().await).iter().map(bytes).collect();
    assert_eq!(made.len(), 8);
    assert_eq!(rebuilt, made);
}

/// Returns what comes before the mode's section, which is last in the system prompt.
fn before_the_mode(request: &Request) -> &str {
    request.system.split("\n<mode ").next().unwrap_or_default()
}

/// Returns a request in the order in which providers read it.
fn as_read(request: &Request) -> String {
    let tools = serde_json::to_string(&request.tools).expect("tools are JSON");
    let messages = serde_json::to_string(&request.messages).expect("messages are JSON");
    format!("{tools}{}{messages}", request.system)
}

#[tokio::test]
async fn successive_requests_share_all_but_the_section_of_the_mode() {
    let bench = recorded().await;
    for pair in bench.main.requests().windows(2) {
        let [one, next] = pair else { continue };
        assert_eq!(before_the_mode(one), before_the_mode(next));
        assert_eq!(one.tools, next.tools);
        assert!(next.messages.starts_with(&one.messages), "what was told stays as it was");
        let (read, then) = (as_read(one), as_read(next));
        let shared = read.bytes().zip(then.bytes()).take_while(|(one, next)| one == next).count();
        println!(
            "{:3} % of {} bytes are shared with the next request",
            shared * 100 / read.len(),
            read.len()
        );
    }
}
