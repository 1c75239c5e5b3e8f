//! How a goal ends when somebody else has a say: a judge, or a budget.

use model::Usage;
use model::scripted::{Gate, Reply};
use serde_json::json;
use sessions::Limits;
use tests::{Seen, Tab, World};

async fn judged() -> World {
    World::inside_with(Limits { judge: true, ..Limits::default() }).await
}

/// The model claims in its next answer that the goal, which nobody has changed, is met.
fn will_claim(world: &World, (tab, call): (&Tab, &str), evidence: &str) {
    let goal = tab.seen().goal();
    let claim = json!({
        "goal_id": goal["id"], "revision": goal["revision"], "action": "complete", "evidence": evidence,
    });
    world.model.push(Reply::call(call, "update_goal", &claim.to_string()));
}

/// A goal that is not there yet is not over: a receipt may reach a tab before the frame with the goal does.
fn is_over(seen: &Seen) -> bool {
    matches!(seen.at("/goal/phase").as_str(), Some("complete" | "blocked"))
        && seen.at("/turn/phase") == "idle"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_goal_goes_on_until_a_judge_accepts_and_every_tab_sees_what_it_said() {
    let (world, gate) = (judged().await, Gate::new());
    world.model.push(Reply::text("I look first.").held_first(&gate));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("/goal ship it").await.accepted();
    a.until("round 1 runs", |seen| seen.at("/goal/rounds_started") == 1).await;
    will_claim(&world, (&a, "c1"), "it looks shipped");
    world.model.push(Reply::text("REFUSED: nothing was run"));
    world.model.push(Reply::text("Then I run it."));
    will_claim(&world, (&a, "c2"), "all tests pass");
    world.model.push(Reply::text("ACCEPTED\nThe tests ran."));
    world.model.push(Reply::text("It is shipped."));
    gate.release();
    for tab in [&a, &b] {
        let seen = tab.until("the goal is over", is_over).await;
        assert_eq!(
            (seen.at("/goal/phase"), seen.at("/goal/evidence")),
            (&json!("complete"), &json!("all tests pass"))
        );
        assert_eq!(seen.at("/goal/judged/reason"), "The tests ran.");
        let verdicts: Vec<_> = seen.of_type("goal/judged").map(|judged| &judged["verdict"]).collect();
        assert_eq!(verdicts, ["refused", "accepted"], "{}", seen.account());
        assert_eq!(seen.at("/goal/rounds_started"), 3, "{}", seen.account());
    }
    let requests = world.model.requests();
    let heard = |index: usize| serde_json::to_string(&requests[index].messages).expect("messages are JSON");
    assert_eq!(requests.len(), 7, "three rounds, two judges, and a closing message");
    assert!(requests[2].tools.is_empty() && heard(2).contains("it looks shipped"), "{}", heard(2));
    assert!(heard(4).contains("nothing was run"), "the next round is told why: {}", heard(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_goal_out_of_tokens_is_blocked_with_one_closing_message_and_waits_for_a_greater_budget() {
    let world = World::inside_with(Limits { goal_tokens_default: Some(1_000), ..Limits::default() }).await;
    let using = |input_tokens| Usage { input_tokens, output_tokens: 1, ..Usage::default() };
    world.model.push(Reply::text("One.").uses(using(400)));
    world.model.push(Reply::call("c1", "get_goal", "{}").uses(using(700)));
    world.model.push(Reply::call("c2", "get_goal", "{}").uses(using(5)));
    let tab = world.tab("a").await;
    tab.types("/goal ship it").await.accepted();
    let seen = tab.until("the goal is over", is_over).await;
    assert_eq!(
        (seen.at("/goal/phase"), seen.at("/goal/activation")),
        (&json!("blocked"), &json!("disarmed"))
    );
    assert_eq!(seen.at("/goal/blocked_reason/code"), "token-limit");
    assert_eq!(seen.at("/goal/budgets/tokens_max"), 1_000);
    assert_eq!(seen.at("/goal/budgets/tokens_used"), 1_108, "one closing step too many, and no other");
    assert_eq!((seen.at("/goal/rounds_started"), seen.of_type("tool/started").count()), (&json!(2), 1));
    let requests = world.model.requests();
    let offers: Vec<bool> = requests.iter().map(|request| !request.tools.is_empty()).collect();
    assert_eq!(offers, [true, true, false]);

    tab.types("/goal resume").await.accepted();
    let seen = tab.until("resuming is answered", |seen| seen.seqs_of("command/done").len() == 2).await;
    assert_eq!(seen.at("/goal/phase"), "blocked", "{}", seen.account());
    tab.types("/goal budget tokens=1M").await.accepted();
    let gate = Gate::new();
    world.model.push(Reply::text("Three.").held_first(&gate));
    tab.types("/goal resume").await.accepted();
    let seen = tab.until("round 3 runs", |seen| seen.at("/goal/rounds_started") == 3).await;
    assert_eq!(seen.at("/goal/activation"), "armed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_hold_after_a_restart_too() {
    let mut world = World::inside_with(Limits { rounds_default: 2, ..Limits::default() }).await;
    world.crash().await;
    world.restart().await;
    let tab = world.tab("a").await;
    tab.types("/goal ship it").await.accepted();
    let seen = tab.until("the goal is over", is_over).await;
    assert_eq!((seen.at("/goal/rounds_max"), seen.at("/goal/rounds_started")), (&json!(2), &json!(2)));
    assert_eq!(seen.at("/goal/blocked_reason/code"), "round-limit");
}
