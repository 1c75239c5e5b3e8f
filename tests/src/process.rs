//! The real binary as a process of its own.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{Instant, timeout};

use crate::binary::waymark;
use crate::{Door, Home};

/// How long a process may take to be ready, or to be gone.
const PATIENCE: Duration = Duration::from_secs(30);
/// Variables that would change what a process does.
const FOREIGN: [&str; 12] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_MODEL",
    "WAYMARK_WORKSPACE",
    "WAYMARK_DATA",
    "WAYMARK_LISTEN",
    "WAYMARK_MODEL",
    "WAYMARK_LOG",
    "XDG_CONFIG_HOME",
];

/// A running `waymark`.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Kept open, so that a line which it prints later finds a reader.
    _lines: Lines<BufReader<ChildStdout>>,
    environment: Vec<(String, String)>,
    /// How to reach it.
    pub door: Door,
    /// The line that it printed when it was ready.
    pub printed: String,
    /// The time from its start to that line.
    pub ready_after: Duration,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to standard error.
    pub complaint: String,
}

impl Process {
    /// Starts on a free port, with `environment` added, and waits until it is ready.
    pub async fn start(home: &Home, environment: &[(&str, &str)]) -> Self {
        let owned = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self::start_on(home, 0, owned.collect()).await
    }

    /// Starts once more, on the same port and folders.
    pub async fn start_again(&mut self, home: &Home) {
        *self = Self::start_on(home, self.door.address.port(), self.environment.clone()).await;
    }

    async fn start_on(home: &Home, port: u16, environment: Vec<(String, String)>) -> Self {
        let complaints = File::options().create(true).append(true).open(home.complaints());
        let mut command = command(arguments(home, &home.data(), port), &environment);
        command.stdout(Stdio::piped()).stderr(complaints.expect("the folder is ours"));
        let began = Instant::now();
        let mut child = command.spawn().expect("the binary starts");
        let stdout = child.stdout.take().expect("standard output is piped");
        let mut lines = BufReader::new(stdout).lines();
        let line = timeout(PATIENCE, lines.next_line()).await.expect("the binary is ready in time");
        let ready_after = began.elapsed();
        let printed = line.expect("it prints text").unwrap_or_else(|| {
            panic!(
                "the binary ended instead: {}",
                std::fs::read_to_string(home.complaints()).unwrap_or_default()
            )
        });
        let door = door(&printed).unwrap_or_else(|| panic!("no address and token in: {printed}"));
        Self { child, _lines: lines, environment, door, printed, ready_after }
    }

    /// Returns its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Kills it where it stands.
    pub async fn kill9(&mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Interrupts it as Ctrl-C does, and returns its exit code.
    pub async fn ctrl_c(&mut self) -> Option<i32> {
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw).expect("an id is a number");
        kill_process(id, Signal::INT).expect("it can be told");
        let ended = timeout(PATIENCE, self.child.wait()).await.expect("it ends in time");
        ended.expect("it ends").code()
    }

    /// Runs the binary on `home`, with its data in `data`, for as long as it takes to end by itself.
    pub async fn refused(home: &Home, data: &Path, port: u16) -> Ended {
        let run = command(arguments(home, data, port), &[]).stdin(Stdio::null()).output();
        let Output { status, stderr, .. } =
            timeout(PATIENCE, run).await.expect("it ends in time").expect("the binary starts");
        Ended { code: status.code(), complaint: String::from_utf8_lossy(&stderr).into_owned() }
    }
}

fn arguments(home: &Home, data: &Path, port: u16) -> Vec<OsString> {
    let paths = [("--workspace", home.workspace()), ("--data", data.to_owned()), ("--config", home.config())];
    let named = paths.into_iter().flat_map(|(name, path)| [name.into(), path.into_os_string()]);
    named.chain(["--port".into(), port.to_string().into()]).collect()
}

fn command(arguments: Vec<OsString>, environment: &[(String, String)]) -> Command {
    let mut command = Command::new(waymark());
    for name in FOREIGN {
        command.env_remove(name);
    }
    let pairs = environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    command.args(arguments).envs(pairs).kill_on_drop(true);
    command
}

/// Reads the address and the token out of the printed line.
fn door(printed: &str) -> Option<Door> {
    let (address, rest) = printed.strip_prefix("waymark: http://")?.split_once("/?token=")?;
    let token = rest.split_whitespace().next()?.to_owned();
    Some(Door { address: address.parse().ok()?, token })
}
