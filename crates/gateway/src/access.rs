//! Who may ask: a launch token that lives as long as the process, tokens that are kept, and cookies that outlive both.

use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use events::LogId;
use parking_lot::Mutex;

use crate::tokens::{Role, Tokens};

mod watched;

pub(crate) use watched::{WatchedFile, write_private};

/// The file in the data folder that keeps the key which signs cookies.
const KEY_FILE: &str = "gateway.key";
/// How long a browser stays signed in.
const SIGNED_IN_MS: u64 = 30 * 24 * 60 * 60 * 1000;
/// How far ahead of our clock a cookie may have been issued: a clock that was set back.
const CLOCK_SKEW_MS: u64 = 5 * 60 * 1000;
/// The time in which wrong tokens count, and for which too many of them lock.
const WINDOW: Duration = Duration::from_secs(60);

/// Tells who is signed in. It has no `Debug`, for it is made of secrets.
pub struct Access {
    log: LogId,
    key: WatchedFile<[u8; 32]>,
    token: String,
    tokens: Tokens,
    wrong: Mutex<WrongTokens>,
}

/// By what somebody was let in.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Pass {
    /// The launch token.
    Launch,
    /// The kept token with this id.
    Token(String),
    /// A cookie with this value.
    Cookie(String),
}

impl fmt::Debug for Pass {
    /// Leaves the cookie out, for it is a secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Launch => formatter.write_str("Launch"),
            Self::Token(id) => write!(formatter, "Token({id})"),
            Self::Cookie(_) => formatter.write_str("Cookie"),
        }
    }
}

/// Why a token is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenRefused {
    /// It is another one.
    Wrong,
    /// Too many wrong ones came lately.
    TooMany,
}

#[derive(Default)]
struct WrongTokens {
    lately: VecDeque<Instant>,
    locked_until: Option<Instant>,
}

impl Access {
    /// Reads the key that signs cookies from `gateway.key` in `data_folder`, or makes it, and the tokens that are kept
    /// there, and draws a launch token.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, written or kept from others, and when it is not what it should be.
    pub fn open(data_folder: &Path, log: LogId) -> io::Result<Self> {
        let path = data_folder.join(KEY_FILE);
        key_in(&path)?;
        let key = WatchedFile::open(&path, key_at)?;
        let token = hex::encode(rand::random::<[u8; 32]>());
        Ok(Self { log, key, token, tokens: Tokens::open(data_folder)?, wrong: Mutex::default() })
    }

    /// Takes `token` in place of a launch token that is drawn.
    #[must_use]
    pub fn with_launch_token(self, token: String) -> Self {
        Self { token, ..self }
    }

    /// Returns the token that signs a browser in, for as long as this process runs: 64 hexadecimal digits, unless one
    /// was given.
    #[must_use]
    pub fn launch_token(&self) -> &str {
        &self.token
    }

