//! Where the server listens, and the secret that somebody may have chosen for it.

use std::net::{Ipv4Addr, SocketAddr};

use secrecy::SecretString;

use super::{File, SettingsError};
use crate::cli::Cli;

/// The port that is listened on when nobody says otherwise.
pub(super) const PORT: u16 = 7420;
/// Characters that a launch token has which somebody chose.
pub(super) const LAUNCH_TOKEN_CHARS_MIN: usize = 32;

/// Reads a token that somebody chose. It travels in an address and a header.
pub(super) fn launch_token(
    environment: &impl Fn(&str) -> Option<String>,
) -> Result<Option<SecretString>, SettingsError> {
    let Some(token) = environment("WAYMARK_TOKEN").filter(|token| !token.is_empty()) else { return Ok(None) };
    let is_plain = token.bytes().all(|byte| byte.is_ascii_graphic() && !b"&#%+".contains(&byte));
    if token.len() < LAUNCH_TOKEN_CHARS_MIN || !is_plain {
        return Err(SettingsError::WeakToken);
    }
    Ok(Some(token.into()))
}

pub(super) fn listen(cli: &Cli, file: &File, has_token: bool) -> Result<SocketAddr, SettingsError> {
    let default = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
    let mut address = cli.listen.or(file.listen).unwrap_or(default);
    if let Some(port) = cli.port {
        address.set_port(port);
    }
    if !address.ip().is_loopback() && !has_token {
        return Err(SettingsError::NotLoopback(address));
    }
    Ok(address)
}
