//! Why a model could not be asked, or did not answer to the end.

use serde::{Deserialize, Serialize};

/// The most bytes of a failure's message that are kept.
pub const FAILURE_MESSAGE_BYTES_MAX: usize = 2 * 1024;

/// A request that did not work out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{}: {message}", .class.name())]
pub struct Failure {
    /// What kind of failure it is; decides whether asking again makes sense.
    pub class: FailureClass,
    /// The provider's own words where there are any; at most 2 KiB, never a key.
    pub message: String,
    /// The HTTP status, when there was an answer.
    pub status: Option<u16>,
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    /// Returns a failure without status, its message cut to 2 KiB at a character boundary.
    #[must_use]
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self::uncut(class, message.into()).cut()
    }

    /// Returns a failure whose message still has to lose its secrets, and then be cut.
    pub(crate) fn uncut(class: FailureClass, message: String) -> Self {
        Self { class, message, status: None, retry_after_ms: None }
    }

    /// Cuts the message to 2 KiB at a character boundary.
    pub(crate) fn cut(mut self) -> Self {
        if self.message.len() > FAILURE_MESSAGE_BYTES_MAX {
            self.message.truncate(self.message.floor_char_boundary(FAILURE_MESSAGE_BYTES_MAX));
        }
        self
    }
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureClass {
    /// Too many requests or tokens; waiting helps.
    RateLimit,
    /// The provider has trouble; waiting helps.
    Overloaded,
    /// The conversation is too long for the model; compaction helps.
    ContextOverflow,
    /// The key is missing, wrong or not allowed to; only a person can help.
    Auth,
    /// The provider does not accept this request; asking again does not help.
    BadRequest,
    /// The provider could not be reached, or fell silent.
    Network,
    /// The answer stopped in the middle.
    StreamCut,
    /// Anything else.
    Unknown,
}

impl FailureClass {
    /// Returns the class's name in the log and on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RateLimit => "rate-limit",
            Self::Overloaded => "overloaded",
            Self::ContextOverflow => "context-overflow",
            Self::Auth => "auth",
            Self::BadRequest => "bad-request",
            Self::Network => "network",
            Self::StreamCut => "stream-cut",
            Self::Unknown => "unknown",
        }
    }

    /// Says whether the same request may well work a little later.
    #[must_use]
    pub fn is_outage(self) -> bool {
        matches!(self, Self::RateLimit | Self::Overloaded | Self::Network | Self::StreamCut)
    }
}
