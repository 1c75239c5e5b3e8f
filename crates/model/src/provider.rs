//! The one thing that every model has in common.

use futures_util::stream::BoxStream;

use crate::{Chunk, Failure, Request};

/// The answer to one request, as it arrives. It ends after its first failure.
pub type ChunkStream = BoxStream<'static, Result<Chunk, Failure>>;

/// Something that answers requests.
pub trait Provider: Send + Sync + 'static {
    /// Returns the provider's name, for people and for the log.
    fn name(&self) -> &str;

    /// Asks once. The answer moves on only while the stream is polled; dropping the stream cancels the request.
    fn stream(&self, request: Request) -> ChunkStream;
}
