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
        .flat_map(move |read| {
            let (lines, failure) = match read {
                Some(Ok(bytes)) => gate.push(&bytes),
                Some(Err(failure)) => (String::new(), Some(failure)),
                None => gate.end(),
            };
            stream::iter([Ok(lines)].into_iter().chain(failure.map(Err)))
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
    /// Takes bytes and returns the lines that they complete, up to a failure if there is one, so that it makes no
    /// difference how the bytes were cut; the parser knows an event by its lines.
    fn push(&mut self, bytes: &[u8]) -> (String, Option<Failure>) {
        let (fitting, too_long) = self.fitting(bytes);
        self.unfinished.extend_from_slice(fitting);
        let rest = self.unfinished.split_off(whole_lines(&self.unfinished));
        let (lines, garbled) = text(std::mem::replace(&mut self.unfinished, rest));
        (lines, garbled.or(too_long))
    }

    /// Returns the last line, closed, and closes its event.
    fn end(&mut self) -> (String, Option<Failure>) {
        let mut last = std::mem::take(&mut self.unfinished);
        if let Err(error) = std::str::from_utf8(&last)
            && error.error_len().is_none()
        {
            last.truncate(error.valid_up_to());
        }
        let (last, garbled) = text(last);
        (last + "\n\n", garbled)
    }

    /// Returns the bytes that come before any limit, and which limit is behind them.
    fn fitting<'a>(&mut self, bytes: &'a [u8]) -> (&'a [u8], Option<Failure>) {
        for (at, byte) in bytes.iter().enumerate() {
            if let Err(failure) = self.count(*byte) {
                return (&bytes[..at], Some(failure));
            }
        }
        (bytes, None)
    }

    fn count(&mut self, byte: u8) -> Result<(), Failure> {
        self.answer_bytes += 1;
        if self.answer_bytes > ANSWER_BYTES_MAX {
            return Err(too_long("an answer", ANSWER_BYTES_MAX));
        }
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

/// Returns how many bytes the whole lines of `bytes` have.
fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| is_line_end(*byte)).map_or(0, |at| at + 1)
}

/// Returns the text of `bytes`, up to the line that is no text.
fn text(bytes: Vec<u8>) -> (String, Option<Failure>) {
    String::from_utf8(bytes).map(|text| (text, None)).unwrap_or_else(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let lines = String::from_utf8_lossy(&valid[..whole_lines(valid)]).into_owned();
        let failure = Failure::new(FailureClass::Unknown, "the provider sent text that is not UTF-8");
        (lines, Some(failure))
    })
}

fn too_long(what: &str, bytes_max: usize) -> Failure {
    Failure::new(FailureClass::Unknown, format!("the provider sent {what} of more than {bytes_max} bytes"))
}

#[cfg(test)]
mod tests;
