//! A record's payload: the events as lines of JSON, compressed when that is smaller.

use std::sync::Arc;

use events::{NewEvent, Seq};

use crate::record::{Header, padded};
use crate::{Batch, Caps, LogError};

/// Lines shorter than this are not worth compressing.
const COMPRESSED_BYTES_MIN: usize = 128;

/// Events made ready for a record.
#[derive(Debug, Clone)]
pub(crate) struct Payload {
    pub(crate) lines: Arc<str>,
    /// What goes to disk, with padding.
    pub(crate) stored: Vec<u8>,
    pub(crate) stored_bytes: u32,
    pub(crate) lz4: bool,
    pub(crate) checksum: u32,
    pub(crate) count: u16,
}

impl Payload {
    /// Writes `events` as lines; refuses what is above the limits.
    pub(crate) fn of(events: &[NewEvent], caps: &Caps) -> Result<Self, LogError> {
        refuse_above("batch (in events)", events.len(), caps.batch_events_max)?;
        let mut lines = String::new();
        for event in events {
            lines.push_str(&event.to_line().expect("every event can be written as JSON"));
            lines.push('\n');
        }
        refuse_above("batch (in bytes)", lines.len(), caps.record_bytes_max)?;
        Ok(Self::packed(lines.into(), u16::try_from(events.len()).expect("512 at most")))
    }

    /// Takes lines as another log kept them; refuses what is above the limits.
    pub(crate) fn of_lines(lines: &[String], caps: &Caps) -> Result<Self, LogError> {
        refuse_above("batch (in events)", lines.len(), caps.batch_events_max)?;
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        refuse_above("batch (in bytes)", text.len(), caps.record_bytes_max)?;
        Ok(Self::packed(text.into(), u16::try_from(lines.len()).expect("512 at most")))
    }

    fn packed(lines: Arc<str>, count: u16) -> Self {
        let compressed = (lines.len() >= COMPRESSED_BYTES_MIN)
            .then(|| lz4_flex::block::compress(lines.as_bytes()))
            .filter(|compressed| padded(compressed.len()) < padded(lines.len()));
        let lz4 = compressed.is_some();
        let mut stored = compressed.unwrap_or_else(|| lines.as_bytes().to_vec());
        let stored_bytes = u32::try_from(stored.len()).expect("4 MiB at most");
        stored.resize(padded(stored.len()), 0);
        Self { checksum: crc32c::crc32c(&stored), lines, stored, stored_bytes, lz4, count }
    }
}

/// Refuses a size above its limit.
pub(crate) fn refuse_above(what: &'static str, size: usize, limit: usize) -> Result<(), LogError> {
    if size > limit { Err(LogError::TooLarge { what, size, limit }) } else { Ok(()) }
}

/// Reads the payload that `header` describes, padding included; says what is wrong with it otherwise.
pub(crate) fn unpack(header: &Header, stored: &[u8]) -> Result<Arc<str>, &'static str> {
    if !is_whole(header, stored) {
        return Err("its bytes do not have their checksum");
    }
    let stored = &stored[..header.stored_bytes as usize];
    let text = if header.lz4 {
        lz4_flex::block::decompress(stored, header.plain_bytes as usize)
            .map_err(|_| "it cannot be decompressed")?
    } else {
        stored.to_vec()
    };
    String::from_utf8(text).map(Arc::from).map_err(|_| "it is no text")
}

/// Says whether a payload has its checksum.
pub(crate) fn is_whole(header: &Header, stored: &[u8]) -> bool {
    stored.len() == header.payload_bytes() && crc32c::crc32c(stored) == header.payload_checksum
}

/// Puts header and lines together to what readers get.
pub(crate) fn batch(header: &Header, lines: Arc<str>) -> Batch {
    Batch {
        session: header.session,
        first: Seq(header.first.0),
        count: header.positions(),
        epoch: header.epoch,
        at_ms: header.at_ms,
        schema: header.schema,
        operation: header.operation,
        elision: header.elision,
        lines,
    }
}
