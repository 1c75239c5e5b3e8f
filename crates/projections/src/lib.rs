//! What is true now: pure folds of a session's log.
//!
//! Start reading at [`State`], then [`fold`], then [`Slices`].
//!
//! # Invariants
//!
//! * [`fold`] is total: an event that was recorded happened. The first one that cannot have happened is noted in
//!   [`State::damage`]; deciding refuses while it stands.
//! * Folding a log at once, or up to any batch end and then on, gives the same state.
//! * Activation is never stored as such: a goal is armed in the epoch of the fact that armed it, and in no other.
//!
//! # Not here
//!
//! No rules about what may happen next, no clock, no disk, no sockets.

mod amounts;
mod budget;
mod fold;
mod goal;
mod inbox;
mod plan;
mod plan_safety;
mod question;
mod record;
mod slices;
mod state;
mod turn;
mod waiting;

pub use amounts::{DURATION_UNITS, duration_text, tokens_text};
pub use budget::{Exhausted, Progress, Spent};
pub use fold::{PLAN_NOTICE, fold, fold_all, pass_over};
pub use goal::{Activation, BackOff, CurrentGoal, Flight, FlightStage, Goals, Judged};
pub use inbox::{Inbox, Input};
pub use plan::{Plan, Proposal, ProposalState, Selection};
pub use plan_safety::{Breach, Outside, OutsideKind, PlanSafety, PlanWatch};
pub use question::{OpenQuestion, Questions};
pub use record::{ChosenModel, Permissions, Requests, SessionRecord, Surface, Usage};
pub use slices::*;
pub use state::{Damage, DamageCode, State};
pub use turn::{Call, CallStage, Cancelled, LastStep, OpenStep, OpenTurn, Stream, Turn, WorkspaceMark};
pub use waiting::Waiting;

/// The version of the fold: a snapshot made by another version is folded anew from the log.
pub const FOLD_VERSION: u32 = 5;
