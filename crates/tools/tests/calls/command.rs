//! `run_command`.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tools::OUTPUT_BYTES_MAX;

use crate::bench::Bench;

/// Long enough for any machine; only a broken test waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A named pipe in the workspace that processes of a command hold open. It ends when the last is gone.
struct Witness {
    said: Receiver<&'static str>,
}

impl Witness {
    fn new(bench: &Bench) -> Self {
        let pipe: PathBuf = bench.path("witness");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let (say, said) = channel();
        std::thread::spawn(move || {
            let mut pipe = BufReader::new(std::fs::File::open(pipe).unwrap());
            pipe.read_line(&mut String::new()).unwrap();
            say.send("alive").unwrap();
            pipe.read_to_end(&mut Vec::new()).unwrap();
            say.send("gone").unwrap();
        });
        Self { said }
    }

    fn says(&self, what: &str) {
        assert_eq!(self.said.recv_timeout(PATIENCE).unwrap(), what);
    }
}

/// Leaves two processes that wait and hold the witness, in a shell that waits for them.
const FORKING: &str = "exec 3>witness; sleep 600 & (sleep 600; :) & echo up >&3; wait";
/// The same, deaf to the polite signal, and so are its children.
const STUBBORN: &str = "trap '' TERM; exec 3>witness; sleep 600 & (sleep 600; :) & echo up >&3; wait; wait";

#[tokio::test]
async fn both_outputs_come_in_the_order_in_which_they_were_written() {
    let bench = Bench::new().with("sub/x", "");
    let text = bench.does("run_command", json!({"command": "echo a; echo b >&2; echo c; pwd; ls sub"})).await;
    let root = bench.workspace.root().display();
    assert_eq!(text, format!("(exit status 0, WITHOUT A SANDBOX)\na\nb\nc\n{root}\nx\n"));
}

#[tokio::test]
async fn a_command_without_output_still_says_how_it_ended() {
    let text = Bench::new().does("run_command", json!({"command": "true"})).await;
    assert_eq!(text, "(exit status 0, WITHOUT A SANDBOX, no output)");
}

#[tokio::test]
async fn a_status_other_than_zero_is_an_error_with_its_output() {
    let bench = Bench::new();
    let (code, text) = bench.fails("run_command", json!({"command": "echo why; exit 3"})).await;
    assert_eq!((code, text.as_str()), ("EXIT_STATUS", "(exit status 3, WITHOUT A SANDBOX)\nwhy\n"));
    let (code, text) = bench.fails("run_command", json!({"command": "kill -9 $$"})).await;
    assert_eq!((code, text.as_str()), ("EXIT_SIGNAL", "(ended by signal 9, WITHOUT A SANDBOX, no output)"));
}

#[tokio::test]
async fn there_is_no_input_to_wait_for() {
    let text = Bench::new().does("run_command", json!({"command": "cat; echo done"})).await;
    assert_eq!(text, "(exit status 0, WITHOUT A SANDBOX)\ndone\n");
}

#[tokio::test]
async fn head_and_tail_of_a_long_output_are_kept() {
    let command = "echo first; head -c 1000000 /dev/zero | tr '\\0' x; echo last";
    let text = Bench::new().does("run_command", json!({"command": command})).await;
    assert!(text.len() < OUTPUT_BYTES_MAX + 200, "{}", text.len());
    assert!(text.starts_with("(exit status 0, WITHOUT A SANDBOX)\nfirst\nxxx") && text.ends_with("xlast\n"));
    assert!(text.contains(&format!("(… {} bytes cut …)", 1_000_011 - OUTPUT_BYTES_MAX)));
}

/// Runs itself again with secrets in the environment, since a test may not change its own.
#[test]
fn a_command_sees_no_secret_of_ours() {
    if std::env::var_os("WAYMARK_TEST_API_KEY").is_none() {
        let again = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "command::a_command_sees_no_secret_of_ours"])
            .env("WAYMARK_TEST_API_KEY", "k")
            .env("GITHUB_TOKEN", "t")
            .env("MY_SECRET_THING", "s")
            .env("LD_PRELOAD_NOT", "x")
            .env("LANG", "C")
            .output();
        let output = again.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let text = runtime.block_on(Bench::new().does("run_command", json!({"command": "env"})));
    let names = text.lines().skip(1).filter_map(|line| Some(line.split_once('=')?.0));
    // The last four are the shell's own.
    let known = ["PATH", "HOME", "LANG", "TERM", "PWD", "OLDPWD", "SHLVL", "_"];
    let strange: Vec<_> = names.filter(|name| !known.contains(name)).collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert!(text.contains("TERM=dumb\n") && text.contains("LANG=C\n") && text.contains("PATH="), "{text}");
}

