//! A record's header: one append as it stands in a segment. `FORMAT.md` has every byte.

use events::{Epoch, LogId, OperationId, Seq, SessionId};
use uuid::Uuid;

use crate::{ForkPoint, Operation};

/// The header's size without its extensions, in bytes.
pub(crate) const HEADER_BYTES: usize = 80;
/// The largest header: with all extensions.
pub(crate) const HEADER_BYTES_MAX: usize = HEADER_BYTES + OPERATION_BYTES + FORK_BYTES + ELISION_BYTES;
const OPERATION_BYTES: usize = 32;
const FORK_BYTES: usize = 24;
/// Extensions of a header that this build does not know are looked for up to this size.
const UNKNOWN_EXTENSIONS_BYTES_MAX: usize = 256;
const ELISION_BYTES: usize = 16;
/// Records begin at multiples of this.
pub(crate) const ALIGNMENT: usize = 8;
const MAGIC: u32 = u32::from_le_bytes(*b"wmR\x01");

const LZ4: u8 = 1;
const OPERATION: u8 = 2;
const FORK: u8 = 4;
const CLEAN: u8 = 8;
const INDEX_SYNCED: u8 = 16;
const ELIDED: u8 = 32;
const UNFINISHED: u8 = 64;
const KNOWN_FLAGS: u8 = LZ4 | OPERATION | FORK | CLEAN | INDEX_SYNCED | ELIDED | UNFINISHED;

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A batch of an existing session.
    Batch,
    /// A session's first batch.
    Create,
    /// A session is deleted.
    Tombstone,
    /// A mark of the log itself: a clean stop, or a mended tail.
    Mark,
}

/// Where something stands in the log; ordered as the log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spot {
    pub(crate) segment: u32,
    pub(crate) offset: u32,
}

/// A record's header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// Whether the payload is compressed.
    pub(crate) lz4: bool,
    /// A mark: everything before it was written by a process that stopped in order.
    pub(crate) clean: bool,
    /// A clean mark: the index's files were synced before it.
    pub(crate) index_synced: bool,
    /// Whether the session is being imported and more of it follows: it is not there before it is whole.
    pub(crate) unfinished: bool,
    /// Events.
    pub(crate) count: u16,
    pub(crate) schema: u32,
    /// Payload as stored, without padding.
    pub(crate) stored_bytes: u32,
    /// Payload after decompression.
    pub(crate) plain_bytes: u32,
    pub(crate) payload_checksum: u32,
    /// Bytes of the commit group that follow this record.
    pub(crate) group_rest: u32,
    pub(crate) group: u64,
    pub(crate) session: SessionId,
    /// Position of the first event; the next free one when there is none.
    pub(crate) first: Seq,
    pub(crate) epoch: Epoch,
    pub(crate) at_ms: u64,
    pub(crate) operation: Option<Operation>,
    pub(crate) fork: Option<ForkPoint>,
    /// What stands here instead of events that were given up.
    pub(crate) elision: Option<Elision>,
}

/// Positions from a record's first on that are accounted for and hold no event any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elision {
    /// The last of them.
    pub last: Seq,
    /// The event that stands for them; none when their session was deleted.
    pub replaced_by: Option<Seq>,
}

impl Header {
    /// Returns the head after it.
    pub(crate) fn last(&self) -> Seq {
        match self.elision {
            Some(elision) => elision.last,
            None => Seq((self.first.0 + u64::from(self.count)).saturating_sub(1)),
        }
    }

    /// Returns how many positions it accounts for.
    pub(crate) fn positions(&self) -> u64 {
        self.last().0.saturating_add(1).saturating_sub(self.first.0)
    }

    /// Returns where the payload begins, counted from the record.
    pub(crate) fn payload_at(&self) -> usize {
        extended(self.flags())
    }

    /// Returns the payload with its padding, in bytes.
    pub(crate) fn payload_bytes(&self) -> usize {
        padded(self.stored_bytes as usize)
    }

    /// Returns the record's size in bytes.
    pub(crate) fn length(&self) -> usize {
        self.payload_at() + self.payload_bytes()
    }

    fn flags(&self) -> u8 {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        flag(self.lz4, LZ4)
            | flag(self.operation.is_some(), OPERATION)
            | flag(self.fork.is_some(), FORK)
            | flag(self.clean, CLEAN)
            | flag(self.index_synced, INDEX_SYNCED)
            | flag(self.unfinished, UNFINISHED)
            | flag(self.elision.is_some(), ELIDED)
    }

