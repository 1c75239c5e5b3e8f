//! How a model is asked: a request goes to a provider, and its answer comes back as a stream of chunks.
//!
//! Start reading at [`Provider`], then [`Request`] and [`Assembly`]. Providers are [`remote::Remote`] for any server
//! that is asked over HTTP, [`rehearsal::Rehearsal`] for none at all, [`replay::Replay`] for a recording, and [`scripted::Scripted`] for tests.
//!
//! # Invariants
//!
//! * A [`Request`] encodes to the same bytes each time, so that it can be hashed and rebuilt.
//! * A stream that ended well carried exactly one [`Chunk::Finish`]; anything else ends in a [`Failure`].
//! * What an answer is does not depend on how its bytes were cut.
//! * Dropping a stream cancels its request.
//! * No [`Failure`], and no `Debug` output of a provider, contains a key.
//!
//! # Not here
//!
//! No sessions, no events, no retries, no tools: the caller decides what an answer means and whether to ask
//! again.

pub mod rehearsal;
pub mod remote;
pub mod replay;
pub mod scripted;

mod assembly;
mod chunk;
mod failure;
mod provider;
mod request;
mod sse;

pub use assembly::*;
pub use chunk::*;
pub use failure::*;
pub use provider::*;
pub use request::*;
