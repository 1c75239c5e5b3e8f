//! A data folder with sessions in it, and what `waymark log` says about it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser;
use events::{ClientId, CommandId, Seq, SessionId, Target};
use projections::State;
use server::cli::{Cli, Command};
use server::log_command;
use sessions::{
    ClientCommand, Limits, NewSession, Residency, Session, Sessions, Setting, Submission, SystemClock,
    fold_batch,
};
use store::{Log, Options, ReadLimit, SegmentLog};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use uuid::Uuid;

/// A data folder that nobody has open.
pub(crate) struct World {
    folder: TempDir,
    /// Two sessions, and a fork of the first one.
    pub(crate) sessions: [SessionId; 3],
}

/// What a command printed, and what it complained of.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) printed: String,
    pub(crate) complaint: Option<String>,
}

impl World {
    /// Makes the folder; `needle` stands in the first session's second prompt alone.
    pub(crate) fn new(needle: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let sessions = Runtime::new().unwrap().block_on(fill(folder.path(), needle));
        Self { folder, sessions }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `waymark log` with these words.
    pub(crate) fn log(&self, words: &[&str]) -> Said {
        log_in(self.path(), words)
    }

    /// Turns one bit of `needle`, wherever it stands in the segments.
    pub(crate) fn flip(&self, needle: &str) {
        let path: PathBuf = self.path().join("log/00000001.seg");
        let mut bytes = fs::read(&path).unwrap();
        let found = bytes.windows(needle.len()).position(|window| window == needle.as_bytes());
        bytes[found.unwrap()] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
}

/// Runs `waymark log` with these words on a folder.
pub(crate) fn log_in(folder: &Path, words: &[&str]) -> Said {
    let data = folder.to_str().unwrap();
    let cli = Cli::try_parse_from([&["waymark", "log"], words, &["--data", data]].concat()).unwrap();
    let Some(Command::Log(command)) = cli.command else { panic!("not a command about the log") };
    let mut printed = Vec::new();
    let complaint = log_command(folder, &command, &mut printed).err().map(|error| format!("{error:#}"));
    Said { printed: String::from_utf8(printed).unwrap(), complaint }
}

/// Returns the state of every session in a folder, folded from its first event on.
pub(crate) fn states(folder: &Path) -> BTreeMap<SessionId, State> {
    let log = SegmentLog::open(folder, Options::default()).unwrap();
    Runtime::new().unwrap().block_on(async {
        let mut states = BTreeMap::new();
        for head in log.sessions().await.unwrap() {
            let mut state = State::default();
            let all = ReadLimit { events: usize::MAX, bytes: usize::MAX };
            for batch in log.read(head.session, Seq::ZERO, all).await.unwrap() {
                fold_batch(&mut state, &batch).unwrap();
            }
            states.insert(head.session, state);
        }
        states
    })
}

async fn fill(folder: &Path, needle: &str) -> [SessionId; 3] {
    let log = Arc::new(SegmentLog::open(folder, Options::default()).unwrap());
    let clock = Arc::new(SystemClock);
    let (limits, residency) = (Limits::default(), Residency::default());
    let setting =
        Setting { models: Default::default(), log, clock, host: "a test".to_owned(), limits, residency };
    let (sessions, _owned) = Sessions::new(setting);
    let client = ClientId::from("test");
    let mut made = Vec::new();
    for workspace in ["/first", "/second"] {
        let session = SessionId(Uuid::now_v7());
        let new =
            NewSession { session, title: None, workspace: workspace.to_owned(), client: client.clone() };
        let session = sessions.create(new).await.unwrap();
        prompt(&session, "begin").await;
        made.push(session);
    }
    prompt(&made[0], needle).await;
    prompt(&made[1], "and so on").await;
    let child = SessionId(Uuid::now_v7());
    let head = made[0].view().state.head;
    let (child, _) = sessions.fork(made[0].id(), head, (child, client)).await.unwrap();
    prompt(&child, "another way").await;
    [made[0].id(), made[1].id(), child.id()]
}

/// Queues a prompt that nobody answers.
pub(crate) async fn prompt(session: &Session, text: &str) {
    let command = ClientCommand::Prompt { text: text.to_owned(), target: Target::NextTurn };
    let submission = Submission::from_client(ClientId::from("test"), CommandId(Uuid::now_v7()), command);
    session.submit(submission).await.unwrap();
}
