//! Other processes: one that is killed while it writes, and one that has the folder.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use store::contract::{Author, read_all, texts};
use store::{Log, LogError, SegmentLog};
use support::{open, runtime, small};
use tempfile::TempDir;

const FOLDER: &str = "STORE_TEST_FOLDER";
const ROUNDS: u64 = 30;

/// Runs one of the ignored tests below in a process of its own.
fn child(name: &str, folder: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

/// Writes batches to a few sessions for ever, and says which ones were acknowledged.
#[test]
#[ignore = "a process that others start and kill"]
fn writes_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(Path::new(&folder), small()).unwrap());
    runtime().block_on(async {
        let writers = (0..4).map(|_| tokio::spawn(write(log.clone())));
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
    });
}

async fn write(log: Arc<dyn Log>) {
    let mut author = Author::new(&log).await;
    for number in 0_u64.. {
        let text = number.to_string();
        author.write(&vec![text.as_str(); usize::try_from(number % 4 + 1).unwrap()]).await;
        println!("\nacknowledged {} {number}", author.session);
    }
}

/// Returns the last acknowledged batch of each session, from lines that were all written before the end.
fn acknowledged(lines: &str, into: &mut BTreeMap<String, u64>) {
    for line in lines.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        if let Some(rest) = line.trim_end().strip_prefix("acknowledged ") {
            let (session, number) = rest.split_once(' ').unwrap();
            into.insert(session.to_owned(), number.parse().unwrap());
        }
    }
}

async fn check_acknowledged(log: &Arc<dyn Log>, last: &BTreeMap<String, u64>) {
    for (session, last) in last {
        let there = texts(&read_all(&**log, session.parse().unwrap()).await);
        let mut expected = (0_u64..).flat_map(|number| vec![number.to_string(); (number % 4 + 1) as usize]);
        assert!(there.iter().all(|text| *text == expected.next().unwrap()), "out of order");
        let newest: u64 = there.last().unwrap().parse().unwrap();
        assert!(newest >= *last, "{session} lost {last}");
        let whole = there.iter().filter(|text| **text == newest.to_string()).count() as u64;
        assert_eq!(whole, newest % 4 + 1, "half a batch");
    }
}

#[test]
fn a_killed_process_loses_nothing_that_it_acknowledged() {
    let folder = TempDir::new().unwrap();
    let mut last = BTreeMap::new();
    for round in 0..ROUNDS {
        let mut random = StdRng::seed_from_u64(round);
        let (mut child, mut output) = child("writes_until_killed", folder.path());
        let mut text = String::new();
        for _ in 0..random.random_range(10..600) {
            output.read_line(&mut text).unwrap();
        }
        child.kill().unwrap();
        output.read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        acknowledged(&text, &mut last);
        let log = open(folder.path());
        runtime().block_on(check_acknowledged(&log, &last));
    }
    assert!(last.len() > 60, "only {} sessions were written", last.len());
}

/// Has the folder open until its input ends.
#[test]
#[ignore = "a process that others start and kill"]
fn holds_the_folder() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let _log = SegmentLog::open(Path::new(&folder), small()).unwrap();
    println!("\nopen");
    loop {
        std::thread::park();
    }
}

#[test]
fn a_folder_in_use_is_refused_with_the_pid_of_its_user() {
    let folder = TempDir::new().unwrap();
    let (mut child, output) = child("holds_the_folder", folder.path());
    assert!(output.lines().any(|line| line.unwrap() == "open"));
    let refused = SegmentLog::open(folder.path(), small()).err().unwrap();
    assert!(matches!(&refused, LogError::Busy { pid } if *pid == child.id().to_string()), "{refused}");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(open(folder.path()));
}

#[test]
fn a_folder_that_this_process_has_open_is_refused_too() {
    let folder = TempDir::new().unwrap();
    let log = open(folder.path());
    let refused = SegmentLog::open(folder.path(), small()).err().unwrap();
    assert!(
        matches!(&refused, LogError::Busy { pid } if *pid == std::process::id().to_string()),
        "{refused}"
    );
    drop(log);
    drop(open(folder.path()));
}
