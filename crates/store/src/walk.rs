//! Walks over the bytes of one segment, record by record, past what is damaged.

use events::LogId;

use crate::payload::is_whole;
use crate::record::{ALIGNMENT, HEADER_BYTES_MAX, Header, Spot, padded, starts_with_magic};
use crate::segment::SEGMENT_HEADER_BYTES;

/// A record and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) header: Header,
    pub(crate) spot: Spot,
}

/// Bytes that should be a record and are not.
#[derive(Debug, Clone)]
pub(crate) struct Bad {
    pub(crate) spot: Spot,
    pub(crate) bytes: usize,
    /// The header, where it is intact or one bit away from it.
    pub(crate) header: Option<Header>,
    /// What a later format says here, where the bytes are intact and this build cannot read them.
    pub(crate) unknown: Option<String>,
}

/// What stands next in a segment.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Record(Found),
    Bad(Bad),
}

/// The steps over a segment; ends where only zeros follow.
pub(crate) struct Walk<'a> {
    log: LogId,
    segment: u32,
    bytes: &'a [u8],
    content_end: usize,
    at: usize,
}

impl<'a> Walk<'a> {
    /// Walks `bytes`, a segment from its first byte on, from `offset` on.
    pub(crate) fn new(log: LogId, bytes: &'a [u8], from: Spot) -> Self {
        let at = from.offset.max(SEGMENT_HEADER_BYTES) as usize;
        Self { log, segment: from.segment, bytes, content_end: content_end(bytes), at }
    }

    fn spot(&self, at: usize) -> Spot {
        Spot { segment: self.segment, offset: u32::try_from(at).expect("a segment is below 4 GiB") }
    }

    fn header_at(&self, at: usize) -> Option<Header> {
        Header::decode(self.log, self.spot(at), self.bytes.get(at..)?)
    }

    fn record(&mut self, header: Header) -> Step {
        let (at, spot) = (self.at, self.spot(self.at));
        self.at += header.length();
        let payload = self.bytes.get(at + header.payload_at()..self.at);
        if payload.is_some_and(|payload| is_whole(&header, payload)) {
            Step::Record(Found { header, spot })
        } else {
            Step::Bad(Bad { spot, bytes: header.length(), header: Some(header), unknown: None })
        }
    }

    fn skip_to_next(&mut self) -> Step {
        let (at, spot) = (self.at, self.spot(self.at));
        let header = self.mended_header(at);
        let past = header.as_ref().map_or(at + ALIGNMENT, |header| at + header.length());
        let end = padded(self.content_end);
        self.at = (past..end)
            .step_by(ALIGNMENT)
            .find(|&at| self.header_at(at).is_some())
            .unwrap_or_else(|| end.max(past));
        let unknown = Header::unknown(self.log, spot, &self.bytes[at..]);
        Step::Bad(Bad { spot, bytes: self.at - at, header, unknown })
    }

    /// Finds the header that differs from these bytes in one bit, so that damage can be named.
    fn mended_header(&self, at: usize) -> Option<Header> {
        let end = (at + HEADER_BYTES_MAX).min(self.bytes.len());
        let mut bytes = self.bytes[at..end].to_vec();
        bytes.resize(HEADER_BYTES_MAX, 0);
        (0..bytes.len() * 8).find_map(|bit| {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let header =
                starts_with_magic(&bytes).then(|| Header::decode(self.log, self.spot(at), &bytes)).flatten();
            bytes[bit / 8] ^= 1 << (bit % 8);
            header
        })
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if self.at >= self.content_end {
            return None;
        }
        match self.header_at(self.at) {
            Some(header) => Some(self.record(header)),
            None => Some(self.skip_to_next()),
        }
    }
}

/// Returns where the zeros at the end of `bytes` begin.
pub(crate) fn content_end(bytes: &[u8]) -> usize {
    const ZEROS: &[u8] = &[0; 1 << 14];
    let mut end = bytes.len();
    while end >= ZEROS.len() && bytes[end - ZEROS.len()..end] == *ZEROS {
        end -= ZEROS.len();
    }
    let start = end.saturating_sub(ZEROS.len());
    bytes[start..end].iter().rposition(|&byte| byte != 0).map_or(start, |last| start + last + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_walked_to_their_end(bytes in prop::collection::vec(0_u8..4, 0..600)) {
            let log = LogId(uuid::Uuid::from_u128(1));
            let steps = Walk::new(log, &bytes, Spot { segment: 1, offset: 0 });
            prop_assert!(steps.take(1000).count() < 1000);
        }

        #[test]
        fn content_ends_behind_the_last_byte_that_is_not_zero(zeros in 0_usize..70_000, content in 0_usize..100) {
            let mut bytes = vec![1; content];
            bytes.resize(content + zeros, 0);
            prop_assert_eq!(content_end(&bytes), content);
        }
    }
}
