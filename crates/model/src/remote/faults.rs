//! What goes wrong on the way to a server is the same for every API.

use axum::body::Body;
use axum::http::HeaderValue;
use bytes::Bytes;
use futures_util::stream;

use super::stage::*;
use super::*;
use crate::{Chunk, FailureClass, Finish};

/// Returns a recorded answer that begins with text, cut behind that text.
fn half(api: Api) -> Vec<u8> {
    fixtures(api).into_iter().find(|(name, _)| name == "cut").map(|(_, bytes)| bytes).unwrap()
}

fn whole(api: Api) -> Vec<u8> {
    fixtures(api).into_iter().find(|(name, _)| name == "text").map(|(_, bytes)| bytes).unwrap()
}

#[tokio::test]
async fn an_answer_comes_from_the_apis_own_path_with_the_key_in_its_own_header() {
    for (api, path) in [
        (Api::Chat, "/v1/chat/completions"),
        (Api::Responses, "/v1/responses"),
        (Api::Messages, "/v1/messages"),
    ] {
        let bytes = whole(api);
        let server = LocalServer::start(move || event_stream(bytes.clone())).await;
        let (chunks, failure) = server.ask(api).await;
        assert_eq!((chunks.last(), failure), (Some(&Chunk::Finish(Finish::Stop)), None), "{api:?}");
        let (asked, key, _) = server.asked.lock().unwrap().remove(0);
        assert_eq!((asked.as_str(), key), (path, Some(format!("{}{KEY}", api.key_prefix()))));
    }
}

#[tokio::test]
async fn a_slow_drip_is_the_same_answer() {
    for (api, _) in APIS {
        let bytes = whole(api);
        let server = LocalServer::start(move || {
            let drops: Vec<_> =
                bytes.chunks(1).map(|byte| Ok::<_, std::io::Error>(Bytes::copy_from_slice(byte))).collect();
            event_stream(Body::from_stream(stream::iter(drops)))
        })
        .await;
        let (chunks, failure) = server.ask(api).await;
        let (expected, finish) = decode_recorded(api, [whole(api)]);
        assert_eq!((chunks.last(), failure), (finish.ok().map(Chunk::Finish).as_ref(), None));
        assert_eq!(chunks[..chunks.len() - 1], expected, "{api:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_or_garbage_is_classed() {
    for (api, _) in APIS {
        let bytes = half(api);
        let server = LocalServer::start(move || event_stream(bytes.clone())).await;
        assert_eq!(server.ask(api).await.1.unwrap().class, FailureClass::StreamCut, "{api:?}");
        let server = LocalServer::start(|| event_stream("data: what?\n\n")).await;
        assert_eq!(server.ask(api).await.1.unwrap().class, FailureClass::Unknown, "{api:?}");
    }
}

#[tokio::test]
async fn a_stalled_answer_is_given_up() {
    for (api, _) in APIS {
        let bytes = half(api);
        let server = LocalServer::start(move || {
            let sent = Bytes::from(bytes.clone());
            let sent = stream::once(async { Ok::<_, std::io::Error>(sent) });
            event_stream(Body::from_stream(sent.chain(stream::pending())))
        })
        .await;
        let config = RemoteConfig { idle_timeout: Duration::from_millis(80), ..server.config(api) };
        assert_eq!(ask(config).await.1.unwrap().class, FailureClass::Network, "{api:?}");
    }
}

#[tokio::test]
async fn a_refusal_by_status_has_its_class_its_pause_and_no_key() {
    for (api, _) in APIS {
        let server = LocalServer::start(|| {
            let body = format!(
                r#"{{"type":"error","error":{{"type":"rate_limit_error","message":"slow down {KEY}"}}}}"#
            );
            let mut limited = response(429, "application/json", body);
            limited.headers_mut().insert("retry-after", HeaderValue::from_static("7"));
            limited
        })
        .await;
        let failure = server.ask(api).await.1.unwrap();
        assert_eq!((failure.class, failure.retry_after_ms), (FailureClass::RateLimit, Some(7_000)));
        assert_eq!(failure.message, "slow down [key]", "{api:?}");
        let server = LocalServer::start(|| response(500, "text/plain", "oops")).await;
        assert_eq!(server.ask(api).await.1.unwrap().class, FailureClass::Overloaded, "{api:?}");
    }
}