    /// Appends the header to `out`, for a record of `log` at `spot`.
    pub(crate) fn encode(&self, log: LogId, spot: Spot, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&MAGIC.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&[kind_byte(self.kind), self.flags()]);
        out.extend_from_slice(&self.count.to_le_bytes());
        for number in
            [self.schema, self.stored_bytes, self.plain_bytes, self.payload_checksum, self.group_rest]
        {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.group.to_le_bytes());
        out.extend_from_slice(self.session.0.as_bytes());
        for number in [self.first.0, self.epoch.0, self.at_ms] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        if let Some(operation) = &self.operation {
            out.extend_from_slice(&operation.id.0);
            out.extend_from_slice(&operation.body_hash);
        }
        if let Some(fork) = &self.fork {
            out.extend_from_slice(fork.session.0.as_bytes());
            out.extend_from_slice(&fork.seq.0.to_le_bytes());
        }
        if let Some(elision) = &self.elision {
            out.extend_from_slice(&elision.last.0.to_le_bytes());
            out.extend_from_slice(&elision.replaced_by.unwrap_or(Seq::ZERO).0.to_le_bytes());
        }
        let checksum = header_checksum(log, spot, &out[start + 8..]);
        out[start + 4..start + 8].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Reads the header at the start of `bytes`, for a record of `log` at `spot`; none when it is not one.
    pub(crate) fn decode(log: LogId, spot: Spot, bytes: &[u8]) -> Option<Self> {
        if !starts_with_magic(bytes) {
            return None;
        }
        let flags = *bytes.get(9)?;
        let bytes = bytes.get(..extended(flags))?;
        if u32_at(bytes, 4) != header_checksum(log, spot, &bytes[8..]) || flags & !KNOWN_FLAGS != 0 {
            return None;
        }
        Some(Self::parse(bytes, flags, kind_of(bytes[8])?))
    }

    /// Says what this build does not know of the intact record header at the start of `bytes`; none when it knows all
    /// of it, and when there is no intact one. What it does not know may have made the header longer.
    pub(crate) fn unknown(log: LogId, spot: Spot, bytes: &[u8]) -> Option<String> {
        if !starts_with_magic(bytes) || Self::decode(log, spot, bytes).is_some() {
            return None;
        }
        let sizes = (HEADER_BYTES..=HEADER_BYTES + UNKNOWN_EXTENSIONS_BYTES_MAX).step_by(ALIGNMENT);
        let checksum = u32_at(bytes, 4);
        let mut headers = sizes.map_while(|size| bytes.get(8..size));
        headers.find(|covered| header_checksum(log, spot, covered) == checksum)?;
        Some(format!("a record of kind {} with flags {}", bytes[8], bytes[9]))
    }

    fn parse(bytes: &[u8], flags: u8, kind: Kind) -> Self {
        let operation = (flags & OPERATION != 0).then(|| Operation {
            id: OperationId(bytes16(bytes, HEADER_BYTES)),
            body_hash: bytes16(bytes, HEADER_BYTES + 16),
        });
        let fork_at = extended(flags & OPERATION);
        let elision_at = extended(flags & (OPERATION | FORK));
        Self {
            kind,
            lz4: flags & LZ4 != 0,
            clean: flags & CLEAN != 0,
            index_synced: flags & INDEX_SYNCED != 0,
            unfinished: flags & UNFINISHED != 0,
            count: u16::from_le_bytes([bytes[10], bytes[11]]),
            schema: u32_at(bytes, 12),
            stored_bytes: u32_at(bytes, 16),
            plain_bytes: u32_at(bytes, 20),
            payload_checksum: u32_at(bytes, 24),
            group_rest: u32_at(bytes, 28),
            group: u64_at(bytes, 32),
            session: SessionId(Uuid::from_bytes(bytes16(bytes, 40))),
            first: Seq(u64_at(bytes, 56)),
            epoch: Epoch(u64_at(bytes, 64)),
            at_ms: u64_at(bytes, 72),
            operation,
            fork: (flags & FORK != 0).then(|| ForkPoint {
                session: SessionId(Uuid::from_bytes(bytes16(bytes, fork_at))),
                seq: Seq(u64_at(bytes, fork_at + 16)),
            }),
            elision: (flags & ELIDED != 0).then(|| Elision {
                last: Seq(u64_at(bytes, elision_at)),
                replaced_by: Some(Seq(u64_at(bytes, elision_at + 8))).filter(|seq| *seq > Seq::ZERO),
            }),
        }
    }
}

/// Says whether a record may begin here.
pub(crate) fn starts_with_magic(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER_BYTES && u32_at(bytes, 0) == MAGIC
}

/// Rounds up to where the next record may begin.
pub(crate) fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

/// Returns a header's size with the extensions that its flags name.
fn extended(flags: u8) -> usize {
    let extension = |flag: u8, bytes: usize| if flags & flag == 0 { 0 } else { bytes };
    HEADER_BYTES
        + extension(OPERATION, OPERATION_BYTES)
        + extension(FORK, FORK_BYTES)
        + extension(ELIDED, ELISION_BYTES)
}

/// Seeded with log and place, so that stale, moved and foreign bytes never parse.
fn header_checksum(log: LogId, spot: Spot, covered: &[u8]) -> u32 {
    let mut seed = [0; 24];
    seed[..16].copy_from_slice(log.0.as_bytes());
    seed[16..20].copy_from_slice(&spot.segment.to_le_bytes());
    seed[20..].copy_from_slice(&spot.offset.to_le_bytes());
    crc32c::crc32c_append(crc32c::crc32c(&seed), covered)
}

