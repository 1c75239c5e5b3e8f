//! A provider that answers what a test wrote down, and keeps what it was asked.
//!
//! Start reading at [`Scripted::new`], then [`Reply`]. A [`Gate`] holds an answer in the middle for as long
//! as a test wants, which takes the place of every sleep.

mod gate;

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;

pub use gate::Gate;

use crate::{Chunk, ChunkStream, Failure, Finish, Provider, Request, Usage};

/// A provider with a fixed list of answers. Clones share the list and the journal.
///
/// Each request takes the next answer when it is made; once all are used up, the answer is the text "done".
#[derive(Debug, Clone, Default)]
pub struct Scripted {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    replies: VecDeque<Reply>,
    requests: Vec<Request>,
}

impl Scripted {
    /// Returns a provider that gives `replies`, first one first.
    #[must_use]
    pub fn new(replies: Vec<Reply>) -> Self {
        let shared = Shared { replies: replies.into(), requests: Vec::new() };
        Self { shared: Arc::new(Mutex::new(shared)) }
    }

    /// Adds an answer to the end of the list.
    pub fn push(&self, reply: Reply) {
        self.shared.lock().replies.push_back(reply);
    }

    /// Returns every request so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// Returns how many answers are left.
    #[must_use]
    pub fn replies_left(&self) -> usize {
        self.shared.lock().replies.len()
    }
}

impl Provider for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn stream(&self, request: Request) -> ChunkStream {
        let mut shared = self.shared.lock();
        shared.requests.push(request);
        let reply = shared.replies.pop_front().unwrap_or_else(|| Reply::text("done"));
        reply.play()
    }
}

/// One answer: chunks, holds and at most one failure, in order.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    beats: Vec<Beat>,
}

#[derive(Debug, Clone)]
enum Beat {
    Chunk(Chunk),
    Failure(Failure),
    Hold(Gate),
}

impl Reply {
    /// Returns an answer without anything in it, not even an end.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an answer that says `text` and stops.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new().says(text).ends(Finish::Stop)
    }

    /// Returns an answer that calls one tool and waits for its result.
    #[must_use]
    pub fn call(call_id: &str, name: &str, arguments: &str) -> Self {
        Self::calls([(call_id, name, arguments)])
    }

    /// Returns an answer that calls tools, each given as its id, its name and its arguments' JSON text.
    #[must_use]
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        (0..)
            .zip(calls)
            .fold(Self::new(), |reply, (index, (call_id, name, arguments))| {
                reply.chunk(Chunk::CallDelta {
                    index,
                    call_id: Some(call_id.to_owned()),
                    name: Some(name.to_owned()),
                    arguments: arguments.to_owned(),
                })
            })
            .ends(Finish::ToolCalls)
    }

    /// Returns an answer that is a failure from the start.
    #[must_use]
    pub fn failure(failure: Failure) -> Self {
        Self::new().fails(failure)
    }

    /// Returns an answer of exactly these chunks.
    #[must_use]
    pub fn chunks(chunks: impl IntoIterator<Item = Chunk>) -> Self {
        chunks.into_iter().fold(Self::new(), Self::chunk)
    }

    /// Adds one chunk.
    #[must_use]
    pub fn chunk(self, chunk: Chunk) -> Self {
        self.with(Beat::Chunk(chunk))
    }

    /// Adds text.
    #[must_use]
    pub fn says(self, text: impl Into<String>) -> Self {
        self.chunk(Chunk::Text(text.into()))
    }

    /// Adds what the answer used.
    #[must_use]
    pub fn uses(self, usage: Usage) -> Self {
        self.chunk(Chunk::Usage(usage))
    }

    /// Holds the answer here until the gate is released.
    #[must_use]
    pub fn holds(self, gate: &Gate) -> Self {
        self.with(Beat::Hold(gate.clone()))
    }

    /// Adds a failure, which ends the answer.
    #[must_use]
    pub fn fails(self, failure: Failure) -> Self {
        self.with(Beat::Failure(failure))
    }

    /// Adds the end.
    #[must_use]
    pub fn ends(self, finish: Finish) -> Self {
        self.chunk(Chunk::Finish(finish))
    }

    /// Puts a hold in front of everything else.
    #[must_use]
    pub fn held_first(mut self, gate: &Gate) -> Self {
        self.beats.insert(0, Beat::Hold(gate.clone()));
        self
    }

    fn with(mut self, beat: Beat) -> Self {
        self.beats.push(beat);
        self
    }

    fn play(self) -> ChunkStream {
        stream::unfold(VecDeque::from(self.beats), |mut beats| async {
            loop {
                match beats.pop_front()? {
                    Beat::Chunk(chunk) => return Some((Ok(chunk), beats)),
                    Beat::Failure(failure) => return Some((Err(failure), VecDeque::new())),
                    Beat::Hold(gate) => gate.hold().await,
                }
            }
        })
        .boxed()
    }
}

#[cfg(test)]
mod tests;
