//! Bad input: each has its stable code and a sentence, and changes nothing.

use model::scripted::{Gate, Reply};
use serde_json::{Value, json};
use tests::{Answer, Seen, World};
use uuid::Uuid;

in_both_places! {
    what_is_refused_changes_nothing
    a_refused_goal_command_shows_the_goal_as_it_is
    frames_that_are_none_are_refused_and_the_line_stays_open
    calls_that_cannot_be_get_durable_results_and_touch_nothing
}

fn assert_refused(answer: &Answer, code: &str, wish: &Value) {
    let Answer::Refused { code: given, message, .. } = answer else { panic!("{wish} is carried out") };
    assert_eq!(given, code, "{wish}: {message}");
    assert!(message.contains(' '), "{code} comes without a sentence");
}

async fn what_is_refused_changes_nothing(world: World) {
    let tab = world.tab("a").await;
    tab.types("hello").await.accepted();
    tab.until("the turn is over", |seen| seen.at("/turn/last_end/kind") == "completed").await;
    let before = world.state().await;
    let (nobody, goal) = (Uuid::now_v7(), json!({"id": "goal-none", "revision": 1}));
    let wishes = [
        ("UNKNOWN_COMMAND", json!({"type": "slash", "line": "/sing a song"})),
        ("BAD_FRAME", json!({"type": "sing"})),
        ("BAD_FRAME", json!({"type": "prompt", "text": "hello", "loud": true})),
        ("INPUT_EMPTY", json!({"type": "prompt", "text": "  \n"})),
        ("GOAL_INVALID_OBJECTIVE", json!({"type": "goal-create", "objective": " "})),
        ("GOAL_INVALID_MAX_ROUNDS", json!({"type": "goal-create", "objective": "ship it", "rounds_max": 0})),
        ("GOAL_NOT_FOUND", json!({"type": "goal-pause", "goal": goal})),
        ("QUESTION_GONE", json!({"type": "answer", "question_id": nobody, "revision": 1, "answers": []})),
        ("QUESTION_GONE", json!({"type": "dismiss-question", "question_id": nobody, "revision": 1})),
        ("INPUT_GONE", json!({"type": "input-send", "input_id": nobody})),
        ("TURN_OVER", json!({"type": "stop", "turn": 7, "keep_inbox": true})),
        ("TITLE_INVALID", json!({"type": "set-title", "title": ""})),
    ];
    for (code, wish) in &wishes {
        assert_refused(&tab.presses(wish.clone()).await, code, wish);
    }
    let prompt = json!({"type": "prompt", "text": "is anybody there?"});
    assert_refused(&tab.presses_on(nobody, prompt.clone()).await, "SESSION_NOT_FOUND", &prompt);
    assert_eq!(world.state().await, before);
}

async fn a_refused_goal_command_shows_the_goal_as_it_is(world: World) {
    let gate = Gate::new();
    world.model.push(Reply::text("One.").held_first(&gate));
    let tab = world.tab("a").await;
    tab.types("/goal ship it").await.accepted();
    // The record of what the model is asked with is the last that comes before its answer.
    let seen = tab.until("round 1 runs", |seen| seen.of_type("request/header").count() == 1).await;
    let before = world.state().await;
    let second = json!({"type": "goal-create", "objective": "another"});
    assert_refused(&tab.presses(second.clone()).await, "GOAL_ALREADY_EXISTS", &second);
    let (id, revision) = (seen.at("/goal/id"), seen.at("/goal/revision"));
    for goal in [json!({"id": id, "revision": 7}), json!({"id": "goal-other", "revision": revision})] {
        for kind in ["goal-pause", "goal-resume", "goal-clear", "goal-complete"] {
            let wish = json!({"type": kind, "goal": goal});
            let answer = tab.presses(wish.clone()).await;
            assert_refused(&answer, "GOAL_STALE_REVISION", &wish);
            let Answer::Refused { current, .. } = answer else { continue };
            assert_eq!((&current["id"], &current["revision"]), (id, revision));
        }
    }
    assert_eq!(world.state().await, before);
    // A slash line that parses is kept with its reply, and changes nothing else.
    tab.types("/goal another").await.accepted();
    let seen = tab.until("the reply", |seen| seen.of_type("command/done").count() == 2).await;
    let reply = seen.of_type("command/done").next_back().cloned().unwrap_or_default();
    assert_eq!(reply["kind"], "error");
    assert!(reply["text"].as_str().is_some_and(|text| text.contains("already has a goal")), "{reply}");
    assert_eq!(without_time(seen.slices()), without_time(&before["slices"]));
}

/// The time that a running round uses goes on with every event.
fn without_time(slices: &Value) -> Value {
    let mut slices = slices.clone();
    slices["goal"]["budgets"]["time_ms_used"].take();
    slices
}

async fn frames_that_are_none_are_refused_and_the_line_stays_open(world: World) {
    let tab = world.tab("a").await;
    let before = world.state().await;
    tab.sends(json!({"type": "sing"}));
    tab.sends(json!(["no", "frame"]));
    tab.sends(json!({"type": "open", "session": "no id"}));
    let seen = tab.until("three refusals", |seen| seen.refusals().len() == 3).await;
    for refused in seen.refusals() {
        assert_eq!(refused["code"], "BAD_FRAME", "{refused}");
    }
    tab.sends(json!({"type": "open", "session": Uuid::now_v7()}));
    let seen = tab.until("another refusal", |seen| seen.refusals().len() == 4).await;
    assert_eq!(seen.refusals()[3]["code"], "SESSION_NOT_FOUND");
    assert_eq!(world.state().await, before);
    tab.types("hello").await.accepted();
    assert_eq!(tab.seen().connections(), 1);
    for (path, code) in [
        ("/v1/nowhere", "NOT_FOUND"),
        ("/v1/sessions/no-id/state", "SESSION_ID_INVALID"),
        ("/v1/sessions/01234567-89ab-7def-8123-456789abcdef/state", "SESSION_NOT_FOUND"),
    ] {
        assert_eq!(world.door().get(path).await.code(), code, "{path}");
    }
}

async fn calls_that_cannot_be_get_durable_results_and_touch_nothing(world: World) {
    let calls = [
        ("c1", "sing", "{}"),
        ("c2", "write_file", r#"{"path":"../outside.txt","content":"x"}"#),
        ("c3", "read_file", r#"{"path":"/etc/passwd"}"#),
        ("c4", "write_file", r#"{"path":"inside.txt"}"#),
        ("c5", "read_file", "no json"),
        ("c6", "exit_plan_mode", r##"{"plan":"# P"}"##),
    ];
    world.model.push(Reply::calls(calls));
    let tab = world.tab("a").await;
    tab.types("do your worst").await.accepted();
    let is_over = |seen: &Seen| seen.at("/turn/last_end/kind") == "completed";
    let seen = tab.until("the turn is over", is_over).await;
    let results: Vec<_> = seen.of_type("tool/result").map(|result| &result["error"]["code"]).collect();
    let expected = [
        "UNKNOWN_TOOL",
        "OUTSIDE_WORKSPACE",
        "OUTSIDE_WORKSPACE",
        "INVALID_ARGS",
        "INVALID_ARGS",
        "PLAN_MODE_REQUIRED",
    ];
    assert_eq!(results, expected, "{}", seen.account());
    let entries = std::fs::read_dir(world.home.workspace()).expect("the workspace is there");
    assert_eq!(entries.count(), 0);
    let outside = world.home.workspace().with_file_name("outside.txt");
    assert!(!outside.exists());
}
