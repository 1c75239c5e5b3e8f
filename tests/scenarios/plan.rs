//! Plan mode: explored, reviewed, approved, carried out; and nothing changed before.

use model::remote::Api;
use model::scripted::Reply;
use serde_json::{Value, json};
use tests::{Place, Seen, World};

in_both_places! {
    a_plan_is_explored_reviewed_approved_and_carried_out
    a_comment_reaches_the_model_and_the_plan_comes_back
    nothing_is_written_or_run_in_plan_mode
    a_stale_approval_is_refused
    of_two_approvals_at_once_exactly_one_wins
}

/// The product's own provider, asked within this process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_is_carried_out_by_an_openai_compatible_model() {
    a_plan_is_explored_reviewed_approved_and_carried_out(World::at(Place::InsideThrough(Api::Chat)).await)
        .await;
}

const PLAN: &str = "# Add a flag\n\n1. Write `src/flag.rs`.\n";

/// What a person would tell of a plan that is carried out.
const STORY: &str = "
    session/opened epoch 1
    command/run /plan add a flag
    plan/mode on
    input/queued add a flag
    command/done success
    turn/start 1
    input/claimed add a flag
    step/start 1.1
    user/message user: add a flag
    assistant/message [c1 list_files] [c2 read_file]
    tool/started c1
    tool/started c2
    tool/result c1 ok
    tool/result c2 ok
    step/end 1.1
    step/start 1.2
    assistant/message [c3 exit_plan_mode]
    tool/started c3
    plan/proposed r1 Add a flag
    question/asked
    question/answered
    plan/reviewed r1 approved
    plan/selected off
    tool/result c3 ok
    step/end 1.2
    plan/mode off
    step/start 1.3
    assistant/message [c4 write_file]
    tool/started c4
    tool/result c4 ok
    step/end 1.3
    step/start 1.4
    assistant/message The flag is there.
    step/end 1.4
    turn/end 1 completed
";

fn proposes(call_id: &str, plan: &str) -> Reply {
    Reply::call(call_id, "exit_plan_mode", &json!({"plan": plan}).to_string())
}

/// Returns the command that decides on the plan that a tab shows.
fn verdict(seen: &Seen, verdict: &str) -> Value {
    let review = seen.at("/plan/review");
    json!({
        "type": "plan-review", "plan_id": review["plan_id"], "revision": review["revision"],
        "sha256": review["sha256"], "verdict": verdict,
    })
}

fn is_in_review(seen: &Seen) -> bool {
    seen.at("/plan/review").is_object()
}

fn is_idle_after(turn: u64) -> impl Fn(&Seen) -> bool {
    move |seen| seen.at("/turn/number") == turn && seen.at("/turn/phase") == "idle"
}

