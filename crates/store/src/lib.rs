//! Where it is kept: append-only segments, indexed by sled.
//!
//! Start reading at [`Log`], the trait that every backend fulfils, then [`SegmentLog`]; [`Survey`] looks at the files of a log
//! that another process may have open.
//!
//! # Invariants
//!
//! * What an append acknowledged is on disk: one sync comes before any answer.
//! * A batch is whole or absent, and readers stop only at batch ends.
//! * An append under an older epoch than the session's newest is refused here, whoever asks.
//! * The segments are the truth; everything in the index can be deleted and comes back.
//! * Space comes back by reclaiming alone, which leaves each position accounted for: by events, or as elided.
//! * After a failed write or sync of the log nothing more is written, and the sync is not tried again.
//!
//! # Not here
//!
//! No folding, no rules about which events may follow which, no clock: whoever appends brings the time.

mod admit;
mod append;
mod backup;
mod batch;
#[cfg(any(test, feature = "contract"))]
pub mod contract;
#[cfg(test)]
mod contract_on_segments;
pub mod disk;
mod entries;
mod error;
mod folder;
mod fork;
mod generation;
mod group;
mod heads;
mod import;
mod index;
#[cfg(test)]
mod index_failing;
mod indexer;
mod log;
mod lookup;
mod objects;
mod open;
mod options;
mod pages;
mod payload;
#[cfg(test)]
mod queue_bound;
mod read;
mod recent;
mod reclaim;
mod record;
mod recover;
mod roll;
mod segment;
mod segment_log;
mod shared;
mod snapshots;
mod survey;
mod tail;
#[cfg(test)]
mod tail_racing;
mod walk;
mod writer;

pub use append::*;
pub use backup::Copied;
pub use batch::*;
pub use error::*;
pub use import::*;
pub use log::*;
pub use options::Options;
pub use pages::Pages;
pub use reclaim::{Part, Reclaim, ReclaimProgress, Reclaimed};
pub use record::Elision;
pub use segment_log::SegmentLog;
pub use survey::*;
