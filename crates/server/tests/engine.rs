//! The engine without sockets: a session from its first prompt to a goal that is met.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agent::{Models, Outfit, RetryPolicy, Route};
use events::{ClientId, CommandId, GoalPhase, SessionEvent, SessionId, Target, TurnEndReason};
use model::rehearsal::{REHEARSAL, Rehearsal};
use model::scripted::{Reply, Scripted};
use model::{ChunkStream, Provider, Request};
use server::{Engine, Parts};
use sessions::{ClientCommand, Limits, NewSession, Residency, Session, Submission, SystemClock, View};
use store::{Options, SegmentLog};
use tools::Registry;
use uuid::Uuid;

async fn engine(data: &Path) -> Engine {
    engine_asking(Arc::new(Rehearsal::new(Duration::ZERO)), data).await
}

async fn engine_asking(provider: Arc<dyn Provider>, data: &Path) -> Engine {
    engine_keeping(Residency::default(), (provider, data)).await
}

async fn engine_keeping(residency: Residency, (provider, data): (Arc<dyn Provider>, &Path)) -> Engine {
    let outfit = Outfit {
        models: Models::only(Route::new(provider, REHEARSAL)),
        retry: RetryPolicy::never(),
        chance: || 0.5,
        registry: Arc::new(Registry::standard()),
        modes: Arc::default(),
        protected: vec![data.to_owned()],
        sandbox: tools::Sandbox::none(),
    };
    let log = Arc::new(SegmentLog::open(data, Options::default()).unwrap());
    let parts = Parts { log, clock: Arc::new(SystemClock), limits: Limits::default(), residency, outfit };
    Engine::start(parts).await.unwrap()
}

async fn session(engine: &Engine, workspace: &Path) -> Session {
    let new = NewSession {
        session: SessionId(Uuid::now_v7()),
        title: None,
        workspace: workspace.display().to_string(),
        client: ClientId::from("test"),
    };
    engine.sessions().create(new).await.unwrap()
}

async fn press(session: &Session, command: ClientCommand) {
    let id = CommandId(Uuid::now_v7());
    session.submit(Submission::from_client(ClientId::from("test"), id, command)).await.unwrap();
}

async fn until(session: &Session, what: &str, is: impl Fn(&View) -> bool) -> View {
    let mut watch = session.watch();
    let waited = tokio::time::timeout(Duration::from_secs(20), watch.wait_for(|view| is(view)));
    match waited.await {
        Ok(view) => view.unwrap().clone(),
        Err(_) => panic!("waited in vain until {what}:\n{}", told(session).await),
    }
}

async fn told(session: &Session) -> String {
    let batches = session.read(events::Seq::ZERO, sessions::ReadLimit::default()).await.unwrap();
    let line = |envelope: events::Envelope| {
        let data = envelope.event.encode().unwrap();
        let shown: String = data.get().chars().take(300).collect();
        format!("{} {} {shown}", envelope.seq, envelope.event.type_name())
    };
    let lines = batches.iter().flat_map(|batch| batch.envelopes().unwrap()).map(line);
    lines.collect::<Vec<_>>().join("\n")
}

