use std::sync::Mutex;

use axum::body::Body;
use axum::http::Response;
use bytes::Bytes;
use tokio::sync::oneshot;

use super::stage::*;
use super::*;
use crate::{Assembly, Chunk, FailureClass, Finish};

const HAPPY: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\n",
    "data: [DONE]\n\n"
);

const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n";

async fn failure(status: u16, body: &'static str) -> Failure {
    let server = LocalServer::start(move || response(status, "application/json", body)).await;
    let (chunks, failure) = server.ask(Api::Chat).await;
    assert_eq!(chunks, []);
    failure.unwrap()
}

#[tokio::test]
async fn an_answer_comes_with_text_usage_and_an_end() {
    let server = LocalServer::start(|| event_stream(HAPPY)).await;
    let (chunks, failure) = server.ask(Api::Chat).await;
    assert_eq!(failure, None);
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Finish::Stop)));
    let mut assembly = Assembly::new();
    chunks.iter().for_each(|chunk| assembly.push(chunk));
    assert_eq!((assembly.text(), assembly.usage().unwrap().input_tokens), ("hello", 3));
}

#[tokio::test]
async fn the_request_is_what_chat_completions_expect() {
    let server = LocalServer::start(|| event_stream(HAPPY)).await;
    server.ask(Api::Chat).await;
    let (path, authorization, body) = server.asked.lock().unwrap().remove(0);
    assert_eq!((path.as_str(), authorization), ("/v1/chat/completions", Some(format!("Bearer {KEY}"))));
    let call = |id: &str, name: &str, arguments: &str| serde_json::json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let expected = serde_json::json!({
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": null, "tool_calls": [
                call("c1", "list_files", "{}"),
                call("c2", "search", "{\"not_json\":\"{\\\"pat\"}"),
                call("c3", "search", "{ \"a\":1.0}"),
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": [{"type": "function", "function": {
            "name": "list_files", "description": "Lists.", "parameters": {"type": "object"},
        }}],
        "reasoning_effort": "high",
        "max_tokens": 99,
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn any_spelling_of_the_address_and_no_key_will_do() {
    let server = LocalServer::start(|| event_stream(HAPPY)).await;
    for end in ["", "/", "//", "/chat/completions", "?version=1"] {
        let config = RemoteConfig {
            replay_reasoning: true,
            ..RemoteConfig::new(Api::Chat, format!("{}{end}", server.base_url))
        };
        assert_eq!(ask(config).await.1, None);
    }
    let asked = std::mem::take(&mut *server.asked.lock().unwrap());
    assert!(
        asked
            .iter()
            .all(|(path, authorization, _)| path.starts_with("/v1/chat/completions")
                && authorization.is_none())
    );
    assert_eq!(asked[4].0, "/v1/chat/completions?version=1");
    assert_eq!(asked[0].2["messages"][2]["reasoning_content"], "hm");
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = r#"{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}"#;
    let server = LocalServer::start(move || response(200, "application/json", whole)).await;
    let (chunks, failure) = server.ask(Api::Chat).await;
    assert_eq!((chunks.len(), failure), (2, None));
}

#[tokio::test]
async fn a_wrong_key_is_an_auth_failure_that_does_not_repeat_it() {
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-very-secret-0123456789."}}"#;
    let failure = failure(401, body).await;
    assert_eq!((failure.class, failure.status), (FailureClass::Auth, Some(401)));
    assert_eq!(failure.message, "Incorrect API key provided: [key].");
}

#[tokio::test]
async fn a_key_at_the_cut_of_a_long_message_does_not_show_its_beginning() {
    let long = format!("{}{KEY}", "x".repeat(crate::FAILURE_MESSAGE_BYTES_MAX - 10));
    let server = LocalServer::start(move || response(500, "text/plain", long.clone())).await;
    let message = server.ask(Api::Chat).await.1.unwrap().message;
    assert!(message.len() <= crate::FAILURE_MESSAGE_BYTES_MAX && !message.contains("sk-v"), "{message}");
    let echo = format!("{HALF}data: {} {KEY}\n\n", "x".repeat(180));
    let server = LocalServer::start(move || event_stream(echo.clone())).await;
    let message = server.ask(Api::Chat).await.1.unwrap().message;
    assert!(!message.contains("sk-v"), "{message}");
}