fn kind_byte(kind: Kind) -> u8 {
    match kind {
        Kind::Batch => 1,
        Kind::Create => 2,
        Kind::Tombstone => 3,
        Kind::Mark => 4,
    }
}

fn kind_of(byte: u8) -> Option<Kind> {
    match byte {
        1 => Some(Kind::Batch),
        2 => Some(Kind::Create),
        3 => Some(Kind::Tombstone),
        4 => Some(Kind::Mark),
        _ => None,
    }
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

pub(crate) fn bytes16(bytes: &[u8], at: usize) -> [u8; 16] {
    bytes[at..at + 16].try_into().expect("sixteen bytes")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SPOT: Spot = Spot { segment: 3, offset: 4096 };

    fn log(number: u128) -> LogId {
        LogId(Uuid::from_u128(number))
    }

    prop_compose! {
        fn headers()(
            kind in prop_oneof![
                Just(Kind::Batch), Just(Kind::Create), Just(Kind::Tombstone), Just(Kind::Mark)
            ],
            (lz4, clean, index_synced, unfinished) in any::<(bool, bool, bool, bool)>(),
            (count, schema, stored_bytes, plain_bytes) in any::<(u16, u32, u32, u32)>(),
            (payload_checksum, group_rest, group) in any::<(u32, u32, u64)>(),
            (session, first, epoch, at_ms) in any::<(u128, u64, u64, u64)>(),
            operation in any::<Option<([u8; 16], [u8; 16])>>(),
            fork in any::<Option<(u128, u64)>>(),
            elision in any::<Option<(u64, Option<u64>)>>(),
        ) -> Header {
            let session_of = |number| SessionId(Uuid::from_u128(number));
            Header {
                kind, lz4, clean, index_synced, unfinished, count, schema, stored_bytes, plain_bytes, payload_checksum,
                group_rest, group, session: session_of(session), first: Seq(first), epoch: Epoch(epoch), at_ms,
                operation: operation.map(|(id, body_hash)| Operation { id: OperationId(id), body_hash }),
                fork: fork.map(|(parent, seq)| ForkPoint { session: session_of(parent), seq: Seq(seq) }),
                elision: elision.map(|(last, replaced_by)| Elision {
                    last: Seq(last),
                    replaced_by: replaced_by.map(|seq| Seq(seq.max(1))),
                }),
            }
        }
    }

    proptest! {
        #[test]
        fn a_header_comes_back_as_it_was(header in headers(), behind in any::<[u8; 40]>()) {
            let mut bytes = Vec::new();
            header.encode(log(1), SPOT, &mut bytes);
            prop_assert_eq!(bytes.len(), header.payload_at());
            bytes.extend_from_slice(&behind);
            prop_assert_eq!(Header::decode(log(1), SPOT, &bytes), Some(header));
        }

        #[test]
        fn a_header_in_another_place_or_log_is_none(header in headers(), offset in any::<u32>()) {
            let mut bytes = Vec::new();
            header.encode(log(1), SPOT, &mut bytes);
            prop_assume!(offset != SPOT.offset);
            prop_assert_eq!(Header::decode(log(1), Spot { offset, ..SPOT }, &bytes), None);
            prop_assert_eq!(Header::decode(log(1), Spot { segment: 4, ..SPOT }, &bytes), None);
            prop_assert_eq!(Header::decode(log(2), SPOT, &bytes), None);
        }

        #[test]
        fn a_header_with_a_flipped_bit_is_none(header in headers(), at in any::<prop::sample::Index>(), bit in 0..8) {
            let mut bytes = Vec::new();
            header.encode(log(1), SPOT, &mut bytes);
            let at = at.index(bytes.len());
            bytes[at] ^= 1_u8 << bit;
            bytes.resize(HEADER_BYTES_MAX, 0);
            prop_assert_eq!(Header::decode(log(1), SPOT, &bytes), None);
        }

        #[test]
        fn an_intact_header_of_a_later_format_is_told_from_a_damaged_one(
            header in headers(), flag in prop_oneof![Just(0_u8), Just(128)], kind in 5_u8.., more in 0_usize..8,
        ) {
            let mut bytes = Vec::new();
            header.encode(log(1), SPOT, &mut bytes);
            bytes.resize(bytes.len() + more * ALIGNMENT, 7);
            (bytes[8], bytes[9]) = (kind, bytes[9] | flag);
            prop_assert_eq!(Header::unknown(log(1), SPOT, &bytes), None);
            let checksum = header_checksum(log(1), SPOT, &bytes[8..]);
            bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
            prop_assert_eq!(Header::decode(log(1), SPOT, &bytes), None);
            let told = format!("a record of kind {kind} with flags {}", bytes[9]);
            bytes.resize(bytes.len() + 40, 9);
            prop_assert_eq!(Header::unknown(log(1), SPOT, &bytes), Some(told));
        }

        #[test]
        fn any_bytes_are_decoded_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut marked = b"wmR\x01".to_vec();
            marked.extend_from_slice(&bytes);
            prop_assert_eq!(Header::decode(log(1), SPOT, &bytes), None);
            prop_assert_eq!(Header::decode(log(1), SPOT, &marked), None);
        }
    }
}
