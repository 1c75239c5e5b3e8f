//! What was written once is read for ever, and is written the same way again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use events::{EVENT_TYPES, Envelope, SCHEMA_VERSION};

use crate::samples;

#[test]
fn every_type_has_a_file_and_every_file_a_type() {
    let expected: BTreeSet<String> = EVENT_TYPES.iter().map(|name| samples::file_name(name)).collect();
    let found: BTreeSet<String> = fs::read_dir(samples::folder())
        .expect("the folder of samples is there")
        .map(|entry| entry.expect("a folder can be listed").file_name().to_string_lossy().into_owned())
        .collect();

    assert_eq!(found, expected);
}

#[test]
fn a_file_holds_samples_of_its_own_type_alone() {
    for type_name in EVENT_TYPES {
        let samples = samples::of(type_name);

        assert!(!samples.is_empty(), "{type_name} has no sample");
        for sample in samples {
            assert_eq!(sample.event.type_name(), *type_name);
        }
    }
}

#[test]
fn the_wire_form_is_written_as_it_was_read() {
    for type_name in EVENT_TYPES {
        let rewritten = one_a_line(&samples::of(type_name));

        assert_eq!(rewritten, samples::text_of(type_name), "samples of {type_name}");
    }
}

#[test]
fn the_line_of_a_record_holds_what_the_wire_form_holds() {
    for sample in samples::all() {
        let line = samples::line_of(&sample);
        let read = Envelope::from_line(&line, &samples::placement(&sample, SCHEMA_VERSION))
            .expect("a line that was written can be read");

        assert_eq!(read, sample);
        assert_eq!(samples::line_of(&read), line);
    }
}

#[test]
fn a_sample_lies_inside_its_batch() {
    for sample in samples::all() {
        assert!(sample.seq.0 >= 1, "positions start at 1: {sample:?}");
        assert!(sample.batch_end >= sample.seq, "a batch ends before its event: {sample:?}");
        assert!(sample.epoch.0 >= 1, "nobody owned the session: {sample:?}");
    }
}

#[test]
fn deltas_alone_are_ignorable() {
    let ignorable: BTreeSet<String> = samples::all()
        .filter(|sample| sample.event.is_ignorable())
        .map(|sample| sample.event.type_name().to_owned())
        .collect();

    assert_eq!(ignorable, BTreeSet::from(["assistant/delta".to_owned()]));
}

#[test]
fn the_surface_is_three_types() {
    let surface: BTreeSet<String> = samples::all()
        .filter(|sample| sample.event.is_surface())
        .map(|sample| sample.event.type_name().to_owned())
        .collect();

    assert_eq!(surface, ["assistant/message", "tool/result", "user/message"].map(str::to_owned).into());
}

/// A new optional field, or a new variant, comes with a sample of it.
#[test]
fn every_field_and_every_variant_has_a_sample() {
    let everything: String = EVENT_TYPES.iter().map(|type_name| samples::text_of(type_name)).collect();
    for file in ["content", "goal", "plan", "request", "session", "turn"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{file}.rs"));
        let source = fs::read_to_string(&source).expect("the source is beside its tests");
        for item in items(&source) {
            let sampled = event_type_named(&item.name).map_or(everything.clone(), samples::text_of);
            for field in &item.fields {
                assert!(
                    sampled.contains(&format!("\"{field}\":")),
                    "{}.{field} in {file}.rs is in no sample",
                    item.name
                );
            }
            for variant in &item.variants {
                let names = [cased(variant, '-'), cased(variant, '_')];
                assert!(
                    names.iter().any(|name| everything.contains(&format!("\"{name}\""))),
                    "{}::{variant} in {file}.rs is in no sample",
                    item.name
                );
            }
        }
    }
}

/// Joins `envelopes` as the sample files keep them.
fn one_a_line(envelopes: &[Envelope]) -> String {
    let lines: Vec<String> = envelopes
        .iter()
        .map(|envelope| serde_json::to_string(envelope).expect("every envelope can be written"))
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// The names in one public struct or enum of the source.
struct Item {
    name: String,
    fields: Vec<String>,
    variants: Vec<String>,
}

/// Returns the public structs and enums of formatted `source`.
fn items(source: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for line in source.lines() {
        if let Some(name) = line.strip_prefix("pub struct ").or(line.strip_prefix("pub enum ")) {
            items.push(Item { name: word(name), fields: Vec::new(), variants: Vec::new() });
        } else if line == "}" {
            items.push(Item { name: String::new(), fields: Vec::new(), variants: Vec::new() });
        } else if let Some(item) = items.last_mut().filter(|item| !item.name.is_empty()) {
            note_member(item, line);
        }
    }
    items
}

fn note_member(item: &mut Item, line: &str) {
    let member = line.trim_start();
    let depth = line.len() - member.len();
    let name = word(member.trim_start_matches("pub "));
    if depth == 4 && name.starts_with(char::is_uppercase) {
        item.variants.push(name);
    } else if member.contains(": ") && name.starts_with(char::is_lowercase) {
        item.fields.push(name);
    }
}

/// Returns the identifier that `text` begins with.
fn word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

/// Returns the event type whose data the struct `name` is.
fn event_type_named(name: &str) -> Option<&'static str> {
    let name = cased(name, '/');
    EVENT_TYPES.iter().copied().find(|type_name| *type_name == name)
}

/// Returns a camel-case `name` in lower case, its words joined by `joint`.
fn cased(name: &str, joint: char) -> String {
    let mut joined = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !joined.is_empty() {
            joined.push(joint);
        }
        joined.extend(letter.to_lowercase());
    }
    joined
}