#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    let server = LocalServer::start(|| {
        let mut limited = response(429, "application/json", r#"{"error":{"message":"slow down"}}"#);
        limited.headers_mut().insert("retry-after", HeaderValue::from_static("7"));
        limited
    })
    .await;
    let failure = server.ask(Api::Chat).await.1.unwrap();
    let expected = Failure {
        status: Some(429),
        retry_after_ms: Some(7_000),
        ..Failure::new(FailureClass::RateLimit, "slow down")
    };
    assert_eq!(failure, expected);
}

#[tokio::test]
async fn server_trouble_and_bad_requests_differ() {
    assert_eq!(failure(500, "").await.class, FailureClass::Overloaded);
    assert_eq!(failure(400, r#"{"error":{"message":"bad tool"}}"#).await.class, FailureClass::BadRequest);
    let long = r#"{"error":{"message":"maximum context length is 10 tokens"}}"#;
    assert_eq!(failure(400, long).await.class, FailureClass::ContextOverflow);
}

/// Asks a server that sends `sent`, and whose connection breaks once the client has read the first chunk.
async fn unplugged_after(sent: &'static str) -> (Vec<Chunk>, Option<Failure>) {
    let plug = Arc::new(tokio::sync::Notify::new());
    let pulled = Arc::clone(&plug);
    let server = LocalServer::start(move || {
        let pulled = Arc::clone(&pulled);
        let sent = stream::once(async move { Ok(Bytes::from(sent)) });
        let error = stream::once(async move {
            pulled.notified().await;
            Err(std::io::Error::other("pulled the plug"))
        });
        event_stream(Body::from_stream(sent.chain(error)))
    })
    .await;
    let mut answer = Remote::new(server.config(Api::Chat)).unwrap().stream(request());
    let first = answer.next().await.unwrap().unwrap();
    plug.notify_one();
    let mut told = (vec![first], None);
    while let Some(chunk) = answer.next().await {
        match chunk {
            Ok(chunk) => told.0.push(chunk),
            Err(failure) => told.1 = Some(failure),
        }
    }
    told
}

#[tokio::test]
async fn a_connection_that_breaks_is_a_cut_stream() {
    let (chunks, failure) = unplugged_after(HALF).await;
    assert_eq!(chunks, [Chunk::Text("hel".into())]);
    let failure = failure.unwrap();
    assert_eq!(failure.class, FailureClass::StreamCut);
    assert!(failure.message.contains("broke off"), "{}", failure.message);
}

#[tokio::test]
async fn an_answer_that_just_ends_is_a_cut_stream() {
    let server = LocalServer::start(|| event_stream(HALF)).await;
    let (chunks, failure) = server.ask(Api::Chat).await;
    assert_eq!(chunks, [Chunk::Text("hel".into())]);
    assert_eq!(failure.unwrap().class, FailureClass::StreamCut);
}

#[tokio::test]
async fn a_whole_answer_survives_the_loss_of_its_usage() {
    let sent = concat!(
        "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    );
    let (chunks, failure) = unplugged_after(sent).await;
    assert_eq!((chunks.last(), failure), (Some(&Chunk::Finish(Finish::Stop)), None));
}

#[tokio::test]
async fn garbage_is_an_unknown_failure() {
    let garbage = LocalServer::start(|| event_stream("data: what?\n\n")).await;
    assert_eq!(garbage.ask(Api::Chat).await.1.unwrap().class, FailureClass::Unknown);
    let page = LocalServer::start(|| response(200, "text/html", "<html>")).await;
    let failure = page.ask(Api::Chat).await.1.unwrap();
    assert!(
        failure.message.contains("answers with text/html: check the base address"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn a_server_that_falls_silent_is_given_up() {
    let server = LocalServer::start(|| {
        let half = stream::once(async { Ok::<_, std::io::Error>(Bytes::from(HALF)) });
        event_stream(Body::from_stream(half.chain(stream::pending())))
    })
    .await;
    let config = RemoteConfig { idle_timeout: Duration::from_millis(80), ..server.config(Api::Chat) };
    let (chunks, failure) = ask(config).await;
    assert_eq!(chunks, [Chunk::Text("hel".into())]);
    let failure = failure.unwrap();
    assert_eq!(failure.class, FailureClass::Network);
    assert!(failure.message.contains("sent nothing for 80ms"), "{}", failure.message);
}

#[tokio::test]
async fn nobody_there_is_a_network_failure_with_the_address() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let config = RemoteConfig {
        key: Some(KEY.into()),
        ..RemoteConfig::new(Api::Chat, format!("http://me:{KEY}@{address}/v1?k={KEY}"))
    };
    let failure = ask(config).await.1.unwrap();
    assert_eq!(failure.class, FailureClass::Network);
    assert!(
        failure.message.starts_with(&format!("no connection to http://{address}/v1 (")),
        "{}",
        failure.message
    );
    assert!(failure.message.ends_with("check that the server runs and that the base address is right"));
    assert!(!failure.message.contains(KEY));
}

#[tokio::test]
async fn dropping_the_stream_hangs_up() {
    let (hung_up, told) = oneshot::channel::<()>();
    let hung_up = Arc::new(Mutex::new(Some(hung_up)));
    let server = LocalServer::start(move || {
        let hung_up = hung_up.lock().unwrap().take();
        let half = stream::once(async { Ok::<_, std::io::Error>(Bytes::from(HALF)) });
        let never = stream::once(async move {
            let _dropped_with_the_body = hung_up;
            std::future::pending().await
        });
        event_stream(Body::from_stream(half.chain(never)))
    })
    .await;
    let mut chunks = Remote::new(server.config(Api::Chat)).unwrap().stream(request());
    assert_eq!(chunks.next().await, Some(Ok(Chunk::Text("hel".into()))));
    drop(chunks);
    assert!(told.await.is_err(), "the server's half of the answer is dropped");
}

#[test]
fn nothing_that_is_printed_has_the_key() {
    let config = RemoteConfig {
        key: Some(KEY.into()),
        ..RemoteConfig::new(Api::Chat, format!("https://u:{KEY}@example.org/v1/"))
    };
    let provider = Remote::new(config).unwrap();
    assert_eq!(
        format!("{provider:?}"),
        r#"Remote { name: "openai", address: "https://example.org/v1", .. }"#
    );
    let broken = RemoteConfig {
        key: Some(format!("{KEY}\n{KEY}").into()),
        ..RemoteConfig::new(Api::Chat, "http://localhost")
    };
    assert!(!format!("{broken:?}").contains(KEY));
    let error = Remote::new(broken).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
}

#[test]
fn an_address_that_cannot_work_is_refused_with_advice() {
    let refused =
        |base_url: &str| Remote::new(RemoteConfig::new(Api::Chat, base_url)).unwrap_err().to_string();
    assert!(refused("api.example.com/v1").ends_with("write it like https://api.openai.com/v1"));
    assert!(refused("localhost:8080").contains("write http:// or https://"));
    assert!(refused("ftp://x/v1").contains("ftp:"));
    assert!(!refused("http//u:secret@x").contains("secret"));
}

#[tokio::test]
async fn the_models_of_a_server_are_listed_and_anything_else_is_refused() {
    let server =
        LocalServer::start(|| Response::new(Body::from(r#"{"data":[{"id":"small"},{"id":"large"}]}"#))).await;
    let listed = Remote::new(server.config(Api::Chat)).unwrap().models().await;
    assert_eq!(server.asked.lock().unwrap()[0].0, "/v1/models");
    assert_eq!(listed, Ok(vec!["small".to_owned(), "large".to_owned()]));
    let other = LocalServer::start(|| Response::new(Body::from("hello"))).await;
    let refused = Remote::new(other.config(Api::Chat)).unwrap().models().await.unwrap_err();
    assert_eq!(refused.message, "the answer is no list of models");
}
