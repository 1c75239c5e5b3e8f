//! The kept corpus: every input that was ever of interest is taken without a panic.
//!
//! The functions are those that are fuzzed, see `fuzz/README.md`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use tests::entry;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/fuzz")
}

/// Feeds every kept input to `entry`, and each of its beginnings too.
fn takes_its_corpus(name: &str, entry: entry::Entry) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(corpus().join(name)).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 12, "{name} has {} inputs", paths.len());
    for path in paths {
        let bytes = fs::read(&path).unwrap();
        println!("{}", path.display());
        entry(&bytes);
        (0..bytes.len().min(BEGINNINGS_MAX)).for_each(|end| entry(&bytes[..end]));
    }
}

/// Beginnings of an input that are tried.
const BEGINNINGS_MAX: usize = 512;

#[test]
fn plans_in_text_are_read() {
    takes_its_corpus("plan-parser", entry::plan_parser);
}

#[test]
fn slash_lines_are_read() {
    takes_its_corpus("slash-line", entry::slash_line);
}

#[test]
fn frames_are_read() {
    takes_its_corpus("wire-frame", entry::wire_frame);
}

#[test]
fn event_lines_are_read() {
    takes_its_corpus("event-line", entry::event_line);
}

#[test]
fn every_entry_has_a_corpus_and_every_corpus_an_entry() {
    let mut folders: Vec<String> = fs::read_dir(corpus())
        .unwrap()
        .map(|folder| folder.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let mut names = entry::ENTRIES.map(|(name, _)| name.to_owned());
    names.sort();
    assert_eq!(folders, names);
}
