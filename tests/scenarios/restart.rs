//! A crash in the middle: all that was shown is there, nothing runs by itself, and everything can be taken up.

use model::Finish;
use model::scripted::{Gate, Reply};
use serde_json::{Value, json};
use tests::{Seen, Tab, World};

in_both_places! {
    a_crash_in_a_round_keeps_text_goal_and_prompt_and_runs_nothing
    the_goal_goes_on_with_the_next_round_number
    what_a_running_call_did_is_not_claimed_to_be_known
    a_held_prompt_can_be_sent_edited_and_dropped
    an_open_question_is_answered_after_a_crash_and_its_turn_goes_on
    an_open_review_is_approved_after_a_crash_and_its_plan_carried_out
    what_was_shown_is_there_wherever_a_crash_falls
    an_idle_session_comes_back_as_it_was
    a_command_that_a_crash_left_unanswered_is_carried_out_once
}

const QUESTION: &str = r#"{"questions":[{"id":"way","header":"Which way","question":"Which way shall it go?",
    "options":[{"label":"Left","description":"Along the river."},{"label":"Right","description":"Over the hill."}]}]}"#;

fn held(text: &str, gate: &Gate) -> Reply {
    Reply::new().says(text).holds(gate).ends(Finish::Stop)
}

/// Starts a goal whose first round streams a text and then waits, with a prompt queued behind it.
async fn crash_in_round_one(world: &mut World, tabs: [&Tab; 2], gate: &Gate) {
    world.model.push(held("Half a sent", gate));
    let [a, b] = tabs;
    a.types("/goal ship it").await.accepted();
    b.until("the round streams", |seen| seen.streamed() == "Half a sent").await;
    b.types("and then this").await.accepted();
    a.until("the prompt is queued", |seen| seen.at("/inbox/0/preview") == "and then this").await;
    world.crash().await;
}

/// Waits until a tab is connected once more and shows that the session was taken over.
async fn back(tab: &Tab) -> Seen {
    let is_back = |seen: &Seen| seen.connections() == 2 && seen.seqs_of("session/opened").len() == 2;
    tab.until("connected again", is_back).await
}

/// Lets everything that would start by itself have its chance, then checks that no turn has begun since the crash.
async fn nothing_runs_by_itself(world: &World, tab: &Tab) -> Seen {
    let asked = world.model.requests().len();
    let receipt = tab.presses(json!({"type": "set-title", "title": "harmless"})).await.accepted();
    let seen = tab.until("the receipt's event", |seen| seen.head() >= receipt).await;
    let opened = seen.seqs_of("session/opened")[1];
    for kind in ["turn/start", "step/start", "tool/started", "goal/round"] {
        let since = seen.seqs_of(kind).into_iter().filter(|seq| *seq > opened).count();
        assert_eq!(since, 0, "{kind} after the crash\n{}", seen.account());
    }
    assert_eq!(world.model.requests().len(), asked);
    seen
}

async fn a_crash_in_a_round_keeps_text_goal_and_prompt_and_runs_nothing(mut world: World) {
    let (a, b, gate) = (world.tab("a").await, world.tab("b").await, Gate::new());
    crash_in_round_one(&mut world, [&a, &b], &gate).await;
    let before = a.seen();
    world.restart().await;
    for tab in [&a, &b] {
        let seen = back(tab).await;
        assert!(before.events().eq(seen.events().take(before.events().count())), "{}", seen.account());
        assert_eq!(
            (seen.at("/goal/phase"), seen.at("/goal/activation")),
            (&json!("active"), &json!("disarmed"))
        );
        assert_eq!(
            (seen.at("/goal/rounds_started"), seen.at("/goal/round_in_flight")),
            (&json!(1), &Value::Null)
        );
        assert_eq!(
            (seen.at("/turn/phase"), seen.at("/turn/last_end/kind")),
            (&json!("idle"), &json!("interrupted"))
        );
        assert_eq!(
            (seen.at("/inbox/0/preview"), seen.at("/inbox/0/held")),
            (&json!("and then this"), &json!(true))
        );
    }
    nothing_runs_by_itself(&world, &a).await;
    a.sees(
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
        input/queued and then this
        session/opened epoch 2
        assistant/message Half a sent (interrupted)
        step/end 1.1
        turn/end 1 interrupted
        ",
    );
    let fresh = world.tab("fresh").await.seen();
    assert_eq!(fresh.slices(), a.seen().slices());
}

