//! Living longer than the call.

use std::io::{BufRead, BufReader, Read};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tools::Profile;

use crate::cell::{Cell, cells};

/// Long enough for any machine; only a broken test waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A named pipe in the workspace that processes of a command hold open. It ends when the last is gone.
struct Witness(Receiver<&'static str>);

impl Witness {
    fn new(cell: &Cell) -> Self {
        let pipe = cell.path("witness");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let (say, said) = channel();
        std::thread::spawn(move || {
            let mut pipe = BufReader::new(std::fs::File::open(pipe).unwrap());
            pipe.read_line(&mut String::new()).unwrap();
            say.send("alive").unwrap();
            pipe.read_to_end(&mut Vec::new()).unwrap();
            say.send("gone").unwrap();
        });
        Self(said)
    }

    fn says(&self, what: &str, cell: &str) {
        assert_eq!(self.0.recv_timeout(PATIENCE), Ok(what), "{cell}");
    }
}

/// Each leaves a process in a session of its own that hears no polite signal.
const DETACHED: [&str; 3] = [
    "setsid sh -c \"trap '' TERM HUP; exec 3>witness; echo up >&3; sleep 600\" & READY",
    "nohup sh -c 'exec 3>witness; echo up >&3; sleep 600' >/dev/null 2>&1 & READY",
    "(setsid setsid sh -c 'exec 3>witness; echo up >&3; (sleep 600 &) ; exec sleep 600' & ) ; READY",
];

/// Waits until the process that was left behind has said that it is there.
const READY: &str = "until [ -e seen ]; do :; done; echo done";

#[tokio::test]
async fn a_detached_process_does_not_outlive_the_call() {
    for detached in DETACHED {
        for cell in cells([Profile::Workspace]) {
            outlived_by_nothing(&cell.ordinary(), &detached.replace("READY", READY)).await;
        }
    }
}

async fn outlived_by_nothing(cell: &Cell, command: &str) {
    let (witness, name, seen) = (Witness::new(cell), cell.name(), cell.path("seen"));
    let watch = tokio::task::spawn_blocking(move || {
        witness.says("alive", &name);
        std::fs::write(seen, "").unwrap();
        witness.says("gone", &name);
    });
    let (text, watched) = tokio::join!(cell.does(command), watch);
    watched.unwrap();
    assert!(text.ends_with("done\n"), "{text}");
}

/// Who ends the keeper has nobody left to end him.
#[tokio::test]
async fn a_command_cannot_end_its_keeper() {
    let command = "exec 3>witness; echo up >&3; for pid in $PPID $(ls /proc | grep '^[0-9]'); do \
        case $pid in $$|1) ;; *) kill -9 $pid; kill -STOP $pid;; esac; done 2>/dev/null; \
        setsid sleep 600 & until [ -e seen ]; do :; done; echo done";
    for cell in cells([Profile::Workspace]) {
        let cell = cell.ordinary();
        // Under bubblewrap the numbers are those of the command's own processes alone.
        outlived_by_nothing(&cell, command).await;
    }
}

/// Runs a command that waits, ends the call in the middle, and returns what was said of it.
async fn stopped(cell: &Cell, command: &str) -> String {
    let (witness, name) = (Witness::new(cell), cell.name());
    let cancel = CancellationToken::new();
    let call = cell.run_until(command, 600_000, cancel.clone());
    let watch = tokio::task::spawn_blocking(move || {
        witness.says("alive", &name);
        cancel.cancel();
        witness.says("gone", &name);
    });
    let (outcome, watched) = tokio::join!(call, watch);
    watched.unwrap();
    assert_eq!(outcome.code, Some("ABORTED"), "{outcome:?}");
    outcome.text
}

#[tokio::test]
async fn a_cancel_ends_everything() {
    for cell in cells([Profile::Workspace]) {
        let command =
            "trap '' TERM; exec 3>witness; setsid sleep 600 & (sleep 600; :) & echo up >&3; wait; wait";
        stopped(&cell.ordinary(), command).await;
    }
}

#[tokio::test]
async fn a_confined_command_may_tidy_up_when_it_is_asked_to_end() {
    for cell in cells([Profile::Workspace]) {
        let command = "trap 'echo tidied; exit 0' TERM; exec 3>witness; sleep 600 & echo up >&3; wait";
        let text = stopped(&cell.ordinary(), command).await;
        assert!(text.ends_with("tidied\n"), "{text}");
    }
}

#[tokio::test]
async fn a_timeout_ends_everything() {
    for cell in cells([Profile::Workspace]) {
        let cell = cell.ordinary();
        let (witness, name) = (Witness::new(&cell), cell.name());
        let command = "exec 3>witness; setsid sleep 600 & echo up >&3; wait";
        let outcome = cell.run_until(command, 3_000, CancellationToken::new()).await;
        assert_eq!(outcome.code, Some("TIMED_OUT"), "{outcome:?}");
        witness.says("alive", &name);
        witness.says("gone", &name);
    }
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing() {
    for cell in cells([Profile::Workspace]) {
        let cell = cell.ordinary();
        let (witness, name) = (Witness::new(&cell), cell.name());
        let command = "trap '' TERM; exec 3>witness; setsid sleep 600 & echo up >&3; wait; wait";
        let cell = std::sync::Arc::new(cell);
        let kept = std::sync::Arc::clone(&cell);
        let task = tokio::spawn(async move { kept.run(command).await });
        let watch = tokio::task::spawn_blocking(move || {
            witness.says("alive", &name);
            task.abort();
            witness.says("gone", &name);
        });
        watch.await.unwrap();
    }
}

/// Says to the test that was started by another test what to run, and where.
const ROLE: &str = "WAYMARK_TEST_KILLED_HOST";

#[test]
fn a_killed_host_leaves_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let Some(kind) = std::env::var_os(ROLE) {
        let cell = cells([Profile::Workspace]).into_iter().find(|cell| *cell.name() == *kind).unwrap();
        let witness = std::env::var("WAYMARK_TEST_WITNESS").unwrap();
        // The pipe is the other process's, and what is outside the workspace is out of reach: a link to the
        // same pipe is made here, where the host may.
        std::fs::hard_link(witness, cell.path("witness")).unwrap();
        let cell = cell.ordinary();
        runtime.block_on(cell.run("exec 3>witness; setsid sleep 600 & echo up >&3; wait"));
        return;
    }
    for cell in cells([Profile::Workspace]) {
        let (witness, name) = (Witness::new(&cell), cell.name());
        let mut host = Command::new(std::env::current_exe().unwrap());
        host.args(["--exact", "lifetime::a_killed_host_leaves_nothing"]).env(ROLE, &name);
        let mut host = host.env("WAYMARK_TEST_WITNESS", cell.path("witness")).spawn().unwrap();
        witness.says("alive", &name);
        host.kill().unwrap();
        host.wait().unwrap();
        witness.says("gone", &name);
    }
}
