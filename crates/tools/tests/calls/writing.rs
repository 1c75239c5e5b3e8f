//! `write_file`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn a_new_file_comes_with_its_folders_and_a_diff() {
    let bench = Bench::new();
    let outcome = bench.call("write_file", json!({"path": "a/b/c.txt", "content": "one\n"})).await;
    assert_eq!(outcome.text, "created a/b/c.txt: 4 bytes");
    assert_eq!(bench.text("a/b/c.txt"), "one\n");
    let diff = outcome.diff.unwrap();
    assert_eq!(diff, "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1 @@\n+one\n");
}

#[tokio::test]
async fn a_replaced_file_keeps_its_mode_and_shows_the_change() {
    let bench = Bench::new().with("run.sh", "one\ntwo\n");
    fs::set_permissions(bench.path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    let outcome = bench.call("write_file", json!({"path": "run.sh", "content": "one\n2\n"})).await;
    assert_eq!(outcome.text, "replaced run.sh: 6 bytes");
    let mode = fs::metadata(bench.path("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert!(outcome.diff.unwrap().ends_with(" one\n-two\n+2\n"));
}

/// Whoever opened the old file keeps reading it whole: the new one is another file under the same name.
#[tokio::test]
async fn a_file_is_replaced_in_one_step() {
    let bench = Bench::new().with("a", "old");
    let old = fs::File::open(bench.path("a")).unwrap();
    bench.does("write_file", json!({"path": "a", "content": "new content"})).await;
    assert_eq!(std::io::read_to_string(&old).unwrap(), "old");
    assert_ne!(old.metadata().unwrap().ino(), fs::metadata(bench.path("a")).unwrap().ino());
    assert_eq!(bench.path("").read_dir().unwrap().count(), 1, "no draft stays behind");
}

#[tokio::test]
async fn a_hard_link_outside_keeps_its_content() {
    let bench = Bench::new();
    fs::hard_link(bench.outside().join("secret"), bench.path("hard")).unwrap();
    bench.does("write_file", json!({"path": "hard", "content": "mine"})).await;
    assert_eq!(fs::read_to_string(bench.outside().join("secret")).unwrap(), "secret\n");
}

#[tokio::test]
async fn a_replaced_binary_file_has_no_diff() {
    let bench = Bench::new().with("a", b"\0\0");
    let outcome = bench.call("write_file", json!({"path": "a", "content": "text"})).await;
    assert_eq!((outcome.is_error, outcome.diff), (false, None));
    assert_eq!(bench.text("a"), "text");
}

#[tokio::test]
async fn a_folder_is_not_overwritten() {
    let bench = Bench::new().with("folder/x", "").with("file", "");
    assert_eq!(bench.fails("write_file", json!({"path": "folder", "content": ""})).await.0, "NOT_A_FILE");
    assert_eq!(bench.fails("write_file", json!({"path": ".", "content": ""})).await.0, "NOT_A_FILE");
    assert_eq!(bench.fails("write_file", json!({"path": "file/x", "content": ""})).await.0, "NOT_A_FOLDER");
}

#[tokio::test]
async fn content_over_the_limit_is_refused() {
    let bench = Bench::new();
    let content = "x".repeat(16 * 1024 * 1024 + 1);
    let (code, _) = bench.fails("write_file", json!({"path": "new/a", "content": content})).await;
    assert_eq!(code, "TOO_LARGE");
    assert!(!bench.path("new").exists());
}
