//! Letting an answer stream, word by word.

use std::time::Duration;

use futures_util::stream::{self, StreamExt};

use super::script::{Beat, Wish};
use super::words;
use crate::{Chunk, ChunkStream, Finish, Message, Request, Usage};

/// How many characters of a call's arguments come in one piece.
const ARGUMENT_CHARS: usize = 24;

/// The model has no tokens; this many characters count as one.
const CHARS_PER_TOKEN: usize = 4;

/// Returns the chunks of an answer, cut at the output limit of the request.
pub(super) fn chunks(request: &Request, beat: Beat) -> Vec<Chunk> {
    let finish = if beat.wishes.is_empty() { Finish::Stop } else { Finish::ToolCalls };
    let mut chunks: Vec<Chunk> = spoken(&beat.reasoning).map(Chunk::Reasoning).collect();
    chunks.extend(spoken(&beat.say).map(Chunk::Text));
    let seed = words::hash(&serde_json::to_vec(&request.messages).unwrap_or_default());
    for (index, wish) in (0..).zip(&beat.wishes) {
        chunks.extend(call(index, format!("rehearsal_{seed:016x}_{index}"), wish));
    }
    let finish = if cut(&mut chunks, request.max_output_tokens) { Finish::MaxTokens } else { finish };
    chunks.push(Chunk::Usage(usage(request, &chunks)));
    chunks.push(Chunk::Finish(finish));
    chunks
}

/// Returns a stream that waits for `pace` before each chunk.
pub(super) fn stream(chunks: Vec<Chunk>, pace: Duration) -> ChunkStream {
    stream::iter(chunks)
        .then(move |chunk| async move {
            if !pace.is_zero() {
                tokio::time::sleep(pace).await;
            }
            Ok(chunk)
        })
        .boxed()
}

fn spoken(text: &str) -> impl Iterator<Item = String> {
    text.split_inclusive(' ').map(str::to_owned)
}

fn call(index: u32, call_id: String, wish: &Wish) -> Vec<Chunk> {
    let head = Chunk::CallDelta {
        index,
        call_id: Some(call_id),
        name: Some(wish.tool.to_owned()),
        arguments: String::new(),
    };
    let arguments: Vec<char> = wish.arguments.to_string().chars().collect();
    let pieces = arguments.chunks(ARGUMENT_CHARS).map(|piece| Chunk::CallDelta {
        index,
        call_id: None,
        name: None,
        arguments: piece.iter().collect(),
    });
    std::iter::once(head).chain(pieces).collect()
}

/// Drops what lies behind the limit, and says whether anything did.
fn cut(chunks: &mut Vec<Chunk>, tokens_max: Option<u32>) -> bool {
    let Some(tokens_max) = tokens_max.and_then(|tokens| usize::try_from(tokens).ok()) else {
        return false;
    };
    let mut chars = 0;
    let fits = chunks.iter().take_while(|chunk| {
        chars += chars_of(chunk);
        chars <= tokens_max.saturating_mul(CHARS_PER_TOKEN)
    });
    let kept = fits.count();
    let is_cut = kept < chunks.len();
    chunks.truncate(kept);
    is_cut
}

fn usage(request: &Request, chunks: &[Chunk]) -> Usage {
    let reasoning = chunks.iter().filter(|chunk| matches!(chunk, Chunk::Reasoning(_)));
    Usage {
        input_tokens: tokens(
            request.system.chars().count() + request.messages.iter().map(chars_in).sum::<usize>(),
        ),
        output_tokens: tokens(chunks.iter().map(chars_of).sum()),
        cached_input_tokens: 0,
        reasoning_tokens: tokens(reasoning.map(chars_of).sum()),
    }
}

fn tokens(chars: usize) -> u64 {
    u64::try_from(chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u64::MAX)
}

fn chars_of(chunk: &Chunk) -> usize {
    match chunk {
        Chunk::Text(text) | Chunk::Reasoning(text) | Chunk::CallDelta { arguments: text, .. } => {
            text.chars().count()
        }
        Chunk::Item(_) | Chunk::Usage(_) | Chunk::Finish(_) => 0,
    }
}

fn chars_in(message: &Message) -> usize {
    match message {
        Message::User { text } | Message::Tool { text, .. } => text.chars().count(),
        Message::Assistant { text, reasoning, calls, items: _ } => {
            let called: usize =
                calls.iter().map(|call| call.name.len() + call.arguments.chars().count()).sum();
            text.chars().count() + reasoning.chars().count() + called
        }
    }
}
