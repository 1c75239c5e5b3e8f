//! Sessions and events to try a log with.

use std::ops::ControlFlow;
use std::sync::Arc;

use events::{
    Actor, Envelope, Epoch, NewEvent, OperationId, Seq, SessionCreated, SessionEvent, SessionId,
    SessionTitled,
};
use uuid::Uuid;

use crate::{Append, Appended, Batch, Create, ForkPoint, Log, LogError, Operation, Part, ReadLimit, Reclaim};

/// The host that samples are written by.
pub const HOST: &str = "pid 1";

/// Returns an id that was never used.
#[must_use]
pub fn new_session() -> SessionId {
    SessionId(Uuid::now_v7())
}

/// Returns the first event of a session.
#[must_use]
pub fn created() -> NewEvent {
    let created = SessionCreated {
        title: None,
        workspace: "/tmp/w".to_owned(),
        parent: None,
        fork_seq: None,
        preset: None,
    };
    NewEvent { cause: None, actor: Actor::HOST, event: created.into() }
}

/// Returns an event that carries `text`.
#[must_use]
pub fn titled(text: &str) -> NewEvent {
    let titled = SessionTitled { title: text.to_owned(), by: Actor::HOST };
    NewEvent { cause: None, actor: Actor::HOST, event: titled.into() }
}

/// Returns an operation by its number, with the body `body`.
#[must_use]
pub fn operation(number: u8, body: u8) -> Operation {
    Operation { id: OperationId([number; 16]), body_hash: [body; 16] }
}

/// Returns a session's beginning: its first batch has two events.
#[must_use]
pub fn create(session: SessionId) -> Create {
    Create {
        session,
        parent: None,
        host: HOST.to_owned(),
        at_ms: 1,
        operation: None,
        events: vec![created()],
    }
}

/// Returns a fork's beginning.
#[must_use]
pub fn fork(session: SessionId, parent: SessionId, seq: u64) -> Create {
    Create { parent: Some(ForkPoint { session: parent, seq: Seq(seq) }), ..create(session) }
}

/// Returns a text that is a piece of answer `number`.
#[must_use]
pub fn piece(number: u64, text: &str) -> String {
    format!("~{number} {text}")
}

/// Returns a text that is answer `number` whole.
#[must_use]
pub fn whole(number: u64, text: &str) -> String {
    format!("={number} {text}")
}

/// Says which of [`piece`] and [`whole`] a line carries.
#[must_use]
pub fn part_of(line: &str) -> Part {
    let named = |mark: &str| {
        let (_, behind) = line.split_once(&format!("\"title\":\"{mark}"))?;
        behind.split(' ').next()?.parse().ok()
    };
    match (named("~"), named("=")) {
        (Some(piece), _) => Part::Piece(piece),
        (None, Some(whole)) => Part::Whole(whole),
        (None, None) => Part::Alone,
    }
}

/// Asks for all space that can be had.
#[must_use]
pub fn reclaim() -> Reclaim {
    Reclaim { part_of, live_percent_max: 99, progress: Arc::new(|_| ControlFlow::Continue(())) }
}

/// A writer of one session, who knows its head and owns it.
pub struct Author {
    /// The log.
    pub log: Arc<dyn Log>,
    /// The session.
    pub session: SessionId,
    /// Its ownership.
    pub epoch: Epoch,
    /// Its head.
    pub head: Seq,
}

impl Author {
    /// Begins a session.
    pub async fn begin(log: &Arc<dyn Log>, create: Create) -> Self {
        let session = create.session;
        let Appended { last, epoch, .. } = log.create(create).await.expect("the session begins");
        Self { log: log.clone(), session, epoch, head: last }
    }

    /// Begins a new session.
    pub async fn new(log: &Arc<dyn Log>) -> Self {
        Self::begin(log, create(new_session())).await
    }

    /// Returns an append of `texts` at the head.
    #[must_use]
    pub fn batch(&self, texts: &[&str]) -> Append {
        Append {
            session: self.session,
            expected: self.head,
            epoch: self.epoch,
            at_ms: 2,
            operation: None,
            events: texts.iter().map(|text| titled(text)).collect(),
        }
    }

    /// Appends and moves on.
    ///
    /// # Errors
    ///
    /// What the log answers.
    pub async fn append(&mut self, append: Append) -> Result<Appended, LogError> {
        let appended = self.log.append(append).await?;
        self.head = appended.last;
        Ok(appended)
    }

    /// Appends one batch of `texts`.
    pub async fn write(&mut self, texts: &[&str]) -> Appended {
        self.append(self.batch(texts)).await.expect("an append at the head is taken")
    }

    /// Streams answer `number` in as many batches as it has pieces, then writes it whole.
    pub async fn streams(&mut self, number: u64, pieces: u64) {
        for at in 0..pieces {
            self.write(&[&piece(number, &format!("text {at} of it"))]).await;
        }
        self.write(&[&whole(number, "all of it")]).await;
    }

    /// Reads all of the session.
    pub async fn texts(&self) -> Vec<String> {
        texts(&read_all(&*self.log, self.session).await)
    }
}

/// Reads all batches of a session, page by page.
pub async fn read_all(log: &dyn Log, session: SessionId) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    loop {
        let after = batches.last().map_or(Seq::ZERO, Batch::last);
        let page = log.read(session, after, ReadLimit::default()).await.expect("the session can be read");
        if page.is_empty() {
            return batches;
        }
        batches.extend(page);
    }
}

/// Returns what [`titled`] events in `batches` carry, in order, and checks that no seq is missing.
#[must_use]
pub fn texts(batches: &[Batch]) -> Vec<String> {
    let envelopes: Vec<Envelope> =
        batches.iter().flat_map(|batch| batch.envelopes().expect("own events are readable")).collect();
    for pair in envelopes.windows(2) {
        assert_eq!(pair[1].seq, pair[0].seq.next(), "a seq is missing or doubled");
    }
    titles(&envelopes)
}

/// Returns what [`titled`] events carry, in order.
#[must_use]
pub fn titles(envelopes: &[Envelope]) -> Vec<String> {
    let carried = envelopes.iter().filter_map(|envelope| match &envelope.event {
        SessionEvent::SessionTitled(titled) => Some(titled.title.clone()),
        _ => None,
    });
    carried.collect()
}
