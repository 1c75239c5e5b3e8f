//! A session's batches page by page: while one page is looked at, the next is fetched.

use std::sync::Arc;

use events::{Seq, SessionId};
use tokio::task::JoinHandle;

use crate::segment_log::joined;
use crate::{Batch, Log, LogError, ReadLimit};

/// Reads on to the end of a session, which may move meanwhile. What is not asked for any more is thrown away.
pub struct Pages {
    log: Arc<dyn Log>,
    session: SessionId,
    after: Seq,
    limit: ReadLimit,
    fetched: Option<JoinHandle<Result<Vec<Batch>, LogError>>>,
}

impl Pages {
    /// Begins behind `after`; each page is bounded by `limit` and has one batch at least.
    #[must_use]
    pub fn behind(log: &Arc<dyn Log>, session: SessionId, after: Seq, limit: ReadLimit) -> Self {
        Self { log: Arc::clone(log), session, after, limit, fetched: None }
    }

    /// Returns the next whole batches, oldest first; none at the end, and again what follows once there is more.
    ///
    /// # Errors
    ///
    /// As [`Log::read`].
    pub async fn next(&mut self) -> Result<Vec<Batch>, LogError> {
        let fetched = match self.fetched.take() {
            Some(fetched) => joined(fetched.await)?,
            None => Vec::new(),
        };
        // Where the end was when the page was fetched, there may be more by now.
        let page = match fetched.is_empty() {
            true => self.log.read(self.session, self.after, self.limit).await?,
            false => fetched,
        };
        if let Some(last) = page.last() {
            self.after = last.last();
            let (log, session, after, limit) = (Arc::clone(&self.log), self.session, self.after, self.limit);
            self.fetched = Some(tokio::spawn(async move { log.read(session, after, limit).await }));
        }
        Ok(page)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.fetched.iter().for_each(JoinHandle::abort);
    }
}
