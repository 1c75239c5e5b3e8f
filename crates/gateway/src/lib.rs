//! Who is told and who may ask: HTTP, WebSocket and the web page.
//!
//! Start reading at [`serve`], then `socket` for the life of one connection (`stream` for one that only reads) and
//! `follower` for how a session's changes reach it.
//!
//! # Invariants
//!
//! * Nothing is served to a request without an allowed `Host`, a same-origin `Origin` where there is one, and the
//!   launch token, a kept token or a valid cookie; a viewer's changes nothing.
//! * Positions are batch ends: one frame a batch, with its events and every slice that it changed.
//! * A tab sees each event once for every cursor it opens with, in the order of the log.
//! * A slow tab costs a bounded amount of memory and delays neither a session nor another tab.
//! * No token, cookie or key is ever part of a log line or an answer's text.
//!
//! # Not here
//!
//! No rules about what may happen next, no model, no tools, no files of sessions.

mod access;
mod commands;
mod errors;
mod follower;
mod frames;
mod guard;
mod history;
mod http;
mod limits;
mod list;
mod meters;
mod origin;
mod outbox;
mod page;
mod plans;
mod requests;
mod serve;
mod socket;
mod stream;
mod tokens;

pub use access::Access;
pub use frames::check_frame;
pub use limits::GatewayLimits;
pub use serve::{About, Gateway, Readings, serve};
pub use tokens::{KeptToken, NewToken, Role, Tokens};
