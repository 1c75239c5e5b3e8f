//! The frames of `waymark.v1`, both ways.
//!
//! # The session list
//!
//! `watch-sessions` is answered by `sessions`: the first page of the list, newest first, as far as it fits the query,
//! and `next`, where the page behind it begins. `more-sessions` with that is answered by `sessions-more`, any number of
//! times. From then on `sessions-changed` carries what changed, and nothing else: whole rows to put in the place of older
//! ones or to add, and the sessions that are gone from this list. A row that changes because something happened has a new
//! time and so belongs to the head; a client keeps rows by `updated_at_ms`, then by id, and needs no position. Another
//! `watch-sessions` takes the place of the one before: what comes after its `sessions` belongs to it. When more than a
//! page changed at once, a new `sessions` says so: it takes the place of all rows told before.

use std::fmt;
use std::str::FromStr;

use axum::extract::ws::Utf8Bytes;
use events::{CommandId, Envelope, LogId, Seq, SessionId};
use projections::Slices;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sessions::{ClientCommand, ListCursor, ListFilter, ListNews, ListPage, SLASH_COMMANDS};

use crate::errors::Fault;
use crate::history::History;
use crate::serve::About;
use crate::tokens::Role;

/// The WebSocket subprotocol.
pub(crate) const PROTOCOL: &str = "waymark.v1";

/// A position in a session, with the log that it is a position in; always a batch end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cursor {
    pub(crate) log: LogId,
    pub(crate) seq: Seq,
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.log, self.seq)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (log, seq) = text.split_once(':').ok_or(())?;
        let log = log.parse().map_err(|_| ())?;
        seq.parse().map(|seq| Self { log, seq: Seq(seq) }).map_err(|_| ())
    }
}

/// A frame as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Its JSON.
    pub(crate) text: Utf8Bytes,
    /// Where a client is that has read it, for frames that carry it further.
    pub(crate) cursor: Option<Cursor>,
}

impl From<Utf8Bytes> for Frame {
    fn from(text: Utf8Bytes) -> Self {
        Self { text, cursor: None }
    }
}

/// What a client sends.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum ClientFrame {
    /// Follow a session: from a cursor on, or from its newest page.
    Open {
        session: SessionId,
        #[serde(default)]
        cursor: Option<Cursor>,
    },
    /// Follow it no longer.
    Close { session: SessionId },
    /// Carry a command out; its body is looked at when its turn comes.
    Command { id: CommandId, session: SessionId, command: Value },
    /// Tell the session list, now and whenever it changes: what fits the words of a query, in any order.
    WatchSessions {
        #[serde(default)]
        query: String,
        /// Whether sessions that are put away are told, too.
        #[serde(default)]
        archived: bool,
    },
    /// Tell the next page of the list that is watched.
    MoreSessions { after: ListCursor },
    /// Say that you are there.
    Ping { n: u64 },
}

