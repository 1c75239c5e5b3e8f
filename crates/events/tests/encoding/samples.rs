//! The frozen samples: one file a type, a JSON array with one envelope a line, each in its wire form.

use std::fs;
use std::path::PathBuf;

use events::{EVENT_TYPES, Envelope, NewEvent, Placement};

/// Returns the folder of the samples.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/events")
}

/// Returns the name of the file with the samples of `type_name`.
pub(crate) fn file_name(type_name: &str) -> String {
    format!("{}.json", type_name.replace('/', "-"))
}

/// Returns the text of the file with the samples of `type_name`.
pub(crate) fn text_of(type_name: &str) -> String {
    let path = folder().join(file_name(type_name));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the samples of `type_name`.
pub(crate) fn of(type_name: &str) -> Vec<Envelope> {
    serde_json::from_str(&text_of(type_name)).unwrap_or_else(|error| panic!("{type_name}: {error}"))
}

/// Returns the samples of all types, in the order of [`EVENT_TYPES`].
pub(crate) fn all() -> impl Iterator<Item = Envelope> {
    EVENT_TYPES.iter().flat_map(|type_name| of(type_name))
}

/// Returns what a record's header says about `envelope`, written under `schema`.
pub(crate) fn placement(envelope: &Envelope, schema: u32) -> Placement {
    Placement {
        seq: envelope.seq,
        batch_end: envelope.batch_end,
        epoch: envelope.epoch,
        at_ms: envelope.at_ms,
        schema,
    }
}

/// Returns the line that a record keeps of `envelope`.
pub(crate) fn line_of(envelope: &Envelope) -> String {
    NewEvent { cause: envelope.cause.clone(), actor: envelope.actor.clone(), event: envelope.event.clone() }
        .to_line()
        .expect("every event can be written")
}
