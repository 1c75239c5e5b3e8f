//! Anthropic's messages.

mod body;
mod decoder;

pub(super) use body::Body;
pub(super) use decoder::Decoder;
