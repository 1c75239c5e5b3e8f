//! Pages of a session's past: whole batches, without the streamed pieces that a recorded answer replaced.
//!
//! A page ends where nothing was left out on either side of the cut, so that two neighbouring pages touch:
//! the newest event of the older one is the one before the oldest of the newer one.

use std::collections::HashSet;

use events::{Envelope, Seq, SessionEvent};
use serde::Serialize;
use sessions::{Batch, LogError, ReadLimit, Session};

use crate::GatewayLimits;

/// Events that one read of the log asks for on the way back.
const STRIDE: u64 = 128;
/// Events behind a page that are searched for answers to what streamed in it.
const AHEAD: ReadLimit = ReadLimit { events: 512, bytes: 1 << 20 };

/// The past that a snapshot carries.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct History {
    #[serde(flatten)]
    pub(crate) page: Page,
    /// Whether the events are exactly those behind the client's cursor; else they are the newest page.
    pub(crate) follows: bool,
}

/// Events, oldest first.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Page {
    pub(crate) events: Vec<Envelope>,
    /// Whether older ones exist.
    pub(crate) more: bool,
}

/// How large a page gets; one batch at least is in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimit {
    pub(crate) events: usize,
    pub(crate) bytes: usize,
}

impl PageLimit {
    pub(crate) fn of(limits: &GatewayLimits) -> Self {
        Self { events: limits.page_events_max, bytes: limits.page_bytes_max }
    }
}

/// Returns every event behind `after` up to `head`; none when that is too much to send one by one.
/// From inside a batch, that batch is sent whole.
pub(crate) async fn behind(
    session: &Session,
    (mut after, head): (Seq, Seq),
    limits: &GatewayLimits,
) -> Result<Option<Page>, LogError> {
    if head.0 - after.0 > limits.resume_events_max {
        return Ok(None);
    }
    let (mut events, mut bytes) = (Vec::new(), 0);
    let more = after > Seq::ZERO;
    while after < head {
        let batches = session.read(after, ReadLimit::default()).await?;
        let Some(last) = batches.last().map(Batch::last) else { break };
        for batch in batches.iter().filter(|batch| batch.last() <= head) {
            bytes += batch.bytes();
            events.extend(batch.envelopes()?);
        }
        after = last;
        if bytes > limits.page_bytes_max {
            return Ok(None);
        }
    }
    Ok(Some(Page { events, more }))
}

/// Returns the last whole batches before `before`.
pub(crate) async fn page_before(session: &Session, before: Seq, limit: PageLimit) -> Result<Page, LogError> {
    let answered = answers_from(session, before).await?;
    let mut gathered = Gathered { limit, answered, newest_first: Vec::new(), bytes: 0, has_gap: false };
    let mut end = before;
    'back: while end > Seq(1) {
        let batches = stretch(session, end).await?;
        let Some(first) = batches.first().map(Batch::first) else { break };
        for batch in batches.iter().rev().filter(|batch| batch.last() < end) {
            let envelopes = batch.envelopes()?;
            if gathered.may_end_behind(&envelopes) {
                break 'back;
            }
            gathered.add(envelopes, batch);
        }
        end = first;
    }
    Ok(gathered.into_page())
}

/// Returns the batches that make up the stretch before `end`, the one that `end` lies in included.
async fn stretch(session: &Session, end: Seq) -> Result<Vec<Batch>, LogError> {
    let mut after = Seq(end.0.saturating_sub(1 + STRIDE));
    let mut batches: Vec<Batch> = Vec::new();
    while after.next() < end {
        let read = session.read(after, ReadLimit { events: 256, bytes: 1 << 20 }).await?;
        let Some(last) = read.last() else { break };
        after = last.last();
        batches.extend(read.into_iter().filter(|batch| batch.first() < end));
    }
    Ok(batches)
}

/// Returns the steps whose answer stands right behind a page.
async fn answers_from(session: &Session, before: Seq) -> Result<HashSet<(u32, u32)>, LogError> {
    let mut answered = HashSet::new();
    if before > session.view().state.head {
        return Ok(answered);
    }
    for batch in session.read(Seq(before.0.saturating_sub(1)), AHEAD).await? {
        answered.extend(batch.envelopes()?.iter().filter_map(answered_by));
    }
    Ok(answered)
}

fn answered_by(envelope: &Envelope) -> Option<(u32, u32)> {
    match &envelope.event {
        SessionEvent::AssistantMessage(message) => Some((message.turn, message.step)),
        _ => None,
    }
}

/// A page on its way, from its newest event backwards.
struct Gathered {
    limit: PageLimit,
    answered: HashSet<(u32, u32)>,
    newest_first: Vec<Envelope>,
    bytes: usize,
    /// Whether the oldest event looked at was left out.
    has_gap: bool,
}

impl Gathered {
    fn add(&mut self, envelopes: Vec<Envelope>, batch: &Batch) {
        self.answered.extend(envelopes.iter().filter_map(answered_by));
        self.has_gap |= batch.is_elided();
        let lengths: Vec<usize> = batch.lines().map(str::len).collect();
        for (envelope, bytes) in envelopes.into_iter().zip(lengths).rev() {
            self.has_gap = self.is_replaced(&envelope);
            if !self.has_gap {
                self.bytes += bytes;
                self.newest_first.push(envelope);
            }
        }
    }

    /// Says whether the page may begin right behind `older`, which is empty where events are gone.
    fn may_end_behind(&self, older: &[Envelope]) -> bool {
        let is_full = self.newest_first.len() >= self.limit.events || self.bytes >= self.limit.bytes;
        is_full && !self.has_gap && older.last().is_some_and(|last| !self.is_replaced(last))
    }

    fn is_replaced(&self, envelope: &Envelope) -> bool {
        match &envelope.event {
            SessionEvent::AssistantDelta(delta) => self.answered.contains(&(delta.turn, delta.step)),
            _ => false,
        }
    }

    fn into_page(self) -> Page {
        let events: Vec<Envelope> = self.newest_first.into_iter().rev().collect();
        // The first event of a session is no streamed piece, so that a page which reaches it shows it.
        let more = events.first().is_some_and(|first| first.seq > Seq(1));
        Page { events, more }
    }
}
