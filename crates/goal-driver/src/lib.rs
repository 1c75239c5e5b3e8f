//! Who keeps going until the goal is met.
//!
//! Start reading at [`next_step`], which says what is due, then [`run`], which submits it.
//!
//! # Invariants
//!
//! * The driver keeps nothing beside the log; a wake-up it misses costs nothing, for it looks at the state again.
//! * At most one round is reserved or running, and exactly rounds 1 to N are ever reserved for a budget of N.
//! * What the driver wants is decided once more, against the newest state, before it is recorded.
//! * A budget without room blocks the goal between rounds. Within a round the step that would ask over budget does it
//!   instead (`sessions`), so that a crash right after it finds the goal blocked.
//! * A goal that outlasts outages waits in the epoch of the outage only: a new host waits for a person.
//!
//! # Not here
//!
//! No prompt texts, no turns, no model.

mod driver;
mod step;

pub use driver::run;
pub use step::{Step, next_step};