async fn the_goal_goes_on_with_the_next_round_number(mut world: World) {
    let (a, b, gate) = (world.tab("a").await, world.tab("b").await, Gate::new());
    crash_in_round_one(&mut world, [&a, &b], &gate).await;
    world.restart().await;
    back(&a).await;
    world.model.push(held("Two.", &gate));
    b.types("/goal resume").await.accepted();
    let round_two = json!({"round": 2, "state": "running"});
    let seen = a.until("round 2 runs", |seen| seen.at("/goal/round_in_flight") == &round_two).await;
    assert_eq!((seen.at("/goal/revision"), seen.at("/goal/activation")), (&json!(2), &json!("armed")));
    assert_eq!(seen.at("/inbox/0/held"), true, "the old prompt still waits for a person");
    a.until("the round streams", |seen| seen.streamed() == "Two.").await;
    let asked = world.asked_last();
    assert!(asked.contains("Half a sent") && asked.contains("Round: 2/256"), "{asked}");
}

async fn what_a_running_call_did_is_not_claimed_to_be_known(mut world: World) {
    // It ends with the process that runs it, whatever way that goes.
    let endless = ("c1", "run_command", r#"{"command":"tail --pid=$PPID -f /dev/null"}"#);
    let write = ("c2", "write_file", r#"{"path":"late.txt","content":"too late"}"#);
    world.model.push(Reply::calls([endless, write]));
    let tab = world.tab("a").await;
    tab.types("run something").await.accepted();
    tab.until("the command runs", |seen| seen.of_type("tool/started").count() == 1).await;
    world.crash().await;
    world.restart().await;
    let seen = back(&tab).await;
    let codes: Vec<_> = seen.of_type("tool/result").map(|result| &result["error"]["code"]).collect();
    assert_eq!(codes, ["TOOL_OUTCOME_UNKNOWN", "TOOL_NOT_STARTED"], "{}", seen.account());
    nothing_runs_by_itself(&world, &tab).await;
    assert_eq!(world.home.file("late.txt"), None);
    tab.types("go on").await.accepted();
    let is_over = |seen: &Seen| seen.at("/turn/number") == 2 && seen.at("/turn/phase") == "idle";
    tab.until("the next turn is over", is_over).await;
    assert!(world.asked_last().contains("check before you repeat it"), "{}", world.asked_last());
}

async fn a_held_prompt_can_be_sent_edited_and_dropped(mut world: World) {
    let (a, b, gate) = (world.tab("a").await, world.tab("b").await, Gate::new());
    world.model.push(held("Thinking", &gate));
    a.types("first").await.accepted();
    a.until("the turn streams", |seen| seen.streamed() == "Thinking").await;
    for text in ["send me", "edit me", "drop me"] {
        b.types(text).await.accepted();
    }
    world.crash().await;
    world.restart().await;
    let seen = back(&a).await;
    let held: Vec<_> = (0..3).map(|index| seen.at(&format!("/inbox/{index}/held"))).collect();
    assert_eq!(held, [true, true, true], "{}", seen.account());
    let id = |index: usize| seen.at(&format!("/inbox/{index}/input_id")).clone();
    a.presses(json!({"type": "input-withdraw", "input_id": id(2)})).await.accepted();
    a.presses(json!({"type": "input-edit", "input_id": id(1), "text": "edited"})).await.accepted();
    let seen = nothing_runs_by_itself(&world, &a).await;
    assert_eq!((seen.at("/inbox/1/preview"), seen.at("/inbox/2")), (&json!("edited"), &Value::Null));
    b.presses(json!({"type": "input-send", "input_id": id(0)})).await.accepted();
    let is_over = |seen: &Seen| seen.at("/turn/number") == 2 && seen.at("/turn/phase") == "idle";
    let seen = b.until("the sent prompt's turn is over", is_over).await;
    assert_eq!(seen.at("/inbox/0/preview"), "edited");
    assert!(world.asked_last().contains("send me") && !world.asked_last().contains("drop me"));
    assert_eq!(b.presses(json!({"type": "input-send", "input_id": id(2)})).await.code(), "INPUT_GONE");
    b.presses(json!({"type": "input-send", "input_id": id(1)})).await.accepted();
    b.until("nothing waits", |seen| seen.at("/inbox/0").is_null() && seen.at("/turn/phase") == "idle").await;
    assert!(world.asked_last().contains("edited") && !world.asked_last().contains("edit me"));
}

async fn an_open_question_is_answered_after_a_crash_and_its_turn_goes_on(mut world: World) {
    world.model.push(Reply::call("c1", "ask_user_question", QUESTION));
    world.model.push(Reply::text("Left it is."));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("ask me").await.accepted();
    let before = a.until("the question", |seen| seen.at("/questions/0").is_object()).await;
    world.crash().await;
    world.restart().await;
    let seen = back(&b).await;
    assert_eq!(before.at("/questions/0/from_epoch_is_current"), true);
    assert_eq!(seen.at("/questions/0/from_epoch_is_current"), false);
    for kept in ["question_id", "revision", "call_id", "intent", "items"] {
        let kept = format!("/questions/0/{kept}");
        assert_eq!(seen.at(&kept), before.at(&kept));
    }
    assert_eq!(seen.at("/turn/phase"), "waiting");
    nothing_runs_by_itself(&world, &b).await;
    let answer = json!({
        "type": "answer", "question_id": seen.at("/questions/0/question_id"), "revision": 1,
        "answers": [{"id": "way", "selected": ["Left"]}],
    });
    b.presses(answer.clone()).await.accepted();
    let seen = a.until("the turn is over", |seen| seen.at("/turn/phase") == "idle").await;
    assert_eq!((seen.at("/turn/number"), seen.at("/turn/last_end/kind")), (&json!(1), &json!("completed")));
    assert!(world.asked_last().contains("Left"), "{}", world.asked_last());
    assert_eq!(a.presses(answer).await.code(), "QUESTION_GONE");
}

async fn an_open_review_is_approved_after_a_crash_and_its_plan_carried_out(mut world: World) {
    world.model.push(Reply::call("c1", "exit_plan_mode", r##"{"plan":"# Write it\n"}"##));
    world.model.push(Reply::call("c2", "write_file", r#"{"path":"it.txt","content":"it\n"}"#));
    let (a, b) = (world.tab("a").await, world.tab("b").await);
    a.types("/plan write it").await.accepted();
    let before = b.until("the review card", |seen| seen.at("/plan/review").is_object()).await;
    world.crash().await;
    world.restart().await;
    let seen = back(&a).await;
    assert_eq!(seen.at("/plan"), before.at("/plan"));
    nothing_runs_by_itself(&world, &a).await;
    let review = seen.at("/plan/review");
    let approve = json!({
        "type": "plan-review", "plan_id": review["plan_id"], "revision": review["revision"],
        "sha256": review["sha256"], "verdict": "approve",
    });
    a.presses(approve).await.accepted();
    let seen = b.until("the turn is over", |seen| seen.at("/turn/phase") == "idle").await;
    assert_eq!(
        (seen.at("/plan/active"), seen.at("/turn/last_end/kind")),
        (&json!(false), &json!("completed"))
    );
    assert_eq!(world.home.file("it.txt").as_deref(), Some("it\n"));
}

async fn what_was_shown_is_there_wherever_a_crash_falls(mut world: World) {
    const CRASHES: u32 = 5;
    let tab = world.tab("a").await;
    tab.presses(json!({"type": "goal-create", "objective": "ship it", "rounds_max": 10_000, "budgets": {"no_progress": 0}}))
        .await
        .accepted();
    for crash in 1..=CRASHES {
        // An odd distance, so that the crashes fall on different places of a round.
        let far = tab.seen().head() + 31 + 2 * u64::from(crash);
        tab.notices("work that goes on", |seen| seen.head() >= far).await;
        world.crash().await;
        let shown = tab.seen();
        world.restart().await;
        let seen = tab.until("shown again", |seen| seen.snapshots() == crash + 1).await;
        assert!(shown.events().eq(seen.events().take(shown.events().count())), "{}", seen.account());
        assert_eq!(
            (seen.at("/turn/phase"), seen.at("/goal/activation")),
            (&json!("idle"), &json!("disarmed"))
        );
        tab.types("/goal resume").await.accepted();
    }
    let seen = tab.until("a round after the last crash", |seen| seen.at("/turn/phase") == "running").await;
    let admitted = seen.of_type("user/message").filter_map(|message| message["source"]["round"].as_u64());
    let admitted: Vec<u64> = admitted.collect();
    let every_one: Vec<u64> = (1..).take(admitted.len()).collect();
    assert_eq!(admitted, every_one, "each round runs once, in order");
    assert_eq!((seen.refusals().len(), seen.at("/session/damage")), (0, &Value::Null));
}

async fn an_idle_session_comes_back_as_it_was(mut world: World) {
    let tab = world.tab("a").await;
    tab.types("hello").await.accepted();
    let before = tab.until("the answer", |seen| seen.at("/turn/last_end/kind") == "completed").await;
    world.crash().await;
    world.restart().await;
    let seen = tab.until("shown again", |seen| seen.snapshots() == 2).await;
    assert_eq!(seen.head(), before.head(), "reading writes nothing");
    assert_eq!(seen.slices(), before.slices());
    tab.types("go on").await.accepted();
    tab.until("the next turn is over", |seen| {
        seen.at("/turn/number") == 2 && seen.at("/turn/phase") == "idle"
    })
    .await;
}

async fn a_command_that_a_crash_left_unanswered_is_carried_out_once(mut world: World) {
    let tab = world.tab("a").await;
    world.crash().await;
    let (answer, ()) = tokio::join!(
        tab.presses(json!({"type": "set-title", "title": "typed in the dark"})),
        world.restart()
    );
    answer.accepted();
    let seen = tab.until("the title", |seen| seen.at("/title") == "typed in the dark").await;
    assert_eq!(seen.seqs_of("session/titled").len(), 1);
}
