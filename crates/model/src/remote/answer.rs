//! One request over HTTP, from its first byte to its last.

use std::collections::VecDeque;
use std::error::Error;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::timeout;

use super::address::Address;
use super::api::{Api, Decode, Dialect};
use super::{refusal, retry_after};
use crate::{Chunk, ChunkStream, Failure, FailureClass, Request, sse};

/// The most bytes that are read of an answer that is no stream.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How long to wait for the usage once the answer itself is whole.
const USAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// A server and everything that asking it takes.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) api: Api,
    pub(super) address: Address,
    pub(super) client: reqwest::Client,
    pub(super) key: Option<SecretString>,
    pub(super) authorization: Option<HeaderValue>,
    pub(super) connect_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) replay_reasoning: bool,
}

/// The answer to a request for the list of models.
#[derive(serde::Deserialize)]
struct Listed {
    data: Vec<Model>,
}

#[derive(serde::Deserialize)]
struct Model {
    id: String,
}

impl Server {
    /// Sends the request and returns the answer once its headers are here.
    pub(super) async fn ask(self: std::sync::Arc<Self>, request: &Request) -> Result<ChunkStream, Failure> {
        let response = self.post(request).await.map_err(|failure| self.without_key(failure))?;
        let kind = content_type(&response);
        let events = if kind.contains("html") {
            return Err(self.no_stream(&kind));
        } else if kind.contains("json") {
            self.whole_body(response)
        } else {
            sse::events(self.bytes(response)).boxed()
        };
        let decoder = self.api.decoder();
        let answer = Answer { events, decoder, ready: VecDeque::new(), over: false };
        let chunks = stream::unfold(answer, Answer::next);
        Ok(chunks.map(move |chunk| chunk.map_err(|failure| self.without_key(failure))).boxed())
    }

    async fn post(&self, request: &Request) -> Result<reqwest::Response, Failure> {
        let dialect = Dialect {
            provider: &self.name,
            completion_limit: self.address.is_openai(),
            replay_reasoning: self.replay_reasoning,
        };
        let body = self.api.body(request, &dialect).map_err(|error| {
            Failure::new(FailureClass::BadRequest, format!("the request cannot be written as JSON ({error})"))
        })?;
        let post = self.authorized(self.client.post(self.address.endpoint()));
        let post =
            post.header(CONTENT_TYPE, "application/json").header(ACCEPT, "text/event-stream").body(body);
        let response = timeout(self.idle_timeout, post.send())
            .await
            .map_err(|_| self.silent())?
            .map_err(|error| self.unreachable(&error))?;
        if response.status().is_success() { Ok(response) } else { Err(self.refused(response).await) }
    }

    /// Returns the names of the models that the server lists.
    pub(super) async fn models(&self) -> Result<Vec<String>, Failure> {
        let listed = self.list().await.map_err(|failure| self.without_key(failure))?;
        Ok(listed.data.into_iter().map(|model| model.id).collect())
    }

    async fn list(&self) -> Result<Listed, Failure> {
        let get = self.authorized(self.client.get(self.address.models()));
        let sent = timeout(self.connect_timeout, get.send()).await.map_err(|_| self.silent())?;
        let response = sent.map_err(|error| self.unreachable(&error))?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        let (body, failure) = read_whole(self.bytes(response)).await;
        let listed = failure.map_or_else(|| serde_json::from_str(&body).ok(), |_| None);
        listed.ok_or_else(|| Failure::new(FailureClass::Unknown, "the answer is no list of models"))
    }

    /// Adds the key, and what else every request carries.
    fn authorized(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let request =
            self.api.headers().iter().fold(request, |request, (name, value)| request.header(*name, *value));
        match &self.authorization {
            Some(key) => request.header(self.api.key_header(), key.clone()),
            None => request,
        }
    }

    async fn refused(&self, response: reqwest::Response) -> Failure {
        let status = response.status().as_u16();
        let retry_after_ms = retry_after::of_headers(response.headers(), SystemTime::now());
        // What was read before a failure still is the best explanation there is.
        let (body, _) = read_whole(self.bytes(response)).await;
        Failure { retry_after_ms, ..refusal::of_status(status, &body) }
    }

