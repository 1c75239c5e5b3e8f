//! Collects objects that no record names.
//!
//! A record names an object by its digest, wherever that stands in its lines: what an event means is not looked at, so
//! that a text which merely quotes a digest keeps the object, too.

use std::collections::HashSet;

use events::Digest;

use super::{Reclaimed, lines_of};
use crate::LogError;
use crate::objects::{DIGEST_DIGITS, Objects};
use crate::record::Spot;
use crate::shared::Shared;
use crate::walk::Found;

/// The objects that nothing was seen to name so far.
pub(super) struct Collection<'a> {
    objects: &'a Objects,
    unnamed: HashSet<String>,
}

impl<'a> Collection<'a> {
    /// Begins with all objects that are there now.
    pub(super) fn of(objects: &'a Objects) -> Result<Self, LogError> {
        Ok(Self { objects, unnamed: objects.list()?.into_iter().map(|digest| digest.0).collect() })
    }

    /// Collects nothing this time.
    pub(super) fn give_up(&mut self, why: &str) {
        if !std::mem::take(&mut self.unnamed).is_empty() {
            tracing::warn!(why, "no objects are collected");
        }
    }

    /// Keeps what a record names; `bytes` is its segment from the first byte on.
    pub(super) fn see(&mut self, found: &Found, bytes: &[u8]) {
        if self.unnamed.is_empty() || found.header.count == 0 {
            return;
        }
        match lines_of(found, bytes) {
            Some(lines) => named(&lines).for_each(|digest| {
                self.unnamed.remove(digest);
            }),
            None => self.give_up("a record cannot be read"),
        }
    }

    /// Removes what nothing names, in two steps: out of the way, then, when no record written since names it, for good.
    pub(super) fn finish(self, shared: &Shared, seen: Spot, gained: &mut Reclaimed) -> Result<(), LogError> {
        let mut trashed = HashSet::new();
        for digest in self.unnamed.into_iter().map(Digest) {
            if self.objects.trash(&digest)? {
                trashed.insert(digest.0);
            }
        }
        let end = shared.recent.lock().end();
        let mut named_since = Vec::new();
        shared.scan_bytes(seen, end, |found, bytes| {
            let lines = lines_of(&found, bytes);
            named_since.extend(lines.iter().flat_map(|lines| named(lines)).filter_map(|at| trashed.take(at)));
            true
        })?;
        named_since.into_iter().try_for_each(|digest| self.objects.restore(&Digest(digest)))?;
        for digest in trashed.into_iter().map(Digest) {
            if let Some(bytes) = self.objects.remove_trashed(&digest)? {
                gained.objects += 1;
                gained.object_bytes += bytes;
            }
        }
        Ok(())
    }
}

/// Returns whatever in `lines` could be a digest.
fn named(lines: &str) -> impl Iterator<Item = &str> {
    let runs = lines.split(|letter: char| !matches!(letter, '0'..='9' | 'a'..='f'));
    // An escape before a digest may end in what looks like digits of it.
    runs.flat_map(|run| {
        (0..(run.len() + 1).saturating_sub(DIGEST_DIGITS)).map(|at| &run[at..at + DIGEST_DIGITS])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_found_whatever_stands_around_it() {
        let digest = "0123456789abcdef".repeat(4);
        for text in
            [digest.clone(), format!("\"{digest}\""), format!("\\b{digest}!"), format!("ab{digest}cd")]
        {
            assert!(named(&text).any(|named| named == digest), "{text}");
        }
        assert_eq!(named(&digest[1..]).count(), 0);
        assert_eq!(named(&digest.to_uppercase()).count(), 0);
    }
}
