//! Commands: answered once, in order, with what their sender did not know.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::tab::Tab;
use crate::world::World;

#[tokio::test]
async fn a_stale_goal_is_refused_with_the_goal_as_it_is() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.done(session.id(), json!({ "type": "goal-create", "objective": "ship it" })).await;
    let goal = session.view().slices().goal.unwrap();
    let stale = json!({ "id": goal.id, "revision": goal.revision + 7 });
    let refused = tab.done(session.id(), json!({ "type": "goal-pause", "goal": stale })).await;
    assert_eq!(refused["code"], "GOAL_STALE_REVISION");
    assert_eq!(refused["current"]["revision"], json!(goal.revision));
    assert_eq!(refused["current"]["objective"], "ship it");
}

#[tokio::test]
async fn a_refusal_carries_the_state_that_it_is_about() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.done(session.id(), json!({ "type": "prompt", "text": "first" })).await;
    let nobody = Uuid::now_v7();
    let refused = tab.done(session.id(), json!({ "type": "input-withdraw", "input_id": nobody })).await;
    assert_eq!(refused["code"], "INPUT_GONE");
    assert_eq!(refused["current"][0]["preview"], "first");
    let gone = json!({ "type": "dismiss-question", "question_id": nobody, "revision": 1 });
    let refused = tab.done(session.id(), gone).await;
    assert_eq!((&refused["code"], &refused["current"]), (&json!("QUESTION_GONE"), &json!([])));
    let review = json!({ "type": "plan-review", "plan_id": nobody, "revision": 1, "sha256": "00", "verdict": "approve" });
    let refused = tab.done(session.id(), review).await;
    assert_eq!(refused["code"], "PLAN_REVIEW_GONE");
    assert_eq!(refused["current"]["active"], false);
    let refused = tab.done(session.id(), json!({ "type": "slash", "line": "/fly" })).await;
    assert_eq!((&refused["code"], &refused["current"]), (&json!("UNKNOWN_COMMAND"), &Value::Null));
}

#[tokio::test]
async fn a_command_sent_again_over_another_connection_is_carried_out_once() {
    let world = World::start().await;
    let session = world.session().await;
    let id = Uuid::now_v7().to_string();
    let prompt = json!({ "type": "prompt", "text": "once" });
    let mut receipts = Vec::new();
    for query in ["?client=tab-1", "?client=tab-1"] {
        let mut tab = Tab::with(&world, query).await;
        tab.command_as(&id, session.id(), prompt.clone()).await;
        receipts.push(tab.until("receipt").await);
    }
    assert_eq!(receipts[0], receipts[1]);
    assert_eq!(session.view().slices().inbox.len(), 1);
    let mut tab = Tab::named(&world, "tab-1").await;
    tab.command_as(&id, session.id(), json!({ "type": "prompt", "text": "another" })).await;
    assert_eq!(tab.until("refused").await["code"], "COMMAND_ID_REUSED");
}

#[tokio::test]
async fn a_client_without_a_name_is_known_by_its_sign_in() {
    let world = World::start().await;
    let session = world.session().await;
    let id = Uuid::now_v7().to_string();
    for _ in 0..2 {
        let mut tab = Tab::with(&world, "").await;
        tab.command_as(&id, session.id(), json!({ "type": "prompt", "text": "once" })).await;
        tab.until("receipt").await;
    }
    assert_eq!(session.view().slices().inbox.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn commands_of_one_connection_are_carried_out_in_order() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    let mut ids = Vec::new();
    for number in 0..40 {
        // Every other one is large, and takes longer to read than the one behind it.
        let text = format!("number {number}{}", " ".repeat(number % 2 * 500_000));
        ids.push(tab.command(session.id(), json!({ "type": "prompt", "text": text })).await);
    }
    for id in ids {
        assert_eq!(tab.until("receipt").await["id"], json!(id));
    }
    let inbox = session.view().slices().inbox.into_iter();
    let previews: Vec<String> = inbox.map(|input| input.preview.trim_end().to_owned()).collect();
    assert_eq!(previews, (0..40).map(|number| format!("number {number}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn commands_beyond_what_may_be_on_the_way_are_refused() {
    let limits = gateway::GatewayLimits { commands_in_flight_max: 1, ..gateway::GatewayLimits::default() };
    let world = World::with(limits).await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    for _ in 0..30 {
        tab.command(session.id(), json!({ "type": "prompt", "text": "quick" })).await;
    }
    assert_eq!(tab.until("refused").await["code"], "TOO_MANY_COMMANDS");
}

#[tokio::test]
async fn a_mode_is_chosen_by_a_word_and_an_unknown_word_is_refused_with_the_mode_in_force() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    for (word, planning) in [("plan", true), ("pair_programming", false), ("plan", true)] {
        tab.done(session.id(), json!({ "type": "mode-set", "mode": word })).await;
        assert_eq!(session.view().state.plan.active, planning, "{word}");
    }
    let refused = tab.done(session.id(), json!({ "type": "mode-set", "mode": "PLAN" })).await;
    assert_eq!((&refused["code"], &refused["current"]["active"]), (&json!("MODE_UNKNOWN"), &json!(true)));
}
