//! The index's keys and values. `FORMAT.md` has every byte.

use std::sync::Arc;

use events::{Epoch, LogId, OperationId, Seq, SessionId};
use uuid::Uuid;

use crate::heads::HeadState;
use crate::recent::Place;
use crate::record::{Spot, bytes16, u32_at, u64_at};
use crate::recover::Standing;
use crate::{ForkPoint, Receipt, Row, Snapshot};

pub(crate) const RECORD: u8 = b'r';
pub(crate) const HEAD: u8 = b'h';
pub(crate) const LINEAGE: u8 = b'l';
pub(crate) const OPERATION: u8 = b'o';
pub(crate) const DAMAGE: u8 = b'd';
pub(crate) const SNAPSHOT: u8 = b's';
pub(crate) const ROW: u8 = b'v';
pub(crate) const WATERMARK: &[u8] = b"w";

const PLACE_BYTES: usize = 16;
const HEAD_BYTES: usize = 41;
const POINT_BYTES: usize = 24;
const RECEIPT_BYTES: usize = 24;
const WATERMARK_BYTES: usize = 60;
const CHECKSUM_BYTES: usize = 4;
const DELETED: u8 = 1;
const UNFINISHED: u8 = 2;

/// Returns the key of something that a session has one of.
pub(crate) fn session_key(tag: u8, session: SessionId) -> [u8; 17] {
    let mut key = [tag; 17];
    key[1..].copy_from_slice(session.0.as_bytes());
    key
}

/// Returns the session that a key of [`session_key`] names.
pub(crate) fn keyed_session(key: &[u8]) -> Option<SessionId> {
    (key.len() == 17).then(|| SessionId(Uuid::from_bytes(bytes16(key, 1))))
}

/// Returns a batch's key: keys of one session are in the order of seqs.
pub(crate) fn record_key(session: SessionId, first: Seq) -> [u8; 25] {
    let mut key = [RECORD; 25];
    key[1..17].copy_from_slice(session.0.as_bytes());
    key[17..].copy_from_slice(&first.0.to_be_bytes());
    key
}

/// Returns a state snapshot's key: keys of one session are in the order of seqs.
pub(crate) fn snapshot_key(session: SessionId, seq: Seq) -> [u8; 25] {
    let mut key = record_key(session, seq);
    key[0] = SNAPSHOT;
    key
}

/// Returns the position that a key of [`snapshot_key`] names.
pub(crate) fn snapshot_seq(key: &[u8]) -> Option<Seq> {
    Some(Seq(u64::from_be_bytes(key.get(17..25)?.try_into().ok()?)))
}

pub(crate) fn encode_snapshot(key: &[u8], snapshot: &Snapshot) -> Vec<u8> {
    checked(key, &snapshot.fold_version.to_le_bytes(), &snapshot.bytes)
}

/// Reads a snapshot of `session`; one whose checksum is wrong is as good as none.
pub(crate) fn decode_snapshot(session: SessionId, key: &[u8], value: &[u8]) -> Option<Snapshot> {
    let (version, bytes) = verified(key, value)?.split_first_chunk::<4>()?;
    let fold_version = u32::from_le_bytes(*version);
    Some(Snapshot { session, seq: snapshot_seq(key)?, fold_version, bytes: bytes.to_vec() })
}

pub(crate) fn encode_row(key: &[u8], row: &Row) -> Vec<u8> {
    checked(key, &row.seq.0.to_le_bytes(), &row.bytes)
}

/// Reads a row; one whose checksum is wrong is as good as none.
pub(crate) fn decode_row(key: &[u8], value: &[u8]) -> Option<Row> {
    let (seq, bytes) = verified(key, value)?.split_first_chunk::<8>()?;
    Some(Row { session: keyed_session(key)?, seq: Seq(u64::from_le_bytes(*seq)), bytes: bytes.to_vec() })
}

fn checked(key: &[u8], head: &[u8], bytes: &[u8]) -> Vec<u8> {
    let content = [head, bytes].concat();
    [&checksum(key, &content).to_le_bytes()[..], &content].concat()
}

fn verified<'a>(key: &[u8], value: &'a [u8]) -> Option<&'a [u8]> {
    let content = value.get(CHECKSUM_BYTES..)?;
    (u32_at(value, 0) == checksum(key, content)).then_some(content)
}

fn checksum(key: &[u8], content: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(key), content)
}

pub(crate) fn operation_key(session: SessionId, operation: OperationId) -> [u8; 33] {
    let mut key = [OPERATION; 33];
    key[1..17].copy_from_slice(session.0.as_bytes());
    key[17..].copy_from_slice(&operation.0);
    key
}

