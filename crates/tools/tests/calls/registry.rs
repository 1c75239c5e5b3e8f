//! What a model is told, and what becomes of its argument texts.

use events::ToolClass;
use serde_json::Value;
use tools::{Invocation, Registry, ToolError};

fn refused(tool: &str, arguments: &str) -> (&'static str, String) {
    let error = Registry::standard().parse(tool, arguments).unwrap_err();
    (error.code(), error.to_string())
}

fn invalid(tool: &str, arguments: &str, at: &str) {
    let (code, text) = refused(tool, arguments);
    assert_eq!(code, "INVALID_ARGS", "{tool} {arguments}");
    let start = format!("invalid arguments for {tool} at {at}: ");
    assert!(text.starts_with(&start), "{tool} {arguments}: {text}");
}

#[test]
fn specs_are_sorted_objects_with_described_properties() {
    let specs = Registry::standard().specs();
    assert!(specs.is_sorted_by_key(|spec| spec.name));
    for spec in specs {
        assert_eq!(spec.parameters["type"], "object", "{}", spec.name);
        assert!(!spec.description.is_empty() && spec.description.len() < 1200, "{}", spec.name);
        plain(spec.name, &spec.parameters);
        for (name, property) in spec.parameters["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{} {name}", spec.name);
        }
    }
}

/// No reference, no number format, no list of types: some providers refuse a schema that has one.
fn plain(tool: &str, schema: &Value) {
    if let Some(keys) = schema.as_object() {
        for banned in ["$ref", "$defs", "$schema", "format", "default", "anyOf"] {
            assert!(!keys.contains_key(banned), "{tool}: {schema}");
        }
        assert!(!keys.get("type").is_some_and(Value::is_array), "{tool}: {schema}");
        keys.values().for_each(|value| plain(tool, value));
    }
}

#[test]
fn root_schemas_are_open_and_nested_ones_closed() {
    let specs = Registry::standard().specs();
    let edit = &specs.iter().find(|spec| spec.name == "edit_file").unwrap().parameters;
    assert_eq!(edit.get("additionalProperties"), None);
    assert_eq!(edit["properties"]["edits"]["items"]["additionalProperties"], false);
    assert_eq!(edit["required"], serde_json::json!(["path", "edits"]));
    assert_eq!(edit["properties"]["edits"]["items"]["required"], serde_json::json!(["old", "new"]));
}

#[test]
fn classes_say_what_a_tool_touches() {
    let registry = Registry::standard();
    let class = |name| registry.class(name, "{}");
    assert!(["read_file", "list_files", "search"].map(class).iter().all(|c| *c == ToolClass::Read));
    assert!(["write_file", "edit_file"].map(class).iter().all(|c| *c == ToolClass::Write));
    assert_eq!(class("run_command"), ToolClass::Exec);
    let session = ["todo_write", "update_plan", "exit_plan_mode", "get_goal", "create_goal", "update_goal"];
    assert!(session.map(class).iter().all(|c| *c == ToolClass::Session));
    assert!(["ask_user_question", "request_user_input"].map(class).iter().all(|c| *c == ToolClass::Ask));
    assert_eq!(class("unheard_of"), ToolClass::Exec);
}

#[test]
fn only_valid_reading_calls_may_overlap() {
    let registry = Registry::standard();
    let safe = |name, arguments| registry.concurrency_safe(name, arguments);
    assert!(safe("read_file", r#"{"path":"a"}"#));
    assert!(safe("list_files", ""));
    assert!(safe("search", r#"{"pattern":"a"}"#));
    assert!(!safe("read_file", "{}"));
    assert!(!safe("search", r#"{"pattern":"("}"#));
    assert!(!safe("write_file", r#"{"path":"a","content":""}"#));
    assert!(!safe("edit_file", r#"{"path":"a","edits":[{"old":"a","new":""}]}"#));
    assert!(!safe("run_command", r#"{"command":"true"}"#));
    assert!(!safe("get_goal", "{}"));
    assert!(!safe("create_goal", r#"{"objective":"ship it"}"#));
    let pause = r#"{"goal_id":"goal-1","revision":1,"action":"pause"}"#;
    assert!(!safe("update_goal", pause));
    assert!(!safe("todo_write", r#"{"todos":[]}"#));
    assert!(!safe("unheard_of", "{}"));
}

#[test]
fn an_unknown_tool_is_refused_with_the_names_that_exist() {
    let (code, text) = refused("rm", "{}");
    assert_eq!(code, "UNKNOWN_TOOL");
    assert!(text.contains("edit_file, ") && text.contains("write_file"), "{text}");
}

#[test]
fn empty_arguments_count_as_an_empty_object() {
    let registry = Registry::standard();
    assert!(matches!(registry.parse("list_files", " \n"), Ok(Invocation::Body(_))));
    invalid("read_file", "", "arguments");
}

#[test]
fn arguments_must_be_one_json_object() {
    invalid("read_file", r#"["a"]"#, "arguments");
    invalid("read_file", r#""a""#, "arguments");
    invalid("read_file", r#"{"path":"a"} {}"#, "arguments");
    invalid("read_file", r#"{"path":"#, "path");
}

#[test]
fn the_root_tolerates_unknown_keys_and_nulls_and_nested_objects_do_not() {
    let registry = Registry::standard();
    assert!(registry.parse("read_file", r#"{"path":"a","why":"x","start_line":null}"#).is_ok());
    invalid("edit_file", r#"{"path":"a","edits":[{"old":"a","new":"b","why":1}]}"#, "edits[0].why");
}

#[test]
fn a_wrong_value_is_named_by_its_place() {
    invalid("read_file", r#"{"path":1}"#, "path");
    invalid("read_file", r#"{"path":"a","start_line":0}"#, "start_line");
    invalid("read_file", r#"{"path":"a","line_count":-1}"#, "line_count");
    invalid("list_files", r#"{"depth":"3"}"#, "depth");
    invalid("list_files", r#"{"glob":"[a"}"#, "glob");
    invalid("search", r#"{"pattern":"a","max_matches":2001}"#, "max_matches");
    invalid("edit_file", r#"{"path":"a","edits":[]}"#, "edits");
    let second = r#"{"path":"a","edits":[{"old":"a","new":"b"},{"old":"","new":"b"}]}"#;
    invalid("edit_file", second, "edits[1].old");
    invalid("edit_file", r#"{"path":"a","edits":[{"old":"a"}]}"#, "edits[0]");
    invalid("run_command", r#"{"command":" "}"#, "command");
    invalid("run_command", r#"{"command":"a\u0000b"}"#, "command");
    invalid("run_command", r#"{"command":"true","timeout_ms":0}"#, "timeout_ms");
    invalid("run_command", r#"{"command":"true","timeout_ms":600001}"#, "timeout_ms");
}

#[test]
fn a_bad_pattern_is_explained() {
    let (code, text) = refused("search", r#"{"pattern":"a("}"#);
    assert_eq!(code, "INVALID_ARGS");
    assert!(text.contains("unclosed group"), "{text}");
    invalid("search", r#"{"pattern":"a\\nb"}"#, "pattern");
}

#[test]
fn an_error_keeps_what_the_system_said() {
    let error = ToolError::Io { path: "a".into(), source: std::io::Error::other("disk on fire") };
    assert_eq!((error.code(), error.to_string().as_str()), ("IO_ERROR", "a: disk on fire"));
}
