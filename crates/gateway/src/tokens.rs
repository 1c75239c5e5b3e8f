//! Tokens for scripts and guests: shown once when they are made, kept as hashes.
//!
//! They lie in `tokens.json` in the data folder. A running server looks at that file again when it has changed, so that
//! a token can be made and revoked beside it.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::access::{WatchedFile, write_private};

/// The file in the data folder.
const FILE: &str = "tokens.json";
/// What every token begins with, so that one that got loose is recognised.
const PREFIX: &str = "waymark_";
/// Characters of the name of a token.
const NAME_CHARS_MAX: usize = 80;

/// What somebody may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Everything.
    Owner,
    /// See everything, command nothing.
    Viewer,
}

/// What is kept of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptToken {
    /// Names it: 8 hexadecimal digits.
    pub id: String,
    /// What it is for, in its owner's words.
    pub name: String,
    /// What its bearer may do.
    pub role: Role,
    /// When it was made, in milliseconds since 1970.
    pub made_at_ms: u64,
    /// The BLAKE3 hash of the token, in hexadecimal.
    hash: String,
}

/// A token that was just made.
pub struct NewToken {
    /// What is kept of it.
    pub kept: KeptToken,
    /// The token itself, which nobody can find out again.
    pub secret: String,
}

/// The tokens of a data folder.
pub struct Tokens {
    path: PathBuf,
    kept: WatchedFile<Vec<KeptToken>>,
}

impl Tokens {
    /// Reads the tokens of `data_folder`; without a file there are none.
    ///
    /// # Errors
    ///
    /// When there is a file that cannot be read or is not what it should be.
    pub fn open(data_folder: &Path) -> io::Result<Self> {
        let path = data_folder.join(FILE);
        let kept = WatchedFile::open(&path, read)?;
        Ok(Self { path, kept })
    }

    /// Makes a token, in a file that only its owner reads.
    ///
    /// # Errors
    ///
    /// When its name is empty or longer than 80 characters, and when the file cannot be written.
    pub fn make(&self, name: &str, role: Role, now_ms: u64) -> io::Result<NewToken> {
        if name.trim().is_empty() || name.chars().count() > NAME_CHARS_MAX || name.contains(char::is_control)
        {
            let what = format!("the name of a token is 1 to {NAME_CHARS_MAX} characters in one line");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let secret = format!("{PREFIX}{}", hex::encode(rand::random::<[u8; 32]>()));
        let (id, hash) = (hex::encode(rand::random::<[u8; 4]>()), hash_of(&secret).to_hex().to_string());
        let kept = KeptToken { id, name: name.to_owned(), role, made_at_ms: now_ms, hash };
        let mut tokens = self.all()?;
        tokens.push(kept.clone());
        self.write(&tokens)?;
        Ok(NewToken { kept, secret })
    }

    /// Returns all tokens, oldest first.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is not what it should be.
    pub fn all(&self) -> io::Result<Vec<KeptToken>> {
        read(&self.path)
    }

    /// Takes the token with this id away from its bearer; says whether there was one.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written.
    pub fn revoke(&self, id: &str) -> io::Result<bool> {
        let mut tokens = self.all()?;
        let before = tokens.len();
        tokens.retain(|token| token.id != id);
        if tokens.len() < before {
            self.write(&tokens)?;
        }
        Ok(tokens.len() < before)
    }

    /// Returns the token that somebody shows, if it is one.
    pub(crate) fn shown(&self, secret: &str) -> Option<KeptToken> {
        let hash = hash_of(secret);
        // Hashes compare in constant time.
        let is_shown = |token: &KeptToken| blake3::Hash::from_hex(&token.hash).is_ok_and(|kept| kept == hash);
        self.kept.get()?.into_iter().find(is_shown)
    }

    /// Returns what the bearer of the token with this id may do, if it is still one.
    pub(crate) fn role(&self, id: &str) -> Option<Role> {
        self.kept.get()?.into_iter().find(|token| token.id == id).map(|token| token.role)
    }

    fn write(&self, tokens: &[KeptToken]) -> io::Result<()> {
        write_private(&self.path, &serde_json::to_vec_pretty(tokens)?)
    }
}

fn hash_of(secret: &str) -> blake3::Hash {
    blake3::hash(secret.as_bytes())
}

fn read(path: &Path) -> io::Result<Vec<KeptToken>> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    serde_json::from_slice(&text).map_err(|error| {
        let what = format!("{} is no list of tokens ({error}); delete it to revoke all", path.display());
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}

#[cfg(test)]
#[path = "tokens/tests.rs"]
mod tests;
