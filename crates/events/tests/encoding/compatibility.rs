//! What a reader does with what it does not know.

use events::{DecodeError, EVENT_TYPES, Envelope, RawEvent, SCHEMA_VERSION, SessionEvent};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::samples;

const NEWER: u32 = SCHEMA_VERSION + 1;

#[test]
fn an_unknown_type_is_refused_by_name() {
    let refused = decode("garden/watered", r#"{"litres":3}"#, false, SCHEMA_VERSION);

    let error = refused.expect_err("nobody may lose a fact");
    assert!(matches!(&error, DecodeError::UnknownType { type_name } if type_name == "garden/watered"));
    assert!(error.to_string().contains("garden/watered"), "{error}");
}

#[test]
fn an_unknown_type_is_refused_on_the_wire_too() {
    let wire = json!({
        "seq": 4, "batch_end": 4, "epoch": 1, "at_ms": 0,
        "actor": {"kind": "host"}, "type": "garden/watered", "data": {},
    });

    let error = serde_json::from_str::<Envelope>(&wire.to_string()).expect_err("nobody may lose a fact");
    assert!(error.to_string().contains("garden/watered"), "{error}");
}

#[test]
fn an_unknown_ignorable_type_is_kept_as_it_was() {
    let line = concat!(
        r#"{"type":"garden/watered","actor":{"kind":"tool"},"cause":{"seq":3},"ignorable":true,"#,
        r#""data":{ "litres": 3.10, "z":[1e2,"\u00e9"],"a":null }}"#,
    );
    let sample = samples::of("turn/start").remove(0);
    for schema in [SCHEMA_VERSION, NEWER] {
        let read = Envelope::from_line(line, &samples::placement(&sample, schema))
            .expect("its writer lets old readers skip it");

        assert!(matches!(read.event, SessionEvent::Skipped(_)));
        assert_eq!(read.event.type_name(), "garden/watered");
        assert!(read.event.is_ignorable());
        assert_eq!(samples::line_of(&read), line);
        assert_eq!(read, over_the_wire(&read));
    }
}

#[test]
fn data_of_an_unknown_ignorable_type_may_have_any_shape() {
    for data in ["null", "3", "\"text\"", "[]", "{}"] {
        let event = decode("garden/watered", data, true, NEWER).expect("nobody looks inside");

        assert_eq!(event.encode().expect("text is kept").get(), data);
    }
}

#[test]
fn a_newer_writers_unknown_field_is_refused_wherever_it_is() {
    for sample in samples::all() {
        for (path, data) in with_a_stranger_in_each_object(&data_of(&sample.event)) {
            let error = decode(sample.event.type_name(), &data, false, NEWER)
                .expect_err(&format!("{} would lose {path}: {data}", sample.event.type_name()));

            let words = error.to_string();
            assert!(words.contains("written by a newer waymark"), "{words}");
            assert!(words.contains(sample.event.type_name()), "{words}");
            assert!(words.contains(&path), "{words} names {path}");
        }
    }
}

#[test]
fn a_newer_writers_unknown_member_beside_the_data_is_refused() {
    let sample = samples::of("turn/start").remove(0);
    let lines = [
        (r#"{"type":"turn/start","actor":{"kind":"host"},"data":{"turn":1},"stranger":1}"#, "stranger"),
        (r#"{"type":"turn/start","actor":{"kind":"host","stranger":1},"data":{"turn":1}}"#, "actor.stranger"),
    ];
    for (line, path) in lines {
        let error = Envelope::from_line(line, &samples::placement(&sample, NEWER))
            .expect_err("the member would be lost");
        assert!(matches!(&error, DecodeError::Newer { field, .. } if field == path), "{error}");

        Envelope::from_line(line, &samples::placement(&sample, SCHEMA_VERSION))
            .expect("a member of this schema is passed over");
    }
}

#[test]
fn an_unknown_field_of_this_or_an_older_schema_is_passed_over() {
    for sample in samples::all() {
        for (path, data) in with_a_stranger_in_each_object(&data_of(&sample.event)) {
            for schema in 0..=SCHEMA_VERSION {
                let event = decode(sample.event.type_name(), &data, false, schema)
                    .unwrap_or_else(|error| panic!("{path} under schema {schema}: {error}"));

                assert_eq!(event, sample.event);
            }
        }
    }
}

#[test]
fn a_newer_writer_that_adds_nothing_is_read() {
    for sample in samples::all() {
        let line = samples::line_of(&sample);

        let read = Envelope::from_line(&line, &samples::placement(&sample, NEWER))
            .expect("there is nothing to lose");
        assert_eq!(read, sample);
    }
}

#[test]
fn an_explicit_null_is_an_absent_field() {
    let data = r#"{"turn":1,"workspace_head":null,"dirty_hash":null,"weather":null}"#;

    let read = decode("turn/start", data, false, NEWER).expect("null says nothing");
    assert_eq!(read, decode("turn/start", r#"{"turn":1}"#, false, SCHEMA_VERSION).expect("well formed"));
}

#[test]
fn malformed_data_names_its_type() {
    for sample in samples::all() {
        for data in ["null", "7", "[]", "\"text\""] {
            let refused = decode(sample.event.type_name(), data, false, SCHEMA_VERSION);
            let Err(error) = refused else { continue };

            assert!(matches!(&error, DecodeError::Malformed { .. }), "{error:?}");
            assert!(error.to_string().starts_with(sample.event.type_name()), "{error}");
        }
    }
}

#[test]
fn a_missing_field_is_named_with_its_type() {
    let error = decode("turn/cancelled", r#"{"turn":1,"by":{"kind":"host"}}"#, false, SCHEMA_VERSION)
        .expect_err("a field is missing");

    assert_eq!(
        error.to_string(),
        "turn/cancelled is malformed: missing field `keep_inbox` at line 1 column 31"
    );
}

#[test]
fn an_ignorable_mark_does_not_excuse_a_known_type() {
    let refused = decode("assistant/delta", r#"{"turn":"one"}"#, true, SCHEMA_VERSION);

    assert!(matches!(refused, Err(DecodeError::Malformed { .. })));
}

#[test]
fn a_line_that_is_no_event_is_malformed() {
    let sample = samples::of("turn/start").remove(0);
    let at = samples::placement(&sample, SCHEMA_VERSION);
    for line in ["", "{", "[]", "null", r#"{"type":"turn/start"}"#, r#"{"actor":{"kind":"host"},"data":{}}"#]
    {
        let refused = Envelope::from_line(line, &at);

        assert!(matches!(refused, Err(DecodeError::Malformed { .. })), "{line}");
    }
}

fn decode(type_name: &str, data: &str, ignorable: bool, schema: u32) -> Result<SessionEvent, DecodeError> {
    let data = RawValue::from_string(data.to_owned()).expect("the test writes JSON");
    SessionEvent::decode(&RawEvent { type_name, data: &data, ignorable, schema })
}

fn over_the_wire(envelope: &Envelope) -> Envelope {
    let text = serde_json::to_string(envelope).expect("every envelope can be written");
    serde_json::from_str(&text).expect("what was written can be read")
}

fn data_of(event: &SessionEvent) -> Value {
    let data = event.encode().expect("every event can be written");
    serde_json::from_str(data.get()).expect("it is JSON")
}

/// Returns `data` once for each object in it, with a member `stranger` in that object, and the member's path.
fn with_a_stranger_in_each_object(data: &Value) -> Vec<(String, String)> {
    let mut pointers = Vec::new();
    note_objects(data, "", &mut pointers);
    pointers
        .into_iter()
        .map(|pointer| {
            let mut data = data.clone();
            let object = data.pointer_mut(&pointer).expect("the object was seen there");
            object["stranger"] = json!(true);
            let path = format!("{pointer}/stranger").trim_start_matches('/').replace('/', ".");
            (path, data.to_string())
        })
        .collect()
}

fn note_objects(value: &Value, pointer: &str, pointers: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            pointers.push(pointer.to_owned());
            for (name, member) in members {
                note_objects(member, &format!("{pointer}/{name}"), pointers);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                note_objects(item, &format!("{pointer}/{index}"), pointers);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn a_line_says_the_same_in_whatever_order_its_members_stand() {
    for type_name in EVENT_TYPES {
        for sample in samples::of(type_name) {
            let line = samples::line_of(&sample);
            let placement = samples::placement(&sample, SCHEMA_VERSION);
            let read = Envelope::from_line(&line, &placement).expect("it is as it was written");
            let members: serde_json::Map<String, Value> =
                serde_json::from_str(&line).expect("it is an object");
            for from_behind in [false, true] {
                let mut parts: Vec<String> =
                    members.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
                parts.push(r#""left":{"by":["a later version"]}"#.to_owned());
                if from_behind {
                    parts.reverse();
                }
                let shuffled = format!("{{{}}}", parts.join(", "));
                assert_eq!(
                    Envelope::from_line(&shuffled, &placement).ok().as_ref(),
                    Some(&read),
                    "{shuffled}"
                );
            }
        }
    }
}

#[test]
fn a_member_that_stands_twice_is_malformed() {
    let sample = samples::of("session/titled").remove(0);
    let placement = samples::placement(&sample, SCHEMA_VERSION);
    let line = samples::line_of(&sample);
    for doubled in [r#""type":"turn/start","#, r#""actor":{"kind":"host"},"#, r#""data":{},"#] {
        let twice = line.replacen('{', &format!("{{{doubled}"), 1);
        let refused = Envelope::from_line(&twice, &placement);
        assert!(matches!(refused, Err(DecodeError::Malformed { .. })), "{twice}: {refused:?}");
    }
}