fn slash(line: &str) -> ClientCommand {
    ClientCommand::Slash { line: line.to_owned() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_is_met_round_by_round() {
    let (data, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = engine(data.path()).await;
    let session = session(&engine, workspace.path()).await;
    press(&session, slash("/goal write a haiku rounds=2")).await;
    let done = |view: &View| {
        let goal = view.state.goals.current.as_ref();
        goal.is_some_and(|goal| goal.goal.phase == GoalPhase::Complete) && view.state.turn.open.is_none()
    };
    let view = until(&session, "the goal is complete", done).await;
    assert_eq!(view.state.goals.current.as_ref().unwrap().rounds_started, 2, "{}", told(&session).await);
    assert_eq!(view.state.damage, None);
    assert!(workspace.path().join("waymark-rehearsal").is_dir());
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_approved_and_carried_out() {
    let (data, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(workspace.path().join("README.md"), "# A tool\n").unwrap();
    let engine = engine(data.path()).await;
    let session = session(&engine, workspace.path()).await;
    press(&session, slash("/plan add a --json flag to this tool")).await;
    let view = until(&session, "a plan waits for review", |view| view.slices().plan.review.is_some()).await;
    assert!(view.state.plan.active);
    assert!(!workspace.path().join("waymark-rehearsal").exists());
    let review = view.slices().plan.review.unwrap();
    press(
        &session,
        ClientCommand::PlanReview {
            plan_id: review.plan_id,
            revision: review.revision,
            sha256: review.sha256,
            verdict: sessions::ReviewVerdict::Approve,
            feedback: None,
        },
    )
    .await;
    let view = until(&session, "the turn is over", |view| view.state.turn.open.is_none()).await;
    assert!(!view.state.plan.active && view.state.damage.is_none(), "{}", told(&session).await);
    assert!(workspace.path().join("waymark-rehearsal").is_dir(), "{}", told(&session).await);
    let batches = session.read(events::Seq::ZERO, sessions::ReadLimit::default()).await.unwrap();
    let all: Vec<_> = batches.iter().flat_map(|batch| batch.envelopes().unwrap()).collect();
    let wrote = all.iter().any(|envelope| matches!(&envelope.event, SessionEvent::TodoWrite(_)));
    assert!(wrote, "{}", told(&session).await);
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_left_memory_comes_back_with_its_agent_and_its_driver() {
    let (data, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let residency = Residency { sessions_max: 1, idle_ms_max: u64::MAX };
    let provider = Arc::new(Rehearsal::new(Duration::ZERO));
    let engine = engine_keeping(residency, (provider, data.path())).await;
    let first = session(&engine, workspace.path()).await;
    press(&first, ClientCommand::Prompt { text: "hello".to_owned(), target: Target::NextTurn }).await;
    until(&first, "a turn has run", |view| view.state.turn.last_end.is_some()).await;
    let (id, epoch, loose) = (first.id(), first.view().host_epoch, first.loose());
    drop(first);
    let second = session(&engine, workspace.path()).await;
    loose.ended().await;

    let first = engine.sessions().open(id).await.unwrap();
    press(&first, slash("/goal write a haiku rounds=1")).await;
    let met = |view: &View| {
        view.state.goals.current.as_ref().is_some_and(|goal| goal.goal.phase == GoalPhase::Complete)
    };
    let view = until(&first, "the goal is complete", met).await;
    assert_eq!((view.host_epoch, view.state.damage), (epoch, None));
    drop((first, second));
    engine.stop().await;
}

/// Breaks down at the first request, and answers from then on.
struct BreaksDownOnce {
    has: AtomicBool,
    then: Scripted,
}

impl Provider for BreaksDownOnce {
    fn name(&self) -> &'static str {
        "breaks-down-once"
    }

    fn stream(&self, request: Request) -> ChunkStream {
        assert!(self.has.swap(true, Ordering::SeqCst), "this provider breaks down once");
        self.then.stream(request)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_breaks_down_leaves_its_goal_disarmed_and_its_session_usable() {
    let (data, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let provider =
        BreaksDownOnce { has: AtomicBool::new(false), then: Scripted::new(vec![Reply::text("here")]) };
    let engine = engine_asking(Arc::new(provider), data.path()).await;
    let session = session(&engine, workspace.path()).await;
    press(&session, slash("/goal ship it")).await;
    let view = until(&session, "nobody owns the session", |view| view.host_epoch.is_none()).await;
    assert_eq!(view.slices().goal.unwrap().activation, projections::Activation::Disarmed);
    press(&session, ClientCommand::Prompt { text: "are you there?".to_owned(), target: Target::NextTurn })
        .await;
    let answered = |view: &View| view.state.turn.last_end == Some(TurnEndReason::Completed);
    let view = until(&session, "the next prompt is answered", answered).await;
    assert_eq!(view.state.turn.number, 2, "{}", told(&session).await);
    assert_eq!(view.slices().goal.unwrap().activation, projections::Activation::Disarmed);
    engine.stop().await;
}
