//! An answer that was recorded, decoded as if it came over the network.

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};

use super::api::Api;
use crate::{Chunk, Failure, Finish, sse};

/// Decodes the bytes of a whole answer, however they are cut into pieces.
pub fn decode_recorded(
    api: Api,
    pieces: impl IntoIterator<Item = Vec<u8>>,
) -> (Vec<Chunk>, Result<Finish, Failure>) {
    let pieces: Vec<_> = pieces.into_iter().map(|piece| Ok(Bytes::from(piece))).collect();
    let events = sse::events(stream::iter(pieces)).collect::<Vec<_>>().now_or_never();
    let mut decoder = api.decoder();
    let mut chunks = Vec::new();
    for event in events.unwrap_or_default() {
        match event.and_then(|data| decoder.push(&data)) {
            Ok(more) => chunks.extend(more),
            Err(failure) => return (chunks, Err(failure)),
        }
        if decoder.is_done() {
            break;
        }
    }
    (chunks, decoder.finish())
}

#[cfg(test)]
mod tests;
