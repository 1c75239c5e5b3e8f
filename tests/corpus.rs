//! The kept corpus: every input that was ever of interest is taken without a panic.
//!
//! The functions are those that are fuzzed, see `fuzz/README.md`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use tests::entry;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/fuzz")
}

fn inputs(name: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(corpus().join(name)).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 12, "{name} has {} inputs", paths.len());
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Feeds every kept input to `entry`, and each of its beginnings too.
fn takes_its_corpus(name: &str, entry: entry::Entry) {
    for bytes in inputs(name) {
        takes(name, entry, &bytes);
        (0..bytes.len().min(BEGINNINGS_MAX)).for_each(|end| takes(name, entry, &bytes[..end]));
    }
}

/// Feeds one input to `entry`; one that fails is told as it is, to be kept.
fn takes(name: &str, entry: entry::Entry, bytes: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| entry(bytes))).is_err() {
        panic!("{name} does not take b\"{}\"", bytes.escape_ascii());
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

/// How many changed inputs each entry is fed; `CORPUS_MUTATIONS` asks for more of them.
const MUTATIONS: usize = 1_000;

#[test]
fn inputs_that_were_changed_at_random_are_taken() {
    let asked = std::env::var("CORPUS_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let seed: u64 = rand::random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    for (name, entry) in entry::ENTRIES {
        let mut known = inputs(name);
        for _ in 0..asked.unwrap_or(MUTATIONS) {
            let bytes = mutated(&known, &mut random);
            takes(name, entry, &bytes);
            // What is small may grow into something else later.
            if bytes.len() < GROWN_BYTES_MAX && random.random_bool(0.1) {
                let place = random.random_range(0..known.len());
                known[place] = bytes;
            }
        }
    }
}

/// Bytes of a changed input that is changed further.
const GROWN_BYTES_MAX: usize = 2_000;

/// Returns one of `known` with a few changes: bytes turned, cut out, repeated, or taken over from another one.
fn mutated(known: &[Vec<u8>], random: &mut StdRng) -> Vec<u8> {
    let mut bytes = known.choose(random).unwrap().clone();
    for _ in 0..random.random_range(1..6) {
        let at = random.random_range(0..=bytes.len());
        let end = random.random_range(at..=bytes.len().min(at + 32));
        match random.random_range(0..5) {
            0 if at < bytes.len() => bytes[at] = random.random(),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => {
                let other = known.choose(random).unwrap();
                let from = random.random_range(0..=other.len());
                let to = random.random_range(from..=other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            _ => {
                let telling = b"\n /\"{}[]<>=0-\\,:\xff";
                bytes.insert(at, *telling.choose(random).unwrap());
            }
        }
    }
    bytes
}
