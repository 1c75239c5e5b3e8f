//! A data folder whose sessions streamed their answers, in segments that are small enough to be closed.

use std::path::Path;

use events::{
    Actor, AssistantDelta, AssistantMessage, Block, Channel, Epoch, MessageId, NewEvent, Seq, SessionCreated,
    SessionEvent, SessionId, StepEnd, StepFinish, StepStart, TurnEnd, TurnEndReason, TurnStart,
};
use store::{Append, Create, ForkPoint, Log, Options, SegmentLog};
use uuid::Uuid;

/// Size of each segment.
pub(crate) const SEGMENT_BYTES: u32 = 16 << 10;
/// Pieces of one answer.
const PIECES: u64 = 60;
/// Turns of each session of its own.
const TURNS: u32 = 6;

/// The sessions of the folder, besides a deleted one.
pub(crate) struct Streamed {
    pub(crate) parent: SessionId,
    /// Forked from the parent's end.
    pub(crate) child: SessionId,
}

/// Fills a folder with a session, its fork, a deleted session, and an object that nothing names.
pub(crate) async fn stream(folder: &Path) -> Streamed {
    let options = Options { segment_bytes: SEGMENT_BYTES, ..Options::default() };
    let log = SegmentLog::open(folder, options).unwrap();
    drop(log.put_object(vec![7; 4096]).await.unwrap());
    let mut parent = Author::begin(&log, None).await;
    let mut deleted = Author::begin(&log, None).await;
    for turn in 1..=TURNS {
        parent.turn(turn).await;
        deleted.turn(turn).await;
    }
    let point = ForkPoint { session: parent.session, seq: parent.head };
    let mut child = Author::begin(&log, Some(point)).await;
    child.turn(TURNS + 1).await;
    log.delete(deleted.session, deleted.epoch, 3).await.unwrap();
    // What comes last stands in a segment that is still open.
    parent.turn(TURNS + 1).await;
    Streamed { parent: parent.session, child: child.session }
}

/// Somebody who writes a session.
struct Author<'a> {
    log: &'a SegmentLog,
    session: SessionId,
    head: Seq,
    epoch: Epoch,
}

fn event(event: impl Into<SessionEvent>) -> NewEvent {
    NewEvent { cause: None, actor: Actor::MODEL, event: event.into() }
}

impl<'a> Author<'a> {
    async fn begin(log: &'a SegmentLog, parent: Option<ForkPoint>) -> Self {
        let (session, workspace) = (SessionId(Uuid::now_v7()), "/streamed".to_owned());
        let (from, fork_seq) = parent.map(|point| (point.session, point.seq)).unzip();
        let created = SessionCreated { title: None, workspace, parent: from, fork_seq, preset: None };
        let (host, events) = ("a test".to_owned(), vec![event(created)]);
        let create = Create { session, parent, host, at_ms: 1, operation: None, events };
        let begun = log.create(create).await.unwrap();
        Self { log, session, head: begun.last, epoch: begun.epoch }
    }

    async fn write(&mut self, events: Vec<NewEvent>) {
        let Self { session, head: expected, epoch, .. } = *self;
        let append = Append { session, expected, epoch, at_ms: 2, operation: None, events };
        self.head = self.log.append(append).await.unwrap().last;
    }

    /// Runs a turn of one step whose answer streams.
    async fn turn(&mut self, turn: u32) {
        let start = TurnStart { turn, workspace_head: None, dirty_hash: None };
        self.write(vec![event(start), event(StepStart { turn, step: 1, wraps_up: false })]).await;
        let mut said = String::new();
        for piece in 0..PIECES {
            let (text, offset) = (format!("piece {piece} of turn {turn}. "), said.len() as u64);
            said.push_str(&text);
            let channel = Channel::Text;
            let delta = AssistantDelta { turn, step: 1, attempt: 1, offset, channel, text };
            self.write(vec![event(delta)]).await;
        }
        let (message_id, content) = (MessageId(Uuid::now_v7()), vec![Block::Text { text: said }]);
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
}
