//! What happened: the events of a session, their envelope, ids and durable encoding.
//!
//! Start reading at [`SessionEvent`], then [`Envelope`].
//!
//! # Invariants
//!
//! * An event type, once released, keeps its name, its fields and their meaning; new fields have a default.
//! * Decoding checks shape alone; whether a fact was possible is noted by the fold.
//! * What is decoded and encoded again is the same event.
//!
//! # Not here
//!
//! No clock, no disk, no sockets, no rules about what may happen next.

mod content;
mod envelope;
mod event;
mod goal;
mod ids;
mod line;
mod plan;
mod request;
mod session;
mod turn;

pub use content::*;
pub use envelope::*;
pub use event::*;
pub use goal::*;
pub use ids::*;
pub use plan::*;
pub use request::*;
pub use session::*;
pub use turn::*;

/// The schema version that this build writes.
pub const SCHEMA_VERSION: u32 = 1;
