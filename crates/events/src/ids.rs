//! Ids and positions, each a type of its own so that none can be taken for another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::from_str(text).map(Self)
            }
        }
    )*};
}

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    )*};
}

uuid_ids! {
    /// Names a session for ever; chosen by whoever creates it (UUID v7), never used again.
    SessionId
    /// Names one queued input, from `input/queued` until it is claimed or withdrawn.
    InputId
    /// Names one message of the surface.
    MessageId
    /// Names one stay in plan mode: all proposals made during it are revisions of this plan.
    PlanId
    /// Names one question to a person.
    QuestionId
    /// Names one command as its sender numbered it; a resend carries the same id.
    CommandId
    /// Names one log folder; the `log` part of a cursor.
    LogId
}

text_ids! {
    /// Names a goal within its session: `goal-` and a UUID v7. Foreign ids need only be non-empty.
    GoalId
    /// Names a tool call, as the model's provider numbered it.
    CallId
    /// Names a browser tab, editor or script.
    ClientId
}

/// A position in a session's log: from 1, without gaps; 0 is "before the first".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// The position before the first event.
    pub const ZERO: Self = Self(0);

    /// Returns the position `count` further on.
    #[must_use]
    pub fn plus(self, count: u64) -> Self {
        Self(self.0 + count)
    }

    /// Returns the next position.
    #[must_use]
    pub fn next(self) -> Self {
        self.plus(1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One ownership of a session by one host: the fencing token. It only grows; 0 is "never owned".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch(pub u64);

impl Epoch {
    /// Returns the epoch that follows.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A 32-byte hash written as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(pub String);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Identifies an accepted command for the life of its session: BLAKE3 of client id and command id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub [u8; 16]);

impl OperationId {
    /// Hashes `client` and `command` together.
    #[must_use]
    pub fn of(client: &ClientId, command: CommandId) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(client.0.as_bytes()).update(&[0]).update(command.0.as_bytes());
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
