//! Who keeps going until the goal is met.
//!
//! Start reading at [`next_step`], which says what is due, then [`run`], which submits it.
//!
//! # Invariants
//!
//! * The driver keeps nothing beside the log; a wake-up it misses costs nothing, for it looks at the state again.
//! * At most one round is reserved or running, and exactly rounds 1 to N are ever reserved for a budget of N.
//! * What the driver wants is decided once more, against the newest state, before it is recorded.
//!
//! # Not here
//!
//! No prompt texts, no turns, no model.

mod driver;
mod step;

pub use driver::run;
pub use step::{Step, next_step};
