//! What may happen next, and the one door through which it does.
//!
//! Start reading at [`Session::submit`], then [`decide`].
//!
//! # Invariants
//!
//! * An event is folded, and seen by any follower, only after it is durable.
//! * A refused command leaves no trace in the log; a slash line that parses is recorded as run and done.
//! * A command with the same id is carried out once, for as long as its session lives.
//! * A session that is in use or at work stays in memory; one that left comes back in the same epoch, and never has two doors.
//! * A host that takes a session over repairs what the one before left, in one batch, before it does anything else.
//!
//! # Not here
//!
//! No sockets, no model, no tools: a command brings everything that deciding needs.

mod amounts;
mod clock;
mod command;
mod deadline;
mod decide;
mod door;
mod host;
mod list;
mod listing;
mod meters;
mod mode;
mod moment;
mod refusal;
mod replaced;
mod residence;
mod restore;
mod role;
mod session;
mod text;
mod tool_action;

pub use amounts::{parse_duration_ms, parse_tokens, tokens_of_bytes};
pub use clock::{Clock, SystemClock};
pub use command::{
    AgentCommand, Answered, BudgetEdit, ClientCommand, Command, DriverCommand, Judgement, Outage,
    ReviewVerdict,
};
pub use deadline::{Deadline, keep_deadlines, next_deadline};
pub use decide::{Claim, Decision, SLASH_COMMANDS, SlashCommand, claim_to_judge, decide, fork_batch, repair};
pub use host::{NewSession, Sessions, Setting};
pub use list::{GoalRow, SessionRow, SessionStatus};
pub use listing::{ListCursor, ListFilter, ListNews, ListPage, NoListCursor};
pub use mode::Mode;
pub use moment::{Ids, Limits, Moment};
pub use refusal::{Code, Refusal};
pub use replaced::{fold_batch, part_of};
pub use residence::Residency;
pub use role::{ModelCatalogue, ModelChoice, Role};
pub use session::{Receipt, Session, Submission, SubmitError, View};
pub use store::{Batch, LogError, ReadLimit};
pub use text::{mode_notice, round_prompt, sha256, wrap_up};
pub use tool_action::{ToolAction, UpdateAction, UpdateGoal};
