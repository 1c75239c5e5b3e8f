//! What a later format wrote is refused in so many words, and stays as it is.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use store::contract::Author;
use store::{Log, LogError, Options, SegmentLog};
use support::breakable::Breakable;
use support::{last_content, runtime, segments, small};
use tempfile::TempDir;

/// Makes a log that ends in a killed process, and returns where its last record begins.
fn killed_log(folder: &Path) -> usize {
    let disk = Breakable::new();
    let options = Options { disk: Arc::new(disk.clone()), ..small() };
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder, options).unwrap());
    let last = runtime().block_on(async {
        let mut author = Author::new(&log).await;
        author.write(&["before"]).await;
        let last = last_content(folder).1;
        author.write(&["the last batch of this log"]).await;
        last
    });
    disk.die();
    drop(log);
    last
}

fn refused(folder: &Path) -> LogError {
    SegmentLog::open(folder, small()).err().unwrap()
}

/// Gives a record header its checksum, as `FORMAT.md` says.
fn seal(folder: &Path, header: &mut [u8], offset: usize) {
    let format = fs::read_to_string(folder.join("FORMAT")).unwrap();
    let log: uuid::Uuid = format.lines().nth(2).unwrap()["log ".len()..].parse().unwrap();
    let mut covered = log.as_bytes().to_vec();
    covered.extend_from_slice(&1_u32.to_le_bytes());
    covered.extend_from_slice(&(offset as u32).to_le_bytes());
    covered.extend_from_slice(&header[8..]);
    header[4..8].copy_from_slice(&crc32c::crc32c(&covered).to_le_bytes());
}

#[test]
fn a_record_of_an_unknown_kind_or_flag_is_refused_and_not_cut_off() {
    for (byte, value, told) in [(8, 200, "kind 200"), (9, 128, "flags 128")] {
        for keep_index in [true, false] {
            let folder = TempDir::new().unwrap();
            let last = killed_log(folder.path());
            if !keep_index {
                fs::remove_dir_all(folder.path().join("index")).unwrap();
            }
            let path = &segments(folder.path())[0];
            let mut bytes = fs::read(path).unwrap();
            bytes[last + byte] = value;
            seal(folder.path(), &mut bytes[last..last + 80], last);
            fs::write(path, &bytes).unwrap();
            let refused = refused(folder.path());
            assert!(matches!(refused, LogError::Unsupported { .. }), "{refused:?}");
            assert!(refused.to_string().contains(told), "{refused}");
            assert_eq!(fs::read(path).unwrap(), bytes, "it was no torn tail");
        }
    }
}

#[test]
fn an_unknown_kind_without_its_checksum_is_a_torn_tail() {
    let folder = TempDir::new().unwrap();
    let last = killed_log(folder.path());
    let path = &segments(folder.path())[0];
    let mut bytes = fs::read(path).unwrap();
    bytes[last + 8..last + 12].fill(0xee);
    fs::write(path, &bytes).unwrap();
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    drop(support::open(folder.path()));
}

#[test]
fn a_segment_of_an_unknown_format_is_refused() {
    let folder = TempDir::new().unwrap();
    killed_log(folder.path());
    let path = &segments(folder.path())[0];
    let mut bytes = fs::read(path).unwrap();
    bytes[8] = 3;
    let checksum = crc32c::crc32c(&bytes[..60]);
    bytes[60..64].copy_from_slice(&checksum.to_le_bytes());
    fs::write(path, &bytes).unwrap();
    let refused = refused(folder.path());
    assert!(refused.to_string().contains("a segment format that this waymark does not know"), "{refused}");
    assert_eq!(fs::read(path).unwrap(), bytes);
}