pub(crate) fn encode_place(place: &Place) -> Vec<u8> {
    let mut value = Vec::with_capacity(PLACE_BYTES);
    for number in [place.spot.segment, place.spot.offset, place.length] {
        value.extend_from_slice(&number.to_le_bytes());
    }
    value.extend_from_slice(&place.count.to_le_bytes());
    value
}

pub(crate) fn decode_place(key: &[u8], value: &[u8]) -> Option<Place> {
    let first = Seq(u64::from_be_bytes(key.get(17..25)?.try_into().ok()?));
    (value.len() == PLACE_BYTES).then(|| Place {
        spot: Spot { segment: u32_at(value, 0), offset: u32_at(value, 4) },
        length: u32_at(value, 8),
        first,
        count: u32_at(value, 12),
    })
}

pub(crate) fn encode_head(head: &HeadState) -> Vec<u8> {
    let mut value = Vec::with_capacity(HEAD_BYTES + POINT_BYTES);
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    value.push(flag(head.deleted, DELETED) | flag(head.unfinished, UNFINISHED));
    for number in [head.seq.0, head.epoch.0, head.created_at_ms, head.updated_at_ms, head.operations] {
        value.extend_from_slice(&number.to_le_bytes());
    }
    if let Some(parent) = &head.parent {
        push_point(&mut value, parent);
    }
    value
}

/// Reads a head, without its lineage.
pub(crate) fn decode_head(value: &[u8]) -> Option<HeadState> {
    let parent = match value.len() {
        HEAD_BYTES => None,
        length if length == HEAD_BYTES + POINT_BYTES => Some(point_at(value, HEAD_BYTES)),
        _ => return None,
    };
    Some(HeadState {
        seq: Seq(u64_at(value, 1)),
        epoch: Epoch(u64_at(value, 9)),
        deleted: value[0] & DELETED != 0,
        unfinished: value[0] & UNFINISHED != 0,
        created_at_ms: u64_at(value, 17),
        updated_at_ms: u64_at(value, 25),
        operations: u64_at(value, 33),
        parent,
        lineage: Arc::from([]),
        host: None,
    })
}

pub(crate) fn encode_lineage(lineage: &[ForkPoint]) -> Vec<u8> {
    let mut value = Vec::with_capacity(lineage.len() * POINT_BYTES);
    lineage.iter().for_each(|point| push_point(&mut value, point));
    value
}

pub(crate) fn decode_lineage(value: &[u8]) -> Arc<[ForkPoint]> {
    value.chunks_exact(POINT_BYTES).map(|point| point_at(point, 0)).collect()
}

fn push_point(value: &mut Vec<u8>, point: &ForkPoint) {
    value.extend_from_slice(point.session.0.as_bytes());
    value.extend_from_slice(&point.seq.0.to_le_bytes());
}

fn point_at(value: &[u8], at: usize) -> ForkPoint {
    ForkPoint { session: SessionId(Uuid::from_bytes(bytes16(value, at))), seq: Seq(u64_at(value, at + 16)) }
}

pub(crate) fn encode_receipt(receipt: &Receipt) -> Vec<u8> {
    [&receipt.seq.0.to_le_bytes()[..], &receipt.body_hash].concat()
}

pub(crate) fn decode_receipt(value: &[u8]) -> Option<Receipt> {
    (value.len() == RECEIPT_BYTES)
        .then(|| Receipt { seq: Seq(u64_at(value, 0)), body_hash: bytes16(value, 8) })
}

pub(crate) fn encode_damage(seq: Seq, what: &str) -> Vec<u8> {
    [&seq.0.to_le_bytes()[..], what.as_bytes()].concat()
}

pub(crate) fn decode_damage(value: &[u8]) -> Option<(Seq, String)> {
    let what = String::from_utf8_lossy(value.get(8..)?).into_owned();
    Some((Seq(u64_at(value, 0)), what))
}

/// Returns an entry's share of the sum over entries.
pub(crate) fn entry_sum(key: &[u8], value: &[u8]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key).update(value);
    u64_at(hasher.finalize().as_bytes(), 0)
}

/// How far the index has followed which log, during which run of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watermark {
    pub(crate) log: LogId,
    pub(crate) standing: Standing,
    /// All [`entry_sum`]s of heads, lineages and damage, each xored in: a lost or stale one shows.
    pub(crate) sum: u64,
    /// The generation of segments that its places are of.
    pub(crate) generation: u64,
    /// Empty where the system does not say.
    pub(crate) boot: String,
}

