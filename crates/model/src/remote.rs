//! Any server that is asked over HTTP: with chat completions (OpenAI, DeepSeek, Ollama, llama.cpp, vLLM, OpenRouter and
//! more), OpenAI's responses, or Anthropic's messages.
//!
//! Start reading at [`Remote::new`], then [`Api`], which names what differs. A request becomes a body in the folder of its
//! API, the answer's bytes become event data in `sse`, data become chunks in the API's decoder, and whatever goes wrong
//! gets its class in `refusal`.

mod address;
mod answer;
mod api;
mod chat;
#[cfg(test)]
mod faults;
mod messages;
mod recorded;
mod refusal;
mod responses;
mod retry_after;
#[cfg(test)]
mod stage;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

pub use address::AddressError;
pub use api::Api;
pub use recorded::decode_recorded;

use crate::{ChunkStream, Failure, Provider, Request};
use address::Address;
use answer::Server;

/// Where a server is, what it speaks, and how long to wait for it.
#[derive(Debug, Clone)]
pub struct RemoteConfig {
    /// The provider's name, for people and for the log.
    pub name: String,
    /// What it speaks.
    pub api: Api,
    /// The address that the API's path is appended to, e.g. `https://api.openai.com/v1`; a slash at its end makes no
    /// difference.
    pub base_url: String,
    /// The key; none sends no authorization at all, as local servers like it.
    pub key: Option<SecretString>,
    /// How long a connection may take; 10 s by default.
    pub connect_timeout: Duration,
    /// How long the server may send nothing at all, before the answer and within it; 300 s by default.
    pub idle_timeout: Duration,
    /// Whether earlier reasoning is sent back in plain words by chat completions, as `reasoning_content`. Off by default:
    /// some servers demand it after tool calls, others refuse it. Sealed reasoning always goes back.
    pub replay_reasoning: bool,
}

impl RemoteConfig {
    /// Returns the defaults for a server at `base_url` that speaks `api`.
    #[must_use]
    pub fn new(api: Api, base_url: impl Into<String>) -> Self {
        Self {
            name: api.default_name().to_owned(),
            api,
            base_url: base_url.into(),
            key: None,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(300),
            replay_reasoning: false,
        }
    }
}

/// A configuration that no request can be made with.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The base address cannot be used.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The key cannot be sent in a header.
    #[error("the key of provider {name} has characters that no HTTP header can carry: copy it again")]
    Key {
        /// The provider.
        name: String,
    },
    /// The HTTP client does not start.
    #[error("the HTTP client of provider {name} does not start: check the system's certificates and proxy")]
    Client {
        /// The provider.
        name: String,
        /// Why.
        source: reqwest::Error,
    },
}

/// A provider behind HTTP. Cheap to clone.
#[derive(Clone)]
pub struct Remote {
    server: Arc<Server>,
}

impl Remote {
    /// Prepares a client; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Errs when the address is no `http` or `https` URL, the key cannot be sent, or the HTTP client does not
    /// start.
    pub fn new(config: RemoteConfig) -> Result<Self, RemoteError> {
        let address = Address::parse(&config.base_url, config.api)?;
        let key = config.key.as_ref().map(|key| SecretString::from(key.expose_secret().trim()));
        let name = config.name;
        let authorization =
            authorization(config.api, key.as_ref()).ok_or_else(|| RemoteError::Key { name: name.clone() })?;
        let client = client(&address, config.connect_timeout)
            .map_err(|source| RemoteError::Client { name: name.clone(), source })?;
        let server = Server {
            name,
            api: config.api,
            address,
            client,
            key,
            authorization,
            connect_timeout: config.connect_timeout,
            idle_timeout: config.idle_timeout,
            replay_reasoning: config.replay_reasoning,
        };
        Ok(Self { server: Arc::new(server) })
    }

    /// Returns the names of the models that the server lists.
    ///
    /// # Errors
    ///
    /// When the server cannot be reached, refuses, or answers with something else.
    pub async fn models(&self) -> Result<Vec<String>, Failure> {
        self.server.models().await
    }
}

impl Provider for Remote {
    fn name(&self) -> &str {
        &self.server.name
    }

    fn stream(&self, request: Request) -> ChunkStream {
        let server = Arc::clone(&self.server);
        stream::once(async move { server.ask(&request).await }).try_flatten().boxed()
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("name", &self.server.name)
            .field("address", &self.server.address.to_string())
            .finish_non_exhaustive()
    }
}

/// Returns the value of the header for `key`: none without one, `None` outside when it cannot be sent.
fn authorization(api: Api, key: Option<&SecretString>) -> Option<Option<HeaderValue>> {
    let Some(key) = key.filter(|key| !key.expose_secret().is_empty()) else {
        return Some(None);
    };
    let mut value = HeaderValue::from_str(&format!("{}{}", api.key_prefix(), key.expose_secret())).ok()?;
    value.set_sensitive(true);
    Some(Some(value))
}

fn client(address: &Address, connect_timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
    // Errs when the process has a provider already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("waymark/", env!("CARGO_PKG_VERSION")));
    if address.is_loopback() {
        builder = builder.no_proxy();
    }
    builder.build()
}

#[cfg(test)]
mod tests;
