//! A session as a stream of server-sent events, for clients that only read.
//!
//! Each event's data is a frame as a socket gets it (`snapshot`, `update`, `closed`); its id is the cursor behind it,
//! so that `Last-Event-ID` goes on where a client was. A cursor that cannot be honoured is answered with 410, and the
//! client asks again without it. The end of the server is the comment `going away`.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::StatusCode;
use axum::http::header::ACCEPT;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use sessions::Session;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinHandle;
use tokio::time::{Interval, interval};

use crate::access::Pass;
use crate::errors::Fault;
use crate::follower::{Opening, follow, honour};
use crate::frames::{Cursor, Frame};
use crate::outbox::{Farewell, Outbox, Outgoing};
use crate::serve::Front;
use crate::socket::{GOING_AWAY, SIGNED_OUT};

/// The header with which a client says what it saw last.
const LAST_EVENT_ID: &str = "last-event-id";
/// The shortest time after which a client that was cut off comes back, and how much more it may be: drawn for each
/// client, so that not all of them come back at once.
const RETRY: (Duration, Duration) = (Duration::from_millis(500), Duration::from_millis(1500));

/// One client that listens. Dropped when it is gone.
struct Listener {
    outbox: Arc<Outbox>,
    follower: JoinHandle<()>,
    front: Arc<Front>,
    pass: Pass,
    closing: watch::Receiver<bool>,
    /// When it is looked whether the client is still let in.
    looks: Interval,
    _permit: OwnedSemaphorePermit,
}

/// Says whether a request asks for a stream.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.into_iter().any(|accept| accept.contains("text/event-stream"))
}

/// Reads where a client goes on: from its header, else from its query.
pub(crate) fn cursor(headers: &HeaderMap, query: Option<&str>) -> Result<Option<Cursor>, Fault> {
    let header = headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("?"));
    let Some(text) = header.filter(|text| !text.is_empty()).or(query) else { return Ok(None) };
    text.parse().map(Some).map_err(|()| {
        let message = "a cursor is the id of an event of this stream, LOG:SEQ; leave it out to begin with all that is true";
        Fault::new(StatusCode::BAD_REQUEST, "CURSOR_INVALID", message)
    })
}

/// Answers a session from a cursor on, for as long as the client and the session stay.
pub(crate) fn stream(
    front: Arc<Front>,
    (session, cursor): (Session, Option<Cursor>),
    pass: Pass,
) -> Result<Response, Fault> {
    let log = front.gateway.about.log;
    if let Some(cursor) = cursor {
        honour(cursor, log, session.view().state.head)?;
    }
    let permit = front.admit()?;
    let limits = front.gateway.limits;
    let outbox = Arc::new(Outbox::new(&limits));
    let opening = Opening {
        sessions: Arc::clone(&front.gateway.sessions),
        session: session.id(),
        cursor,
        log,
        outbox: Arc::clone(&outbox),
        limits,
    };
    let end = Arc::clone(&outbox);
    let follower = tokio::spawn(async move {
        follow(opening).await;
        end.finish(Farewell::Close { code: 0, reason: "the session is followed no longer" });
    });
    let (closing, looks) = (front.closing.clone(), interval(limits.ping_every));
    let listener = Listener { outbox, follower, front, pass, closing, looks, _permit: permit };
    let alive = KeepAlive::new().interval(limits.ping_every);
    Ok(Sse::new(listener.events()).keep_alive(alive).into_response())
}

impl Listener {
    fn events(self) -> impl Stream<Item = Result<Event, axum::Error>> {
        let retry = Event::default().retry(rand::random_range(RETRY.0..RETRY.0 + RETRY.1));
        let first = stream::iter([Ok(retry)]);
        let rest = stream::unfold(Some(self), async |listener| {
            let mut listener = listener?;
            match listener.next().await {
                Outgoing::Frame(frame) => Some((Ok(event(&frame)), Some(listener))),
                Outgoing::Farewell(Farewell::Gone) => None,
                Outgoing::Farewell(Farewell::Close { reason, .. }) => {
                    Some((Ok(Event::default().comment(reason)), None))
                }
            }
        });
        stream::StreamExt::chain(first, rest)
    }

    /// Returns what comes next; once the server ends or the client is let in no longer, what still waits and then
    /// the goodbye.
    async fn next(&mut self) -> Outgoing {
        let closes = async {
            // Nobody drops the sender without having told first.
            let _ = self.closing.wait_for(|closing| *closing).await;
        };
        let mut is_let_in = async || {
            while self.front.role(&self.pass).is_some() {
                self.looks.tick().await;
            }
        };
        let reason = tokio::select! {
            biased;
            () = closes => GOING_AWAY,
            () = is_let_in() => SIGNED_OUT,
            outgoing = self.outbox.next() => return outgoing,
        };
        self.outbox.finish(Farewell::Close { code: 0, reason });
        self.outbox.next().await
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.follower.abort();
        self.outbox.finish(Farewell::Gone);
    }
}

fn event(frame: &Frame) -> Event {
    let event = Event::default().data(frame.text.as_str());
    match frame.cursor {
        Some(cursor) => event.id(cursor.to_string()),
        None => event,
    }
}
