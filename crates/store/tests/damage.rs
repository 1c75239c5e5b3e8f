//! Damaged files: a torn tail is cut, other damage is named, and the sessions beside it are usable.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use events::SessionId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use store::contract::{Author, read_all, texts};
use store::{Log, LogError, Options, SegmentLog, Survey};
use support::breakable::Breakable;
use support::{Content, check, copy, damaged, fill, last_content, open, runtime, seeds, segments, small};
use tempfile::TempDir;

/// Makes a log that ends in a killed process, with one batch more than `content` says.
fn killed_log(folder: &Path) -> (Content, usize) {
    let disk = Breakable::new();
    let options = Options { disk: Arc::new(disk.clone()), ..small() };
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder, options).unwrap());
    let (content, before) = runtime().block_on(async {
        let mut content = fill(&log, 2, 3).await;
        let mut author = Author::new(&log).await;
        author.write(&["kept"]).await;
        content.insert(author.session, vec!["kept".to_owned()]);
        let before = last_content(folder).1;
        author.write(&["the last batch", "of this log"]).await;
        (content, before)
    });
    disk.die();
    drop(log);
    fs::remove_dir_all(folder.join("index")).unwrap();
    (content, before)
}

#[test]
fn a_last_record_cut_short_at_any_byte_is_absent_and_the_rest_is_there() {
    let made = TempDir::new().unwrap();
    let (content, before) = killed_log(made.path());
    let (_, end) = last_content(made.path());
    let mut whole = 0;
    for length in before..=end {
        let folder = TempDir::new().unwrap();
        copy(made.path(), folder.path());
        let (segment, _) = last_content(folder.path());
        fs::OpenOptions::new().write(true).open(&segment).unwrap().set_len(length as u64).unwrap();
        let log = open(folder.path());
        runtime().block_on(async {
            for (session, expected) in &content {
                let there = texts(&read_all(&*log, *session).await);
                assert!(there.starts_with(expected));
                whole += usize::from(there.len() == expected.len() + 2);
            }
            Author::new(&log).await.write(&["goes on"]).await;
        });
    }
    assert!((1..=8).contains(&whole), "the record is there only with all but its padding: {whole}");
}

#[test]
fn stale_bytes_behind_the_tail_are_cut() {
    for bytes in [vec![0xff; 300], vec![0; 300], b"wmR\x01".repeat(50)] {
        let folder = TempDir::new().unwrap();
        let (content, before) = killed_log(folder.path());
        let (path, end) = last_content(folder.path());
        let mut segment = fs::read(&path).unwrap();
        // A copy of a record that was valid in its own place, and foreign bytes behind it.
        segment.copy_within(before..end, end);
        segment[2 * end - before..][..bytes.len()].copy_from_slice(&bytes);
        fs::write(&path, segment).unwrap();
        let log = open(folder.path());
        runtime().block_on(async {
            for (session, expected) in &content {
                assert!(texts(&read_all(&*log, *session).await).starts_with(expected));
            }
        });
        drop(log);
        assert!(last_content(folder.path()).1 <= end + 160, "the tail is cut, and two marks follow");
    }
}

/// Returns the sessions that are found damaged without opening the log.
fn named_by_survey(folder: &Path) -> BTreeSet<SessionId> {
    let survey = Survey::of(folder, |_, _| ()).unwrap().expect("a log is there");
    survey.findings().iter().filter_map(|finding| finding.position).map(|(session, _)| session).collect()
}

