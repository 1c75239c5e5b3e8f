//! What differs between the APIs: paths, headers, bodies and decoders.

use serde::{Deserialize, Serialize};

use super::{chat, messages, responses};
use crate::{Chunk, Failure, Finish, Request};

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// OpenAI's chat completions, which nearly every server speaks.
    Chat,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Messages,
}

impl Api {
    /// Returns the name of a provider that nobody named.
    pub(super) fn default_name(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "openai",
            Self::Messages => "anthropic",
        }
    }

    /// Returns what is appended to a base address.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
        }
    }

    /// Returns the name of the header that carries the key.
    pub(super) fn key_header(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "authorization",
            Self::Messages => "x-api-key",
        }
    }

    /// Returns what stands before the key in its header.
    pub(super) fn key_prefix(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "Bearer ",
            Self::Messages => "",
        }
    }

    /// Returns the headers that every request carries.
    pub(super) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Chat | Self::Responses => &[],
            Self::Messages => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// Returns the JSON text of a request's body.
    pub(super) fn body(self, request: &Request, dialect: &Dialect<'_>) -> serde_json::Result<String> {
        match self {
            Self::Chat => serde_json::to_string(&chat::Body::new(request, dialect)),
            Self::Responses => serde_json::to_string(&responses::Body::new(request, dialect)),
            Self::Messages => serde_json::to_string(&messages::Body::new(request, dialect)),
        }
    }

    /// Returns a decoder for one answer.
    pub(super) fn decoder(self) -> Box<dyn Decode> {
        match self {
            Self::Chat => Box::<chat::Decoder>::default(),
            Self::Responses => Box::<responses::Decoder>::default(),
            Self::Messages => Box::<messages::Decoder>::default(),
        }
    }

    /// Returns the API that a recorded answer was given in, by the names that only it uses.
    #[must_use]
    pub fn of_recording(text: &str) -> Self {
        let says = |word: &str| text.contains(word);
        if says("\"response.") || says("\"object\":\"response\"") {
            Self::Responses
        } else if says("\"message_start\"") || says("\"content_block") || says("\"stop_reason\"") {
            Self::Messages
        } else {
            Self::Chat
        }
    }
}

/// What differs between servers of one API.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect<'a> {
    /// The provider's name: only items of its own go back to it.
    pub(super) provider: &'a str,
    /// Whether the output limit of chat completions is called `max_completion_tokens`.
    pub(super) completion_limit: bool,
    /// Whether earlier reasoning is sent back in plain words.
    pub(super) replay_reasoning: bool,
}

/// Event data in, chunks out. Pure: the same data give the same chunks however the bytes were split.
pub(super) trait Decode: Send {
    /// Takes the data of one event. A failure's message is as long as the server made it.
    fn push(&mut self, data: &str) -> Result<Vec<Chunk>, Failure>;

    /// Says whether the server has said that nothing follows.
    fn is_done(&self) -> bool;

    /// Says whether the answer is whole, though its usage may still follow.
    fn is_finished(&self) -> bool;

    /// Returns why the answer ended, or a failure when the server never said that it had.
    fn finish(&self) -> Result<Finish, Failure>;
}
