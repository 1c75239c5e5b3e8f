//! What the tests of all APIs need: a server on this machine, a request, recorded answers and their cuts.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::any;
use futures_util::StreamExt;

use super::{Api, Remote, RemoteConfig, decode_recorded};
use crate::{Assembly, Call, Chunk, Effort, Failure, Finish, Message, Provider, Request, ToolSpec};

pub(super) const KEY: &str = "sk-very-secret-0123456789";

/// What the server was asked: its path, its authorization and the body.
pub(super) type Asked = Arc<Mutex<Vec<(String, Option<String>, serde_json::Value)>>>;

/// A server on this machine that gives every request the same kind of answer.
pub(super) struct LocalServer {
    pub(super) base_url: String,
    pub(super) asked: Asked,
}

impl LocalServer {
    pub(super) async fn start(answer: impl Fn() -> Response<Body> + Clone + Send + Sync + 'static) -> Self {
        let asked = Asked::default();
        let journal = Arc::clone(&asked);
        let route = any(async move |uri: axum::http::Uri, headers: HeaderMap, body: String| {
            let authorization = headers
                .get("authorization")
                .or(headers.get("x-api-key"))
                .map(|value| value.to_str().unwrap().to_owned());
            // Only the list of models is asked for without a body.
            let body =
                if body.is_empty() { serde_json::Value::Null } else { serde_json::from_str(&body).unwrap() };
            journal.lock().unwrap().push((uri.to_string(), authorization, body));
            answer()
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let app = Router::new().fallback_service(route);
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { base_url, asked }
    }

    pub(super) fn config(&self, api: Api) -> RemoteConfig {
        RemoteConfig { key: Some(KEY.into()), ..RemoteConfig::new(api, &self.base_url) }
    }

    pub(super) async fn ask(&self, api: Api) -> (Vec<Chunk>, Option<Failure>) {
        ask(self.config(api)).await
    }
}

pub(super) async fn ask(config: RemoteConfig) -> (Vec<Chunk>, Option<Failure>) {
    let provider = Remote::new(config).unwrap();
    let mut chunks = provider.stream(request());
    let mut told = (Vec::new(), None);
    while let Some(chunk) = chunks.next().await {
        assert_eq!(told.1, None, "something follows a failure");
        match chunk {
            Ok(chunk) => told.0.push(chunk),
            Err(failure) => told.1 = Some(failure),
        }
    }
    told
}

pub(super) fn request() -> Request {
    Request {
        model: "m-1".into(),
        system: "Be brief.".into(),
        messages: vec![
            Message::User { text: "hi".into() },
            Message::Assistant {
                text: String::new(),
                reasoning: "hm".into(),
                calls: vec![
                    Call { call_id: "c1".into(), name: "list_files".into(), arguments: String::new() },
                    Call { call_id: "c2".into(), name: "search".into(), arguments: "{\"pat".into() },
                    Call { call_id: "c3".into(), name: "search".into(), arguments: "{ \"a\":1.0}".into() },
                ],
                items: Vec::new(),
            },
            Message::Tool { call_id: "c1".into(), text: "a.txt".into(), is_error: false },
        ],
        tools: vec![ToolSpec {
            name: "list_files".into(),
            description: "Lists.".into(),
            parameters: serde_json::json!({"type": "object"}),
        }],
        effort: Some(Effort::High),
        max_output_tokens: Some(99),
    }
}

pub(super) fn response(status: u16, kind: &str, body: impl Into<Body>) -> Response<Body> {
    let builder =
        Response::builder().status(StatusCode::from_u16(status).unwrap()).header("content-type", kind);
    builder.body(body.into()).unwrap()
}

pub(super) fn event_stream(body: impl Into<Body>) -> Response<Body> {
    response(200, "text/event-stream", body)
}

/// Every API, with the folder of its recorded answers.
pub(super) const APIS: [(Api, &str); 3] =
    [(Api::Chat, "openai"), (Api::Responses, "openai-responses"), (Api::Messages, "anthropic")];

fn folder(api: Api) -> PathBuf {
    let name = APIS.iter().find(|(known, _)| *known == api).map(|(_, name)| *name).unwrap();
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/model").join(name)
}

/// Returns every recorded answer of an API, with its name.
pub(super) fn fixtures(api: Api) -> Vec<(String, Vec<u8>)> {
    let paths = std::fs::read_dir(folder(api)).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "sse"));
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.map(|path| (name(&path), std::fs::read(path).unwrap())).collect()
}

/// Writes an answer on a few lines.
pub(super) fn told(chunks: &[Chunk], finish: &Result<Finish, Failure>) -> String {
    let mut assembly = Assembly::new();
    chunks.iter().for_each(|chunk| assembly.push(chunk));
    if let Ok(finish) = finish {
        assembly.push(&Chunk::Finish(*finish));
    }
    let mut lines = String::new();
    for (channel, text) in [("reasoning", assembly.reasoning()), ("text", assembly.text())] {
        if !text.is_empty() {
            let _ = writeln!(lines, "{channel}: {text}");
        }
    }
    for call in assembly.calls() {
        let _ = writeln!(lines, "{} = {}({})", call.call_id, call.name, call.arguments);
    }
    for (place, json) in assembly.items() {
        let _ = writeln!(lines, "before call {place}: {json}");
    }
    if let Some(usage) = assembly.usage() {
        let (cached, reasoned) = (usage.cached_input_tokens, usage.reasoning_tokens);
        let _ = writeln!(
            lines,
            "tokens: {} ({cached}) -> {} ({reasoned})",
            usage.input_tokens, usage.output_tokens
        );
    }
    match finish {
        Ok(finish) => lines + &format!("{finish:?}"),
        Err(failure) => lines + &failure.to_string(),
    }
}

/// Decodes a recorded answer and compares it, line by line.
pub(super) fn check(api: Api, name: &str, expect: &[&str]) {
    let bytes = std::fs::read(folder(api).join(format!("{name}.sse"))).unwrap();
    let (chunks, finish) = decode_recorded(api, [bytes]);
    assert_eq!(told(&chunks, &finish), expect.join("\n"), "{name}");
}

/// Fails for a recorded answer that `source`, the text of the tests, expects nothing of.
pub(super) fn all_are_expected(api: Api, source: &str) {
    let names = fixtures(api).into_iter().map(|(name, _)| name);
    let strays: Vec<String> = names.filter(|name| !source.contains(&format!("\"{name}\""))).collect();
    assert!(strays.is_empty(), "nothing is expected of {strays:?}");
}

/// Splits bytes at these places.
pub(super) fn split(bytes: &[u8], mut places: Vec<usize>) -> Vec<Vec<u8>> {
    places.iter_mut().for_each(|place| *place %= bytes.len() + 1);
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect()
}
