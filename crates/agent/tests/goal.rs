//! A goal's round with a scripted model: what is measured, when the model only closes, and what a judge may do.

use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, Models, Outfit, RetryPolicy, Route};
use events::{Actor, ClientId, GoalPhase, Seq, SessionEvent, SessionId, TurnEnd, TurnStart, Verdict};
use model::scripted::{Reply, Scripted};
use model::{Failure, FailureClass};
use projections::CurrentGoal;
use serde_json::json;
use sessions::{
    BudgetEdit, ClientCommand, Command, DriverCommand, Limits, NewSession, ReadLimit, Residency, Session,
    Sessions, Setting, Submission, SystemClock, View,
};
use store::{Options, SegmentLog};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};
use tools::Registry;
use uuid::Uuid;

/// One session with its agent at work and a goal.
struct Bench {
    session: Session,
    model: Scripted,
    _stop: DropGuard,
    _folders: [TempDir; 2],
}

impl Bench {
    async fn with(limits: Limits, budgets: BudgetEdit) -> Self {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let log = Arc::new(SegmentLog::open(folders[0].path(), Options::default()).expect("a new log"));
        let setting = Setting {
            models: Default::default(),
            log,
            clock: Arc::new(SystemClock),
            host: "test".to_owned(),
            limits,
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
        let (model, stop) = (Scripted::default(), CancellationToken::new());
        let outfit = Outfit {
            models: Models::only(Route::new(Arc::new(model.clone()), "scripted")),
            retry: RetryPolicy::never(),
            chance: || 0.5,
            registry: Arc::new(Registry::standard()),
            protected: Vec::new(),
            sandbox: tools::Sandbox::none(),
            modes: Arc::default(),
        };
        tokio::spawn(Agent::new(session.clone(), outfit).run(stop.clone()));
        let bench = Self { session, model, _stop: stop.drop_guard(), _folders: folders };
        let objective = "ship it".to_owned();
        let command = Command::Client(ClientCommand::GoalCreate { objective, rounds_max: Some(9), budgets });
        bench.submit(Actor::user(ClientId::from("test")), command).await;
        bench
    }

    async fn judged() -> Self {
        Self::with(Limits { judge: true, ..Limits::default() }, BudgetEdit::default()).await
    }

    async fn submit(&self, actor: Actor, command: Command) {
        let submission = Submission { actor, command, operation: None };
        self.session.submit(submission).await.expect("it is accepted");
    }

    fn goal(&self) -> CurrentGoal {
        self.session.view().state.goals.current.clone().expect("a goal stands")
    }

    /// The model claims in its next answer that the goal is met.
    fn will_claim(&self) {
        let goal = self.goal().goal;
        let claim = json!({
            "goal_id": goal.id, "revision": goal.revision, "action": "complete", "evidence": "all tests pass",
        });
        self.model.push(Reply::call("c1", "update_goal", &claim.to_string()));
    }

    /// Runs the next round to its end.
    async fn round(&self) {
        let (goal, turns) = (self.goal(), self.session.view().state.turn.number);
        let round = goal.rounds_started + 1;
        let reserve = Command::Driver(DriverCommand::Reserve { goal: goal.goal.reference(), round });
        self.submit(Actor::DRIVER, reserve).await;
        let is_over = |view: &View| view.state.turn.number > turns && view.state.turn.open.is_none();
        let mut watch = self.session.watch();
        let waited = tokio::time::timeout(Duration::from_secs(60), watch.wait_for(is_over)).await;
        waited.expect("the round ends").expect("the session is open");
    }

    async fn log(&self) -> Vec<SessionEvent> {
        let batches = self.session.read(Seq::ZERO, ReadLimit::default()).await.expect("the log is read");
        let all = batches.iter().flat_map(|batch| batch.envelopes().expect("it decodes"));
        all.map(|envelope| envelope.event).collect()
    }

    async fn marks(&self) -> (TurnStart, TurnEnd) {
        let log = self.log().await;
        let start = log.iter().rev().find_map(|event| match event {
            SessionEvent::TurnStart(data) => Some(data.clone()),
            _ => None,
        });
        let end = log.iter().rev().find_map(|event| match event {
            SessionEvent::TurnEnd(data) => Some(data.clone()),
            _ => None,
        });
        (start.expect("a turn started"), end.expect("a turn ended"))
    }
}

#[tokio::test]
async fn a_round_that_writes_a_file_is_progress_and_one_that_only_talks_is_none() {
    let bench = Bench::with(Limits::default(), BudgetEdit::default()).await;
    bench.round().await;
    assert_eq!(bench.goal().progress.rounds_without, 1);
    let (start, end) = bench.marks().await;
    assert!(start.dirty_hash.is_some() && start.dirty_hash == end.dirty_hash);
    bench.model.push(Reply::call("c1", "write_file", r#"{"path":"a.md","content":"x"}"#));
    bench.round().await;
    assert_eq!(bench.goal().progress.rounds_without, 0);
    let (start, end) = bench.marks().await;
    assert_ne!(start.dirty_hash, end.dirty_hash);
}

#[tokio::test]
async fn a_provider_that_tells_no_usage_is_counted_by_its_texts() {
    let bench = Bench::with(Limits::default(), BudgetEdit::default()).await;
    bench.round().await;
    let spent = bench.goal().spent;
    assert!(spent.estimated && spent.input_tokens > 100, "{spent:?}");
    assert_eq!(spent.output_tokens, 1, "the model said `done`");
}

#[tokio::test]
async fn a_round_out_of_tokens_closes_without_tools_and_its_goal_is_blocked() {
    let budgets = BudgetEdit { tokens: Some(1), ..BudgetEdit::default() };
    let bench = Bench::with(Limits::default(), budgets).await;
    bench.model.push(Reply::call("c1", "get_goal", "{}"));
    bench.model.push(Reply::call("c2", "get_goal", "{}"));
    bench.round().await;
    let requests = bench.model.requests();
    assert_eq!(requests.len(), 2, "one request too many, and no other");
    assert!(!requests[0].tools.is_empty() && requests[1].tools.is_empty());
    let goal = bench.goal().goal;
    let code = goal.blocked_reason.map(|reason| reason.code);
    assert_eq!((goal.phase, code.as_deref()), (GoalPhase::Blocked, Some("token-limit")));
}

#[tokio::test]
async fn a_judge_sees_the_claim_without_tools_and_accepts_it() {
    let bench = Bench::judged().await;
    bench.model.push(Reply::call("c0", "write_file", r#"{"path":"a.md","content":"proof\n"}"#));
    bench.will_claim();
    bench.model.push(Reply::text("ACCEPTED\nThe tests ran."));
    bench.round().await;
    let goal = bench.goal();
    assert_eq!(goal.goal.phase, GoalPhase::Complete);
    assert_eq!(
        goal.judged.map(|judged| (judged.verdict, judged.reason)),
        Some((Verdict::Accepted, "The tests ran.".to_owned()))
    );
    let case = &bench.model.requests()[2];
    let text = serde_json::to_string(&case.messages).expect("messages are JSON");
    assert!(case.tools.is_empty() && case.messages.len() == 1);
    assert!(["ship it", "all tests pass", "+proof"].iter().all(|part| text.contains(part)), "{text}");
}

#[tokio::test]
async fn a_judge_that_refuses_keeps_the_goal_active_and_the_next_round_hears_why() {
    let bench = Bench::judged().await;
    bench.will_claim();
    bench.model.push(Reply::text("REFUSED: nothing was run"));
    bench.round().await;
    assert_eq!(bench.goal().goal.phase, GoalPhase::Active);
    bench.round().await;
    let asked = bench.model.requests().pop().expect("the model was asked");
    let text = serde_json::to_string(&asked.messages).expect("messages are JSON");
    assert!(text.contains("did not accept the last claim") && text.contains("nothing was run"), "{text}");
}

#[tokio::test]
async fn a_claim_stands_unjudged_when_the_judge_fails_twice() {
    let bench = Bench::judged().await;
    bench.will_claim();
    bench.model.push(Reply::failure(Failure::new(FailureClass::Overloaded, "later")));
    bench.model.push(Reply::text("well, it depends"));
    bench.round().await;
    let goal = bench.goal();
    assert_eq!(goal.goal.phase, GoalPhase::Complete);
    let judged = goal.judged.expect("it is recorded");
    assert_eq!(judged.verdict, Verdict::Unjudged);
    assert!(judged.reason.contains("asked 2 times"), "{}", judged.reason);
}
