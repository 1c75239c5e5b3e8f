//! A session reads alike before and after the log gave up what its answers had streamed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ops::ControlFlow;
use std::sync::Arc;

use events::{
    Actor, AssistantDelta, AssistantMessage, Block, Channel, Epoch, MessageId, NewEvent, Seq, SessionCreated,
    SessionEvent, SessionId, StepEnd, StepFinish, StepStart, TurnEnd, TurnEndReason, TurnStart,
};
use projections::State;
use sessions::{ReadLimit, fold_batch, part_of};
use store::{Append, Batch, Create, Log, Options, Reclaim, SegmentLog};
use tempfile::TempDir;
use uuid::Uuid;

/// A session in the making.
struct Author {
    log: Arc<dyn Log>,
    session: SessionId,
    head: Seq,
    epoch: Epoch,
}

fn event(event: impl Into<SessionEvent>) -> NewEvent {
    NewEvent { cause: None, actor: Actor::MODEL, event: event.into() }
}

impl Author {
    async fn new(log: &Arc<dyn Log>) -> Self {
        let session = SessionId(Uuid::now_v7());
        let workspace = "/tmp/w".to_owned();
        let created = SessionCreated { title: None, workspace, parent: None, fork_seq: None, preset: None };
        let events = vec![event(created)];
        let host = "pid 1".to_owned();
        let create = Create { session, parent: None, host, at_ms: 1, operation: None, events };
        let appended = log.create(create).await.unwrap();
        Self { log: log.clone(), session, head: appended.last, epoch: appended.epoch }
    }

    async fn write(&mut self, events: Vec<NewEvent>) {
        let Self { session, head: expected, epoch, .. } = *self;
        let append = Append { session, expected, epoch, at_ms: 2, operation: None, events };
        self.head = self.log.append(append).await.unwrap().last;
    }

    /// Runs a turn of one step whose answer streams in two attempts.
    async fn turn(&mut self, turn: u32) {
        let start = TurnStart { turn, workspace_head: None, dirty_hash: None };
        self.write(vec![event(start), event(StepStart { turn, step: 1, wraps_up: false })]).await;
        let mut said = String::new();
        for piece in 0..60 {
            let text = format!("piece {piece} of turn {turn}. ");
            let (attempt, offset) = (1 + piece / 30, said.len() as u64);
            said.push_str(&text);
            let channel = Channel::Text;
            let delta = AssistantDelta { turn, step: 1, attempt, offset, channel, text };
            self.write(vec![event(delta)]).await;
        }
        let content = vec![Block::Text { text: said }];
        let message_id = MessageId(Uuid::now_v7());
        let message = AssistantMessage {
            message_id,
            turn,
            step: 1,
            content,
            usage: None,
            interrupted: false,
            items: Vec::new(),
        };
        self.write(vec![event(message)]).await;
        let finish = StepFinish::Stop;
        let end = StepEnd { turn, step: 1, finish, usage: None, role: None, model: None, cost_micros: None };
        self.write(vec![event(end), event(TurnEnd::new(turn, TurnEndReason::Completed))]).await;
    }

    /// Reads on to the head, and says how many positions were gone.
    async fn read_on(&self, state: &mut State) -> u64 {
        let mut gone = 0;
        while state.head < self.head {
            for batch in self.log.read(self.session, state.head, ReadLimit::default()).await.unwrap() {
                gone += if batch.is_elided() { positions(&batch) } else { 0 };
                fold_batch(state, &batch).unwrap();
            }
        }
        gone
    }
}

fn positions(batch: &Batch) -> u64 {
    batch.last().0 + 1 - batch.first().0
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_folds_alike_without_what_its_answers_replaced() {
    let folder = TempDir::new().unwrap();
    let options = Options { segment_bytes: 16 << 10, hot_bytes_max: 0, ..Options::default() };
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options).unwrap());
    let mut author = Author::new(&log).await;
    for turn in 1..=6 {
        author.turn(turn).await;
    }
    let mut before = State::default();
    assert_eq!(author.read_on(&mut before).await, 0);
    let mut in_the_middle = State::default();
    for batch in
        log.read(author.session, Seq::ZERO, ReadLimit { events: 40, bytes: usize::MAX }).await.unwrap()
    {
        fold_batch(&mut in_the_middle, &batch).unwrap();
    }
    assert!(!in_the_middle.turn.step().unwrap().stream.text.is_empty(), "it stands among the pieces");
    let reclaim =
        Reclaim { part_of, live_percent_max: 90, progress: Arc::new(|_| ControlFlow::Continue(())) };
    let gained = log.reclaim(reclaim).await.unwrap();
    let mut after = State::default();
    assert_eq!(author.read_on(&mut after).await, gained.events);
    assert!(gained.events > 100, "{gained:?}");
    assert_eq!(after, before);
    author.read_on(&mut in_the_middle).await;
    assert_eq!(in_the_middle, before, "also from an old place among what is gone");
}
