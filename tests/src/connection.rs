//! A tab's line to the server: kept open, and opened again with its cursor when it breaks.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use uuid::Uuid;

use crate::Seen;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Everything that a line needs to come back by itself.
pub(crate) struct Connection {
    pub(crate) session: Uuid,
    /// Names the tab to the server, so that a command sent again is known.
    pub(crate) client: Uuid,
    pub(crate) cookie: String,
    /// Where a server listens, when one does.
    pub(crate) up: watch::Receiver<Option<SocketAddr>>,
    pub(crate) seen: watch::Sender<Seen>,
    /// Frames to send, commands with their id.
    pub(crate) orders: mpsc::UnboundedReceiver<(Option<Uuid>, Value)>,
    /// Commands without an answer yet, oldest first.
    pub(crate) unanswered: Vec<(Uuid, Value)>,
}

/// Why a line is not opened again.
struct TabClosed;

impl Connection {
    /// Keeps the line open until the tab is closed.
    pub(crate) async fn keep(mut self) {
        loop {
            let Ok(address) = self.up.wait_for(Option::is_some).await.map(|up| *up) else { return };
            self.up.mark_unchanged();
            if let Ok(socket) = self.connect(address.expect("it was waited for")).await {
                if let Err(TabClosed) = self.serve(socket).await {
                    return;
                }
            } else if self.up.changed().await.is_err() {
                return;
            }
        }
    }

    async fn connect(&self, address: SocketAddr) -> Result<Socket, String> {
        let url = format!("ws://{address}/v1/ws?client={}", self.client);
        let mut request = url.into_client_request().map_err(|error| error.to_string())?;
        let headers = request.headers_mut();
        headers.insert("Sec-WebSocket-Protocol", HeaderValue::from_static("waymark.v1"));
        let cookie = HeaderValue::from_str(&self.cookie).map_err(|error| error.to_string())?;
        headers.insert("Cookie", cookie);
        let (mut socket, _) = connect_async(request).await.map_err(|error| error.to_string())?;
        for frame in self.greeting() {
            socket.send(Message::text(frame.to_string())).await.map_err(|error| error.to_string())?;
        }
        Ok(socket)
    }

    /// Returns what is sent first: the session to follow from where the tab stands, and what had no answer.
    fn greeting(&self) -> Vec<Value> {
        let open = match &self.seen.borrow().cursor {
            None => json!({"type": "open", "session": self.session}),
            Some(cursor) => json!({"type": "open", "session": self.session, "cursor": cursor}),
        };
        let again = self.unanswered.iter().map(|(_, frame)| frame.clone());
        [json!({"type": "watch-sessions"}), open].into_iter().chain(again).collect()
    }

    /// Passes frames both ways until the line breaks.
    async fn serve(&mut self, mut socket: Socket) -> Result<(), TabClosed> {
        loop {
            tokio::select! {
                order = self.orders.recv() => {
                    let (id, frame) = order.ok_or(TabClosed)?;
                    if let Some(id) = id {
                        self.unanswered.push((id, frame.clone()));
                    }
                    if socket.send(Message::text(frame.to_string())).await.is_err() {
                        return Ok(());
                    }
                }
                message = socket.next() => match message {
                    Some(Ok(Message::Text(text))) => self.take(&text),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    _ => return Ok(()),
                },
            }
        }
    }

    fn take(&mut self, text: &str) {
        let frame: Value = serde_json::from_str(text).expect("a frame is JSON");
        self.unanswered.retain(|(id, _)| frame["id"] != id.to_string());
        self.seen.send_modify(|seen| seen.take(&frame));
    }
}
