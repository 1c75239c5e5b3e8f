//! Who may ask: a launch token that lives as long as the process, and a cookie that outlives it.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use events::LogId;
use parking_lot::Mutex;

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
    key: [u8; 32],
    token: String,
    wrong: Mutex<WrongTokens>,
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
    /// Reads the key that signs cookies from `gateway.key` in `data_folder`, or makes it, and draws a launch token.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, written or kept from others, and when it is no key.
    pub fn open(data_folder: &Path, log: LogId) -> io::Result<Self> {
        let key = key_in(&data_folder.join(KEY_FILE))?;
        let token = hex::encode(rand::random::<[u8; 32]>());
        Ok(Self { log, key, token, wrong: Mutex::default() })
    }

    /// Returns the token that signs a browser in, for as long as this process runs: 64 hexadecimal digits.
    #[must_use]
    pub fn launch_token(&self) -> &str {
        &self.token
    }

    /// Compares `given` with the launch token, in constant time.
    pub(crate) fn check_token(
        &self,
        given: &str,
        now: Instant,
        wrong_max: usize,
    ) -> Result<(), TokenRefused> {
        let mut wrong = self.wrong.lock();
        if wrong.locked_until.is_some_and(|until| now < until) {
            return Err(TokenRefused::TooMany);
        }
        if blake3::hash(given.as_bytes()) == blake3::hash(self.token.as_bytes()) {
            return Ok(());
        }
        wrong.note(now, wrong_max);
        Err(TokenRefused::Wrong)
    }

    /// Returns the `Set-Cookie` value that signs a browser in from `now_ms` on.
    pub(crate) fn set_cookie(&self, now_ms: u64) -> String {
        let (name, mac) = (self.cookie_name(), self.mac(now_ms).to_hex());
        let seconds = SIGNED_IN_MS / 1000;
        format!("{name}={now_ms}.{mac}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}")
    }

    /// Returns the proof that a `Cookie` header carries, if it is ours and still holds.
    pub(crate) fn signed_in<'a>(&self, cookies: &'a str, now_ms: u64) -> Option<&'a str> {
        let name = self.cookie_name();
        let pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        let values = pairs.filter(|(given, _)| *given == name).map(|(_, value)| value);
        values.into_iter().find(|value| self.holds(value, now_ms))
    }

    fn holds(&self, value: &str, now_ms: u64) -> bool {
        let Some((issued, mac)) = value.split_once('.') else { return false };
        let (Ok(issued), Ok(mac)) = (issued.parse::<u64>(), blake3::Hash::from_hex(mac)) else {
            return false;
        };
        let is_fresh = issued <= now_ms + CLOCK_SKEW_MS && now_ms.saturating_sub(issued) < SIGNED_IN_MS;
        // Hashes compare in constant time.
        is_fresh && mac == self.mac(issued)
    }

    /// Names the cookie after the log: two servers on one host, on two ports, share a browser's cookies.
    fn cookie_name(&self) -> String {
        let log = self.log.to_string();
        format!("waymark_{}", &log[..8])
    }

    fn mac(&self, issued_ms: u64) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(self.log.0.as_bytes()).update(&issued_ms.to_le_bytes());
        hasher.finalize()
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

fn key_in(path: &Path) -> io::Result<[u8; 32]> {
    match fs::read(path) {
        Ok(bytes) => {
            fs::set_permissions(path, Permissions::from_mode(0o600))?;
            bytes.try_into().map_err(|_| {
                let what = "is no key; delete it to make a new one, which signs every browser out";
                io::Error::new(io::ErrorKind::InvalidData, format!("{} {what}", path.display()))
            })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => new_key(path),
        Err(error) => Err(error),
    }
}

/// Writes a key next to its place and renames it there, so that no crash leaves half of one.
fn new_key(path: &Path) -> io::Result<[u8; 32]> {
    let key = rand::random::<[u8; 32]>();
    let draft = path.with_extension("key.new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(&key)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    Ok(key)
}

#[cfg(test)]
#[path = "access/tests.rs"]
mod tests;
