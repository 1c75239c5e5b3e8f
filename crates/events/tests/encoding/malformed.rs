//! Facts about plan mode, goals and todos that are not of their shape: each is refused, and its type is named.

use events::{RawEvent, SCHEMA_VERSION, SessionEvent};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::samples;

fn read(type_name: &str, data: &Value) -> Result<SessionEvent, String> {
    let data = RawValue::from_string(data.to_string()).expect("it is JSON");
    let raw = RawEvent { type_name, data: &data, ignorable: false, schema: SCHEMA_VERSION };
    SessionEvent::decode(&raw).map_err(|error| error.to_string())
}

#[track_caller]
fn is_refused(type_name: &str, data: &Value) {
    match read(type_name, data) {
        Ok(event) => panic!("{data} is read as {event:?}"),
        Err(words) => assert!(words.starts_with(type_name), "{words} does not name {type_name}"),
    }
}

/// Returns the data of a goal's change to be spoilt; it is read as it is.
fn blocked() -> Value {
    let data = json!({
        "operation": "block",
        "goal": {
            "id": "goal-1", "revision": 2, "objective": "ship it", "phase": "blocked",
            "blocked_reason": {"code": "no-key", "message": "no key"}, "budgets": {"rounds": 3},
        },
        "rounds_started": 0, "created_at": 1, "updated_at": 2,
    });
    read("goal/change", &data).unwrap_or_else(|error| panic!("{error}"));
    data
}

#[test]
fn a_mode_is_true_or_false() {
    for active in [json!(42), json!("plan"), json!(null), json!("true"), json!([])] {
        is_refused("plan/mode", &json!({"active": active}));
        is_refused("plan/selected", &json!({"active": active, "by": {"kind": "user"}, "narrate": true}));
    }
    is_refused("plan/mode", &json!({}));
}

#[test]
fn a_change_of_a_goal_is_one_of_seven() {
    let operations: Vec<String> = samples::of("goal/change")
        .iter()
        .map(|sample| {
            let SessionEvent::GoalChange(change) = &sample.event else {
                panic!("it is a sample of its type")
            };
            serde_json::to_value(change).expect("it is JSON")["operation"]
                .as_str()
                .expect("a word")
                .to_owned()
        })
        .collect();
    for operation in ["create", "edit", "pause", "resume", "complete", "block", "clear"] {
        assert!(operations.iter().any(|it| it == operation), "no sample of {operation}");
    }
    for operation in [json!("explode"), json!("Block"), json!(1), json!(null)] {
        let mut data = blocked();
        data["operation"] = operation;
        is_refused("goal/change", &data);
    }
}

#[test]
fn a_goal_has_values_of_their_own_kinds() {
    let spoilt = [
        ("/goal", json!(null)),
        ("/goal/id", json!(7)),
        ("/goal/revision", json!(-1)),
        ("/goal/revision", json!(1.5)),
        ("/goal/objective", json!(["ship it"])),
        ("/goal/phase", json!("dreaming")),
        ("/goal/blocked_reason", json!([])),
        ("/goal/blocked_reason/code", json!(5)),
        ("/goal/blocked_reason/message", json!(5)),
        ("/goal/budgets/rounds", json!(-1)),
        ("/goal/budgets/rounds", json!(9_007_199_254_740_992_u64)),
        ("/goal/budgets/rounds", json!(1.5)),
        ("/rounds_started", json!(-1)),
        ("/created_at", json!(-1)),
        ("/updated_at", json!("now")),
    ];
    for (place, value) in spoilt {
        let mut data = blocked();
        *data.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value;
        is_refused("goal/change", &data);
    }
    for member in ["goal", "rounds_started", "created_at", "updated_at"] {
        let mut data = blocked();
        data.as_object_mut().expect("an object").remove(member);
        is_refused("goal/change", &data);
    }
}

#[test]
fn a_tombstone_names_what_it_cleared() {
    let cleared = json!({"operation": "clear", "cleared": {"id": "goal-1", "revision": 2}, "cleared_at": 3});
    read("goal/change", &cleared).unwrap_or_else(|error| panic!("{error}"));
    for (member, value) in
        [("cleared", json!(null)), ("cleared", json!({"id": "goal-1"})), ("cleared_at", json!(-1))]
    {
        let mut data = cleared.clone();
        data[member] = value;
        is_refused("goal/change", &data);
    }
}

#[test]
fn a_list_has_items_with_a_text_and_one_of_three_states() {
    let one = |item: Value| json!({"todos": [item]});
    read("todo/write", &one(json!({"content": "one", "status": "in_progress"}))).expect("it is a list");
    for todos in [json!(null), json!(42), json!("one"), json!({"0": "one"})] {
        is_refused("todo/write", &json!({"todos": todos}));
    }
    for item in [
        json!({"content": 1, "status": "pending"}),
        json!({"content": "one", "status": 1}),
        json!({"content": "one", "status": "paused"}),
        json!({"content": "one"}),
        json!({"status": "pending"}),
        json!("one"),
    ] {
        is_refused("todo/write", &one(item));
    }
}
