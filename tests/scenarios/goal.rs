//! Goals: one round at a time, stopped when a person says so, and never more rounds than allowed.

use std::time::Duration;

use model::scripted::{Gate, Reply};
use serde_json::{Value, json};
use tests::{Place, Seen, World};

in_both_places! {
    rounds_run_one_at_a_time_each_a_turn_until_the_goal_is_met
    pause_stops_within_the_round_and_no_other_round_starts
    pause_ends_a_command_that_runs_and_starts_no_further_call
    resume_takes_a_new_revision_and_the_next_round_number
    clear_removes_the_goal_and_stops_its_round
    a_goal_of_n_rounds_runs_exactly_n
    todos_are_written_along_the_way_and_stand_until_the_next_turn
}

const TODOS: &str =
    r#"{"todos":[{"content":"read","status":"completed"},{"content":"write","status":"in_progress"}]}"#;

fn presses_goal(what: &str, goal: Value) -> Value {
    json!({"type": what, "goal": goal})
}

fn round_runs(round: u64) -> impl Fn(&Seen) -> bool {
    move |seen| seen.at("/goal/round_in_flight") == &json!({"round": round, "state": "running"})
}

fn has_streamed(text: &'static str) -> impl Fn(&Seen) -> bool {
    move |seen| seen.streamed() == text
}

/// Returns an answer that says something and then waits at the gate.
fn held(text: &str, gate: &Gate) -> Reply {
    Reply::new().says(text).holds(gate).ends(model::Finish::Stop)
}

/// Returns the rounds that were reserved, in order.
fn reserved(seen: &Seen) -> Vec<u64> {
    seen.of_type("goal/round").filter_map(|round| round["round"].as_u64()).collect()
}

async fn rounds_run_one_at_a_time_each_a_turn_until_the_goal_is_met(world: World) {
    let (first, second) = (Gate::new(), Gate::new());
    world.model.push(Reply::text("One.").held_first(&first));
    world.model.push(Reply::call("c1", "get_goal", "{}").held_first(&second));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("/goal ship it").await.accepted();
    for tab in [&a, &b] {
        let seen = tab.until("round 1 runs", round_runs(1)).await;
        assert_eq!(
            (seen.at("/goal/phase"), seen.at("/goal/activation")),
            (&json!("active"), &json!("armed"))
        );
        assert_eq!((seen.at("/turn/number"), seen.at("/goal/rounds_started")), (&json!(1), &json!(1)));
        assert_eq!(reserved(&seen), [1], "no second round is reserved while the first runs");
    }
    first.release();
    let seen = b.until("round 2 runs", round_runs(2)).await;
    assert_eq!(seen.at("/turn/number"), 2);
    let goal = seen.goal();
    let complete = json!({
        "goal_id": goal["id"], "revision": goal["revision"], "action": "complete", "evidence": "it is shipped",
    });
    world.model.push(Reply::call("c2", "update_goal", &complete.to_string()));
    second.release();
    for tab in [&a, &b] {
        let is_met = |seen: &Seen| seen.at("/goal/phase") == "complete" && seen.at("/turn/phase") == "idle";
        let seen = tab.until("the goal is met", is_met).await;
        assert_eq!(seen.at("/goal/evidence"), "it is shipped");
        assert_eq!((reserved(&seen), seen.at("/goal/rounds_started")), (vec![1, 2], &json!(2)));
        let starts = seen.seqs_of("turn/start");
        let ends = seen.seqs_of("turn/end");
        assert!(starts.len() == 2 && ends.len() == 2 && ends[0] < starts[1], "{}", seen.account());
    }
}

async fn pause_stops_within_the_round_and_no_other_round_starts(world: World) {
    let gate = Gate::new();
    world.model.push(held("I begin.", &gate));
    let tab = world.tab("a").await;
    tab.types("/goal ship it").await.accepted();
    let seen = tab.until("the round streams", has_streamed("I begin.")).await;
    tab.presses(presses_goal("goal-pause", seen.goal())).await.accepted();
    tab.until("the round is stopped", |seen| seen.at("/turn/last_end/kind") == "aborted").await;
    // Whatever would start by itself has had its chance once a later command is through.
    tab.presses(json!({"type": "set-title", "title": "later"})).await.accepted();
    gate.release();
    let seen = tab.until("the title", |seen| seen.at("/title") == "later").await;
    assert_eq!((seen.at("/goal/phase"), seen.at("/goal/activation")), (&json!("paused"), &json!("disarmed")));
    assert_eq!(seen.at("/goal/revision"), 2);
    tab.sees(
        "
        session/opened epoch 1
        command/run /goal ship it
        goal/change create r1 active
        command/done success
        goal/round 1 of r1
        input/queued <goal_round>
        turn/start 1
        input/claimed <goal_round>
        step/start 1.1
        user/message goal: <goal_round>
        goal/change pause r2 paused
        turn/cancelled 1
        assistant/message I begin. (interrupted)
        step/end 1.1
        turn/end 1 aborted
        ",
    );
}

