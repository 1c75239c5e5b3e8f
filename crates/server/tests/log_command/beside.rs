//! Every command beside a running server, with the real binary.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::streamed::stream;
use crate::world::{World, states};

/// A running server; killed where it stands when this is dropped.
struct Server {
    process: Child,
    _workspace: TempDir,
}

impl Server {
    /// Starts on a folder, and waits until it is ready.
    fn start(data: &Path) -> Self {
        let workspace = TempDir::new().unwrap();
        let mut command = waymark(data);
        command.arg("--workspace").arg(workspace.path()).args(["--port", "0"]).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("waymark: http://"), "{line}");
        Self { process, _workspace: workspace }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn waymark(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_waymark"));
    for name in [
        "WAYMARK_DATA",
        "WAYMARK_LISTEN",
        "WAYMARK_LOG",
        "WAYMARK_MODEL",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
    ] {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", data).arg("--data").arg(data).stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

fn run(data: &Path, words: &[&str]) -> Output {
    waymark(data).arg("log").args(words).output().unwrap()
}

/// Runs a command that has to succeed, and returns what it printed.
fn printed(data: &Path, words: &[&str]) -> String {
    let Output { status, stdout, stderr } = run(data, words);
    assert!(status.success(), "{words:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

#[test]
fn each_command_works_beside_a_running_server() {
    let (world, other) = (World::new("the needle"), TempDir::new().unwrap());
    let data = world.path();
    let server = Server::start(data);
    let mode = data.join("socket").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "nobody else may use it");

    assert!(printed(data, &["stat"]).contains(&world.sessions[1].to_string()));
    assert!(printed(data, &["verify"]).starts_with("checked 3 sessions"));
    assert!(printed(data, &["show", &world.sessions[0].to_string()]).contains("the needle"));
    let file = other.path().join("all.jsonl");
    printed(data, &["export", "--all", "--to", file.to_str().unwrap()]);
    let streamed = printed(data, &["export", "--all", "--to", "-"]);
    assert_eq!(streamed, std::fs::read_to_string(&file).unwrap(), "standard output holds lines alone");
    let copy = other.path().join("copy");
    printed(data, &["backup", copy.to_str().unwrap()]);
    assert!(printed(data, &["reindex"]).contains("made the index again"));
    let refused = run(data, &["import", file.to_str().unwrap()]);
    assert!(!refused.status.success());
    assert_eq!(String::from_utf8_lossy(&refused.stdout).matches("it is here already").count(), 3);

    let empty = other.path().join("empty");
    let second = Server::start(&empty);
    assert_eq!(printed(&empty, &["import", file.to_str().unwrap()]), "imported 3 sessions\n");
    assert!(printed(&empty, &["verify"]).starts_with("checked 3 sessions"));
    drop((server, second));
    let before = states(data);
    assert_eq!(states(&empty), before);
    assert_eq!(states(&copy), before);
}

#[test]
fn a_socket_that_a_killed_server_left_is_in_nobodys_way() {
    let world = World::new("the needle");
    let data = world.path();
    drop(Server::start(data));
    assert!(data.join("socket").exists(), "it was killed");
    assert!(
        printed(data, &["reindex"]).contains("made the index again"),
        "this process opened the log itself"
    );
    let server = Server::start(data);
    assert!(printed(data, &["reindex"]).contains("made the index again"));
    drop(server);
}

#[test]
fn a_log_that_somebody_else_has_open_is_left_alone() {
    let (world, other) = (World::new("the needle"), TempDir::new().unwrap());
    let log = store::SegmentLog::open(world.path(), store::Options::default()).unwrap();
    let refused = run(world.path(), &["backup", other.path().join("copy").to_str().unwrap()]);
    let complaint = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1));
    let pid = std::process::id();
    assert!(complaint.starts_with(&format!("waymark: the log is in use by process {pid}")), "{complaint}");
    assert!(printed(world.path(), &["verify"]).starts_with("checked 3 sessions"), "looking needs no lock");
    drop(log);
}

#[test]
fn a_running_server_gives_space_back() {
    let data = TempDir::new().unwrap();
    Runtime::new().unwrap().block_on(stream(data.path()));
    let before = states(data.path());
    let server = Server::start(data.path());
    let said = printed(data.path(), &["reclaim"]);
    assert!(said.starts_with("gave back ") && said.ends_with(", 1 objects removed\n"), "{said}");
    assert!(!said.contains("without 0 events"), "{said}");
    assert!(printed(data.path(), &["verify"]).contains(" of them gone, replaced)"));
    drop(server);
    assert_eq!(states(data.path()), before);
}
