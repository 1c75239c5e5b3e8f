//! What every crate says about itself, and what no file says.

use crate::{nothing_breaks, tree};

#[test]
fn every_crate_says_what_holds_and_what_is_elsewhere() {
    let silent = tree::files().into_iter().filter(|path| path.ends_with("src/lib.rs")).flat_map(|path| {
        let text = tree::read(&path).unwrap_or_default();
        ["//! # Invariants", "//! # Not here"]
            .into_iter()
            .filter(move |heading| !text.lines().any(|line| line == *heading))
            .map(move |heading| format!("{path}: no line `{heading}`"))
    });

    nothing_breaks(
        "each lib.rs opens with its purpose, where to start, its invariants and its limits:",
        silent,
    );
}

#[test]
fn every_path_of_the_map_exists() {
    assert!(tree::root().join("ARCHITECTURE.md").is_file(), "ARCHITECTURE.md, the one-page map, is missing");
    let text = tree::read("ARCHITECTURE.md").expect("it is text");
    let stale = backticked(&text)
        .filter(|(_, quoted)| is_path(quoted) && !tree::root().join(quoted).exists())
        .map(|(line, quoted)| format!("ARCHITECTURE.md:{line}: {quoted}"));

    nothing_breaks("these paths do not exist, seen from the root of the repository:", stale);
}

/// Returns what `text` has between backticks, with its line, fenced blocks left out.
fn backticked(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    (1..)
        .zip(text.lines())
        .filter(move |(_, line)| {
            let is_fence = line.trim_start().starts_with("```");
            fenced ^= is_fence;
            !fenced && !is_fence
        })
        .flat_map(|(number, line)| line.split('`').skip(1).step_by(2).map(move |quoted| (number, quoted)))
}

/// Says whether `quoted` means a file or folder of the repository, rather than an event, a URL or a command.
fn is_path(quoted: &str) -> bool {
    const ENDINGS: [&str; 10] = ["/", ".rs", ".md", ".toml", ".json", ".sh", ".html", ".ts", ".tsx", ".css"];
    let Some((first, _)) = quoted.split_once('/') else { return false };
    let is_plain = quoted.chars().all(|letter| letter.is_alphanumeric() || "._-/".contains(letter));
    let is_inside = !first.is_empty();
    let names_a_file = ENDINGS.iter().any(|ending| quoted.ends_with(ending));
    is_plain && is_inside && (names_a_file || tree::root().join(first).is_dir())
}

#[test]
fn an_event_is_told_from_a_path() {
    assert!(is_path("crates/nowhere"));
    assert!(is_path("somewhere/else.rs"));
    assert!(is_path("nowhere/"));
    for other in ["goal/change", "/v1/ws", "~/.config/waymark.toml", "lib.rs", "crates/*/src", "cargo test"] {
        assert!(!is_path(other), "{other}");
    }
}

#[test]
fn a_fenced_block_quotes_nothing() {
    let text = "see `a/b` and `c`\n```\n`d`\n```\n`e`";

    assert_eq!(backticked(text).collect::<Vec<_>>(), [(1, "a/b"), (1, "c"), (5, "e")]);
}

/// A path of one machine helps nobody on another.
#[test]
fn no_file_names_a_folder_of_one_machine() {
    let named = tree::files().into_iter().flat_map(|path| {
        let text = tree::read(&path).unwrap_or_default();
        let lines: Vec<String> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| names_a_machine(line))
            .map(|(number, _)| format!("{path}:{number}"))
            .collect();
        lines
    });

    nothing_breaks("these lines name a folder that only one machine has:", named);
}

/// Says whether `line` has an absolute path below a folder of one machine, or one out of the repository.
fn names_a_machine(line: &str) -> bool {
    let beside = ["..", "shared"].join("/");
    line.contains(&beside)
        || ["work", "root"].iter().any(|folder| {
            let folder = format!("/{folder}/");
            line.match_indices(&folder).any(|(at, _)| !continues_a_path(&line[..at]))
        })
}

fn continues_a_path(before: &str) -> bool {
    before.ends_with(|letter: char| letter.is_alphanumeric() || "._-}*~".contains(letter))
}

#[test]
fn a_relative_path_is_no_machines() {
    let absolute = |folder: &str| format!("see {}", ["", folder, "notes"].join("/"));

    assert!(names_a_machine(&absolute("work")));
    assert!(names_a_machine(&absolute("root")));
    assert!(names_a_machine(&format!("see {}", ["..", "shared", "notes"].join("/"))));
    assert!(!names_a_machine("see home/work/notes and the/root/of/it and /workspace/notes"));
}
