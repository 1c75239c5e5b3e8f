//! A session as a stream of server-sent events.

use events::SessionId;
use gateway::GatewayLimits;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::requests::get;
use crate::tab::{Tab, seqs};
use crate::world::{PATIENCE, World};

/// A client that only reads.
pub(crate) struct Listener {
    lines: Lines<BufReader<TcpStream>>,
}

/// What a stream says.
#[derive(Debug, PartialEq)]
pub(crate) enum Said {
    /// A frame, and the id that it has.
    Frame(String, Value),
    /// A comment.
    Comment(String),
    /// When to come back, in milliseconds.
    Retry(u64),
}

impl Listener {
    /// Listens to a session, from the event on that it saw last.
    pub(crate) async fn of(world: &World, session: SessionId, last: &str) -> Self {
        Self::let_in_by(world, world.token(), session, last).await
    }

    /// The same for somebody who shows this token.
    pub(crate) async fn let_in_by(world: &World, token: &str, session: SessionId, last: &str) -> Self {
        // Without chunks the bytes on the wire are the stream.
        let request = format!(
            "GET /v1/sessions/{session}/events HTTP/1.0\r\nHost: {}\r\nAccept: text/event-stream\r\n\
             Authorization: Bearer {token}\r\nLast-Event-ID: {last}\r\n\r\n",
            world.address(),
        );
        let mut stream = TcpStream::connect(world.address()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut listener = Self { lines: BufReader::new(stream).lines() };
        let head = listener.block().await.expect("an answer");
        assert!(head[0].ends_with("200 OK"), "{head:?}");
        assert!(head.iter().any(|line| line == "content-type: text/event-stream"), "{head:?}");
        listener
    }

    /// Returns the lines up to the next empty one; none at the end.
    async fn block(&mut self) -> Option<Vec<String>> {
        let mut block = Vec::new();
        loop {
            match timeout(PATIENCE, self.lines.next_line()).await.expect("nothing came").unwrap() {
                None => return None,
                Some(line) if line.is_empty() => return Some(block),
                Some(line) => block.push(line),
            }
        }
    }

    /// Returns what comes next; none at the end.
    pub(crate) async fn next(&mut self) -> Option<Said> {
        let block = self.block().await?;
        let field = |name: &str| block.iter().find_map(|line| line.strip_prefix(name)).map(str::trim);
        if let Some(data) = field("data:") {
            let id = field("id:").unwrap_or_default().to_owned();
            return Some(Said::Frame(id, serde_json::from_str(data).unwrap()));
        }
        if let Some(retry) = field("retry:") {
            return Some(Said::Retry(retry.parse().unwrap()));
        }
        Some(Said::Comment(field(":").expect("a comment").to_owned()))
    }

    /// Returns the next frame and its id.
    pub(crate) async fn frame(&mut self) -> (String, Value) {
        loop {
            if let Said::Frame(id, frame) = self.next().await.expect("the stream goes on") {
                return (id, frame);
            }
        }
    }

    /// Returns the comment with which the stream ends.
    pub(crate) async fn goodbye(&mut self) -> Option<String> {
        let mut last = None;
        while let Some(said) = self.next().await {
            last = Some(said);
        }
        match last {
            Some(Said::Comment(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the frames up to the one whose cursor is at `seq`.
    pub(crate) async fn up_to(&mut self, seq: u64) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let (_, frame) = self.frame().await;
            let at = frame["cursor"]["seq"].as_u64().unwrap();
            frames.push(frame);
            if at >= seq {
                return frames;
            }
        }
    }
}

async fn title(world: &World, session: &sessions::Session, title: &str) {
    let mut tab = Tab::of(world).await;
    let done = tab.done(session.id(), json!({ "type": "set-title", "title": title })).await;
    assert_eq!(done["type"], "receipt");
}

#[tokio::test]
async fn a_stream_begins_with_what_is_true_and_goes_on_with_what_changes() {
    let world = World::start().await;
    let session = world.session().await;
    let mut listener = Listener::of(&world, session.id(), "").await;
    assert!(matches!(listener.next().await, Some(Said::Retry(500..2000))));
    let (id, snapshot) = listener.frame().await;
    assert_eq!((snapshot["type"].as_str(), seqs(&snapshot)), (Some("snapshot"), vec![1, 2]));
    assert_eq!(id, format!("{}:2", world.log_id()));
    title(&world, &session, "heard").await;
    let (id, update) = listener.frame().await;
    assert_eq!((&update["type"], &update["slices"]["title"]), (&json!("update"), &json!("heard")));
    assert_eq!(id, format!("{}:{}", world.log_id(), update["cursor"]["seq"]));
}

#[tokio::test]
async fn a_listener_that_comes_back_hears_only_what_it_missed() {
    let mut world = World::start().await;
    let session = world.session().await;
    let (last, _) = Listener::of(&world, session.id(), "").await.frame().await;
    title(&world, &session, "missed").await;
    world.restart().await;
    let (id, snapshot) = Listener::of(&world, session.id(), &last).await.frame().await;
    assert_eq!((&snapshot["history"]["follows"], seqs(&snapshot)), (&json!(true), vec![3]));
    assert_eq!(id, format!("{}:3", world.log_id()));
}

#[tokio::test]
async fn a_cursor_that_cannot_be_honoured_is_refused_before_anything_is_said() {
    let world = World::start().await;
    let session = world.session().await.id();
    let (log, other) = (world.log_id(), uuid::Uuid::now_v7());
    for (cursor, status, code) in [
        (format!("{other}:1"), 410, "CURSOR_OTHER_LOG"),
        (format!("{log}:99"), 410, "CURSOR_AHEAD"),
        ("7".to_owned(), 400, "CURSOR_INVALID"),
        (format!("{log}:-1"), 400, "CURSOR_INVALID"),
    ] {
        let ask = get(format!("/v1/sessions/{session}/events")).with("Accept", "text/event-stream");
        let answer = ask.with("Last-Event-ID", cursor).signed(&world).of(&world).await;
        assert_eq!((answer.status, &answer.json()["code"]), (status, &json!(code)));
        assert!(answer.json()["message"].as_str().unwrap().len() > 20);
    }
}

#[tokio::test]
async fn a_cursor_may_stand_in_the_address() {
    let world = World::start().await;
    let session = world.session().await.id();
    let path = format!("/v1/sessions/{session}/events?cursor={}:99", world.log_id());
    let answer = get(path).with("Accept", "text/event-stream").signed(&world).of(&world).await;
    assert_eq!((answer.status, &answer.json()["code"]), (410, &json!("CURSOR_AHEAD")));
}

#[tokio::test]
async fn a_server_that_ends_says_so_after_what_still_waits() {
    let world = World::start().await;
    let session = world.session().await;
    let mut listener = Listener::of(&world, session.id(), "").await;
    listener.frame().await;
    title(&world, &session, "last words").await;
    let heard = tokio::spawn(async move {
        let mut heard = Vec::new();
        while let Some(said) = listener.next().await {
            heard.push(said);
        }
        heard
    });
    world.stop().await;
    let heard = heard.await.unwrap();
    assert!(
        matches!(&heard[0], Said::Frame(_, frame) if frame["slices"]["title"] == "last words"),
        "{heard:?}"
    );
    assert_eq!(heard.last(), Some(&Said::Comment("going away".to_owned())));
}

#[tokio::test]
async fn a_deleted_session_ends_its_streams() {
    let world = World::start().await;
    let session = world.session().await.id();
    let mut listener = Listener::of(&world, session, "").await;
    listener.frame().await;
    world.sessions.delete(session, events::ClientId::from("test")).await.unwrap();
    loop {
        let (_, frame) = listener.frame().await;
        if frame["type"] == "closed" {
            assert_eq!(frame["code"], "SESSION_DELETED");
            break;
        }
    }
    assert!(matches!(listener.next().await, Some(Said::Comment(_))));
    assert_eq!(listener.next().await, None);
}

#[tokio::test]
async fn streams_count_as_connections() {
    let world = World::with(GatewayLimits { sockets_max: 1, ..GatewayLimits::default() }).await;
    let session = world.session().await.id();
    let mut listener = Listener::of(&world, session, "").await;
    listener.frame().await;
    let ask = get(format!("/v1/sessions/{session}/events")).with("Accept", "text/event-stream");
    let answer = ask.signed(&world).of(&world).await;
    assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("TOO_MANY_SOCKETS")));
}

#[tokio::test]
async fn a_quiet_stream_shows_that_it_is_alive() {
    let ping_every = std::time::Duration::from_millis(20);
    let world = World::with(GatewayLimits { ping_every, ..GatewayLimits::default() }).await;
    let session = world.session().await.id();
    let mut listener = Listener::of(&world, session, "").await;
    listener.frame().await;
    assert!(matches!(listener.next().await, Some(Said::Comment(_))));
}
