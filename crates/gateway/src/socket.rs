//! The life of one connection: one task reads, one writes, and one follows each opened session.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::http::StatusCode;
use events::{CommandId, SessionId};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use sessions::ListCursor;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::tungstenite;

use crate::commands::{Asked, Lanes};
use crate::errors::Fault;
use crate::follower::{Opening, follow};
use crate::frames::{self, ClientFrame, Cursor, Refused, ServerFrame};
use crate::guard::{Caller, viewer_only};
use crate::list::{self, ListWatch, Teller};
use crate::meters::Counted;
use crate::outbox::{Farewell, Outbox, Outgoing};
use crate::serve::Front;
use crate::tokens::Role;

/// Why a connection ends when its server does.
pub(crate) const GOING_AWAY: &str = "going away";
/// Why a connection ends whose token or cookie was taken away.
pub(crate) const SIGNED_OUT: &str = "signed out";

/// What one connection has going.
struct Connection {
    front: Arc<Front>,
    caller: Caller,
    outbox: Arc<Outbox>,
    followers: HashMap<SessionId, JoinHandle<()>>,
    lanes: Lanes,
    list: Option<ListWatch>,
}

/// Serves a connection until either side ends it.
pub(crate) async fn serve_socket(socket: WebSocket, front: Arc<Front>, caller: Caller) {
    let _counted = Counted::in_gauge("waymark_sockets");
    let limits = front.gateway.limits;
    let (sink, mut stream) = socket.split();
    let mut connection = Connection::new(front, caller);
    let outbox = Arc::clone(&connection.outbox);
    let mut writer = tokio::spawn(write(sink, Arc::clone(&outbox), limits.ping_every));
    let farewell = connection.listen(&mut stream).await;
    connection.hang_up();
    outbox.finish(farewell);
    let last_words = async {
        // A writer that panicked has nothing more to say.
        let _ = (&mut writer).await;
        // Until the other side hangs up, too: unread bytes would make the system throw the close frame away.
        while let Some(Ok(_)) = stream.next().await {}
    };
    if timeout(limits.goodbye_max, last_words).await.is_err() {
        writer.abort();
    }
}

impl Connection {
    fn new(front: Arc<Front>, caller: Caller) -> Self {
        let limits = &front.gateway.limits;
        let outbox = Arc::new(Outbox::new(limits));
        let sessions = Arc::clone(&front.gateway.sessions);
        let lanes = Lanes::new(sessions, Arc::clone(&outbox), limits.commands_in_flight_max);
        Self { front, caller, outbox, followers: HashMap::new(), lanes, list: None }
    }

    /// Reads until there is a reason to end. Whoever says nothing, or takes nothing, for too long is given up.
    async fn listen(&mut self, stream: &mut SplitStream<WebSocket>) -> Farewell {
        let mut closing = self.front.closing.clone();
        let silence_max = self.front.gateway.limits.silence_max;
        if self.say(frames::hello(&self.front.gateway.about, self.caller.role)).await.is_break() {
            return Farewell::Gone;
        }
        loop {
            let heard = tokio::select! {
                biased;
                _ = closing.wait_for(|closing| *closing) => return going_away(),
                heard = timeout(silence_max, self.hear(stream)) => heard,
            };
            match heard {
                Err(_) => return Farewell::Close { code: close_code::POLICY, reason: "silent for too long" },
                Ok(ControlFlow::Break(farewell)) => return farewell,
                Ok(ControlFlow::Continue(())) => {}
            }
        }
    }

