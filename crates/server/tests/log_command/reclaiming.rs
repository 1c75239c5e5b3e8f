//! `reclaim`, and what the other commands make of a log that gave space back.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::streamed::{SEGMENT_BYTES, Streamed, stream};
use crate::world::{log_in, states};

/// A folder that can give space back.
fn streamed() -> (TempDir, Streamed) {
    let folder = TempDir::new().unwrap();
    let made = Runtime::new().unwrap().block_on(stream(folder.path()));
    (folder, made)
}

/// Returns the bytes that segments take on the disk, without those that a command began at their usual size.
fn log_bytes(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder.join("log")).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
    sizes.filter(|bytes| *bytes <= u64::from(SEGMENT_BYTES)).sum()
}

#[test]
fn reclaim_gives_space_back_and_says_how_much() {
    let (folder, _) = streamed();
    let (before, bytes) = (states(folder.path()), log_bytes(folder.path()));
    let said = log_in(folder.path(), &["reclaim"]);
    assert_eq!(said.complaint, None);
    assert!(said.printed.starts_with("gave back ") && said.printed.contains(" segments rewritten without "));
    assert!(said.printed.ends_with(", 1 objects removed\n"), "{}", said.printed);
    assert!(log_bytes(folder.path()) < bytes / 2, "{} of {bytes}", log_bytes(folder.path()));
    assert_eq!(states(folder.path()), before);
    let again = log_in(folder.path(), &["reclaim"]);
    assert_eq!(again.printed, "gave back 0 B: 0 segments rewritten without 0 events, 0 objects removed\n");
}

#[test]
fn reclaim_needs_a_log() {
    let folder = TempDir::new().unwrap();
    let said = log_in(folder.path(), &["reclaim"]);
    assert!(said.complaint.unwrap().starts_with("there is no log in "));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "none is begun");
}

#[test]
fn verify_and_show_say_what_is_gone() {
    let (folder, made) = streamed();
    log_in(folder.path(), &["reclaim"]);
    let said = log_in(folder.path(), &["verify", "--json"]);
    assert_eq!(said.complaint, None);
    let verified: Value = serde_json::from_str(&said.printed).unwrap();
    assert!(verified["elided"].as_u64() > Some(100), "{verified}");
    assert!(log_in(folder.path(), &["verify"]).printed.contains(" of them gone, replaced), and "));
    let parent = made.parent.to_string();
    let shown = log_in(folder.path(), &["show", &parent]).printed;
    assert!(shown.lines().any(|line| line.contains("  gone up to ") && line.ends_with(" replaced them")));
    let mut next = 1;
    for line in log_in(folder.path(), &["show", &parent, "--json"]).printed.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let elided = &line["elided"];
        let (first, last) =
            if elided.is_null() { (&line["seq"], &line["seq"]) } else { (&elided["first"], &elided["last"]) };
        assert_eq!(first.as_u64(), Some(next), "each position is accounted for: {line}");
        next = last.as_u64().unwrap() + 1;
    }
    assert!(log_in(folder.path(), &["show", &parent, "--type", "turn"]).printed.lines().count() > 0);
}

#[test]
fn what_gave_space_back_is_exported_and_comes_back_as_it_was() {
    let (folder, made) = streamed();
    log_in(folder.path(), &["reclaim"]);
    let (other, before) = (TempDir::new().unwrap(), states(folder.path()));
    let file = other.path().join("all.jsonl");
    let to = file.to_str().unwrap();
    assert_eq!(log_in(folder.path(), &["export", "--all", "--to", to]).complaint, None);
    assert!(fs::read_to_string(&file).unwrap().contains("{\"elided\":{\"first\":"));
    let data = other.path().join("data");
    let said = log_in(&data, &["import", to]);
    assert_eq!((said.printed.as_str(), said.complaint), ("imported 2 sessions\n", None));
    assert_eq!(states(&data), before);
    assert_eq!(log_in(&data, &["verify"]).complaint, None);
    for session in [made.parent, made.child] {
        let show = ["show", &session.to_string(), "--json"];
        assert_eq!(log_in(&data, &show).printed, log_in(folder.path(), &show).printed);
    }
    log_in(&data, &["reclaim"]);
    fs::remove_dir_all(data.join("index")).unwrap();
    assert_eq!(states(&data), before, "the segments alone say it");
}

#[test]
fn an_export_whose_gaps_were_changed_is_refused() {
    let (folder, made) = streamed();
    log_in(folder.path(), &["reclaim"]);
    let other = TempDir::new().unwrap();
    let (file, session) = (other.path().join("one.jsonl"), made.parent.to_string());
    log_in(folder.path(), &["export", &session, "--to", file.to_str().unwrap()]);
    let text = fs::read_to_string(&file).unwrap();
    let line = text.lines().find(|line| line.starts_with("{\"elided\"")).unwrap();
    let elided: Value = serde_json::from_str(line).unwrap();
    let with = |member: &str, value: &Value| {
        let mut changed = elided.clone();
        changed["elided"][member] = value.clone();
        text.replacen(line, &changed.to_string(), 1)
    };
    let (first, replaced_by) = (&elided["elided"]["first"], &elided["elided"]["replaced_by"]);
    let changes = [
        (with("replaced_by", first), "does not stand behind them"),
        (with("first", replaced_by), "belongs"),
        (with("at_ms", &9.into()), "its events are not those that were exported"),
        (with("operation", &serde_json::json!({"id": "x", "body_hash": "y"})), "an operation is no hash"),
    ];
    for (changed, complaint) in changes {
        fs::write(&file, changed).unwrap();
        let data = other.path().join("data");
        let said = log_in(&data, &["import", file.to_str().unwrap()]);
        assert!(said.printed.contains(complaint), "{said:?}");
        assert!(states(&data).is_empty());
    }
}
