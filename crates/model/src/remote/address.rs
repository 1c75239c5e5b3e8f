//! Where requests go, and how an address is shown without its secrets.

use std::fmt;

use reqwest::Url;

use super::api::Api;

/// A base address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is no URL.
    #[error("base_url {base_url:?} is no address ({why}): write it like https://api.openai.com/v1")]
    NoUrl {
        /// What was written, without a user name and password.
        base_url: String,
        /// What the parser says.
        why: String,
    },
    /// It is neither `http` nor `https`.
    #[error("base_url starts with {scheme}: which no provider speaks: write http:// or https://")]
    Scheme {
        /// Its scheme.
        scheme: String,
    },
}

/// The endpoint of one server. Shown without user name, password and query.
#[derive(Clone)]
pub(super) struct Address {
    endpoint: Url,
    path: &'static str,
}

impl Address {
    /// Reads a base address, with or without a slash at its end, or a whole endpoint.
    pub(super) fn parse(base_url: &str, api: Api) -> Result<Self, AddressError> {
        let written = base_url.trim();
        let mut endpoint = Url::parse(written).map_err(|error| AddressError::NoUrl {
            base_url: written.rsplit('@').next().unwrap_or_default().to_owned(),
            why: error.to_string(),
        })?;
        if !matches!(endpoint.scheme(), "http" | "https") {
            return Err(AddressError::Scheme { scheme: endpoint.scheme().to_owned() });
        }
        let given = endpoint.path().trim_end_matches('/');
        let path = given.strip_suffix(api.path()).unwrap_or(given).to_owned() + api.path();
        endpoint.set_path(&path);
        endpoint.set_fragment(None);
        Ok(Self { endpoint, path: api.path() })
    }

    /// Returns the URL to post to.
    pub(super) fn endpoint(&self) -> Url {
        self.endpoint.clone()
    }

    /// Returns the URL that lists the server's models.
    pub(super) fn models(&self) -> Url {
        let mut url = self.endpoint.clone();
        let path = url.path().trim_end_matches(self.path).to_owned() + "/models";
        url.set_path(&path);
        url
    }

    /// Says whether the server is on this machine, where no proxy belongs in between.
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.endpoint.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Says whether this is OpenAI's own server, which alone wants `max_completion_tokens`.
    pub(super) fn is_openai(&self) -> bool {
        self.endpoint.host_str() == Some("api.openai.com")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.endpoint.clone();
        // Both err only for URLs without a host, and http has one.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        shown.set_query(None);
        let path = shown.path().strip_suffix(self.path).unwrap_or_default().to_owned();
        shown.set_path(&path);
        f.write_str(shown.as_str().trim_end_matches('/'))
    }
}