pub(crate) fn encode_watermark(watermark: &Watermark) -> Vec<u8> {
    let Standing { end, last_offset, group, group_rest } = watermark.standing;
    let mut value = Vec::with_capacity(WATERMARK_BYTES + watermark.boot.len());
    value.extend_from_slice(&crate::index::INDEX_FORMAT.to_le_bytes());
    value.extend_from_slice(watermark.log.0.as_bytes());
    value.extend_from_slice(&end.segment.to_le_bytes());
    value.extend_from_slice(&end.offset.to_le_bytes());
    value.extend_from_slice(&group.to_le_bytes());
    value.extend_from_slice(&group_rest.to_le_bytes());
    value.extend_from_slice(&watermark.sum.to_le_bytes());
    value.extend_from_slice(&last_offset.to_le_bytes());
    value.extend_from_slice(&watermark.generation.to_le_bytes());
    value.extend_from_slice(watermark.boot.as_bytes());
    value
}

pub(crate) fn decode_watermark(value: &[u8]) -> Option<Watermark> {
    if value.len() < WATERMARK_BYTES || u32_at(value, 0) != crate::index::INDEX_FORMAT {
        return None;
    }
    Some(Watermark {
        log: LogId(Uuid::from_bytes(bytes16(value, 4))),
        standing: Standing {
            end: Spot { segment: u32_at(value, 20), offset: u32_at(value, 24) },
            last_offset: u32_at(value, 48),
            group: u64_at(value, 28),
            group_rest: u32_at(value, 36),
        },
        sum: u64_at(value, 40),
        generation: u64_at(value, 52),
        boot: String::from_utf8_lossy(&value[WATERMARK_BYTES..]).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_session_are_in_the_order_of_seqs() {
        let session = SessionId(Uuid::from_u128(7));
        let keys: Vec<_> = [0, 1, 255, 256, u64::MAX].map(|seq| record_key(session, Seq(seq))).into();
        assert!(keys.is_sorted());
    }

    #[test]
    fn values_come_back_as_they_were() {
        let spot = Spot { segment: 7, offset: 4096 };
        let place = Place { spot, length: 200, first: Seq(9), count: 512 };
        let key = record_key(SessionId(Uuid::nil()), place.first);
        assert_eq!(decode_place(&key, &encode_place(&place)), Some(place));
        let receipt = Receipt { seq: Seq(3), body_hash: [7; 16] };
        assert_eq!(decode_receipt(&encode_receipt(&receipt)), Some(receipt));
        let point = ForkPoint { session: SessionId(Uuid::from_u128(3)), seq: Seq(8) };
        let head = HeadState {
            seq: Seq(1),
            epoch: Epoch(2),
            deleted: true,
            unfinished: true,
            created_at_ms: 3,
            updated_at_ms: 4,
            operations: 5,
            parent: Some(point),
            lineage: Arc::from([]),
            host: None,
        };
        assert_eq!(decode_head(&encode_head(&head)), Some(head));
        assert_eq!(*decode_lineage(&encode_lineage(&[point, point])), [point, point]);
        let standing = Standing { end: spot, last_offset: 64, group: 5, group_rest: 6 };
        let (log, boot) = (LogId(Uuid::from_u128(1)), "a boot".to_owned());
        let watermark = Watermark { log, standing, sum: 9, generation: 8, boot };
        assert_eq!(decode_watermark(&encode_watermark(&watermark)), Some(watermark));
        assert_eq!(decode_damage(&encode_damage(Seq(4), "what")), Some((Seq(4), "what".to_owned())));
    }

    #[test]
    fn a_snapshot_or_row_with_any_bit_changed_is_none() {
        let session = SessionId(Uuid::from_u128(7));
        let bytes = b"what was folded".to_vec();
        let snapshot = Snapshot { session, seq: Seq(9), fold_version: 2, bytes: bytes.clone() };
        let row = Row { session, seq: Seq(9), bytes };
        let (snapshot_key, row_key) = (snapshot_key(session, Seq(9)), session_key(ROW, session));
        let mut snapshot_value = encode_snapshot(&snapshot_key, &snapshot);
        let mut row_value = encode_row(&row_key, &row);
        for bit in 0..8 * snapshot_value.len() {
            snapshot_value[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode_snapshot(session, &snapshot_key, &snapshot_value), None);
            snapshot_value[bit / 8] ^= 1 << (bit % 8);
        }
        for bit in 0..8 * row_value.len() {
            row_value[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode_row(&row_key, &row_value), None);
            row_value[bit / 8] ^= 1 << (bit % 8);
        }
        assert_eq!(decode_snapshot(session, &snapshot_key, &snapshot_value), Some(snapshot));
        assert_eq!(decode_row(&row_key, &row_value), Some(row));
        assert_eq!(decode_row(&row_key, &[0; 3]), None);
    }

    #[test]
    fn values_of_another_length_are_refused() {
        assert_eq!(decode_head(&[0; 42]), None);
        assert_eq!(decode_receipt(&[0; 23]), None);
        assert_eq!(decode_damage(&[0; 7]), None);
        assert_eq!(decode_watermark(&[0; 59]), None);
    }
}
