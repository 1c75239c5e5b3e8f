//! A plan in a model's text, from its first streamed byte to its approval, with a scripted model.

use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, Models, Outfit, RetryPolicy, Route};
use events::{Channel, ClientId, CommandId, Envelope, Seq, SessionEvent, SessionId, Target, plain_text};
use model::scripted::{Gate, Reply, Scripted};
use model::{Failure, FailureClass, Finish};
use sessions::{
    ClientCommand, Limits, ListFilter, NewSession, ReadLimit, Residency, ReviewVerdict, Session,
    SessionStatus, Sessions, Setting, Submission, SystemClock, View,
};
use store::{Options, SegmentLog};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};
use tools::Registry;
use uuid::Uuid;

const ANSWER: &str = "Look:\n<proposed_plan>\n# Plan é\n- step\n</proposed_plan>\nFine?";
const PLAN: &str = "# Plan é\n- step\n";

/// One session with its agent at work.
struct Bench {
    sessions: Arc<Sessions>,
    session: Session,
    model: Scripted,
    _stop: DropGuard,
    _folders: [TempDir; 2],
}

impl Bench {
    async fn with(replies: Vec<Reply>) -> Self {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let log = Arc::new(SegmentLog::open(folders[0].path(), Options::default()).expect("a new log"));
        let setting = Setting {
            models: Default::default(),
            log,
            clock: Arc::new(SystemClock),
            host: "test".to_owned(),
            limits: Limits { plan_bytes_max: 64, ..Limits::default() },
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
        let (model, stop) = (Scripted::new(replies), CancellationToken::new());
        let outfit = Outfit {
            models: Models::only(Route::new(Arc::new(model.clone()), "scripted")),
            retry: RetryPolicy::never(),
            chance: || 0.5,
            registry: Arc::new(Registry::standard()),
            modes: Arc::default(),
            protected: Vec::new(),
            sandbox: tools::Sandbox::none(),
        };
        tokio::spawn(Agent::new(session.clone(), outfit).run(stop.clone()));
        Self { sessions, session, model, _stop: stop.drop_guard(), _folders: folders }
    }

    /// Returns what the session list says of the session.
    async fn status(&self) -> SessionStatus {
        let page = self.sessions.page(&ListFilter::default(), None, 1).await.expect("the list is read");
        page.rows[0].status
    }

    async fn press(&self, command: ClientCommand) {
        let id = CommandId(Uuid::now_v7());
        self.session
            .submit(Submission::from_client(ClientId::from("test"), id, command))
            .await
            .expect("it is accepted");
    }

    async fn asks(&self, planning: bool) {
        self.press(ClientCommand::PlanSet { active: planning }).await;
        self.press(ClientCommand::Prompt { text: "plan it".to_owned(), target: Target::NextTurn }).await;
    }

    async fn until(&self, what: &str, is: impl Fn(&View) -> bool) -> View {
        let mut watch = self.session.watch();
        let waited = tokio::time::timeout(Duration::from_secs(20), watch.wait_for(|view| is(view)));
        waited
            .await
            .unwrap_or_else(|_| panic!("waited in vain until {what}"))
            .expect("the session is open")
            .clone()
    }

    async fn until_turns_are_over(&self, turns: u32) -> View {
        let is_over = |view: &View| view.state.turn.number == turns && view.state.turn.open.is_none();
        self.until("the turn is over", is_over).await
    }

    async fn log(&self) -> Vec<Envelope> {
        let (mut log, mut head) = (Vec::new(), Seq::ZERO);
        loop {
            let batches = self.session.read(head, ReadLimit::default()).await.expect("the log is read");
            let Some(last) = batches.last() else { return log };
            head = last.last();
            log.extend(batches.iter().flat_map(|batch| batch.envelopes().expect("it decodes")));
        }
    }

    /// Returns what streamed on a channel; offsets count its bytes.
    async fn streamed(&self, channel: Channel) -> String {
        let mut text = String::new();
        for envelope in self.log().await {
            match envelope.event {
                SessionEvent::AssistantDelta(delta) if delta.channel == channel => {
                    assert_eq!(delta.offset, text.len() as u64, "offsets count the channel's bytes");
                    text.push_str(&delta.text);
                }
                _ => {}
            }
        }
        text
    }

    /// Returns the model's messages, oldest first.
    async fn said(&self) -> Vec<String> {
        let message = |envelope: Envelope| match envelope.event {
            SessionEvent::AssistantMessage(data) => Some(plain_text(&data.content)),
            _ => None,
        };
        self.log().await.into_iter().filter_map(message).collect()
    }

    async fn review(&self, verdict: ReviewVerdict) {
        let plan = self.session.view().state.plan.proposal.clone().expect("a plan was proposed");
        let (plan_id, revision, sha256) = (plan.plan_id, plan.revision, plan.sha256);
        let command = ClientCommand::PlanReview { plan_id, revision, sha256, verdict, feedback: None };
        self.press(command).await;
    }
}

/// Returns an answer of `text`, a few bytes a chunk, that waits at `gate` for its end.
fn held(text: &str, gate: &Gate) -> Reply {
    let chars: Vec<char> = text.chars().collect();
    let pieces = chars.chunks(3).map(|piece| piece.iter().collect::<String>());
    pieces.fold(Reply::new(), |reply, piece| reply.says(piece)).holds(gate).ends(Finish::Stop)
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_text_streams_apart_and_the_message_is_verbatim() {
    let gate = Gate::new();
    let bench = Bench::with(vec![held(ANSWER, &gate)]).await;
    bench.asks(true).await;
    bench
        .until("everything has streamed", |view| {
            let stream = view.state.turn.step().map(|step| step.stream.clone()).unwrap_or_default();
            stream.plan == PLAN && stream.text == "Look:\nFine?"
        })
        .await;
    gate.release();
    bench.until_turns_are_over(1).await;
    assert_eq!(bench.streamed(Channel::Plan).await, PLAN);
    assert_eq!(bench.streamed(Channel::Text).await, "Look:\nFine?");
    assert_eq!(bench.said().await, [ANSWER]);
}

#[tokio::test(flavor = "multi_thread")]
async fn tags_are_text_outside_plan_mode() {
    let gate = Gate::new();
    let bench = Bench::with(vec![held(ANSWER, &gate)]).await;
    bench.asks(false).await;
    let has_streamed = |view: &View| view.state.turn.step().is_some_and(|step| step.stream.text == ANSWER);
    bench.until("everything has streamed", has_streamed).await;
    gate.release();
    let view = bench.until_turns_are_over(1).await;
    assert_eq!(bench.streamed(Channel::Plan).await, "");
    assert!(view.state.plan.proposal.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_off_keeps_what_was_held_back() {
    let failure = || Failure::new(FailureClass::StreamCut, "the line went dead");
    let in_text = Reply::new().says("Look:\n<prop").fails(failure());
    let in_plan = Reply::new().says("Look:\n<proposed_plan>\n# Pl").says("an\n</prop").fails(failure());
    let bench = Bench::with(vec![in_text, in_plan]).await;
    bench.asks(true).await;
    bench.until_turns_are_over(1).await;
    bench.asks(true).await;
    let view = bench.until_turns_are_over(2).await;
    let block = "<proposed_plan>\n# Plan\n</prop\n</proposed_plan>\n";
    assert_eq!(bench.said().await, ["Look:\n<prop".to_owned(), format!("Look:\n{block}")]);
    assert!(view.state.plan.proposal.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_text_plan_is_carried_out() {
    let bench = Bench::with(vec![Reply::text(ANSWER), Reply::text("carried out")]).await;
    bench.asks(true).await;
    let view = bench.until_turns_are_over(1).await;
    assert!(view.state.questions.review().is_some(), "the review outlives its turn");
    assert_eq!(bench.status().await, SessionStatus::Waiting);

    bench.review(ReviewVerdict::Approve).await;
    let view = bench.until_turns_are_over(2).await;
    assert!(!view.state.plan.active);
    assert_eq!(bench.status().await, SessionStatus::Idle);
    assert_eq!(bench.said().await, [ANSWER, "carried out"]);
    let request = bench.model.requests().pop().expect("the model was asked");
    let seen = serde_json::to_string(&request.messages).unwrap();
    let sha256 = view.state.plan.proposal.as_ref().map(|plan| plan.sha256.0.clone()).unwrap();
    assert!(seen.contains("approved the plan") && seen.contains(&sha256), "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn keep_planning_brings_the_next_revision() {
    let better = "<proposed_plan>\n# Better\n";
    let bench = Bench::with(vec![Reply::text(ANSWER), Reply::text(better)]).await;
    bench.asks(true).await;
    bench.until_turns_are_over(1).await;
    bench.review(ReviewVerdict::KeepPlanning).await;
    let view = bench.until_turns_are_over(2).await;
    let plan = view.state.plan.proposal.clone().expect("it was proposed");
    assert_eq!((plan.revision, plan.title.as_str()), (2, "Better"));
    assert!(view.state.plan.active && view.state.questions.review().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_is_too_long_is_asked_for_again() {
    let long = format!("<proposed_plan>\n# Plan\n{}\n</proposed_plan>", "x".repeat(64));
    let bench = Bench::with(vec![Reply::text(long), Reply::text(ANSWER)]).await;
    bench.asks(true).await;
    let view = bench.until_turns_are_over(1).await;
    assert_eq!(view.state.plan.proposal.as_ref().map(|plan| plan.title.as_str()), Some("Plan é"));
    let request = bench.model.requests().pop().expect("the model was asked again");
    assert!(serde_json::to_string(&request.messages).unwrap().contains("64 are allowed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_was_cut_off_is_not_proposed() {
    let cut = Reply::new().says("<proposed_plan>\n# Pl").ends(Finish::MaxTokens);
    let bench = Bench::with(vec![cut]).await;
    bench.asks(true).await;
    let view = bench.until_turns_are_over(1).await;
    assert!(view.state.plan.proposal.is_none() && view.state.questions.open.is_empty());
}
