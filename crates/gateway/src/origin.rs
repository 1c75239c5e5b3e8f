//! From where a browser may ask: only from our own page, and only under a name that is ours.
//!
//! A foreign name that resolves to this machine (DNS rebinding) fails on `Host`, a foreign page on `Origin`.

use std::net::SocketAddr;

/// The authorities (`host:port`, lower case) under which this server answers.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    allowed: Vec<String>,
}

/// What is wrong with where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// The name it asks is not ours.
    Host,
    /// The page that asks is not ours.
    Origin,
}

impl Hosts {
    /// Returns the loopback names with the port of `address`, `address` itself, and `further` ones as they stand.
    pub(crate) fn of(address: SocketAddr, further: &[String]) -> Self {
        let port = address.port();
        let loopback = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("{host}:{port}"));
        let further = further.iter().map(|host| with_port(host));
        let allowed = loopback.into_iter().chain([address.to_string()]).chain(further).collect();
        Self { allowed }
    }

    /// Checks a request's `Host` and, where there is one, its `Origin`.
    pub(crate) fn check(&self, host: Option<&str>, origin: Option<&str>) -> Result<(), Foreign> {
        let host = host.map(with_port).filter(|host| self.allowed.contains(host)).ok_or(Foreign::Host)?;
        match origin {
            None => Ok(()),
            Some(origin) if authority(origin).is_some_and(|asks| asks == host) => Ok(()),
            Some(_) => Err(Foreign::Origin),
        }
    }
}

/// Returns the authority of an origin. A proxy in front may speak TLS, so that the scheme says nothing here.
fn authority(origin: &str) -> Option<String> {
    let secure = origin.strip_prefix("https://").map(|rest| with_default_port(rest, 443));
    secure.or_else(|| origin.strip_prefix("http://").map(|rest| with_default_port(rest, 80)))
}

fn with_port(host: &str) -> String {
    with_default_port(host, 80)
}

fn with_default_port(host: &str, port: u16) -> String {
    let host = host.to_ascii_lowercase();
    let after_address = host.rsplit(']').next().unwrap_or_default();
    if after_address.contains(':') { host } else { format!("{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origin: Option<&str>) -> Result<(), Foreign> {
        let hosts = Hosts::of("192.168.1.9:4780".parse().unwrap(), &["box.example".to_owned()]);
        hosts.check(Some(host), origin)
    }

    #[test]
    fn loopback_names_and_the_listening_address_are_ours() {
        for host in ["localhost:4780", "LOCALHOST:4780", "127.0.0.1:4780", "[::1]:4780", "192.168.1.9:4780"] {
            assert_eq!(check(host, None), Ok(()), "{host}");
        }
        assert_eq!(check("box.example", Some("http://box.example")), Ok(()));
    }

    #[test]
    fn another_name_or_port_is_not_ours() {
        for host in
            ["evil.example:4780", "localhost", "localhost:4781", "127.0.0.1.evil.example:4780", "[::1]"]
        {
            assert_eq!(check(host, None), Err(Foreign::Host), "{host}");
        }
        let hosts = Hosts::of("127.0.0.1:80".parse().unwrap(), &[]);
        assert_eq!(hosts.check(None, None), Err(Foreign::Host));
        assert_eq!(hosts.check(Some("localhost"), Some("http://localhost")), Ok(()));
    }

    #[test]
    fn another_page_may_not_ask() {
        let host = "localhost:4780";
        assert_eq!(check(host, Some("http://localhost:4780")), Ok(()));
        for origin in ["null", "http://localhost:3000", "http://127.0.0.1:4780", "https://evil.example", ""] {
            assert_eq!(check(host, Some(origin)), Err(Foreign::Origin), "{origin}");
        }
    }
}
