//! Other processes: one that is killed while it writes, and one that has the folder.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use store::contract::{Author, read_all, texts};
use store::{Log, LogError, SegmentLog};
use support::mounted::Mounted;
use support::{open, runtime, seeds, small};
use tempfile::TempDir;

const FOLDER: &str = "STORE_TEST_FOLDER";
const KILLS: u64 = 500;
/// Rounds that one folder is used for: its sessions are all read again after each.
const KILLS_OF_A_FOLDER: usize = 8;

/// Runs one of the ignored tests below in a process of its own.
fn child(name: &str, folder: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
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

/// Kills a writer at a random point, and checks all that it and those before it acknowledged.
fn kill_once(folder: &Path, seed: u64, last: &mut BTreeMap<String, u64>) {
    let mut random = StdRng::seed_from_u64(seed);
    let (mut child, mut output) = child("writes_until_killed", folder);
    let mut text = String::new();
    let lines_max = 1 << random.random_range(2..9);
    for _ in 0..random.random_range(1..=lines_max) {
        output.read_line(&mut text).unwrap();
    }
    child.kill().unwrap();
    output.read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    acknowledged(&text, last);
    runtime().block_on(check_acknowledged(&open(folder), last));
}

#[test]
fn a_killed_process_loses_nothing_that_it_acknowledged() {
    let seeds: Vec<u64> = seeds(KILLS).collect();
    let (first, second) = seeds.split_at(seeds.len() / 2);
    let kill_all = |seeds: &[u64]| {
        for seeds in seeds.chunks(KILLS_OF_A_FOLDER) {
            let (folder, mut last) = (TempDir::new().unwrap(), BTreeMap::new());
            seeds.iter().for_each(|seed| kill_once(folder.path(), *seed, &mut last));
            assert!(seeds.len() < KILLS_OF_A_FOLDER || last.len() > 4, "hardly anything was written");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| kill_all(first));
        kill_all(second);
    });
}

#[test]
fn a_power_cut_under_a_mounted_file_system_loses_nothing_that_was_acknowledged() {
    let place = TempDir::new().unwrap();
    let mut mounted = match Mounted::new(place.path()) {
        Ok(mounted) => mounted,
        Err(lacks) => return println!("skipped, this machine cannot mount a file as root: {lacks}"),
    };
    let (mut child, mut output) = child("writes_until_killed", &mounted.path().join("data"));
    let (mut text, mut last) = (String::new(), BTreeMap::new());
    for seed in seeds(12) {
        let mut random = StdRng::seed_from_u64(seed);
        for _ in 0..random.random_range(1..200) {
            output.read_line(&mut text).unwrap();
        }
        acknowledged(&text, &mut last);
        mounted.after_a_power_cut(|cut| {
            let folder = cut.join("data");
            // As after a real one, the machine's boot id is another.
            fs::remove_dir_all(folder.join("index")).unwrap_or_default();
            runtime().block_on(check_acknowledged(&open(&folder), &last));
        });
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(last.len(), 4, "each writer was acknowledged");
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

/// Opens the folder when told to, and says what came of it; has it until its input ends.
#[test]
#[ignore = "a process that others start"]
fn opens_the_folder_when_told() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut told = std::io::stdin().lines();
    told.next();
    let opened = SegmentLog::open(Path::new(&folder), small());
    match &opened {
        Ok(_) => println!("\nopened by {}", std::process::id()),
        Err(LogError::Busy { pid }) => println!("\nbusy with {pid}"),
        Err(error) => println!("\nfailed: {error}"),
    }
    told.next();
}

/// Lets three processes open the folder at once and returns what each said; the one that has it is killed or stops.
fn race(folder: &Path, kill: bool) -> Vec<String> {
    let mut racers: Vec<_> = (0..3).map(|_| child("opens_the_folder_when_told", folder)).collect();
    for (child, _) in &mut racers {
        writeln!(child.stdin.as_mut().unwrap(), "go").unwrap();
    }
    let mut said = Vec::new();
    for (_, output) in &mut racers {
        let mut lines = output.lines().map(Result::unwrap);
        let told = lines.find(|line| {
            ["opened by ", "busy with ", "failed: "].iter().any(|start| line.starts_with(start))
        });
        said.push(told.unwrap());
    }
    for (child, _) in &mut racers {
        if kill {
            child.kill().unwrap();
        }
        drop(child.stdin.take());
        child.wait().unwrap();
    }
    said
}

#[test]
fn of_three_processes_one_gets_the_folder_and_the_others_are_told_which() {
    let folder = TempDir::new().unwrap();
    for seed in seeds(12) {
        let said = race(folder.path(), seed % 2 == 0);
        let winners: Vec<_> = said.iter().filter_map(|told| told.strip_prefix("opened by ")).collect();
        assert_eq!(winners.len(), 1, "{said:?}");
        let losers = said.iter().filter(|told| **told == format!("busy with {}", winners[0]));
        assert_eq!(losers.count(), 2, "{said:?}");
    }
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
