//! How a turn runs: claim, prompt, ask, call tools, settle.
//!
//! Start reading at [`next`], which says what is due, then [`Agent::run`], which does it.
//!
//! # Invariants
//!
//! * The agent keeps nothing that decides: after any interruption the state says what is due.
//! * A model is asked only after the step that asks is durable; a tool's body runs only after its start is.
//! * Results are recorded in the order in which the model made the calls.
//! * A claim that a goal is met is judged, where that is configured, by a request of its own; its answer can only keep the
//!   claim from standing.
//! * Stopping a turn drops its request, and its tools are waited for until they are gone.
//!
//! # Not here
//!
//! No rules about what may be recorded, no goal rounds, no sockets.

mod agent;
mod ask;
mod calls;
mod flow;
mod judge;
mod mark;
mod modes;
mod next;
mod prompt;
pub mod proposed_plan;
mod tags;
mod transcript;
mod usage;

pub use agent::{Agent, Outfit};
pub use modes::{ModeTextError, ModeTexts, Modes, TemplateError};
pub use next::{Next, next};
pub use prompt::system_prompt;
