//! One client following one session: a snapshot, then one frame for every batch.
//!
//! A follower waits for room before it makes a frame. When its client was slow for so long that it is far behind,
//! it skips to now with a new snapshot, so that what a slow client costs is bounded.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use events::{Epoch, LogId, Seq, SessionId};
use metrics::counter;
use projections::{Slices, State};
use serde_json::{Map, Value};
use sessions::{Batch, LogError, ReadLimit, Session, Sessions, View, fold_batch};
use tokio::sync::watch;

use crate::GatewayLimits;
use crate::errors::Fault;
use crate::frames::{Cursor, Frame, Refused, ServerFrame};
use crate::history::{self, History, PageLimit};
use crate::meters::Counted;
use crate::outbox::{Ended, Outbox};

/// Batches that are read at once.
const READ: ReadLimit = ReadLimit { events: 256, bytes: 1 << 20 };

/// What a client asked to follow, and where its frames go.
pub(crate) struct Opening {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) session: SessionId,
    pub(crate) cursor: Option<Cursor>,
    pub(crate) log: LogId,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) limits: GatewayLimits,
}

/// Why a follower ends.
enum Stop {
    /// Its client is gone.
    Ended,
    /// The client is told why, and may open again.
    Refused(Fault),
    /// The client is told why, and opens again without its cursor.
    Resync(Fault),
    /// The session can be followed no longer.
    Closed(String),
    /// There is no session any more.
    Deleted,
}

impl From<Ended> for Stop {
    fn from(_: Ended) -> Self {
        Self::Ended
    }
}

impl From<LogError> for Stop {
    fn from(error: LogError) -> Self {
        match error {
            // It was there when its client opened it.
            LogError::NotFound { .. } => Self::Deleted,
            error => Self::Closed(error.to_string()),
        }
    }
}

/// A client that has its snapshot.
struct Follower {
    session: Session,
    log: LogId,
    outbox: Arc<Outbox>,
    limits: GatewayLimits,
    watch: watch::Receiver<View>,
    /// What the client was shown last.
    state: Arc<State>,
    host_epoch: Option<Epoch>,
    slices: Slices,
}

/// Follows until the client closes the session or is gone, or the session ends.
pub(crate) async fn follow(opening: Opening) {
    let (outbox, session) = (Arc::clone(&opening.outbox), opening.session);
    let _counted = Counted::in_gauge("waymark_followers");
    let Err(stop) = run(opening).await;
    // A client that is gone meanwhile needs no last word.
    let _ = tell(stop, session, &outbox).await;
}

async fn run(opening: Opening) -> Result<std::convert::Infallible, Stop> {
    let opened = opening.sessions.open(opening.session).await;
    let session = opened.map_err(|error| Stop::Refused(error.into()))?;
    let mut watch = session.watch();
    let view = watch.borrow_and_update().clone();
    if let Some(cursor) = opening.cursor {
        honour(cursor, opening.log, view.state.head).map_err(Stop::Resync)?;
    }
    let Opening { log, outbox, limits, cursor, .. } = opening;
    let (slices, state, host_epoch) = (view.slices(), view.state, view.host_epoch);
    let mut follower = Follower { session, log, outbox, limits, watch, state, host_epoch, slices };
    follower.outbox.room().await?;
    follower.send_snapshot(cursor.map(|cursor| cursor.seq)).await?;
    loop {
        follower.wait().await?;
        follower.catch_up().await?;
    }
}

/// Says whether a session of `log` that ends at `head` can be followed from `cursor` on.
pub(crate) fn honour(cursor: Cursor, log: LogId, head: Seq) -> Result<(), Fault> {
    let refuse = |code, message| Err(Fault::new(axum::http::StatusCode::GONE, code, message));
    if cursor.log != log {
        let message = format!("this cursor belongs to log {}; here is log {log}", cursor.log);
        return refuse("CURSOR_OTHER_LOG", message);
    }
    if cursor.seq > head {
        let message = format!("this cursor is at event {}; the session ends at event {head}", cursor.seq);
        return refuse("CURSOR_AHEAD", message);
    }
    Ok(())
}

async fn tell(stop: Stop, session: SessionId, outbox: &Outbox) -> Result<(), Ended> {
    match stop {
        Stop::Ended => Ok(()),
        Stop::Refused(fault) => outbox.push(Refused::session(session, fault).text()).await,
        Stop::Resync(fault) => {
            let why = fault.message.clone();
            outbox.push(Refused::session(session, fault).text()).await?;
            outbox.push(ServerFrame::Resync { session, why: &why }.text()).await
        }
        Stop::Closed(why) => {
            outbox.push(ServerFrame::Closed { session, code: "SESSION_CLOSED", why: &why }.text()).await
        }
        Stop::Deleted => {
            let why = "the session was deleted";
            outbox.push(ServerFrame::Closed { session, code: "SESSION_DELETED", why }.text()).await
        }
    }
}

