//! An index that fails while the log runs is made again, and no reader notices.

use std::sync::Arc;

use tempfile::TempDir;

use crate::contract::Author;
use crate::{Log, Options, SegmentLog};

fn options() -> Options {
    Options { segment_bytes: 16 << 10, hot_bytes_max: 0, recent_records_max: 4, ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_go_on_while_the_index_fails_again_and_again() {
    let folder = TempDir::new().unwrap();
    let segments = Arc::new(SegmentLog::open(folder.path(), options()).unwrap());
    let log: Arc<dyn Log> = segments.clone();
    let mut author = Author::new(&log).await;
    let mut expected = Vec::new();
    for number in 0..60 {
        let text = number.to_string();
        author.write(&[&text]).await;
        expected.push(text);
        if number % 7 == 0 {
            segments.shared.index_failed("a test says so");
        }
        assert_eq!(author.texts().await, expected);
    }
    assert!(segments.poisoned().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_log_has_an_index_that_knows_all() {
    let folder = TempDir::new().unwrap();
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options()).unwrap());
    let mut author = Author::new(&log).await;
    for number in 0..60 {
        author.write(&[&number.to_string()]).await;
    }
    let session = author.session;
    drop((log, author));
    let segments = SegmentLog::open(folder.path(), options()).unwrap();
    let indexed = segments.shared.indexed.lock().clone().expect("the index is used again");
    assert!(indexed.upto > crate::lookup::LOG_START);
    let head = segments.shared.heads.lock()[&session].seq;
    let wanted = crate::lookup::Wanted { session, from: head, max: 1 };
    assert_eq!(indexed.index.places(wanted).unwrap()[0].last(), head);
}

#[test]
fn a_panic_of_the_index_is_a_fault_like_others() {
    for panics in [|| panic!("words"), || panic!("{}", 7)] {
        let fault = crate::index::guarded::<()>(panics).expect_err("it panicked");
        assert!(
            ["sled panicked: words", "sled panicked: 7"].contains(&fault.to_string().as_str()),
            "{fault}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_of_the_index_under_a_reader_is_answered_from_the_segments() {
    let folder = TempDir::new().unwrap();
    let segments = Arc::new(SegmentLog::open(folder.path(), options()).unwrap());
    let log: Arc<dyn Log> = segments.clone();
    let mut author = Author::new(&log).await;
    author.write(&["kept"]).await;
    let asked: u32 = segments.shared.with_index(7, |_| crate::index::guarded(|| panic!("as sled does")));
    assert_eq!(asked, 7);
    assert_eq!(author.texts().await, ["kept"]);
    author.write(&["goes on"]).await;
    assert_eq!(author.texts().await, ["kept", "goes on"]);
}
