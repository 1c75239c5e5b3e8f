//! The form of an export: JSON lines, one section a session. `docs/export.md` describes it.

use events::{Digest, Epoch, LogId, OperationId, Seq, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::{Batch, Operation};

/// The form that this build writes and reads.
pub(super) const FORMAT: u32 = 1;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line {
    /// A section begins.
    Session(Head),
    /// An object that a later event of the section names.
    Object {
        /// BLAKE3 of its bytes.
        digest: Digest,
        /// Its bytes.
        base64: String,
    },
    /// An event.
    Event(EventLine),
    /// Events that are gone.
    Elided(ElidedLine),
    /// A section is whole.
    End(End),
}

/// What a section begins with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Head {
    /// [`FORMAT`].
    pub(super) format: u32,
    /// The log that it comes from.
    pub(super) log: LogId,
    /// The waymark that wrote it.
    pub(super) waymark: String,
    /// The session.
    pub(super) session: SessionId,
    /// What it goes on from, where that is in the export too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<Parent>,
    /// Position of the section's first event.
    pub(super) first: Seq,
    /// Position of its last one.
    pub(super) last: Seq,
}

/// The point that a fork goes on from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Parent {
    /// The parent.
    pub(super) session: SessionId,
    /// The last shared position.
    pub(super) seq: Seq,
    /// Fingerprint of all that is shared.
    pub(super) fingerprint: Digest,
}

/// An event with its place.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EventLine {
    pub(super) seq: Seq,
    pub(super) batch_end: Seq,
    pub(super) epoch: Epoch,
    pub(super) at_ms: u64,
    pub(super) schema: u32,
    /// The command behind the batch, with its first event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) operation: Option<OperationLine>,
    /// Type, actor, cause and data, as the log keeps them.
    pub(super) line: Box<RawValue>,
}

/// Positions whose events were given up.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ElidedLine {
    pub(super) first: Seq,
    pub(super) last: Seq,
    pub(super) epoch: Epoch,
    pub(super) at_ms: u64,
    pub(super) schema: u32,
    /// The command behind them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) operation: Option<OperationLine>,
    /// Position of the event that stands for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) replaced_by: Option<Seq>,
}

/// An operation, in hexadecimal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OperationLine {
    pub(super) id: String,
    pub(super) body_hash: String,
}

/// What a section ends with.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct End {
    /// The session.
    pub(super) session: SessionId,
    /// Fingerprint of the section.
    pub(super) fingerprint: Digest,
}

/// A hash over events and their places, the same in every log that holds them.
#[derive(Debug, Default)]
pub(super) struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    /// Takes one more line in: an event, or where some are gone.
    pub(super) fn add(&mut self, line: &Line) {
        match line {
            Line::Event(event) => {
                self.numbers([event.seq.0, event.batch_end.0, event.epoch.0, event.at_ms]);
                self.0.update(event.line.get().as_bytes()).update(b"\n");
            }
            Line::Elided(elided) => {
                let replaced_by = elided.replaced_by.map_or(0, |whole| whole.0);
                self.numbers([elided.first.0, elided.last.0, elided.epoch.0, elided.at_ms]);
                self.0.update(b"elided");
                self.numbers([replaced_by]);
            }
            Line::Session(_) | Line::Object { .. } | Line::End(_) => {}
        }
    }

    fn numbers<const COUNT: usize>(&mut self, numbers: [u64; COUNT]) {
        numbers.iter().for_each(|number| {
            self.0.update(&number.to_le_bytes());
        });
    }

    /// Returns the hash over all events so far.
    pub(super) fn digest(&self) -> Digest {
        Digest(self.0.finalize().to_hex().to_string())
    }
}

/// Returns a batch as lines: one an event, or one in all for events that are gone.
///
/// # Errors
///
/// When a line of it is no JSON.
pub(super) fn batch_lines(batch: &Batch) -> serde_json::Result<Vec<Line>> {
    if batch.is_elided() {
        return Ok(vec![Line::Elided(elided_line(batch))]);
    }
    let mut operation = batch.recorded().map(OperationLine::from);
    let numbered = (batch.first().0..).map(Seq).zip(batch.lines());
    numbered
        .map(|(seq, line)| {
            Ok(Line::Event(EventLine {
                seq,
                batch_end: batch.last(),
                epoch: batch.epoch(),
                at_ms: batch.at_ms(),
                schema: batch.schema(),
                operation: operation.take(),
                line: RawValue::from_string(line.to_owned())?,
            }))
        })
        .collect()
}

fn elided_line(batch: &Batch) -> ElidedLine {
    ElidedLine {
        first: batch.first(),
        last: batch.last(),
        epoch: batch.epoch(),
        at_ms: batch.at_ms(),
        schema: batch.schema(),
        operation: batch.recorded().map(OperationLine::from),
        replaced_by: batch.replaced_by(),
    }
}

impl From<Operation> for OperationLine {
    fn from(operation: Operation) -> Self {
        Self { id: operation.id.to_string(), body_hash: hex::encode(operation.body_hash) }
    }
}

impl OperationLine {
    /// Returns the operation; none when it is not 2 × 16 bytes in hexadecimal.
    pub(super) fn operation(&self) -> Option<Operation> {
        let bytes = |text: &str| {
            let mut bytes = [0; 16];
            hex::decode_to_slice(text, &mut bytes).ok().map(|()| bytes)
        };
        Some(Operation { id: OperationId(bytes(&self.id)?), body_hash: bytes(&self.body_hash)? })
    }
}
