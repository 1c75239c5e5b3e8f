//! What a model may do: one file a tool.
//!
//! Start reading at [`Registry`], which turns a call into an [`Invocation`], then [`BodyCall::run`], then
//! [`Workspace`], through which every path goes.
//!
//! # Invariants
//!
//! * No file tool reads, lists or writes outside the workspace root or in a protected folder, whatever
//!   links, `..` or absolute paths a call names, and whatever changes between check and opening.
//! * No file tool writes below a folder called `.git`.
//! * A file is replaced as a whole or not at all.
//! * The processes of a command are gone when its outcome is there, and soon after its future is dropped. Without a
//!   sandbox that holds for those that stay in its group.
//! * A command sees no environment variable of ours but `PATH`, `HOME` and `LANG`.
//! * A command that was promised a sandbox runs in it or not at all.
//!
//! # Not here
//!
//! No meaning of the session tools: what `todo_write`, the goal tools, `exit_plan_mode` and
//! `ask_user_question` do, and what they refuse beyond the shape of their arguments, is decided by `sessions`.
//! No permission: whether a call may run, and which sandbox profile it gets, is decided from the session's state
//! before its body runs. Without a [`sandbox`] `run_command` is as free as the process that runs it, protected
//! folders included, and says so. No order of calls: the caller overlaps those that are [concurrency-safe](Registry::concurrency_safe).
//! Unix only.

mod arguments;
mod ask_user_question;
mod body;
mod create_goal;
mod diff;
mod edit_file;
mod error;
mod exit_plan_mode;
mod files;
mod fingerprint;
mod get_goal;
mod kept;
mod list_files;
mod outcome;
mod process;
mod read_file;
mod registry;
mod run_command;
pub mod sandbox;
mod search;
mod text;
mod todo_write;
mod update_goal;
mod walk;
mod workspace;
mod write_file;

pub use body::BodyCall;
pub use error::ToolError;
pub use fingerprint::Fingerprint;
pub use outcome::Outcome;
pub use registry::{Invocation, Registry, ToolSpec};
pub use sandbox::{Confinement, Profile, Sandbox, SandboxKind};
pub use workspace::Workspace;

/// Bytes of a tool's output that are kept for the model.
pub const OUTPUT_BYTES_MAX: usize = 256 * 1024;
