//! Every way out of the workspace that we can think of.

use std::fs;

use serde_json::{Value, json};
use tools::Workspace;

use crate::bench::Bench;

/// Every file tool that takes a path, aimed at `path`.
fn calls(path: &str) -> [(&'static str, Value); 5] {
    [
        ("read_file", json!({"path": path})),
        ("list_files", json!({"path": path})),
        ("search", json!({"path": path, "pattern": "secret"})),
        ("write_file", json!({"path": path, "content": "mine"})),
        ("edit_file", json!({"path": path, "edits": [{"old": "secret", "new": "mine"}]})),
    ]
}

async fn all_refuse(bench: &Bench, path: &str, code: &str) {
    for (tool, arguments) in calls(path) {
        let (refused, text) = bench.fails(tool, arguments).await;
        assert_eq!(refused, code, "{tool} {path}: {text}");
    }
    assert_eq!(fs::read_to_string(bench.outside().join("secret")).unwrap(), "secret\n");
    assert_eq!(bench.outside().read_dir().unwrap().count(), 1);
}

#[tokio::test]
async fn dots_do_not_lead_out() {
    let bench = Bench::new().with("a/b", "");
    all_refuse(&bench, "../outside/secret", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "a/../../outside/secret", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "../outside/new", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "..", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "../root-and-more", "OUTSIDE_WORKSPACE").await;
}

#[tokio::test]
async fn absolute_paths_do_not_lead_out() {
    let bench = Bench::new();
    all_refuse(&bench, bench.outside().join("secret").to_str().unwrap(), "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "/", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "/proc/self/environ", "OUTSIDE_WORKSPACE").await;
}

#[tokio::test]
async fn a_link_to_a_file_outside_is_refused() {
    let bench = Bench::new();
    bench.link(bench.outside().join("secret"), "link");
    bench.link("../outside/secret", "relative");
    all_refuse(&bench, "link", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "relative", "OUTSIDE_WORKSPACE").await;
}

#[tokio::test]
async fn a_link_to_a_folder_outside_is_refused() {
    let bench = Bench::new();
    bench.link(bench.outside(), "folder");
    bench.link("folder", "twice");
    all_refuse(&bench, "folder/secret", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "folder", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "twice/secret", "OUTSIDE_WORKSPACE").await;
}

#[tokio::test]
async fn nothing_is_created_through_a_link_to_a_folder_outside() {
    let bench = Bench::new();
    bench.link(bench.outside(), "folder");
    all_refuse(&bench, "folder/new", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "folder/new/deeper", "OUTSIDE_WORKSPACE").await;
}

#[tokio::test]
async fn nothing_is_created_through_a_broken_link() {
    let bench = Bench::new();
    bench.link(bench.outside().join("new"), "broken");
    bench.link("nowhere", "inside");
    all_refuse(&bench, "broken", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "broken/deeper", "OUTSIDE_WORKSPACE").await;
    all_refuse(&bench, "inside", "NOT_FOUND").await;
    assert!(!bench.path("nowhere").exists());
}

#[tokio::test]
async fn dots_after_a_link_mean_what_their_letters_say() {
    let bench = Bench::new().with("secret", "secret of ours");
    bench.link(bench.outside(), "folder");
    let text = bench.does("read_file", json!({"path": "folder/../secret"})).await;
    assert!(text.contains("secret of ours"), "{text}");
}

#[tokio::test]
async fn a_protected_folder_inside_the_root_is_neither_read_nor_written() {
    let bench = Bench::new().with("data/secret", "secret").with("open", "secret").protect("data");
    bench.link("data", "link");
    all_refuse(&bench, "data/secret", "PROTECTED_PATH").await;
    all_refuse(&bench, "data", "PROTECTED_PATH").await;
    all_refuse(&bench, "data/new", "PROTECTED_PATH").await;
    all_refuse(&bench, "link/secret", "PROTECTED_PATH").await;
    let listed = bench.does("list_files", json!({})).await;
    assert_eq!(listed, "link\nopen\n(2 entries)");
    let found = bench.does("search", json!({"pattern": "secret"})).await;
    assert_eq!(found, "open:1:secret\n(1 matches)");
    assert_eq!(bench.text("data/secret"), "secret");
}

#[tokio::test]
async fn a_protected_folder_may_be_missing_yet() {
    let bench = Bench::new().protect("later/data");
    let (code, _) = bench.fails("write_file", json!({"path": "later/data/x", "content": ""})).await;
    assert_eq!(code, "PROTECTED_PATH");
    assert!(!bench.path("later").exists());
}

#[test]
fn a_workspace_inside_a_protected_folder_is_refused() {
    let bench = Bench::new();
    let refused = bench.workspace.clone().protecting([bench.path("..")]).unwrap_err();
    assert_eq!(refused.code(), "PROTECTED_PATH");
}

#[tokio::test]
async fn git_folders_are_read_but_not_written() {
    let bench = Bench::new().with(".git/config", "[core]\n").with("sub/.git/config", "[core]\n");
    bench.link(".git", "link");
    let text = bench.does("read_file", json!({"path": ".git/config"})).await;
    assert!(text.contains("[core]"), "{text}");
    for path in [".git/config", ".git/hooks/new", ".GIT/new", "sub/.git/config", "link/config", ".git"] {
        let (code, _) = bench.fails("write_file", json!({"path": path, "content": "x"})).await;
        assert_eq!(code, "PROTECTED_PATH", "{path}");
        let edits = json!({"path": path, "edits": [{"old": "core", "new": "x"}]});
        assert_eq!(bench.fails("edit_file", edits).await.0, "PROTECTED_PATH", "{path}");
    }
    assert_eq!(bench.text(".git/config"), "[core]\n");
}

#[tokio::test]
async fn a_link_that_stays_inside_works() {
    let bench = Bench::new().with("real/file", "one\n");
    bench.link("real", "folder");
    bench.link("real/file", "file");
    let edits = json!({"path": "folder/file", "edits": [{"old": "one", "new": "two"}]});
    bench.does("edit_file", edits).await;
    bench.does("write_file", json!({"path": "file", "content": "three\n"})).await;
    assert_eq!(bench.text("real/file"), "three\n");
    assert!(bench.path("file").is_symlink());
}

#[tokio::test]
async fn an_absolute_path_inside_works_in_both_spellings() {
    let bench = Bench::new().with("file", "one\n");
    let alias = bench.outside().join("alias");
    std::os::unix::fs::symlink(bench.path(""), &alias).unwrap();
    let workspace = Workspace::open(&alias).unwrap();
    assert_eq!(workspace.root(), bench.path("").canonicalize().unwrap());
    let by_alias = Bench { workspace, ..bench };
    for path in [by_alias.path("file").canonicalize().unwrap(), alias.join("file")] {
        let text = by_alias.does("read_file", json!({"path": path})).await;
        assert!(text.contains("one"), "{text}");
    }
}

#[tokio::test]
async fn a_walk_does_not_follow_links_out() {
    let bench = Bench::new();
    bench.link(bench.outside(), "folder");
    bench.link(bench.outside().join("secret"), "file");
    assert_eq!(bench.does("search", json!({"pattern": "secret"})).await, "(0 matches)");
    assert_eq!(bench.does("list_files", json!({})).await, "file\nfolder\n(2 entries)");
}

#[tokio::test]
async fn a_named_pipe_is_refused_without_waiting() {
    let bench = Bench::new();
    bench.does("run_command", json!({"command": "mkfifo pipe"})).await;
    assert_eq!(bench.fails("read_file", json!({"path": "pipe"})).await.0, "NOT_A_FILE");
    assert_eq!(bench.fails("write_file", json!({"path": "pipe", "content": ""})).await.0, "NOT_A_FILE");
    assert_eq!(bench.does("search", json!({"pattern": "x"})).await, "(0 matches)");
}

#[test]
fn only_an_existing_folder_is_a_workspace() {
    let bench = Bench::new().with("file", "");
    assert_eq!(Workspace::open(bench.path("missing")).unwrap_err().code(), "NOT_FOUND");
    assert_eq!(Workspace::open(bench.path("file")).unwrap_err().code(), "NOT_A_FOLDER");
}
