//! The session list, told to one connection: its head, further pages as they are asked for, and what changes.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use events::SessionId;
use sessions::{ListCursor, ListFilter, ListNews, ListPage, LogError, Sessions};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::GatewayLimits;
use crate::errors::Fault;
use crate::frames::{Refused, ServerFrame};
use crate::outbox::{Ended, Outbox};

/// Pages that a connection may have asked for before the first of them is told.
const PAGES_ASKED_MAX: usize = 8;

/// The list that a connection watches. Dropping it ends the watch.
pub(crate) struct ListWatch {
    telling: JoinHandle<()>,
    pages: mpsc::Sender<ListCursor>,
}

impl ListWatch {
    pub(crate) fn start(teller: Teller) -> Self {
        let (pages, asked) = mpsc::channel(PAGES_ASKED_MAX);
        Self { telling: tokio::spawn(teller.tell(asked)), pages }
    }

    /// Asks for the page behind `after`.
    pub(crate) fn ask(&self, after: ListCursor) -> Result<(), Fault> {
        self.pages.try_send(after).map_err(|_| {
            let message = "too many pages of the session list are on their way; wait for one";
            Fault::new(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_PAGES", message)
        })
    }

    /// Ends the watch and waits for its end: no frame of it comes after this.
    pub(crate) async fn stop(mut self) {
        self.telling.abort();
        let _ = (&mut self.telling).await;
    }
}

impl Drop for ListWatch {
    fn drop(&mut self) {
        self.telling.abort();
    }
}

/// Reads a filter; a query of unusual length is refused.
pub(crate) fn filter((query, archived): (String, bool), limits: &GatewayLimits) -> Result<ListFilter, Fault> {
    if query.len() > limits.list_query_bytes_max {
        let message = format!("a search has at most {} bytes; use fewer words", limits.list_query_bytes_max);
        return Err(Fault::new(StatusCode::BAD_REQUEST, "QUERY_TOO_LONG", message));
    }
    Ok(ListFilter { query, archived })
}

/// Tells one connection.
pub(crate) struct Teller {
    sessions: Arc<Sessions>,
    outbox: Arc<Outbox>,
    filter: ListFilter,
    rows_max: usize,
    every: Duration,
    /// The version of the list that was told.
    version: u64,
    /// The sessions that the client has rows of.
    told: HashSet<SessionId>,
    archived_total: usize,
}

/// Why no more is told.
enum Stop {
    Ended,
    Failed(LogError),
}

impl From<Ended> for Stop {
    fn from(_: Ended) -> Self {
        Self::Ended
    }
}

impl From<LogError> for Stop {
    fn from(error: LogError) -> Self {
        Self::Failed(error)
    }
}

impl Teller {
    pub(crate) fn new(
        sessions: Arc<Sessions>,
        outbox: Arc<Outbox>,
        filter: ListFilter,
        limits: &GatewayLimits,
    ) -> Self {
        let (rows_max, every) = (limits.list_rows_max, limits.list_every);
        Self {
            sessions,
            outbox,
            filter,
            rows_max,
            every,
            version: 0,
            told: HashSet::new(),
            archived_total: 0,
        }
    }

    async fn tell(mut self, asked: mpsc::Receiver<ListCursor>) {
        if let Err(Stop::Failed(error)) = self.run(asked).await {
            let refused = Refused { id: None, session: None, fault: error.into() };
            // A client that is gone meanwhile needs no last word.
            let _ = self.outbox.push(refused.text()).await;
        }
    }

    async fn run(&mut self, mut asked: mpsc::Receiver<ListCursor>) -> Result<(), Stop> {
        let mut version = self.sessions.list_version();
        self.tell_head().await?;
        loop {
            let earliest = Instant::now() + self.every;
            while let Some(after) = next_page(&mut asked, (&mut version, self.version), earliest).await? {
                self.tell_page(after).await?;
            }
            self.tell_news().await?;
        }
    }

    async fn tell_head(&mut self) -> Result<(), Stop> {
        let page = self.sessions.page(&self.filter, None, self.rows_max).await?;
        (self.version, self.archived_total) = (page.version, page.archived_total);
        self.told.clear();
        self.remember(&page);
        let frame = ServerFrame::Sessions { filter: &self.filter, page: &page };
        Ok(self.outbox.push(frame.text()).await?)
    }

    async fn tell_page(&mut self, after: ListCursor) -> Result<(), Stop> {
        let page = self.sessions.page(&self.filter, Some(after), self.rows_max).await?;
        self.remember(&page);
        Ok(self.outbox.push(ServerFrame::SessionsMore { page: &page }.text()).await?)
    }

    fn remember(&mut self, page: &ListPage) {
        self.told.extend(page.rows.iter().map(|row| row.session));
    }

    /// Tells what is different, unless this client sees no difference. When that is more than a page, it begins anew.
    async fn tell_news(&mut self) -> Result<(), Stop> {
        let mut news: ListNews = self.sessions.news(&self.filter, self.version);
        if news.rows.len() > self.rows_max {
            return self.tell_head().await;
        }
        self.version = news.version;
        news.gone.retain(|session| self.told.remove(session));
        self.told.extend(news.rows.iter().map(|row| row.session));
        let archived_before = std::mem::replace(&mut self.archived_total, news.archived_total);
        if news.rows.is_empty() && news.gone.is_empty() && news.archived_total == archived_before {
            return Ok(());
        }
        Ok(self.outbox.push(ServerFrame::SessionsChanged { news: &news }.text()).await?)
    }
}

/// Returns the next page that is asked for; none once there is news behind `told`, at `earliest`.
async fn next_page(
    asked: &mut mpsc::Receiver<ListCursor>,
    (version, told): (&mut watch::Receiver<u64>, u64),
    earliest: Instant,
) -> Result<Option<ListCursor>, Ended> {
    let news = async {
        let moved = version.wait_for(|version| *version > told).await.is_ok();
        sleep_until(earliest).await;
        moved
    };
    tokio::select! {
        after = asked.recv() => after.map(Some).ok_or(Ended),
        moved = news => if moved { Ok(None) } else { Err(Ended) },
    }
}