async fn a_plan_is_explored_reviewed_approved_and_carried_out(world: World) {
    world.home.has("README.md", "# A tool\n");
    let calls = [("c1", "list_files", "{}"), ("c2", "read_file", r#"{"path":"README.md"}"#)];
    world.model.push(Reply::calls(calls));
    world.model.push(proposes("c3", PLAN));
    world.model.push(Reply::call("c4", "write_file", r#"{"path":"src/flag.rs","content":"flag\n"}"#));
    world.model.push(Reply::text("The flag is there."));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("/plan add a flag").await.accepted();
    for tab in [&a, &b] {
        tab.until("plan mode is on", |seen| seen.at("/plan/active") == true).await;
        tab.until("the review card", is_in_review).await;
    }
    let explored = b.seen();
    assert!(
        explored.of_type("tool/result").all(|result| result["outcome"] == "ok"),
        "{}",
        explored.account()
    );
    assert!(world.asked_last().contains("# A tool"), "the model has read the file");
    assert_eq!(world.home.file("src/flag.rs"), None);

    b.presses(verdict(&b.seen(), "approve")).await.accepted();
    for tab in [&a, &b] {
        let seen = tab.until("the turn is over", is_idle_after(1)).await;
        assert_eq!(seen.at("/plan/active"), false);
        assert_eq!(seen.at("/plan/proposal/state"), "approved");
    }
    assert_eq!(world.home.file("src/flag.rs").as_deref(), Some("flag\n"));
    assert!(world.model.requests()[1].system.contains("<mode name=\"plan\">"));
    assert!(!world.model.requests()[2].system.contains("<mode name=\"plan\">"));
    assert_eq!(a.seen().slices(), b.seen().slices());
    a.sees(STORY);
}

async fn a_comment_reaches_the_model_and_the_plan_comes_back(world: World) {
    world.model.push(proposes("c1", PLAN));
    world.model.push(proposes("c2", "# Add a flag, tested\n"));
    let tab = world.tab("a").await;
    tab.types("/plan add a flag").await.accepted();
    let first = tab.until("the review card", is_in_review).await;
    let mut keep = verdict(&first, "keep-planning");
    keep["feedback"] = json!("please add a test for --json");
    tab.presses(keep).await.accepted();
    let second = tab.until("the next revision", |seen| seen.at("/plan/review/revision") == 2).await;
    assert_eq!(second.at("/plan/active"), true);
    assert_eq!(second.at("/plan/review/plan_id"), first.at("/plan/review/plan_id"));
    assert!(world.asked_last().contains("please add a test for --json"), "{}", world.asked_last());
    let sha256 = second.at("/plan/review/sha256").as_str().unwrap_or_default();
    let shown = world.door().get(&format!("/v1/sessions/{}/plans/{sha256}", world.session)).await;
    assert_eq!(shown.body["markdown"], "# Add a flag, tested\n");
}

async fn nothing_is_written_or_run_in_plan_mode(world: World) {
    let write = ("c1", "write_file", r#"{"path":"written.txt","content":"x"}"#);
    let run = ("c2", "run_command", r#"{"command":"touch ran.txt"}"#);
    world.model.push(Reply::calls([write, run]));
    let tab = world.tab("a").await;
    tab.types("/plan try to change something").await.accepted();
    let seen = tab.until("the turn is over", is_idle_after(1)).await;
    let codes: Vec<_> = seen.of_type("tool/result").map(|result| &result["error"]["code"]).collect();
    assert_eq!(codes[0], "PLAN_MODE_REFUSED", "{}", seen.account());
    // Where the machine has a sandbox the command runs, and finds the workspace read-only; elsewhere it does not run.
    let started: Vec<_> = seen.of_type("tool/started").collect();
    let command_code = if started.is_empty() { "PLAN_MODE_REFUSED" } else { "EXIT_STATUS" };
    assert_eq!(codes[1..], [command_code], "{}", seen.account());
    assert!(started.iter().all(|started| started["sandbox"]["profile"] == "read-only"), "{}", seen.account());
    let entries = std::fs::read_dir(world.home.workspace()).expect("the workspace is there");
    assert_eq!(entries.count(), 0);
    assert!(
        world.asked_last().contains("plan mode is on, and write_file is refused"),
        "{}",
        world.asked_last()
    );
}

async fn a_stale_approval_is_refused(world: World) {
    world.model.push(proposes("c1", PLAN));
    world.model.push(proposes("c2", "# Another plan\n"));
    let tab = world.tab("a").await;
    tab.types("/plan add a flag").await.accepted();
    let first = tab.until("the review card", is_in_review).await;
    let mut forged = verdict(&first, "approve");
    forged["sha256"] = json!("0".repeat(64));
    assert_eq!(tab.presses(forged).await.code(), "PLAN_STALE");
    tab.presses(verdict(&first, "keep-planning")).await.accepted();
    tab.until("the next revision", |seen| seen.at("/plan/review/revision") == 2).await;
    let before = world.state().await;
    let refused = tab.presses(verdict(&first, "approve")).await;
    assert_eq!(refused.code(), "PLAN_STALE");
    assert_eq!(world.state().await, before);
    assert_eq!(before["slices"]["plan"]["active"], true);
}

async fn of_two_approvals_at_once_exactly_one_wins(world: World) {
    world.model.push(proposes("c1", PLAN));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("/plan add a flag").await.accepted();
    let (seen_by_a, seen_by_b) =
        (a.until("the review card", is_in_review).await, b.until("the review card", is_in_review).await);
    let (from_a, from_b) =
        tokio::join!(a.presses(verdict(&seen_by_a, "approve")), b.presses(verdict(&seen_by_b, "approve")));
    let mut codes = [from_a.code(), from_b.code()];
    codes.sort_unstable();
    assert_eq!(codes, ["", "PLAN_REVIEW_GONE"]);
    let seen = a.until("the turn is over", is_idle_after(1)).await;
    assert_eq!(seen.of_type("plan/reviewed").count(), 1);
    assert_eq!(seen.at("/plan/active"), false);
}
