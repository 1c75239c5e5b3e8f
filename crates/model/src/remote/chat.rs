//! OpenAI's chat completions, and what other servers make of them.

mod body;
mod decoder;
mod piece;

pub(super) use body::Body;
pub(super) use decoder::Decoder;
