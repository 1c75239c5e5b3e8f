//! Large contents, each in a file named by its hash.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use events::Digest;

use crate::LogError;
use crate::disk::Disk;

/// Digits of a digest.
const DIGEST_DIGITS: usize = 64;

/// All objects of one log.
pub(crate) struct Objects {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    written: AtomicU64,
}

impl Objects {
    /// Opens the folder, and removes what a crash left half written.
    pub(crate) fn open(disk: Arc<dyn Disk>, folder: PathBuf) -> Result<Self, LogError> {
        let objects = Self::at(disk, folder);
        let new = objects.new_folder();
        if new.exists() {
            fs::remove_dir_all(&new).map_err(LogError::io("emptying", &new))?;
        }
        fs::create_dir_all(&new).map_err(LogError::io("making", &new))?;
        Ok(objects)
    }

    /// Names a folder of objects, as it is.
    pub(crate) fn at(disk: Arc<dyn Disk>, folder: PathBuf) -> Self {
        Self { disk, folder, written: AtomicU64::new(0) }
    }

    /// Returns the hashes of all objects, ascending.
    pub(crate) fn list(&self) -> Result<Vec<Digest>, LogError> {
        let mut digests = Vec::new();
        for folder in entries(&self.folder)?.into_iter().filter(|path| path.is_dir()) {
            let names = entries(&folder)?
                .into_iter()
                .filter_map(|path| Some(Digest(path.file_name()?.to_str()?.to_owned())));
            digests.extend(names.filter(is_digest));
        }
        digests.sort_unstable();
        Ok(digests)
    }

    /// Keeps `bytes`; they are durable when this returns.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<Digest, LogError> {
        let digest = Digest(blake3::hash(bytes).to_hex().to_string());
        self.put_as(&digest, bytes).map_err(LogError::unavailable("writing an object"))?;
        Ok(digest)
    }

    fn put_as(&self, digest: &Digest, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(digest);
        let folder = path.parent().expect("an object's path has a folder");
        if !folder.exists() {
            fs::create_dir_all(folder)?;
        }
        // Another put of the same bytes may have made the folder or the file and not have synced it yet.
        self.disk.sync_folder(&self.folder)?;
        if !fs::read(&path).is_ok_and(|there| there == bytes) {
            self.write(&path, bytes)?;
        }
        self.disk.sync_folder(folder)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let new = self.new_folder().join(number.to_string());
        let written = self.write_new(&new, bytes).and_then(|()| self.disk.rename(&new, path));
        if written.is_err() {
            // Gives the space back; a leftover is removed at the next start, too.
            let _ = fs::remove_file(&new);
        }
        written
    }

    fn write_new(&self, new: &Path, bytes: &[u8]) -> io::Result<()> {
        let file = self.disk.create(new, bytes.len() as u64)?;
        file.write_all_at(bytes, 0)?;
        file.sync_data()
    }

    /// Returns an object's bytes, after checking that they have its hash.
    pub(crate) fn read(&self, digest: &Digest) -> Result<Vec<u8>, LogError> {
        if !is_digest(digest) {
            return Err(LogError::NoObject { digest: digest.clone() });
        }
        let path = self.path(digest);
        let bytes = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => LogError::NoObject { digest: digest.clone() },
            _ => LogError::io("reading", &path)(error),
        })?;
        if blake3::hash(&bytes).to_hex().as_str() == digest.0 {
            Ok(bytes)
        } else {
            Err(LogError::CorruptObject { digest: digest.clone() })
        }
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.folder.join(&digest.0[..2]).join(&digest.0)
    }

    fn new_folder(&self) -> PathBuf {
        self.folder.join("new")
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, LogError> {
    let listed = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    listed.map_err(LogError::io("listing", folder))
}

/// Says whether a digest can name an object; what comes from outside never becomes a path otherwise.
fn is_digest(digest: &Digest) -> bool {
    digest.0.len() == DIGEST_DIGITS && digest.0.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
