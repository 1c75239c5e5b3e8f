//! Forks: the same history, then two sessions of their own.

use model::Finish;
use model::scripted::{Gate, Reply};
use serde_json::{Value, json};
use tests::{Seen, Tab, World};

in_both_places! {
    a_fork_has_the_same_history_and_a_disarmed_goal_and_then_goes_its_own_way
    inside_an_open_turn_no_fork_begins
    forks_survive_a_crash
}

fn is_idle_after(turn: u64) -> impl Fn(&Seen) -> bool {
    move |seen| seen.at("/turn/number") == turn && seen.at("/turn/phase") == "idle"
}

/// Starts a goal of two rounds and waits until its second one is held. Returns the end of its first turn.
async fn round_two_is_held(world: &World, tab: &Tab, gate: &Gate) -> u64 {
    world.model.push(Reply::call("c1", "todo_write", r#"{"todos":[{"content":"ship","status":"pending"}]}"#));
    world.model.push(Reply::text("One."));
    world.model.push(Reply::new().says("Two").holds(gate).ends(Finish::Stop));
    tab.presses(json!({"type": "goal-create", "objective": "ship it", "rounds_max": 2})).await.accepted();
    let seen = tab.until("round 2 streams", |seen| seen.streamed() == "Two").await;
    seen.batch_end(seen.seqs_of("turn/end")[0])
}

async fn a_fork_has_the_same_history_and_a_disarmed_goal_and_then_goes_its_own_way(world: World) {
    let (tab, gate) = (world.tab("parent").await, Gate::new());
    let cut = round_two_is_held(&world, &tab, &gate).await;
    let (forked, child) = world.fork(cut).await;
    assert_eq!((forked.status, &forked.body["cut"]), (201, &json!(cut)));
    let fork = world.tab_on(child, "fork").await;
    let (parent, seen) = (tab.seen(), fork.seen());
    let inherited = |seen: &Seen| -> Vec<Value> {
        seen.events()
            .filter(|event| event["seq"].as_u64() <= Some(cut) && event["type"] != "assistant/delta")
            .cloned()
            .collect()
    };
    assert_eq!(inherited(&parent), inherited(&seen));
    assert_eq!(seen.goal(), parent.goal());
    assert_eq!((seen.at("/goal/phase"), seen.at("/goal/activation")), (&json!("active"), &json!("disarmed")));
    assert_eq!((seen.at("/goal/rounds_started"), parent.at("/goal/rounds_started")), (&json!(1), &json!(2)));
    assert_eq!(seen.at("/session/parent"), &json!({"session": world.session, "fork_seq": cut}));
    let row = fork.until("the list shows both", |seen| seen.row(child).is_object()).await;
    assert_eq!(row.row(child)["parent"], world.session.to_string());

    fork.types("another way").await.accepted();
    fork.until("the fork's turn is over", is_idle_after(2)).await;
    gate.release();
    let parent = tab.until("the parent's goal is blocked", |seen| seen.at("/goal/phase") == "blocked").await;
    let seen = fork.seen();
    let says = |seen: &Seen, text: &str| seen.events().any(|event| event["data"].to_string().contains(text));
    assert!(says(&seen, "another way") && !says(&parent, "another way"));
    assert_eq!((seen.at("/goal/phase"), seen.at("/goal/rounds_started")), (&json!("active"), &json!(1)));
}

async fn inside_an_open_turn_no_fork_begins(world: World) {
    let (tab, gate) = (world.tab("parent").await, Gate::new());
    let first_end = round_two_is_held(&world, &tab, &gate).await;
    let seen = tab.seen();
    let before = world.state().await;
    let (refused, child) = world.fork(seen.head()).await;
    assert_eq!((refused.status, refused.code()), (409, "FORK_OPEN_TURN"));
    let legal = seen.seqs_of("turn/start")[1] - 1;
    let message = refused.body["message"].as_str().unwrap_or_default();
    assert!(message.ends_with(&format!("event {legal}")) && legal >= first_end, "{message}");
    assert_eq!(world.door().get(&format!("/v1/sessions/{child}/state")).await.code(), "SESSION_NOT_FOUND");
    assert_eq!(world.state().await, before);
    let (forked, _) = world.fork(legal).await;
    assert_eq!((forked.status, &forked.body["cut"]), (201, &json!(legal)));
}

async fn forks_survive_a_crash(mut world: World) {
    let tab = world.tab("parent").await;
    tab.types("first").await.accepted();
    let seen = tab.until("the turn is over", is_idle_after(1)).await;
    let (_, child) = world.fork(seen.head()).await;
    let fork = world.tab_on(child, "fork").await;
    fork.types("only here").await.accepted();
    fork.until("the fork's turn is over", is_idle_after(2)).await;
    world.crash().await;
    world.restart().await;
    let seen = fork.until("the fork is back", |seen| seen.snapshots() == 2).await;
    assert_eq!(seen.of_type("user/message").count(), 2);
    let parent = tab.until("the parent is back", |seen| seen.snapshots() == 2).await;
    assert_eq!(parent.of_type("user/message").count(), 1);
    let grown = world.tab_on(child, "grown").await.seen();
    assert_eq!(grown.slices(), seen.slices());
}
