//! One session with its agent, for the tests of this folder.

use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, Models, Outfit, RetryPolicy, Route};
use events::{ClientId, CommandId, Envelope, Seq, SessionEvent, SessionId, Target, TurnEndReason};
use model::scripted::Scripted;
use sessions::{
    ClientCommand, Limits, NewSession, ReadLimit, Residency, Session, Sessions, Setting, Submission,
    SystemClock, View,
};
use store::{Options, SegmentLog};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};
use tools::Registry;
use uuid::Uuid;

/// One session whose agent has a model and another one to fall back on, and tries twice without waiting.
pub(crate) struct Bench {
    pub(crate) session: Session,
    pub(crate) main: Scripted,
    pub(crate) fallback: Scripted,
    _stop: DropGuard,
    _folders: [TempDir; 2],
}

impl Bench {
    pub(crate) async fn new() -> Self {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let log = Arc::new(SegmentLog::open(folders[0].path(), Options::default()).expect("a new log"));
        let setting = Setting {
            models: Default::default(),
            log,
            clock: Arc::new(SystemClock),
            host: "test".to_owned(),
            limits: Limits::default(),
            residency: Residency::default(),
        };
        let (sessions, _) = Sessions::new(setting);
        let new = NewSession {
            session: SessionId(Uuid::now_v7()),
            title: None,
            workspace: folders[1].path().display().to_string(),
            client: ClientId::from("test"),
        };
        let session = sessions.create(new).await.expect("it is created");
        let (main, fallback, stop) = (Scripted::default(), Scripted::default(), CancellationToken::new());
        let route = |model: &Scripted, name| Route::new(Arc::new(model.clone()), name);
        let outfit = Outfit {
            models: Models {
                fallback: Some(route(&fallback, "spare")),
                ..Models::only(route(&main, "first"))
            },
            retry: RetryPolicy { retries_max: 1, first_wait_ms: 0, ..RetryPolicy::default() },
            chance: || 0.5,
            registry: Arc::new(Registry::standard()),
            modes: Arc::default(),
            protected: Vec::new(),
            sandbox: tools::Sandbox::none(),
        };
        tokio::spawn(Agent::new(session.clone(), outfit).run(stop.clone()));
        Self { session, main, fallback, _stop: stop.drop_guard(), _folders: folders }
    }

    /// Runs a turn to its end and returns how it ended.
    pub(crate) async fn turn(&self) -> TurnEndReason {
        let turns = self.session.view().state.turn.number;
        let command = ClientCommand::Prompt { text: "go on".to_owned(), target: Target::NextTurn };
        self.press(command).await;
        let is_over = |view: &View| view.state.turn.number > turns && view.state.turn.open.is_none();
        let mut watch = self.session.watch();
        let waited = tokio::time::timeout(Duration::from_secs(60), watch.wait_for(is_over)).await;
        let view = waited.expect("the turn ends").expect("the session is open").clone();
        view.state.turn.last_end.clone().expect("a turn ended")
    }

    /// Submits what a person asks for.
    pub(crate) async fn press(&self, command: ClientCommand) {
        let (client, id) = (ClientId::from("test"), CommandId(Uuid::now_v7()));
        self.session.submit(Submission::from_client(client, id, command)).await.expect("it is accepted");
    }

    pub(crate) async fn envelopes(&self) -> Vec<Envelope> {
        let batches = self.session.read(Seq::ZERO, ReadLimit::default()).await.expect("the log is read");
        batches.iter().flat_map(|batch| batch.envelopes().expect("it decodes")).collect()
    }

    pub(crate) async fn log(&self) -> Vec<SessionEvent> {
        self.envelopes().await.into_iter().map(|envelope| envelope.event).collect()
    }
}
