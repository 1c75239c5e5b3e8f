//! Forks deep, and forks of what is not there.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use events::SessionId;
use store::contract::{Author, fork, new_session};
use store::{Log, LogError, Options, SegmentLog};
use support::breakable::Breakable;
use support::{Content, check, last_content, open, runtime, small};
use tempfile::TempDir;
use uuid::Uuid;

#[test]
fn a_deep_chain_of_forks_is_read_through_after_a_restart_with_and_without_the_index() {
    const LINKS: usize = 300;
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    let content = runtime().block_on(async {
        let (mut author, mut expected) = (Author::new(&log).await, Vec::new());
        for link in 0..LINKS {
            let text = link.to_string();
            author.write(&[&text]).await;
            expected.push(text);
            author = Author::begin(&log, fork(new_session(), author.session, author.head.0)).await;
        }
        Content::from([(author.session, expected)])
    });
    drop(log);
    for _ in 0..2 {
        runtime().block_on(check(&open(folder.path()), &content));
        fs::remove_dir_all(folder.path().join("index")).unwrap();
    }
}

/// Returns the bytes of an intact creation record without events, as `FORMAT.md` has them.
fn creation(log: Uuid, (offset, group): (usize, u64), child: SessionId, parent: SessionId) -> Vec<u8> {
    const SHARED: u64 = 5;
    let mut record = vec![0; 104];
    record[..4].copy_from_slice(b"wmR\x01");
    (record[8], record[9]) = (2, 4);
    record[12..16].copy_from_slice(&events::SCHEMA_VERSION.to_le_bytes());
    record[32..40].copy_from_slice(&group.to_le_bytes());
    record[40..56].copy_from_slice(child.0.as_bytes());
    record[56..64].copy_from_slice(&(SHARED + 1).to_le_bytes());
    record[64..72].copy_from_slice(&2_u64.to_le_bytes());
    record[80..96].copy_from_slice(parent.0.as_bytes());
    record[96..].copy_from_slice(&SHARED.to_le_bytes());
    let place = [1, offset as u32].map(u32::to_le_bytes).concat();
    let checksum = crc32c::crc32c(&[log.as_bytes(), &place[..], &record[8..]].concat());
    record[4..8].copy_from_slice(&checksum.to_le_bytes());
    record
}

/// Makes a log that ends in a killed process after two commit groups.
fn killed_log(folder: &Path) -> Content {
    let disk = Breakable::new();
    let options = Options { disk: Arc::new(disk.clone()), ..small() };
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder, options).unwrap());
    let content = runtime().block_on(async {
        let mut author = Author::new(&log).await;
        author.write(&["kept"]).await;
        Content::from([(author.session, vec!["kept".to_owned()])])
    });
    disk.die();
    drop(log);
    content
}

#[test]
fn forks_of_nothing_of_themselves_and_of_each_other_are_named_and_harm_nobody() {
    let folder = TempDir::new().unwrap();
    let content = killed_log(folder.path());
    let (path, mut end) = last_content(folder.path());
    let mut bytes = fs::read(&path).unwrap();
    let log = Uuid::from_slice(&bytes[16..32]).unwrap();
    let [orphan, nowhere, itself, one, other] = [(); 5].map(|()| new_session());
    let short = *content.keys().next().unwrap();
    let beyond = new_session();
    let pairs = [(orphan, nowhere), (itself, itself), (one, other), (other, one), (beyond, short)];
    for ((child, parent), group) in pairs.into_iter().zip(3..) {
        let record = creation(log, (end, group), child, parent);
        bytes[end..end + record.len()].copy_from_slice(&record);
        end += record.len();
    }
    fs::write(&path, bytes).unwrap();
    for _ in 0..3 {
        let log = open(folder.path());
        runtime().block_on(async {
            for session in [orphan, itself, one, beyond] {
                let head = log.head(session).await;
                assert!(
                    matches!(&head, Err(LogError::Corrupt { session: named, .. }) if *named == session),
                    "{head:?}"
                );
                let acquired = log.acquire(session, "pid 2", 3).await;
                assert!(matches!(acquired, Err(LogError::Corrupt { .. })), "{acquired:?}");
            }
            // Its direct parent is there; what that one refers to is not.
            let limit = store::ReadLimit::default();
            let read = log.read(other, events::Seq::ZERO, limit).await;
            assert!(matches!(read, Err(LogError::Corrupt { session, .. }) if session == other), "{read:?}");
            check(&log, &content).await;
        });
    }
}