/// What a client is sent.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum ServerFrame<'a> {
    /// The first frame.
    Hello {
        #[serde(flatten)]
        about: &'a About,
        /// What this client may do.
        role: Role,
        commands: Vec<CommandHelp>,
    },
    /// The head of the session list.
    Sessions {
        #[serde(flatten)]
        filter: &'a ListFilter,
        #[serde(flatten)]
        page: &'a ListPage,
    },
    /// A further page of it.
    SessionsMore {
        #[serde(flatten)]
        page: &'a ListPage,
    },
    /// What is different in it.
    SessionsChanged {
        #[serde(flatten)]
        news: &'a ListNews,
    },
    /// All that is true of a session at the cursor, and the history before it.
    Snapshot { session: SessionId, cursor: Cursor, slices: &'a Slices, history: &'a History },
    /// One batch and what it changed; without events when only the host changed.
    Update { session: SessionId, cursor: Cursor, events: &'a [Envelope], slices: Map<String, Value> },
    /// A command is carried out.
    Receipt { id: CommandId, session: SessionId, seq: Seq, reply: Option<&'a str> },
    /// A frame is refused.
    Refused {
        id: Option<Value>,
        session: Option<Value>,
        code: &'a str,
        message: &'a str,
        current: Option<&'a Value>,
    },
    /// The client opens again without a cursor.
    Resync { session: SessionId, why: &'a str },
    /// A session is followed no longer: it is deleted (`SESSION_DELETED`), or cannot be shown on (`SESSION_CLOSED`).
    Closed { session: SessionId, code: &'a str, why: &'a str },
    /// The answer to a ping.
    Pong { n: u64 },
}

/// A slash command as a palette shows it.
#[derive(Serialize)]
pub(crate) struct CommandHelp {
    name: &'static str,
    hint: &'static str,
    help: &'static str,
}

/// A frame that is refused, with as much of its sender's numbering as could be read.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) id: Option<Value>,
    pub(crate) session: Option<Value>,
    pub(crate) fault: Fault,
}

impl ServerFrame<'_> {
    /// Returns the frame as the text that is sent.
    pub(crate) fn text(&self) -> Utf8Bytes {
        serde_json::to_string(self).expect("a frame has no value that JSON lacks").into()
    }
}

impl Refused {
    /// Refuses what concerns a session and no command.
    pub(crate) fn session(session: SessionId, fault: Fault) -> Self {
        Self { id: None, session: Some(Value::String(session.to_string())), fault }
    }

    /// Refuses a command.
    pub(crate) fn command(id: CommandId, session: SessionId, fault: Fault) -> Self {
        Self { id: Some(Value::String(id.to_string())), ..Self::session(session, fault) }
    }

    pub(crate) fn text(self) -> Utf8Bytes {
        let Self { id, session, fault } = self;
        let (code, message, current) = (fault.code, fault.message.as_str(), fault.current.as_ref());
        ServerFrame::Refused { id, session, code, message, current }.text()
    }
}

/// Returns the frame that greets a client.
pub(crate) fn hello(about: &About, role: Role) -> Utf8Bytes {
    let help = SLASH_COMMANDS.iter();
    let commands = help.map(|it| CommandHelp { name: it.name, hint: it.hint, help: it.help }).collect();
    ServerFrame::Hello { about, role, commands }.text()
}

/// Reads a client's frame.
pub(crate) fn parse(text: &str) -> Result<ClientFrame, Box<Refused>> {
    let refuse = |id, session, message| Box::new(Refused { id, session, fault: Fault::bad_frame(message) });
    let value: Value = serde_json::from_str(text)
        .map_err(|error| refuse(None, None, format!("this frame is not JSON: {error}")))?;
    let numbered = |name| value.get(name).filter(|value| value.is_string()).cloned();
    let (id, session) = (numbered("id"), numbered("session"));
    serde_path_to_error::deserialize(value)
        .map_err(|error| refuse(id, session, format!("this frame is not one of {PROTOCOL}: {error}")))
}

/// Reads the body of a command.
pub(crate) fn command_of(body: Value) -> Result<ClientCommand, Fault> {
    serde_path_to_error::deserialize(body)
        .map_err(|error| Fault::bad_frame(format!("this command is not one of ours: {error}")))
}

/// Says whether a text is a frame of the protocol, with a command of ours if it carries one.
///
/// # Errors
///
/// The words with which it is refused.
pub fn check_frame(text: &str) -> Result<(), String> {
    match parse(text).map_err(|refused| refused.fault.message)? {
        ClientFrame::Command { command, .. } => command_of(command).map(drop).map_err(|fault| fault.message),
        ClientFrame::Open { .. }
        | ClientFrame::Close { .. }
        | ClientFrame::WatchSessions { .. }
        | ClientFrame::MoreSessions { .. }
        | ClientFrame::Ping { .. } => Ok(()),
    }
}

#[cfg(test)]
#[path = "frames/tests.rs"]
mod tests;
