//! A loopback server that speaks every API of models, and says what a scripted model says; it can be made to fail as
//! servers do.

mod chat;
mod messages;
mod responses;

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{StreamExt, stream};
use model::scripted::Scripted;
use model::{Chunk, Failure, FailureClass, Provider, Request};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The one model that the server lists.
const MODEL: &str = "scripted";

/// A running server; it ends with this value.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    faults: Faults,
    serving: JoinHandle<()>,
}

/// What goes wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Half of the answer is sent, as if that were all.
    Cut,
    /// Half of the answer is sent, then nothing more.
    Stall,
    /// Something is sent that is no answer.
    Garbage,
    /// It is refused, and the client is asked to wait for as many seconds.
    TooMany(u32),
    /// The server broke.
    Broken,
    /// The whole answer is sent, one byte at a time.
    Drip,
}

/// What goes wrong with the next requests, the first one first.
type Faults = Arc<Mutex<VecDeque<Fault>>>;

#[derive(Clone)]
struct Desk {
    model: Scripted,
    faults: Faults,
}

/// How an API is written by a server.
trait Dialect: Default + Send + 'static {
    /// Reads a request back out of its body, so that a test sees what the model was asked.
    fn request(body: &Value) -> Request;

    /// Returns the events that a piece of the answer is sent as.
    fn piece(&mut self, chunk: Chunk) -> Vec<String>;

    /// Returns the events that an answer ends with.
    fn end(&mut self) -> Vec<String>;
}

impl ModelServer {
    /// Serves what `model` says.
    pub async fn start(model: Scripted) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let faults = Faults::default();
        let routes = Router::new()
            .route("/v1/models", get(async || Json(json!({"data": [{"id": MODEL}]}))))
            .route("/v1/chat/completions", post(answer::<chat::Chat>))
            .route("/v1/messages", post(answer::<messages::Messages>))
            .route("/v1/responses", post(answer::<responses::Responses>))
            .with_state(Desk { model, faults: Arc::clone(&faults) });
        let serving = tokio::spawn(async move {
            axum::serve(listener, routes).await.expect("the listener serves");
        });
        Self { address, faults, serving }
    }

    /// Returns the address up to and including the version.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Lets the next request that has no fault yet go wrong.
    pub fn will(&self, fault: Fault) {
        self.faults.lock().push_back(fault);
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer<D: Dialect>(State(desk): State<Desk>, Json(body): Json<Value>) -> Response {
    let fault = desk.faults.lock().pop_front();
    match fault {
        None => say::<D>(desk.model.stream(D::request(&body))).await,
        Some(Fault::TooMany(seconds)) => {
            let told = Json(json!({"error": {"type": "rate_limit_error", "message": "too many requests"}}));
            (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds.to_string())], told).into_response()
        }
        Some(Fault::Broken) => (StatusCode::INTERNAL_SERVER_ERROR, "out of order").into_response(),
        Some(Fault::Garbage) => event_stream(Body::from("data: hello there\n\n")),
        Some(Fault::Drip) => drip(whole::<D>(desk.model.stream(D::request(&body))).await),
        Some(Fault::Cut) => event_stream(Body::from(half::<D>())),
        Some(Fault::Stall) => {
            let sent = stream::iter([Ok::<_, io::Error>(half::<D>())]);
            event_stream(Body::from_stream(sent.chain(stream::pending())))
        }
    }
}

async fn say<D: Dialect>(mut chunks: model::ChunkStream) -> Response {
    let first = match chunks.next().await {
        Some(Err(failure)) if failure.class != FailureClass::StreamCut => return refusal(&failure),
        first => first,
    };
    let said = stream::iter(first).chain(chunks).map(Some).chain(stream::iter([None]));
    let events = said.scan(D::default(), |dialect, chunk| {
        let sent = match chunk {
            Some(Ok(chunk)) => Ok(dialect.piece(chunk).concat()),
            Some(Err(failure)) => Err(io::Error::other(failure)),
            None => Ok(dialect.end().concat()),
        };
        std::future::ready(Some(sent))
    });
    event_stream(Body::from_stream(events))
}

/// Returns the bytes of a whole answer.
async fn whole<D: Dialect>(mut chunks: model::ChunkStream) -> String {
    let mut dialect = D::default();
    let mut sent = String::new();
    while let Some(Ok(chunk)) = chunks.next().await {
        sent += &dialect.piece(chunk).concat();
    }
    sent + &dialect.end().concat()
}

fn drip(bytes: String) -> Response {
    let drops = bytes.into_bytes().into_iter().map(|byte| Ok::<_, io::Error>(Bytes::from(vec![byte])));
    event_stream(Body::from_stream(stream::iter(drops)))
}

/// Returns the beginning of an answer.
fn half<D: Dialect>() -> Bytes {
    Bytes::from(D::default().piece(Chunk::Text("Half a sent".to_owned())).concat())
}

fn event_stream(body: Body) -> Response {
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn refusal(failure: &Failure) -> Response {
    let status = match failure.class {
        FailureClass::Auth => StatusCode::UNAUTHORIZED,
        FailureClass::RateLimit => StatusCode::TOO_MANY_REQUESTS,
        FailureClass::BadRequest | FailureClass::ContextOverflow => StatusCode::BAD_REQUEST,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(json!({"error": {"message": failure.message}}))).into_response()
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
