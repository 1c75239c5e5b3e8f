//! A model with an outage: another attempt, another model, and what the next turn asks.

use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, Models, Outfit, RetryPolicy, Route};
use events::{ClientId, CommandId, RequestAttempt, Seq, SessionEvent, SessionId, Target, TurnEndReason};
use model::scripted::{Reply, Scripted};
use model::{Failure, FailureClass};
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
struct Bench {
    session: Session,
    main: Scripted,
    fallback: Scripted,
    _stop: DropGuard,
    _folders: [TempDir; 2],
}

impl Bench {
    async fn new() -> Self {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let log = Arc::new(SegmentLog::open(folders[0].path(), Options::default()).expect("a new log"));
        let setting = Setting {
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
    async fn turn(&self) -> TurnEndReason {
        let turns = self.session.view().state.turn.number;
        let command = ClientCommand::Prompt { text: "go on".to_owned(), target: Target::NextTurn };
        let (client, id) = (ClientId::from("test"), CommandId(Uuid::now_v7()));
        self.session.submit(Submission::from_client(client, id, command)).await.expect("it is accepted");
        let is_over = |view: &View| view.state.turn.number > turns && view.state.turn.open.is_none();
        let mut watch = self.session.watch();
        let waited = tokio::time::timeout(Duration::from_secs(60), watch.wait_for(is_over)).await;
        let view = waited.expect("the turn ends").expect("the session is open").clone();
        view.state.turn.last_end.clone().expect("a turn ended")
    }

    async fn log(&self) -> Vec<SessionEvent> {
        let batches = self.session.read(Seq::ZERO, ReadLimit::default()).await.expect("the log is read");
        let all = batches.iter().flat_map(|batch| batch.envelopes().expect("it decodes"));
        all.map(|envelope| envelope.event).collect()
    }

    async fn attempts(&self) -> Vec<RequestAttempt> {
        let attempt = |event| match event {
            SessionEvent::RequestAttempt(data) => Some(data),
            _ => None,
        };
        self.log().await.into_iter().filter_map(attempt).collect()
    }

    /// Returns the model of each request header and of each step's end, in order.
    async fn models(&self) -> Vec<String> {
        let model = |event| match event {
            SessionEvent::RequestHeader(data) => Some(format!("header {}", data.model)),
            SessionEvent::StepEnd(data) => Some(format!("step {}", data.model.unwrap_or_default())),
            _ => None,
        };
        self.log().await.into_iter().filter_map(model).collect()
    }
}

fn out() -> Reply {
    Reply::failure(Failure::new(FailureClass::Overloaded, "later"))
}

#[tokio::test]
async fn when_every_attempt_is_used_up_the_fallback_finishes_the_turn_and_the_next_one_asks_the_first_again()
{
    let bench = Bench::new().await;
    bench.main.push(out());
    bench.main.push(out());
    bench.fallback.push(Reply::call("c1", "list_files", "{}"));
    bench.fallback.push(Reply::text("I stood in."));
    assert_eq!(bench.turn().await, TurnEndReason::Completed);
    let told: Vec<_> = bench.attempts().await.into_iter().map(|data| (data.attempt, data.fallback)).collect();
    assert_eq!(told, [(2, None), (3, Some("spare".to_owned()))]);
    assert_eq!((bench.main.requests().len(), bench.fallback.requests().len()), (2, 2));
    assert_eq!(bench.fallback.requests()[0].model, "spare");
    assert_eq!(bench.turn().await, TurnEndReason::Completed);
    let expected = ["header first", "header spare", "step spare", "step spare", "header first", "step first"];
    assert_eq!(bench.models().await, expected);
}

#[tokio::test]
async fn the_turn_fails_once_the_fallback_is_used_up_too() {
    let bench = Bench::new().await;
    for model in [&bench.main, &bench.fallback] {
        model.push(out());
        model.push(out());
    }
    let end = bench.turn().await;
    assert!(matches!(&end, TurnEndReason::Error { code, .. } if code == "overloaded"), "{end:?}");
    let attempts: Vec<_> = bench.attempts().await.into_iter().map(|data| data.attempt).collect();
    assert_eq!(attempts, [2, 3, 4]);
}

#[tokio::test]
async fn a_failure_that_time_does_not_heal_is_met_with_neither() {
    let bench = Bench::new().await;
    bench.main.push(Reply::failure(Failure::new(FailureClass::Auth, "no key")));
    let end = bench.turn().await;
    assert!(matches!(&end, TurnEndReason::Error { code, .. } if code == "auth"), "{end:?}");
    assert_eq!(bench.attempts().await, []);
    assert_eq!(bench.fallback.requests().len(), 0);
}
