//! A client with a socket.

use events::SessionId;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, Request};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};
use uuid::Uuid;

use crate::world::{PATIENCE, World};

pub(crate) struct Tab {
    pub(crate) socket: WebSocketStream<TcpStream>,
    pub(crate) hello: Value,
}

/// Returns a request for a socket as our page makes it, signed in with the launch token.
pub(crate) fn upgrade(world: &World, query: &str) -> Request<()> {
    let mut request = format!("ws://{}/v1/ws{query}", world.address()).into_client_request().unwrap();
    let headers = request.headers_mut();
    headers.insert("sec-websocket-protocol", HeaderValue::from_static("waymark.v1"));
    headers.insert("authorization", format!("Bearer {}", world.token()).parse().unwrap());
    request
}

/// Returns the status that a request for a socket is refused with.
pub(crate) async fn refused_with(world: &World, request: Request<()>) -> u16 {
    let stream = TcpStream::connect(world.address()).await.unwrap();
    match client_async(request, stream).await {
        Err(Error::Http(response)) => response.status().as_u16(),
        other => panic!("not refused: {:?}", other.map(|(_, response)| response)),
    }
}

impl Tab {
    pub(crate) async fn of(world: &World) -> Self {
        Self::named(world, &Uuid::now_v7().to_string()).await
    }

    pub(crate) async fn named(world: &World, client: &str) -> Self {
        Self::with(world, &format!("?client={client}")).await
    }

    pub(crate) async fn with(world: &World, query: &str) -> Self {
        let stream = TcpStream::connect(world.address()).await.unwrap();
        Self::on(stream, upgrade(world, query)).await
    }

    /// A tab that shows this token.
    pub(crate) async fn let_in_by(world: &World, token: &str) -> Self {
        let mut request = upgrade(world, "");
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        Self::on(TcpStream::connect(world.address()).await.unwrap(), request).await
    }

    /// A tab whose system takes little on its behalf.
    pub(crate) async fn narrow(world: &World) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let stream = socket.connect(world.address()).await.unwrap();
        Self::on(stream, upgrade(world, "")).await
    }

    async fn on(stream: TcpStream, request: Request<()>) -> Self {
        let (socket, _) = client_async(request, stream).await.unwrap();
        let mut tab = Self { socket, hello: Value::Null };
        tab.hello = tab.next().await;
        assert_eq!(tab.hello["type"], "hello");
        tab
    }

    pub(crate) async fn send(&mut self, frame: Value) {
        self.send_text(&frame.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn open(&mut self, session: SessionId) -> Value {
        self.send(json!({ "type": "open", "session": session })).await;
        self.until("snapshot").await
    }

    pub(crate) async fn open_from(&mut self, session: SessionId, cursor: &Value) {
        self.send(json!({ "type": "open", "session": session, "cursor": cursor })).await;
    }

    /// Sends a command and returns its id.
    pub(crate) async fn command(&mut self, session: SessionId, command: Value) -> String {
        let id = Uuid::now_v7().to_string();
        self.command_as(&id, session, command).await;
        id
    }

    pub(crate) async fn command_as(&mut self, id: &str, session: SessionId, command: Value) {
        self.send(json!({ "type": "command", "id": id, "session": session, "command": command })).await;
    }

    /// Sends a command and returns its receipt or refusal, and the frames that came before it.
    pub(crate) async fn done(&mut self, session: SessionId, command: Value) -> Value {
        let id = self.command(session, command).await;
        self.find(|frame| frame["id"] == id.as_str()).await
    }

    /// Returns the next frame.
    pub(crate) async fn next(&mut self) -> Value {
        let frame = async {
            loop {
                match self.message().await {
                    Some(Message::Text(text)) => return serde_json::from_str(&text).unwrap(),
                    Some(Message::Ping(_)) => {}
                    other => panic!("no frame: {other:?}"),
                }
            }
        };
        timeout(PATIENCE, frame).await.expect("no frame came")
    }

    /// Returns the next message of any kind, none at the end.
    pub(crate) async fn message(&mut self) -> Option<Message> {
        let message = timeout(PATIENCE, self.socket.next()).await.expect("nothing came");
        message.and_then(Result::ok)
    }

    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        self.find(|frame| frame["type"] == kind).await
    }

    pub(crate) async fn find(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.next().await;
            if is_it(&frame) {
                return frame;
            }
        }
    }

    /// Returns the frames about sessions up to the one whose cursor is at `seq`.
    pub(crate) async fn up_to(&mut self, seq: u64) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            if frame["cursor"].is_null() {
                continue;
            }
            let at = frame["cursor"]["seq"].as_u64().unwrap();
            frames.push(frame);
            if at >= seq {
                return frames;
            }
        }
    }

    /// Returns how the server closed the connection.
    pub(crate) async fn closed(&mut self) -> CloseFrame {
        loop {
            match self.message().await {
                Some(Message::Close(frame)) => return frame.expect("a close says why"),
                Some(_) => {}
                None => panic!("ended without a word"),
            }
        }
    }
}

/// Returns the seqs of the events in a frame.
pub(crate) fn seqs(frame: &Value) -> Vec<u64> {
    let events = frame["events"].as_array().or_else(|| frame["history"]["events"].as_array()).unwrap();
    events.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
}
