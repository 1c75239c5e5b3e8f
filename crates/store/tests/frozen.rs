//! A data folder of format 1, made once and never changed, opens in every later build.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use events::{Digest, Epoch, LogId, Seq, SessionId};
use store::contract::{Author, create, fork, operation, read_all, texts};
use store::{Append, Log, LogError, SegmentLog};
use support::{copy, small};
use tempfile::TempDir;
use uuid::Uuid;

fn frozen() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/format-1")
}

fn session(number: u128) -> SessionId {
    SessionId(Uuid::from_u128(number))
}

fn open(folder: &Path) -> Arc<dyn Log> {
    Arc::new(SegmentLog::open(folder, small()).unwrap())
}

/// Long enough, and of one kind enough, to be compressed.
fn compressible() -> String {
    "words that come again and again, ".repeat(40)
}

/// Made the frozen folder. Never run it for a format that was released: make a folder for the new one.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the frozen folder"]
async fn writes_the_frozen_folder() {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    let mut parent = Author::begin(&log, create(session(1))).await;
    parent.write(&["größe", "\u{6f22}\u{5b57}"]).await;
    parent.write(&[&compressible()]).await;
    let named = Append { operation: Some(operation(7, 8)), ..parent.batch(&["named"]) };
    parent.append(named).await.unwrap();
    let mut child = Author::begin(&log, fork(session(2), parent.session, 4)).await;
    child.write(&["the child's"]).await;
    log.acquire(parent.session, "pid 1", 9).await.unwrap();
    let gone = Author::begin(&log, create(session(3))).await;
    log.delete(gone.session, gone.epoch, 10).await.unwrap();
    log.put_object(b"an object".to_vec()).await.unwrap();
    drop((log, parent, child, gone));
    for leftover in ["index", "objects/new"] {
        fs::remove_dir_all(folder.path().join(leftover)).unwrap();
    }
    fs::remove_file(folder.path().join("LOCK")).unwrap();
    copy(folder.path(), &frozen());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_frozen_folder_of_format_1_opens() {
    let folder = TempDir::new().unwrap();
    copy(&frozen(), folder.path());
    let log = open(folder.path());
    let text = fs::read_to_string(folder.path().join("FORMAT")).unwrap();
    let LogId(id) = log.id();
    assert_eq!(text, format!("waymark log\nformat 1\nlog {id}\n"));
    let all = ["größe", "\u{6f22}\u{5b57}", &compressible(), "named"];
    assert_eq!(texts(&read_all(&*log, session(1)).await), all);
    assert_eq!(texts(&read_all(&*log, session(2)).await), ["größe", "\u{6f22}\u{5b57}", "the child's"]);
    let head = log.head(session(1)).await.unwrap();
    assert_eq!((head.seq, head.epoch, head.deleted), (Seq(7), Epoch(2), false));
    assert!(log.head(session(3)).await.unwrap().deleted);
    let receipt = log.operation(session(1), operation(7, 8).id).await.unwrap().unwrap();
    assert_eq!((receipt.seq, receipt.body_hash), (Seq(6), [8; 16]));
    let object = Digest(blake3::hash(b"an object").to_hex().to_string());
    assert_eq!(log.object(&object).await.unwrap(), b"an object");
    let used = log.create(create(session(3))).await;
    assert!(matches!(used, Err(LogError::Exists { .. })), "{used:?}");
}
