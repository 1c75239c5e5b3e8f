//! Event data in, chunks out. Pure: the same data give the same chunks however the bytes were split.

use super::piece::{CallPiece, Delta, Piece};
use crate::assembly::is_json_object;
use crate::remote::api::Decode;
use crate::remote::refusal::{self, unreadable};
use crate::{Chunk, Failure, FailureClass, Finish};

/// What is remembered of an answer between two events.
#[derive(Default)]
pub(in crate::remote) struct Decoder {
    calls: Vec<CallSlot>,
    declined: bool,
    finish_reason: Option<String>,
    done: bool,
}

/// One call as the server has described it so far; its place in the list is its index in the answer.
#[derive(Default)]
struct CallSlot {
    server_index: Option<u32>,
    call_id: Option<String>,
    arguments: String,
}

impl Decode for Decoder {
    fn push(&mut self, data: &str) -> Result<Vec<Chunk>, Failure> {
        let data = data.trim();
        if data == "[DONE]" {
            self.done = true;
        }
        if self.done || data.is_empty() {
            return Ok(Vec::new());
        }
        let piece: Piece = serde_json::from_str(data).map_err(|error| unreadable(&error, data))?;
        if let Some(error) = piece.error.as_ref().filter(|error| !error.is_null()) {
            return Err(refusal::within_stream(error));
        }
        let usage = piece
            .usage
            .as_ref()
            .map(super::piece::UsagePiece::usage)
            .filter(|usage| *usage != crate::Usage::default());
        let mut chunks = Vec::new();
        if let Some(choice) = piece.into_choice() {
            self.read_delta(choice.delta.unwrap_or_default(), &mut chunks);
            self.read_finish(choice.finish_reason)?;
        }
        chunks.extend(usage.map(Chunk::Usage));
        Ok(chunks)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn is_finished(&self) -> bool {
        self.done || self.finish_reason.is_some()
    }

    fn finish(&self) -> Result<Finish, Failure> {
        let at_rest = if self.calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        match self.finish_reason.as_deref() {
            None if !self.done => Err(Failure::new(
                FailureClass::StreamCut,
                "the provider ended its answer without saying that it was finished",
            )),
            Some("length" | "max_tokens") => Ok(Finish::MaxTokens),
            Some("content_filter" | "refusal") => Ok(Finish::Refusal),
            _ if self.declined => Ok(Finish::Refusal),
            // Servers disagree about what a message with calls ends in, so the calls decide.
            _ => Ok(at_rest),
        }
    }
}

impl Decoder {
    fn read_delta(&mut self, delta: Delta, chunks: &mut Vec<Chunk>) {
        push_words(delta.reasoning(), Chunk::Reasoning, chunks);
        push_words(delta.text(), Chunk::Text, chunks);
        if let Some(refusal) = delta.refusal.filter(|refusal| !refusal.is_empty()) {
            self.declined = true;
            chunks.push(Chunk::Text(refusal));
        }
        for piece in delta.tool_calls.unwrap_or_default() {
            chunks.push(self.read_call(piece));
        }
    }

    fn read_call(&mut self, piece: CallPiece) -> Chunk {
        let function = piece.function.unwrap_or_default();
        let (name, arguments) = (function.name.clone().filter(|name| !name.is_empty()), function.arguments());
        let call_id = piece.id.filter(|id| !id.is_empty());
        let place = self.place(piece.index, call_id.as_deref(), name.is_some());
        let slot = &mut self.calls[place];
        if slot.call_id.is_none() {
            slot.call_id.clone_from(&call_id);
        }
        slot.arguments.push_str(&arguments);
        let index = u32::try_from(place).unwrap_or(u32::MAX);
        Chunk::CallDelta { index, call_id, name, arguments }
    }

    /// Returns the place of the call that a piece belongs to, a new one when it begins a call.
    ///
    /// Well-behaved servers number their calls. Others number all of them 0 and tell them apart by id, or give
    /// neither and send whole calls.
    fn place(&mut self, index: Option<u32>, call_id: Option<&str>, named: bool) -> usize {
        let same_index = |slot: &CallSlot| index.is_none() || slot.server_index == index;
        let found = match call_id {
            Some(id) => self.calls.iter().rposition(|slot| {
                same_index(slot) && slot.call_id.as_deref().is_none_or(|known| known == id)
            }),
            None => self.calls.iter().rposition(same_index),
        };
        let begins = |slot: &CallSlot| named && is_json_object(&slot.arguments);
        match found {
            Some(place) if call_id.is_some() || !begins(&self.calls[place]) => place,
            _ => {
                self.calls.push(CallSlot { server_index: index, ..CallSlot::default() });
                self.calls.len() - 1
            }
        }
    }

    fn read_finish(&mut self, reason: Option<String>) -> Result<(), Failure> {
        match reason.as_deref() {
            None | Some("") => Ok(()),
            Some("insufficient_system_resource") => Err(Failure::new(
                FailureClass::Overloaded,
                "the provider ran out of resources during its answer",
            )),
            Some("error") => {
                Err(Failure::new(FailureClass::Unknown, "the provider ended its answer in an error"))
            }
            Some(_) => {
                self.finish_reason = reason;
                Ok(())
            }
        }
    }
}

fn push_words(words: String, kind: fn(String) -> Chunk, chunks: &mut Vec<Chunk>) {
    if !words.is_empty() {
        chunks.push(kind(words));
    }
}

#[cfg(test)]
mod tests;