/// Flips one bit of the log in `made`: a record's bit damages exactly its session, any other bit none.
fn flip(made: &Path, content: &Content, random: &mut StdRng, keep_index: bool) {
    let folder = TempDir::new().unwrap();
    copy(made, folder.path());
    if !keep_index {
        fs::remove_dir_all(folder.path().join("index")).unwrap();
    }
    let mut paths = segments(folder.path());
    paths.retain(|path| fs::read(path).unwrap()[64..].iter().any(|&byte| byte != 0));
    let chosen = random.random_range(0..paths.len());
    let mut bytes = fs::read(&paths[chosen]).unwrap();
    let end = bytes.iter().rposition(|&byte| byte != 0).unwrap() + 1;
    let (at, bit) = (random.random_range(0..end), random.random_range(0..8));
    let mark = bytes.windows(4).rposition(|window| window == b"wmR\x01").unwrap();
    let hits_record = at >= 64 && (chosen + 1 < paths.len() || at < mark);
    bytes[at] ^= 1 << bit;
    fs::write(&paths[chosen], bytes).unwrap();
    let named = named_by_survey(folder.path());
    let log = open(folder.path());
    runtime().block_on(async {
        let damaged = damaged(&log, content).await;
        assert_eq!(named, damaged.iter().copied().collect(), "what looks on names the same sessions");
        assert_eq!(damaged.len(), usize::from(hits_record), "byte {at}, bit {bit} of segment {}", chosen + 1);
        for session in &damaged {
            assert!(matches!(log.head(*session).await, Err(LogError::Corrupt { .. })));
            let acquired = log.acquire(*session, "pid 2", 3).await;
            assert!(matches!(acquired, Err(LogError::Corrupt { .. })), "{acquired:?}");
        }
        Author::new(&log).await.write(&["goes on"]).await;
    });
}

#[test]
fn a_flipped_bit_is_found_and_other_sessions_are_usable() {
    let made = TempDir::new().unwrap();
    let log = open(made.path());
    let content = runtime().block_on(fill(&log, 4, 30));
    drop(log);
    seeds(1000).for_each(|seed| flip(made.path(), &content, &mut StdRng::seed_from_u64(seed), false));
}

#[test]
fn a_flipped_bit_is_found_by_a_read_that_the_index_leads() {
    let made = TempDir::new().unwrap();
    let log = open(made.path());
    let content = runtime().block_on(fill(&log, 4, 30));
    drop(log);
    seeds(100).for_each(|seed| flip(made.path(), &content, &mut StdRng::seed_from_u64(seed), true));
}

#[test]
fn damage_is_remembered_by_the_index() {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    let content = runtime().block_on(fill(&log, 2, 4));
    drop(log);
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    let path = &segments(folder.path())[0];
    let mut bytes = fs::read(path).unwrap();
    bytes[64 + 85] ^= 1;
    fs::write(path, bytes).unwrap();
    for _ in 0..3 {
        let log = open(folder.path());
        assert_eq!(runtime().block_on(damaged(&log, &content)).len(), 1);
    }
}

#[test]
fn a_missing_segment_is_refused_by_its_number() {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    runtime().block_on(fill(&log, 4, 60));
    drop(log);
    fs::remove_file(&segments(folder.path())[1]).unwrap();
    let refused = SegmentLog::open(folder.path(), small()).err().unwrap();
    assert!(matches!(&refused, LogError::Unsupported { what } if what.contains("segment 2")), "{refused}");
}

#[test]
fn an_unknown_format_is_refused_in_so_many_words() {
    let folder = TempDir::new().unwrap();
    drop(open(folder.path()));
    let format = folder.path().join("FORMAT");
    let text = fs::read_to_string(&format).unwrap();
    fs::write(&format, text.replace("format 1", "format 2")).unwrap();
    let refused = SegmentLog::open(folder.path(), small()).err().unwrap();
    assert!(refused.to_string().contains("format 2"), "{refused}");
    fs::remove_file(&format).unwrap();
    let refused = SegmentLog::open(folder.path(), small()).err().unwrap();
    assert!(refused.to_string().contains("FORMAT is missing"), "{refused}");
}

#[test]
fn a_damaged_object_is_named_and_put_right_by_another_put() {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    runtime().block_on(async {
        let digest = log.put_object(b"content".to_vec()).await.unwrap().digest().clone();
        let path = folder.path().join("objects").join(&digest.0[..2]).join(&digest.0);
        fs::write(path, b"c0ntent").unwrap();
        assert!(matches!(log.object(&digest).await, Err(LogError::CorruptObject { .. })));
        log.put_object(b"content".to_vec()).await.unwrap();
        assert_eq!(log.object(&digest).await.unwrap(), b"content");
        check(&log, &Content::new()).await;
    });
}
