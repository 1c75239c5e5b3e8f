//! Small files with secrets that may change while a server runs.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// What tells one writing of a file from another.
type Stamp = Option<(u64, u64, i64, i64)>;

/// A small file as it was read last; read again when it has changed.
pub(crate) struct WatchedFile<T> {
    path: PathBuf,
    read: fn(&Path) -> io::Result<T>,
    seen: Mutex<(Stamp, Option<T>)>,
}

impl<T: Clone> WatchedFile<T> {
    /// Reads the file with `read`, which also says what a missing one means.
    pub(crate) fn open(path: &Path, read: fn(&Path) -> io::Result<T>) -> io::Result<Self> {
        let stamp = stamp(path);
        let content = read(path)?;
        Ok(Self { path: path.to_owned(), read, seen: Mutex::new((stamp, Some(content))) })
    }

    /// Returns what the file says now; nothing when it is damaged, for nobody is let in by a guess.
    pub(crate) fn get(&self) -> Option<T> {
        let stamp = stamp(&self.path);
        let mut seen = self.seen.lock();
        if seen.0 != stamp {
            let content = (self.read)(&self.path);
            let content =
                content.inspect_err(|error| tracing::warn!(%error, "nobody is let in by this file"));
            *seen = (stamp, content.ok());
        }
        seen.1.clone()
    }
}

fn stamp(path: &Path) -> Stamp {
    let found = fs::metadata(path).ok()?;
    Some((found.ino(), found.len(), found.mtime(), found.mtime_nsec()))
}

/// Writes a file that only its owner reads beside its place and renames it there, so that no crash leaves half of one.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)
}
