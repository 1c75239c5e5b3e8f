//! What waits for one client: bounded, in order, with one reader (the socket's writer) and many who put in.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::GatewayLimits;
use crate::frames::Frame;

/// The frames on their way to one client.
pub(crate) struct Outbox {
    frames_max: usize,
    bytes_max: usize,
    waiting: Mutex<Waiting>,
    filled: Notify,
    emptied: Notify,
}

#[derive(Default)]
struct Waiting {
    frames: VecDeque<Frame>,
    bytes: usize,
    farewell: Option<Farewell>,
}

/// How a connection ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// The client is gone; there is nobody to tell.
    Gone,
    /// With a close frame, after what still waits.
    Close { code: u16, reason: &'static str },
}

/// What the writer does next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outgoing {
    Frame(Frame),
    Farewell(Farewell),
}

/// The connection ends; nothing more is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended;

impl Outbox {
    pub(crate) fn new(limits: &GatewayLimits) -> Self {
        Self {
            frames_max: limits.queue_frames_max,
            bytes_max: limits.queue_bytes_max,
            waiting: Mutex::default(),
            filled: Notify::new(),
            emptied: Notify::new(),
        }
    }

    /// Puts a frame in, waiting for room.
    pub(crate) async fn push(&self, frame: impl Into<Frame>) -> Result<(), Ended> {
        let frame = frame.into();
        self.when(|waiting| self.put(waiting, &frame)).await
    }

    /// Waits until some room is left.
    pub(crate) async fn room(&self) -> Result<(), Ended> {
        self.when(|waiting| self.has_room(waiting, 1)).await
    }

    /// Says whether some room is left.
    pub(crate) fn has_room_now(&self) -> bool {
        self.has_room(&self.waiting.lock(), 1)
    }

    /// Takes nothing more in; what waits is still taken out, then the farewell. The first farewell stands.
    pub(crate) fn finish(&self, farewell: Farewell) {
        let mut waiting = self.waiting.lock();
        if farewell == Farewell::Gone {
            *waiting = Waiting { farewell: waiting.farewell.take(), ..Waiting::default() };
        }
        waiting.farewell.get_or_insert(farewell);
        drop(waiting);
        self.filled.notify_one();
        self.emptied.notify_waiters();
    }

    /// Takes the next thing out, waiting for one. Dropping this call loses nothing.
    pub(crate) async fn next(&self) -> Outgoing {
        loop {
            if let Some(outgoing) = self.take() {
                return outgoing;
            }
            // The permit of `notify_one` is kept until it is waited for, so that nothing is missed in between.
            self.filled.notified().await;
        }
    }

    fn take(&self) -> Option<Outgoing> {
        let mut waiting = self.waiting.lock();
        let Some(frame) = waiting.frames.pop_front() else {
            return waiting.farewell.clone().map(Outgoing::Farewell);
        };
        waiting.bytes -= frame.text.len();
        drop(waiting);
        self.emptied.notify_waiters();
        Some(Outgoing::Frame(frame))
    }

    /// Waits until `done` says so, or the connection ends.
    async fn when(&self, mut done: impl FnMut(&mut Waiting) -> bool) -> Result<(), Ended> {
        loop {
            let emptied: Notified<'_> = self.emptied.notified();
            tokio::pin!(emptied);
            emptied.as_mut().enable();
            {
                let mut waiting = self.waiting.lock();
                if waiting.farewell.is_some() {
                    return Err(Ended);
                }
                if done(&mut waiting) {
                    return Ok(());
                }
            }
            emptied.await;
        }
    }

    fn put(&self, waiting: &mut Waiting, frame: &Frame) -> bool {
        let fits = self.has_room(waiting, frame.text.len());
        if fits {
            waiting.bytes += frame.text.len();
            waiting.frames.push_back(frame.clone());
            self.filled.notify_one();
        }
        fits
    }

    /// A frame that is larger than the limit fits when it is alone.
    fn has_room(&self, waiting: &Waiting, bytes: usize) -> bool {
        waiting.frames.is_empty()
            || (waiting.frames.len() < self.frames_max && waiting.bytes + bytes <= self.bytes_max)
    }
}

#[cfg(test)]
#[path = "outbox/tests.rs"]
mod tests;
