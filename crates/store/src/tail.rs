//! The moving ends: who waits at them, and the newest batches in memory, so that following costs no disk.

use std::collections::{HashMap, VecDeque};

use events::{Seq, SessionId};
use tokio::sync::watch;

use crate::{Batch, ReadLimit};

/// A page of batches under way.
pub(crate) struct Page {
    limit: ReadLimit,
    events: usize,
    bytes: usize,
    batches: Vec<Batch>,
}

impl Page {
    pub(crate) fn new(limit: ReadLimit) -> Self {
        Self { limit, events: 0, bytes: 0, batches: Vec::new() }
    }

    /// Adds a batch unless the page is full; says whether it did.
    pub(crate) fn push(&mut self, batch: Batch) -> bool {
        // What holds no event takes part in the bound, too.
        let events = self.events + batch.events().max(1);
        let bytes = self.bytes + batch.bytes();
        let fits = events <= self.limit.events && bytes <= self.limit.bytes;
        if !fits && !self.batches.is_empty() {
            return false;
        }
        (self.events, self.bytes) = (events, bytes);
        self.batches.push(batch);
        true
    }

    /// Returns how many more events it takes.
    pub(crate) fn events_left(&self) -> usize {
        self.limit.events.saturating_sub(self.events)
    }

    /// Returns the last position in it.
    pub(crate) fn last(&self) -> Option<Seq> {
        self.batches.last().map(Batch::last)
    }

    pub(crate) fn into_batches(self) -> Vec<Batch> {
        self.batches
    }
}

/// The newest batches of all sessions, at most `bytes_max` of lines.
pub(crate) struct Hot {
    bytes_max: usize,
    bytes: usize,
    /// One entry a batch, oldest first.
    order: VecDeque<SessionId>,
    sessions: HashMap<SessionId, VecDeque<Batch>>,
}

impl Hot {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, bytes: 0, order: VecDeque::new(), sessions: HashMap::new() }
    }

    pub(crate) fn push(&mut self, batch: Batch) {
        self.bytes += weight(&batch);
        self.order.push_back(batch.session());
        self.sessions.entry(batch.session()).or_default().push_back(batch);
        while self.bytes > self.bytes_max {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let session = self.order.pop_front().expect("bytes are left, so is a batch");
        let batches = self.sessions.get_mut(&session).expect("each entry has its batch");
        let oldest = batches.pop_front().expect("each entry has its batch");
        self.bytes -= weight(&oldest);
        if batches.is_empty() {
            self.sessions.remove(&session);
        }
    }

    /// Adds to `page` what `session` holds of `from..=upto`; false when that begins before what is kept.
    pub(crate) fn read(&self, session: SessionId, (from, upto): (Seq, Seq), page: &mut Page) -> bool {
        let Some(batches) = self.sessions.get(&session) else { return false };
        if batches.front().is_none_or(|oldest| oldest.first() > from) {
            return false;
        }
        let start = batches.partition_point(|batch| batch.last() < from);
        let wanted = batches.range(start..).take_while(|batch| batch.first() <= upto);
        for batch in wanted {
            if !page.push(batch.clone()) {
                break;
            }
        }
        true
    }
}

/// What a batch costs in memory, in bytes.
fn weight(batch: &Batch) -> usize {
    batch.bytes() + 128
}

/// Who waits at the end of which session.
#[derive(Default)]
pub(crate) struct Tails {
    senders: HashMap<SessionId, watch::Sender<Seq>>,
    /// Grown to this, the ones that nobody waits at are dropped.
    swept_at: usize,
}

impl Tails {
    /// Returns a receiver that stands at `head` when it is the session's first.
    pub(crate) fn subscribe(&mut self, session: SessionId, head: Seq) -> watch::Receiver<Seq> {
        if self.senders.len() >= self.swept_at {
            self.senders.retain(|_, sender| sender.receiver_count() > 0);
            self.swept_at = 64.max(self.senders.len() * 2);
        }
        self.senders.entry(session).or_insert_with(|| watch::Sender::new(head)).subscribe()
    }

    pub(crate) fn move_to(&self, session: SessionId, head: Seq) {
        if let Some(sender) = self.senders.get(&session) {
            sender.send_if_modified(|at| std::mem::replace(at, head) != head);
        }
    }

    pub(crate) fn end(&mut self, session: SessionId) {
        self.senders.remove(&session);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use events::Epoch;
    use uuid::Uuid;

    use super::*;

    /// Returns a batch of one event.
    pub(crate) fn batch(session: u128, first: u64) -> Batch {
        Batch {
            session: SessionId(Uuid::from_u128(session)),
            first: Seq(first),
            count: 1,
            epoch: Epoch(1),
            at_ms: 1,
            schema: 1,
            operation: None,
            elision: None,
            lines: Arc::from("x".repeat(100)),
        }
    }

    #[test]
    fn the_newest_batches_never_cost_more_than_their_bound() {
        let mut hot = Hot::new(1000);
        for number in 0..500 {
            hot.push(batch(u128::from(number % 7), number));
            assert!(hot.bytes <= 1000);
            let kept: usize = hot.sessions.values().flatten().map(weight).sum();
            assert_eq!((kept, hot.order.len()), (hot.bytes, hot.sessions.values().flatten().count()));
        }
        assert_eq!(hot.order.len(), 4);
    }

    #[test]
    fn a_page_is_hot_only_when_its_beginning_is() {
        let mut hot = Hot::new(1000);
        (0..10).for_each(|seq| hot.push(batch(1, seq)));
        let session = SessionId(Uuid::from_u128(1));
        let read = |from| {
            let mut page = Page::new(ReadLimit { events: 100, bytes: 1 << 20 });
            hot.read(session, (Seq(from), Seq(8)), &mut page).then(|| page.last())
        };
        assert_eq!(
            [read(5), read(6), read(8), read(9)],
            [None, Some(Some(Seq(8))), Some(Some(Seq(8))), Some(None)]
        );
    }

    #[test]
    fn tails_that_nobody_waits_at_are_dropped() {
        let mut tails = Tails::default();
        let kept = tails.subscribe(SessionId(Uuid::from_u128(0)), Seq(1));
        (1..10_000).for_each(|number| drop(tails.subscribe(SessionId(Uuid::from_u128(number)), Seq(1))));
        assert!(tails.senders.len() <= 128, "{}", tails.senders.len());
        tails.move_to(SessionId(Uuid::from_u128(0)), Seq(2));
        assert_eq!(*kept.borrow(), Seq(2));
    }
}