impl Follower {
    async fn wait(&mut self) -> Result<(), Stop> {
        if self.watch.changed().await.is_ok() {
            return Ok(());
        }
        match self.watch.borrow().state.session.deleted {
            true => Err(Stop::Deleted),
            false => Err(Stop::Closed("the session is no longer served here".to_owned())),
        }
    }

    /// Shows what happened since, one frame a batch.
    async fn catch_up(&mut self) -> Result<(), Stop> {
        loop {
            self.outbox.room().await?;
            let view = self.watch.borrow_and_update().clone();
            match view.state.head.0.saturating_sub(self.state.head.0) {
                0 => return self.show_host(&view).await,
                lag if lag > self.limits.lag_events_max => self.skip_to(view).await?,
                _ => self.show_behind(&view).await?,
            }
        }
    }

    /// Shows the next batches, as long as there is room and the view has come that far.
    async fn show_behind(&mut self, view: &View) -> Result<(), Stop> {
        let batches = self.session.read(self.state.head, READ).await?;
        if batches.is_empty() {
            return Err(Stop::Closed("the session's log ends before its head; check the disk".to_owned()));
        }
        for batch in batches.iter().filter(|batch| batch.last() <= view.state.head) {
            if !self.outbox.has_room_now() {
                return Ok(());
            }
            self.show_batch(batch, view).await?;
        }
        Ok(())
    }

    async fn show_batch(&mut self, batch: &Batch, view: &View) -> Result<(), Stop> {
        let events = batch.envelopes()?;
        if batch.last() == view.state.head {
            self.state = Arc::clone(&view.state);
        } else {
            fold_batch(Arc::make_mut(&mut self.state), batch)?;
        }
        let slices = self.take_slices(view.host_epoch);
        let (session, cursor) = (self.session.id(), self.cursor());
        self.send(ServerFrame::Update { session, cursor, events: &events, slices }.text()).await?;
        if self.state.session.deleted {
            return Err(Stop::Deleted);
        }
        Ok(())
    }

    /// Shows what another owner of the session changes, without an event.
    async fn show_host(&mut self, view: &View) -> Result<(), Stop> {
        if view.host_epoch == self.host_epoch {
            return Ok(());
        }
        let slices = self.take_slices(view.host_epoch);
        if slices.is_empty() {
            return Ok(());
        }
        let (session, cursor) = (self.session.id(), self.cursor());
        self.send(ServerFrame::Update { session, cursor, events: &[], slices }.text()).await
    }

    async fn skip_to(&mut self, view: View) -> Result<(), Stop> {
        counter!("waymark_followers_skipped_total").increment(1);
        self.slices = view.slices();
        self.host_epoch = view.host_epoch;
        self.state = view.state;
        self.send_snapshot(None).await
    }

    async fn send_snapshot(&self, after: Option<Seq>) -> Result<(), Stop> {
        let head = self.state.head;
        let following = match after {
            Some(after) => history::behind(&self.session, (after, head), &self.limits).await?,
            None => None,
        };
        let follows = following.is_some();
        let page = match following {
            Some(page) => page,
            None => history::page_before(&self.session, head.next(), PageLimit::of(&self.limits)).await?,
        };
        let (session, cursor, history) = (self.session.id(), self.cursor(), History { page, follows });
        let slices = &self.slices;
        self.send(ServerFrame::Snapshot { session, cursor, slices, history: &history }.text()).await
    }

    /// Takes the slices of now as shown, and returns those that differ from what was shown before.
    fn take_slices(&mut self, host_epoch: Option<Epoch>) -> Map<String, Value> {
        let slices = Slices::of(&self.state, host_epoch);
        let changed = slices.changed_since(&self.slices).expect("a slice has no value that JSON lacks");
        self.host_epoch = host_epoch;
        self.slices = slices;
        changed
    }

    fn cursor(&self) -> Cursor {
        Cursor { log: self.log, seq: self.state.head }
    }

    /// Sends what brings the client to the state that it is shown.
    async fn send(&self, text: Utf8Bytes) -> Result<(), Stop> {
        Ok(self.outbox.push(Frame { text, cursor: Some(self.cursor()) }).await?)
    }
}