async fn pause_ends_a_command_that_runs_and_starts_no_further_call(world: World) {
    let endless = ("c1", "run_command", r#"{"command":"tail --pid=$PPID -f /dev/null"}"#);
    let write = ("c2", "write_file", r#"{"path":"late.txt","content":"too late"}"#);
    world.model.push(Reply::calls([endless, write]));
    let tab = world.tab("a").await;
    tab.types("/goal ship it").await.accepted();
    let seen = tab.until("the command runs", |seen| seen.of_type("tool/started").count() == 1).await;
    tab.presses(presses_goal("goal-pause", seen.goal())).await.accepted();
    let seen = tab.until("the round is stopped", |seen| seen.at("/turn/phase") == "idle").await;
    let codes: Vec<_> = seen.of_type("tool/result").map(|result| &result["error"]["code"]).collect();
    assert_eq!(codes, ["ABORTED", "ABORTED_BEFORE_DISPATCH"], "{}", seen.account());
    assert_eq!((seen.of_type("tool/started").count(), reserved(&seen)), (1, vec![1]));
    assert_eq!(world.home.file("late.txt"), None);
}

async fn resume_takes_a_new_revision_and_the_next_round_number(world: World) {
    let (first, second) = (Gate::new(), Gate::new());
    world.model.push(held("One.", &first));
    world.model.push(held("Two.", &second));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("/goal ship it").await.accepted();
    let seen = a.until("the round streams", has_streamed("One.")).await;
    a.presses(presses_goal("goal-pause", seen.goal())).await.accepted();
    let paused = b.until("paused", |seen| seen.at("/goal/phase") == "paused").await;
    let stale = a.presses(presses_goal("goal-resume", seen.goal())).await;
    assert_eq!(stale.code(), "GOAL_STALE_REVISION");
    b.presses(presses_goal("goal-resume", paused.goal())).await.accepted();
    let seen = a.until("round 2 runs", round_runs(2)).await;
    assert_eq!((seen.at("/goal/revision"), seen.at("/goal/activation")), (&json!(3), &json!("armed")));
    assert_eq!(seen.at("/goal/id"), paused.at("/goal/id"));
    assert_eq!(reserved(&seen), [1, 2]);
}

async fn clear_removes_the_goal_and_stops_its_round(world: World) {
    let gate = Gate::new();
    world.model.push(held("I begin.", &gate));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("/goal ship it").await.accepted();
    b.until("the round streams", has_streamed("I begin.")).await;
    b.types("/goal clear").await.accepted();
    for tab in [&a, &b] {
        let is_gone = |seen: &Seen| seen.at("/goal").is_null() && seen.at("/turn/last_end/kind") == "aborted";
        tab.until("no goal and no turn", is_gone).await;
    }
    world.model.push(held("Once more.", &gate));
    a.types("/goal another one").await.accepted();
    let seen = a.until("round 1 of the next goal", |seen| seen.at("/goal/rounds_started") == 1).await;
    assert_eq!((seen.at("/goal/revision"), seen.at("/goal/objective")), (&json!(1), &json!("another one")));
}

async fn a_goal_of_n_rounds_runs_exactly_n(world: World) {
    let tab = world.tab("a").await;
    tab.presses(json!({"type": "goal-create", "objective": "ship it", "rounds_max": 3})).await.accepted();
    let seen = tab.until("the goal is blocked", |seen| seen.at("/goal/phase") == "blocked").await;
    assert_eq!(seen.at("/goal/blocked_reason/code"), "round-limit");
    assert_eq!((seen.at("/goal/rounds_started"), seen.at("/goal/cap_reached")), (&json!(3), &json!(true)));
    assert_eq!((reserved(&seen), seen.seqs_of("turn/start").len()), (vec![1, 2, 3], 3));
    assert_eq!(world.model.requests().len(), 3);
}

/// The clock of the real binary cannot be moved.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_goal_shows_when_it_was_set_and_when_it_changed() {
    let (world, gate) = (World::at(Place::Inside).await, Gate::new());
    world.model.push(held("I begin.", &gate));
    let tab = world.tab("a").await;
    tab.types("/goal ship it").await.accepted();
    tab.until("the round streams", has_streamed("I begin.")).await;
    world.clock.advance(Duration::from_secs(3600));
    tab.types("/goal pause").await.accepted();
    let seen = tab.until("paused", |seen| seen.at("/goal/phase") == "paused").await;
    let at = |name: &str| seen.at(&format!("/goal/{name}")).as_u64().unwrap_or_default();
    assert_eq!(at("updated_at_ms") - at("created_at_ms"), 3_600_000);
}

async fn todos_are_written_along_the_way_and_stand_until_the_next_turn(world: World) {
    let gate = Gate::new();
    world.model.push(Reply::call("c1", "todo_write", TODOS));
    world.model.push(held("Half of it.", &gate));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("list what there is to do").await.accepted();
    let expected = json!([
        {"content": "read", "status": "completed"},
        {"content": "write", "status": "in_progress"},
    ]);
    let seen = b.until("the list", |seen| seen.at("/todos").is_array()).await;
    assert_eq!(seen.at("/todos"), &expected);
    assert_eq!(seen.at("/turn/phase"), "running", "the list is there before the turn is over");
    gate.release();
    let seen = b.until("the turn is over", |seen| seen.at("/turn/phase") == "idle").await;
    assert_eq!(seen.at("/todos"), &expected);
    b.types("go on").await.accepted();
    let is_over = |seen: &Seen| seen.at("/turn/number") == 2 && seen.at("/turn/phase") == "idle";
    let seen = a.until("the next turn is over", is_over).await;
    assert_eq!(seen.at("/todos"), &Value::Null);
}
