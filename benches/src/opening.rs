//! How long a folder of many sessions takes to open, in a process of its own, whose memory is looked at.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use store::contract::Author;
use store::{Append, Log, Options, SegmentLog};
use tokio::runtime::Runtime;

use crate::appends::median;
use crate::{row, words};

/// The part that this module's children are started with.
pub(crate) const CHILD: &str = "opening-child";
const SESSIONS: usize = 10_000;
const EVENTS: usize = 100;
const WRITERS: usize = 50;
const SAMPLES: usize = 5;

/// What a child measured.
struct Opened {
    milliseconds: f64,
    mebibytes: f64,
}

pub(crate) fn print(folder: &Path) {
    let data = folder.to_str().unwrap();
    kill(start(&["fill", data]));
    let killed = vec![stop(start(&["open", data]))];
    print_row("kill −9 amid writing", "≤ 1,500 ms, ≤ 150 MiB", &killed);
    let clean: Vec<Opened> = (0..SAMPLES).map(|_| stop(start(&["open", data]))).collect();
    print_row("a clean stop", "≤ 500 ms, ≤ 150 MiB", &clean);
    std::fs::remove_dir_all(folder.join("index")).unwrap();
    print_row("the loss of its index", "", &[stop(start(&["open", data]))]);
}

fn print_row(after: &str, target: &str, samples: &[Opened]) {
    let took = median(samples.iter().map(|opened| opened.milliseconds).collect());
    let memory = median(samples.iter().map(|opened| opened.mebibytes).collect());
    let what = format!("10,000 sessions of 100 events opened after {after}");
    row(&what, target, &format!("{took:.0} ms, {memory:.0} MiB"));
}

/// Starts a child and waits for the line that it prints when it is done.
fn start(arguments: &[&str]) -> (Child, String) {
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program)
        .arg(CHILD)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, line)
}

fn kill((mut child, _): (Child, String)) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Lets a child stop in order; returns what it measured.
fn stop((mut child, line): (Child, String)) -> Opened {
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success(), "the child stops in order");
    let (milliseconds, mebibytes) = line.trim().split_once(' ').unwrap();
    Opened { milliseconds: milliseconds.parse().unwrap(), mebibytes: mebibytes.parse().unwrap() }
}

/// Does what a child is for, and waits with the log open until it may stop.
pub(crate) fn child(arguments: &[String]) {
    let [task, folder] = arguments else { panic!("a child has a task and a folder") };
    let began = Instant::now();
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(Path::new(folder), Options::default()).unwrap());
    let milliseconds = began.elapsed().as_secs_f64() * 1e3;
    if task == "fill" {
        fill(&log);
    }
    println!("{milliseconds} {}", peak_mebibytes());
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn fill(log: &Arc<dyn Log>) {
    let runtime = Runtime::new().unwrap();
    let writers = (0..WRITERS).map(|_| {
        let log = Arc::clone(log);
        runtime.spawn(async move {
            for _ in 0..SESSIONS / WRITERS {
                let mut author = Author::new(&log).await;
                author
                    .append(Append { events: words::events(EVENTS - 2), ..author.batch(&[]) })
                    .await
                    .unwrap();
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    writers.into_iter().for_each(|writer| runtime.block_on(writer).unwrap());
}

/// Returns the most memory that this process ever had.
fn peak_mebibytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}
