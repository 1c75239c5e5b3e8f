//! A loopback server that speaks chat completions, and says what a scripted model says.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{StreamExt, TryStreamExt, stream};
use model::scripted::Scripted;
use model::{Call, Chunk, Failure, FailureClass, Finish, Message, Provider, Request};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The one model that the server lists.
const MODEL: &str = "scripted";

/// A running server; it ends with this value.
#[derive(Debug)]
pub struct OpenAiServer {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl OpenAiServer {
    /// Serves what `model` says.
    pub async fn start(model: Scripted) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let routes = Router::new()
            .route("/v1/models", get(async || Json(json!({"data": [{"id": MODEL}]}))))
            .route("/v1/chat/completions", post(complete))
            .with_state(model);
        let serving = tokio::spawn(async move {
            axum::serve(listener, routes).await.expect("the listener serves");
        });
        Self { address, serving }
    }

    /// Returns the address up to and including the version.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

impl Drop for OpenAiServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn complete(State(model): State<Scripted>, Json(body): Json<Value>) -> Response {
    let mut chunks = model.stream(request(&body));
    let first = match chunks.next().await {
        Some(Err(failure)) if failure.class != FailureClass::StreamCut => return refusal(&failure),
        first => first,
    };
    let events =
        stream::iter(first).chain(chunks).map_ok(|chunk| event(&piece(chunk))).map_err(io::Error::other);
    let whole = events.chain(stream::iter([Ok("data: [DONE]\n\n".to_owned())]));
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(whole)).into_response()
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

fn piece(chunk: Chunk) -> Value {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    match chunk {
        Chunk::Text(text) => delta(json!({"content": text})),
        Chunk::Reasoning(text) => delta(json!({"reasoning_content": text})),
        Chunk::CallDelta { index, call_id, name, arguments } => delta(json!({"tool_calls": [{
            "index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments},
        }]})),
        Chunk::Usage(usage) => json!({"choices": [], "usage": {
            "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens,
        }}),
        Chunk::Finish(finish) => {
            let reason = match finish {
                Finish::Stop => "stop",
                Finish::ToolCalls => "tool_calls",
                Finish::MaxTokens => "length",
                Finish::Refusal => "content_filter",
            };
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        }
    }
}

/// Reads a request back out of its body, so that a test sees what the model was asked.
fn request(body: &Value) -> Request {
    let messages = body["messages"].as_array().expect("a request has messages");
    let (system, told): (Vec<_>, Vec<_>) = messages.iter().partition(|message| message["role"] == "system");
    Request {
        model: text(&body["model"]),
        system: system.first().map(|message| text(&message["content"])).unwrap_or_default(),
        messages: told.into_iter().map(message).collect(),
        tools: body["tools"].as_array().into_iter().flatten().map(tool).collect(),
        effort: None,
        max_output_tokens: None,
    }
}

fn message(message: &Value) -> Message {
    let content = text(&message["content"]);
    match message["role"].as_str() {
        Some("user") => Message::User { text: content },
        Some("tool") => {
            let is_error = content.starts_with("Error");
            Message::Tool { call_id: text(&message["tool_call_id"]), text: content, is_error }
        }
        Some("assistant") => {
            let calls = message["tool_calls"].as_array().into_iter().flatten().map(call).collect();
            Message::Assistant { text: content, reasoning: String::new(), calls }
        }
        role => panic!("a message has the role {role:?}"),
    }
}

fn call(call: &Value) -> Call {
    let function = &call["function"];
    Call {
        call_id: text(&call["id"]),
        name: text(&function["name"]),
        arguments: text(&function["arguments"]),
    }
}

fn tool(tool: &Value) -> model::ToolSpec {
    let function = &tool["function"];
    model::ToolSpec {
        name: text(&function["name"]),
        description: text(&function["description"]),
        parameters: function["parameters"].clone(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
