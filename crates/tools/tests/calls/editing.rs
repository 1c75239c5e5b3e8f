//! `edit_file`.

use serde_json::{Value, json};

use crate::bench::Bench;

fn edits(path: &str, edits: Value) -> Value {
    json!({"path": path, "edits": edits})
}

#[tokio::test]
async fn edits_apply_in_order() {
    let bench = Bench::new().with("a", "one two\n");
    let call = edits("a", json!([{"old": "one", "new": "two"}, {"old": "two two", "new": "three"}]));
    let outcome = bench.call("edit_file", call).await;
    assert_eq!(outcome.text, "edited a: 2 replacements");
    assert_eq!(bench.text("a"), "three\n");
    assert_eq!(outcome.diff.unwrap(), "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one two\n+three\n");
}

#[tokio::test]
async fn one_bad_edit_writes_nothing() {
    let bench = Bench::new().with("a", "one two\n");
    let call = edits("a", json!([{"old": "one", "new": "1"}, {"old": "gone", "new": ""}]));
    let (code, text) = bench.fails("edit_file", call).await;
    assert_eq!(code, "EDIT_NO_MATCH");
    assert!(text.contains("edit 2 of a: old has 0 matches"), "{text}");
    assert_eq!(bench.text("a"), "one two\n");
}

#[tokio::test]
async fn an_ambiguous_edit_says_how_many_places_it_fits() {
    let bench = Bench::new().with("a", "x x x aaa\n");
    let (code, text) = bench.fails("edit_file", edits("a", json!([{"old": "x", "new": "y"}]))).await;
    assert_eq!(code, "EDIT_NOT_UNIQUE");
    assert!(text.contains("edit 1 of a: old has 3 matches"), "{text}");
    let (code, text) = bench.fails("edit_file", edits("a", json!([{"old": "aa", "new": "b"}]))).await;
    assert_eq!(
        (code, text.contains("2 matches")),
        ("EDIT_NOT_UNIQUE", true),
        "overlapping places count: {text}"
    );
}

#[tokio::test]
async fn all_replaces_every_place_and_still_needs_one() {
    let bench = Bench::new().with("a", "x x x\n");
    let text = bench.does("edit_file", edits("a", json!([{"old": "x", "new": "xx", "all": true}]))).await;
    assert_eq!(text, "edited a: 3 replacements");
    assert_eq!(bench.text("a"), "xx xx xx\n");
    let call = edits("a", json!([{"old": "y", "new": "", "all": true}]));
    assert_eq!(bench.fails("edit_file", call).await.0, "EDIT_NO_MATCH");
}

#[tokio::test]
async fn line_endings_are_kept() {
    let bench = Bench::new().with("dos", "one\r\ntwo\r\nthree\r\n").with("mixed", "one\r\ntwo\n");
    bench.does("edit_file", edits("dos", json!([{"old": "one\ntwo\n", "new": "1\n2\n"}]))).await;
    assert_eq!(bench.text("dos"), "1\r\n2\r\nthree\r\n");
    bench.does("edit_file", edits("mixed", json!([{"old": "two\n", "new": "2\n3\n"}]))).await;
    assert_eq!(bench.text("mixed"), "one\r\n2\n3\n");
}

#[tokio::test]
async fn an_edit_that_changes_nothing_says_so() {
    let bench = Bench::new().with("a", "one\n");
    let outcome = bench.call("edit_file", edits("a", json!([{"old": "one", "new": "one"}]))).await;
    assert_eq!(outcome.text, "a has this text already; nothing was written");
    assert_eq!((outcome.is_error, outcome.diff), (false, None));
}

#[tokio::test]
async fn only_an_existing_text_file_is_edited() {
    let bench = Bench::new().with("bin", b"\0one").with("folder/x", "");
    let one = json!([{"old": "one", "new": "two"}]);
    assert_eq!(bench.fails("edit_file", edits("gone", one.clone())).await.0, "NOT_FOUND");
    assert_eq!(bench.fails("edit_file", edits("bin", one.clone())).await.0, "BINARY_FILE");
    assert_eq!(bench.fails("edit_file", edits("folder", one)).await.0, "NOT_A_FILE");
}
