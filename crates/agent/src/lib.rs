//! How a turn runs: claim, prompt, ask, call tools, settle.
//!
//! Start reading at [`next`], which says what is due, then [`Agent::run`], which does it.
//!
//! # Invariants
//!
//! * The agent keeps nothing that decides: after any interruption the state says what is due.
//! * A model is asked only after the step that asks is durable; a tool's body runs only after its start is.
//! * A request that failed is made again only within its step, before anything of it was called, and on the record.
//! * Each request can be rebuilt from the log, byte for byte.
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
mod models;
mod modes;
mod next;
mod prompt;
pub mod proposed_plan;
mod rebuilt;
mod retry;
mod tags;
mod transcript;
mod usage;

pub use agent::{Agent, Outfit};
pub use models::{Models, RoleRoute, Route};
pub use modes::{ModeTextError, ModeTexts, Modes, TemplateError};
pub use next::{Next, next};
pub use prompt::system_prompt;
pub use rebuilt::rebuilt_requests;
pub use retry::RetryPolicy;