    async fn hear(&mut self, stream: &mut SplitStream<WebSocket>) -> ControlFlow<Farewell> {
        match stream.next().await {
            None => ControlFlow::Break(Farewell::Gone),
            Some(Err(error)) => ControlFlow::Break(farewell_to(error)),
            Some(Ok(Message::Text(text))) => self.receive(&text).await,
            Some(Ok(Message::Binary(_))) => {
                let fault = Fault::bad_frame("frames are JSON text, not binary");
                self.say(Refused { id: None, session: None, fault }.text()).await
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_))) => ControlFlow::Continue(()),
        }
    }

    async fn receive(&mut self, text: &str) -> ControlFlow<Farewell> {
        if text.len() > self.front.gateway.limits.frame_bytes_max {
            return ControlFlow::Break(too_large());
        }
        // A client has to say something every so often, so that a token taken away is noticed soon.
        if self.front.role(&self.caller.pass).is_none() {
            return ControlFlow::Break(Farewell::Close { code: close_code::POLICY, reason: SIGNED_OUT });
        }
        match frames::parse(text) {
            Err(refused) => self.say(refused.text()).await,
            Ok(ClientFrame::Ping { n }) => self.say(ServerFrame::Pong { n }.text()).await,
            Ok(ClientFrame::Open { session, cursor }) => self.open(session, cursor).await,
            Ok(ClientFrame::Close { session }) => {
                self.close(session).await;
                ControlFlow::Continue(())
            }
            Ok(ClientFrame::WatchSessions { query, archived }) => {
                let watched = self.watch_sessions(query, archived).await;
                self.say_fault(watched).await
            }
            Ok(ClientFrame::MoreSessions { after }) => {
                let asked = self.more_sessions(after);
                self.say_fault(asked).await
            }
            Ok(ClientFrame::Command { id, session, command }) => match self.submit(id, session, command) {
                Ok(()) => ControlFlow::Continue(()),
                Err(fault) => self.say(Refused::command(id, session, fault).text()).await,
            },
        }
    }

    fn submit(&mut self, id: CommandId, session: SessionId, command: Value) -> Result<(), Fault> {
        match self.caller.role {
            Role::Owner => {
                self.lanes.submit(Asked { client: self.caller.client.clone(), id, session, command })
            }
            Role::Viewer => Err(viewer_only()),
        }
    }

    /// Follows a session; one that is followed already is followed anew.
    async fn open(&mut self, session: SessionId, cursor: Option<Cursor>) -> ControlFlow<Farewell> {
        self.close(session).await;
        self.followers.retain(|_, follower| !follower.is_finished());
        let gateway = &self.front.gateway;
        if self.followers.len() >= gateway.limits.sessions_per_socket_max {
            let message = "this connection follows too many sessions; close one first";
            let fault = Fault::new(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_SESSIONS", message);
            return self.say(Refused::session(session, fault).text()).await;
        }
        let opening = Opening {
            sessions: Arc::clone(&gateway.sessions),
            session,
            cursor,
            log: gateway.about.log,
            outbox: Arc::clone(&self.outbox),
            limits: gateway.limits,
        };
        self.followers.insert(session, tokio::spawn(follow(opening)));
        ControlFlow::Continue(())
    }

    /// Ends a follower and waits for its end: no frame of it comes after this.
    async fn close(&mut self, session: SessionId) {
        if let Some(follower) = self.followers.remove(&session) {
            follower.abort();
            let _ = follower.await;
        }
    }

    /// Watches the session list; one that is watched already is watched anew.
    async fn watch_sessions(&mut self, query: String, archived: bool) -> Result<(), Fault> {
        let limits = &self.front.gateway.limits;
        let filter = list::filter((query, archived), limits)?;
        if let Some(before) = self.list.take() {
            before.stop().await;
        }
        let (sessions, outbox) = (Arc::clone(&self.front.gateway.sessions), Arc::clone(&self.outbox));
        self.list = Some(ListWatch::start(Teller::new(sessions, outbox, filter, limits)));
        Ok(())
    }

    fn more_sessions(&self, after: ListCursor) -> Result<(), Fault> {
        let unwatched = || Fault::bad_frame("no session list is watched; send watch-sessions first");
        self.list.as_ref().ok_or_else(unwatched)?.ask(after)
    }

    async fn say_fault(&self, done: Result<(), Fault>) -> ControlFlow<Farewell> {
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(fault) => self.say(Refused { id: None, session: None, fault }.text()).await,
        }
    }

    async fn say(&self, frame: Utf8Bytes) -> ControlFlow<Farewell> {
        match self.outbox.push(frame).await {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(Farewell::Gone),
        }
    }

    fn hang_up(&mut self) {
        self.followers.values().for_each(JoinHandle::abort);
        self.list = None;
    }
}

/// Writes what waits, and a ping every so often.
async fn write(mut sink: SplitSink<WebSocket, Message>, outbox: Arc<Outbox>, ping_every: Duration) {
    let mut pings = interval_at(Instant::now() + ping_every, ping_every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let (message, is_last) = tokio::select! {
            outgoing = outbox.next() => match outgoing {
                Outgoing::Frame(frame) => (Message::Text(frame.text), false),
                Outgoing::Farewell(Farewell::Gone) => return,
                Outgoing::Farewell(Farewell::Close { code, reason }) => {
                    (Message::Close(Some(CloseFrame { code, reason: reason.into() })), true)
                }
            },
            _ = pings.tick() => (Message::Ping(Vec::new().into()), false),
        };
        if sink.send(message).await.is_err() {
            return outbox.finish(Farewell::Gone);
        }
        if is_last {
            return;
        }
    }
}

fn going_away() -> Farewell {
    Farewell::Close { code: close_code::AWAY, reason: GOING_AWAY }
}

fn too_large() -> Farewell {
    Farewell::Close { code: close_code::SIZE, reason: "frame too large" }
}

fn farewell_to(error: axum::Error) -> Farewell {
    use tungstenite::Error;
    use tungstenite::error::ProtocolError;
    match error.into_inner().downcast_ref::<Error>() {
        Some(Error::Capacity(_)) => too_large(),
        Some(Error::Utf8(_)) => Farewell::Close { code: close_code::INVALID, reason: "not UTF-8" },
        Some(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Farewell::Gone,
        Some(Error::Protocol(_)) => Farewell::Close { code: close_code::PROTOCOL, reason: "protocol error" },
        _ => Farewell::Gone,
    }
}