    /// Reads the answer of a server that does not stream, as if it were one event.
    fn whole_body(&self, response: reqwest::Response) -> BoxStream<'static, Result<String, Failure>> {
        let bytes = self.bytes(response);
        stream::once(async move {
            let (body, failure) = read_whole(bytes).await;
            failure.map_or(Ok(body), Err)
        })
        .boxed()
    }

    /// Returns the response's bytes; ends in a failure when they stop coming.
    fn bytes(&self, response: reqwest::Response) -> BoxStream<'static, Result<Bytes, Failure>> {
        let idle_timeout = self.idle_timeout;
        let silent = self.silent();
        let address = self.address.to_string();
        stream::unfold(Some(response.bytes_stream().boxed()), move |bytes| {
            let (silent, address) = (silent.clone(), address.clone());
            async move {
                let mut bytes = bytes?;
                match timeout(idle_timeout, bytes.next()).await {
                    Err(_) => Some((Err(silent), None)),
                    Ok(Some(Err(error))) => Some((Err(broken_off(&address, &error)), None)),
                    Ok(Some(Ok(read))) => Some((Ok(read), Some(bytes))),
                    Ok(None) => None,
                }
            }
        })
        .boxed()
    }

    fn silent(&self) -> Failure {
        let (address, wait) = (&self.address, self.idle_timeout);
        let message =
            format!("{address} sent nothing for {wait:?}: check that the server is well, then ask again");
        Failure::new(FailureClass::Network, message)
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failure {
        let (address, wait) = (&self.address, self.connect_timeout);
        let why = root_cause(error);
        let message = if error.is_connect() && error.is_timeout() {
            format!("no connection to {address} within {wait:?}: check the network and the base address")
        } else if error.is_connect() {
            format!(
                "no connection to {address} ({why}): check that the server runs and that the base address is right"
            )
        } else {
            format!("the request to {address} did not get through ({why}): check the network, then ask again")
        };
        Failure::uncut(FailureClass::Network, message)
    }

    fn no_stream(&self, kind: &str) -> Failure {
        let address = &self.address;
        let message =
            format!("{address} answers with {kind}: check the base address, which usually ends in /v1");
        Failure::new(FailureClass::Unknown, message)
    }

    /// Takes the key out of a message: some servers repeat it in their errors. Cutting comes last, or half a
    /// key would slip through.
    fn without_key(&self, mut failure: Failure) -> Failure {
        if let Some(key) = self.key.as_ref().map(ExposeSecret::expose_secret).filter(|key| !key.is_empty()) {
            failure.message = failure.message.replace(key, "[key]");
        }
        failure.cut()
    }
}

fn content_type(response: &reqwest::Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

/// Reads at most 4 MiB and says what stopped it before the end.
async fn read_whole(
    mut bytes: impl Stream<Item = Result<Bytes, Failure>> + Unpin,
) -> (String, Option<Failure>) {
    let mut body = Vec::new();
    let mut failure = None;
    while let Some(read) = bytes.next().await {
        match read {
            Ok(read) if body.len() + read.len() <= BODY_BYTES_MAX => body.extend_from_slice(&read),
            Ok(_) => {
                let message = format!("the provider sent an answer of more than {BODY_BYTES_MAX} bytes");
                failure = Some(Failure::new(FailureClass::Unknown, message));
            }
            Err(cut) => failure = Some(cut),
        }
        if failure.is_some() {
            break;
        }
    }
    (String::from_utf8_lossy(&body).into_owned(), failure)
}

fn broken_off(address: &str, error: &reqwest::Error) -> Failure {
    let why = root_cause(error);
    Failure::uncut(FailureClass::StreamCut, format!("the answer of {address} broke off ({why}): ask again"))
}

/// Returns the innermost reason; the outer ones repeat the whole URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// The rest of an answer.
struct Answer {
    events: BoxStream<'static, Result<String, Failure>>,
    decoder: Box<dyn Decode>,
    ready: VecDeque<Chunk>,
    over: bool,
}

impl Answer {
    async fn next(mut self) -> Option<(Result<Chunk, Failure>, Self)> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some((Ok(chunk), self));
            }
            if self.over {
                return None;
            }
            if let Err(failure) = self.advance().await {
                self.over = true;
                return Some((Err(failure), self));
            }
        }
    }

    async fn advance(&mut self) -> Result<(), Failure> {
        match self.event().await {
            Some(Ok(data)) => self.ready.extend(self.decoder.push(&data)?),
            // A whole answer stays whole when only its usage got lost.
            Some(Err(failure)) if !self.decoder.is_finished() => return Err(failure),
            Some(Err(_)) | None => self.over = true,
        }
        if self.over || self.decoder.is_done() {
            self.over = true;
            self.ready.push_back(Chunk::Finish(self.decoder.finish()?));
        }
        Ok(())
    }

    async fn event(&mut self) -> Option<Result<String, Failure>> {
        if self.decoder.is_finished() {
            return timeout(USAGE_TIMEOUT, self.events.next()).await.ok().flatten();
        }
        self.events.next().await
    }
}
