//! The rules of this repository that a machine can check: sizes, names, documents, and who may know whom.
//!
//! Each test names one rule and lists everything that breaks it, as `file:line: what`.

#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/edges.rs"]
mod edges;
#[path = "tidy/mask.rs"]
mod mask;
#[path = "tidy/names.rs"]
mod names;
#[path = "tidy/protocol.rs"]
mod protocol;
#[path = "tidy/scan.rs"]
mod scan;
#[path = "tidy/scenarios.rs"]
mod scenarios;
#[path = "tidy/sizes.rs"]
mod sizes;
#[path = "tidy/tree.rs"]
mod tree;
#[path = "tidy/wire.rs"]
mod wire;
#[path = "tidy/words.rs"]
mod words;

/// Fails with `rule` and everything that breaks it.
fn nothing_breaks(rule: &str, findings: impl IntoIterator<Item = String>) {
    let findings: Vec<String> = findings.into_iter().collect();
    assert!(findings.is_empty(), "{rule}\n  {}\n", findings.join("\n  "));
}
