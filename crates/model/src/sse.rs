//! Bytes of a response, cut into the data of its server-sent events, with a limit on everything.

use std::future::ready;

use bytes::Bytes;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::stream::{self, Stream, StreamExt};

use crate::{Failure, FailureClass};

/// The most bytes of one event, its field names and comments included.
pub(crate) const EVENT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The most bytes of one answer.
pub(crate) const ANSWER_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Returns the data of each event; ends after the first failure of the reader, whose own failures pass through.
///
/// An event that the server did not close before the end is delivered as it is: some servers leave out the
/// last empty line, and a decoder can tell whole data from half.
pub(crate) fn events<S>(bytes: S) -> impl Stream<Item = Result<String, Failure>>
where
    S: Stream<Item = Result<Bytes, Failure>>,
{
    let mut gate = Gate::default();
    bytes
        .map(Some)
        .chain(stream::once(ready(None)))
        .map(move |read| match read {
            Some(Ok(bytes)) => gate.push(&bytes),
            Some(Err(failure)) => Err(failure),
            None => gate.end(),
        })
        .eventsource()
        .map(|event| event.map(|event| event.data).map_err(failure))
}

fn failure(error: EventStreamError<Failure>) -> Failure {
    match error {
        EventStreamError::Transport(failure) => failure,
        EventStreamError::Utf8(_) | EventStreamError::Parser(_) => {
            Failure::new(FailureClass::Unknown, "the provider sent something that is no event stream")
        }
    }
}

/// Lets whole lines of text through and stops what is too long.
///
/// It stands in front of the event parser, which keeps an unfinished line for as long as it grows.
#[derive(Default)]
struct Gate {
    unfinished: Vec<u8>,
    answer_bytes: usize,
    event_bytes: usize,
    line_bytes: usize,
    after_cr: bool,
}

impl Gate {
    /// Takes bytes and returns the lines that they complete; the parser knows an event by its lines.
    fn push(&mut self, bytes: &[u8]) -> Result<String, Failure> {
        self.answer_bytes += bytes.len();
        if self.answer_bytes > ANSWER_BYTES_MAX {
            return Err(too_long("an answer", ANSWER_BYTES_MAX));
        }
        for byte in bytes {
            self.count(*byte)?;
        }
        self.unfinished.extend_from_slice(bytes);
        let whole = self.unfinished.iter().rposition(|byte| is_line_end(*byte)).map_or(0, |at| at + 1);
        let rest = self.unfinished.split_off(whole);
        text(std::mem::replace(&mut self.unfinished, rest))
    }

    /// Returns the last line, closed, and closes its event.
    fn end(&mut self) -> Result<String, Failure> {
        let mut last = std::mem::take(&mut self.unfinished);
        if let Err(error) = std::str::from_utf8(&last)
            && error.error_len().is_none()
        {
            last.truncate(error.valid_up_to());
        }
        text(last).map(|last| last + "\n\n")
    }

    fn count(&mut self, byte: u8) -> Result<(), Failure> {
        self.event_bytes += 1;
        if !is_line_end(byte) {
            self.line_bytes += 1;
        } else if self.line_bytes == 0 && !(byte == b'\n' && self.after_cr) {
            self.event_bytes = 0;
        } else {
            self.line_bytes = 0;
        }
        self.after_cr = byte == b'\r';
        if self.event_bytes > EVENT_BYTES_MAX {
            return Err(too_long("an event", EVENT_BYTES_MAX));
        }
        Ok(())
    }
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn text(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(FailureClass::Unknown, "the provider sent text that is not UTF-8"))
}

fn too_long(what: &str, bytes_max: usize) -> Failure {
    Failure::new(FailureClass::Unknown, format!("the provider sent {what} of more than {bytes_max} bytes"))
}

#[cfg(test)]
mod tests;