    /// Makes another key in `data_folder`, which signs every browser out; a running server takes it up.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn rotate(data_folder: &Path) -> io::Result<()> {
        new_key(&data_folder.join(KEY_FILE)).map(drop)
    }

    /// Compares `given` with the launch token and those that are kept, in constant time.
    pub(crate) fn check_token(
        &self,
        given: &str,
        now: Instant,
        wrong_max: usize,
    ) -> Result<Pass, TokenRefused> {
        let mut wrong = self.wrong.lock();
        if wrong.locked_until.is_some_and(|until| now < until) {
            return Err(TokenRefused::TooMany);
        }
        if blake3::hash(given.as_bytes()) == blake3::hash(self.token.as_bytes()) {
            return Ok(Pass::Launch);
        }
        if let Some(kept) = self.tokens.shown(given) {
            return Ok(Pass::Token(kept.id));
        }
        wrong.note(now, wrong_max);
        Err(TokenRefused::Wrong)
    }

    /// Returns what somebody may do who was let in by `pass`; nothing when it holds no longer.
    pub(crate) fn role(&self, pass: &Pass, now_ms: u64) -> Option<Role> {
        match pass {
            Pass::Launch => Some(Role::Owner),
            Pass::Token(id) => self.tokens.role(id),
            Pass::Cookie(value) => self.role_of_cookie(value, now_ms),
        }
    }

    /// Returns the `Set-Cookie` value that signs a browser in from `now_ms` on, with what its token allows.
    pub(crate) fn set_cookie(&self, pass: &Pass, now_ms: u64) -> Option<String> {
        let token = match pass {
            Pass::Token(id) => id,
            Pass::Launch | Pass::Cookie(_) => "",
        };
        let (name, mac) = (self.cookie_name(), self.mac(now_ms, token)?.to_hex());
        let value =
            if token.is_empty() { format!("{now_ms}.{mac}") } else { format!("{now_ms}.{token}.{mac}") };
        let seconds = SIGNED_IN_MS / 1000;
        Some(format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}"))
    }

    /// Returns the proof that a `Cookie` header carries, if it is ours and still holds.
    pub(crate) fn signed_in(&self, cookies: &str, now_ms: u64) -> Option<Pass> {
        let name = self.cookie_name();
        let pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(given, _)| *given == name).map(|(_, value)| value);
        let value = values.find(|value| self.role_of_cookie(value, now_ms).is_some())?;
        Some(Pass::Cookie(value.to_owned()))
    }

    fn role_of_cookie(&self, value: &str, now_ms: u64) -> Option<Role> {
        let (issued, rest) = value.split_once('.')?;
        let (token, mac) = rest.split_once('.').unwrap_or(("", rest));
        let (issued, mac) = (issued.parse::<u64>().ok()?, blake3::Hash::from_hex(mac).ok()?);
        let is_fresh = issued <= now_ms + CLOCK_SKEW_MS && now_ms.saturating_sub(issued) < SIGNED_IN_MS;
        // Hashes compare in constant time.
        let holds = is_fresh && mac == self.mac(issued, token)?;
        match (holds, token) {
            (false, _) => None,
            (true, "") => Some(Role::Owner),
            (true, id) => self.tokens.role(id),
        }
    }

    /// Names the cookie after the log: two servers on one host, on two ports, share a browser's cookies.
    fn cookie_name(&self) -> String {
        let log = self.log.to_string();
        format!("waymark_{}", &log[..8])
    }

    fn mac(&self, issued_ms: u64, token: &str) -> Option<blake3::Hash> {
        let mut hasher = blake3::Hasher::new_keyed(&self.key.get()?);
        hasher.update(self.log.0.as_bytes()).update(&issued_ms.to_le_bytes()).update(token.as_bytes());
        Some(hasher.finalize())
    }
}

impl WrongTokens {
    fn note(&mut self, now: Instant, wrong_max: usize) {
        self.lately.push_back(now);
        while self.lately.front().is_some_and(|then| now.duration_since(*then) >= WINDOW) {
            self.lately.pop_front();
        }
        if self.lately.len() >= wrong_max {
            self.locked_until = Some(now + WINDOW);
            self.lately.clear();
        }
    }
}

/// Reads the key, or makes it where there is none.
fn key_in(path: &Path) -> io::Result<[u8; 32]> {
    match key_at(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => new_key(path),
        read => read,
    }
}

fn key_at(path: &Path) -> io::Result<[u8; 32]> {
    let bytes = fs::read(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    bytes.try_into().map_err(|_| {
        let what = "is no key; delete it to make a new one, which signs every browser out";
        io::Error::new(io::ErrorKind::InvalidData, format!("{} {what}", path.display()))
    })
}

fn new_key(path: &Path) -> io::Result<[u8; 32]> {
    let key = rand::random::<[u8; 32]>();
    write_private(path, &key)?;
    Ok(key)
}

#[cfg(test)]
#[path = "access/tests.rs"]
mod tests;