#[tokio::test]
async fn a_timeout_ends_the_whole_group() {
    let bench = Bench::new();
    let witness = Witness::new(&bench);
    let outcome = bench.call("run_command", json!({"command": FORKING, "timeout_ms": 3000})).await;
    assert_eq!(outcome.code, Some("TIMED_OUT"));
    assert!(outcome.text.starts_with("(stopped after 3000 ms"), "{}", outcome.text);
    witness.says("alive");
    witness.says("gone");
}

async fn cancel_once_alive(command: &'static str) -> String {
    let bench = Bench::new();
    let witness = Witness::new(&bench);
    let cancel = CancellationToken::new();
    let call = bench.call_until("run_command", json!({"command": command}), cancel.clone());
    let watch = tokio::task::spawn_blocking(move || {
        witness.says("alive");
        cancel.cancel();
        witness.says("gone");
    });
    let (outcome, watched) = tokio::join!(call, watch);
    watched.unwrap();
    assert_eq!(outcome.code, Some("ABORTED"));
    outcome.text
}

#[tokio::test]
async fn what_was_printed_before_the_end_is_kept() {
    let text = cancel_once_alive("echo before; exec 3>witness; echo up >&3; exec sleep 600").await;
    assert_eq!(text, "(stopped because the call was cancelled, WITHOUT A SANDBOX)\nbefore\n");
}

#[tokio::test]
async fn a_command_may_tidy_up_when_it_is_asked_to_end() {
    let command = "trap 'echo tidied; exit 0' TERM; exec 3>witness; sleep 600 & echo up >&3; wait";
    let text = cancel_once_alive(command).await;
    assert!(text.ends_with("tidied\n"), "{text}");
}

/// Leaving the group is what a sandbox has to prevent; here it must at least not hold up the outcome.
#[tokio::test]
async fn a_process_that_left_the_group_is_not_waited_for() {
    let bench = Bench::new();
    let witness = Witness::new(&bench);
    let command = "mkfifo leave; setsid sh -c 'exec 3>witness; echo up >&3; read line <leave' & \
        until [ -e witness.seen ]; do :; done; echo done";
    let call = bench.call("run_command", json!({"command": command}));
    let seen = bench.path("witness.seen");
    let watch = tokio::task::spawn_blocking(move || {
        witness.says("alive");
        std::fs::write(seen, "").unwrap();
        witness
    });
    let (outcome, witness) = tokio::join!(call, watch);
    assert_eq!(outcome.text, "(exit status 0, WITHOUT A SANDBOX)\ndone\n");
    std::fs::write(bench.path("leave"), "now\n").unwrap();
    witness.unwrap().says("gone");
}

#[tokio::test]
async fn a_cancel_ends_the_whole_group() {
    drop(cancel_once_alive(FORKING).await);
}

#[tokio::test]
async fn a_group_that_ignores_the_request_is_killed() {
    drop(cancel_once_alive(STUBBORN).await);
}

#[tokio::test]
async fn a_dropped_call_leaves_no_process() {
    let bench = Bench::new();
    let witness = Witness::new(&bench);
    let call = async move { bench.call("run_command", json!({"command": STUBBORN})).await };
    let task = tokio::spawn(call);
    let watch = tokio::task::spawn_blocking(move || {
        witness.says("alive");
        task.abort();
        witness.says("gone");
    });
    watch.await.unwrap();
}

#[tokio::test]
async fn background_processes_end_with_the_command() {
    let bench = Bench::new();
    let witness = Witness::new(&bench);
    let command = "exec 3>witness; sleep 600 & echo up >&3; echo done";
    let text = bench.does("run_command", json!({"command": command})).await;
    assert_eq!(text, "(exit status 0, WITHOUT A SANDBOX)\ndone\n");
    witness.says("alive");
    witness.says("gone");
}
