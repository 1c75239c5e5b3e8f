//! Large contents, each in a file named by its hash.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use events::Digest;
use parking_lot::Mutex;

use crate::disk::Disk;
use crate::{LogError, Pin};

/// Digits of a digest.
pub(crate) const DIGEST_DIGITS: usize = 64;

/// All objects of one log.
pub(crate) struct Objects {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    written: AtomicU64,
    pins: Arc<Pins>,
}

/// How many pins each object has. While this is locked, no pin comes and nothing goes to the trash.
type Pins = Mutex<HashMap<Digest, usize>>;

/// One pin of an object.
struct Held {
    pins: Arc<Pins>,
    digest: Digest,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut pins = self.pins.lock();
        if let Some(count) = pins.get_mut(&self.digest) {
            *count -= 1;
            if *count == 0 {
                pins.remove(&self.digest);
            }
        }
    }
}

impl Objects {
    /// Opens the folder, removes what a crash left half written, and puts back what it left in the trash.
    pub(crate) fn open(disk: Arc<dyn Disk>, folder: PathBuf) -> Result<Self, LogError> {
        let objects = Self::at(disk, folder);
        let new = objects.new_folder();
        if new.exists() {
            fs::remove_dir_all(&new).map_err(LogError::io("emptying", &new))?;
        }
        let trash = objects.trash_folder();
        for folder in [&new, &trash] {
            fs::create_dir_all(folder).map_err(LogError::io("making", folder))?;
        }
        digests_in(&trash)?.iter().try_for_each(|digest| objects.restore(digest))?;
        Ok(objects)
    }

    /// Names a folder of objects, as it is.
    pub(crate) fn at(disk: Arc<dyn Disk>, folder: PathBuf) -> Self {
        Self { disk, folder, written: AtomicU64::new(0), pins: Arc::default() }
    }

    /// Keeps `bytes`; they are durable when this returns, and are not collected before the pin is dropped.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<Pin, LogError> {
        let digest = Digest(blake3::hash(bytes).to_hex().to_string());
        // Before anything is looked at: what is pinned does not move any more.
        let pin = self.pin(digest);
        self.put_as(pin.digest(), bytes).map_err(LogError::unavailable("writing an object"))?;
        Ok(pin)
    }

    fn pin(&self, digest: Digest) -> Pin {
        *self.pins.lock().entry(digest.clone()).or_default() += 1;
        let held = Held { pins: self.pins.clone(), digest: digest.clone() };
        Pin::new(digest, held)
    }

    fn put_as(&self, digest: &Digest, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(digest);
        let folder = path.parent().expect("an object's path has a folder");
        if !folder.exists() {
            fs::create_dir_all(folder)?;
        }
        // Another put of the same bytes may have made the folder or the file and not have synced it yet.
        self.disk.sync_folder(&self.folder)?;
        if !path.exists() {
            // Where it is not in the trash either, it is written.
            let _ = self.disk.rename(&self.trashed(digest), &path);
        }
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
        // Until it is decided whether something in the trash goes, it may be asked for, and come back meanwhile.
        let places = [path.clone(), self.trashed(digest), path.clone()];
        let is_there =
            |read: &io::Result<_>| !matches!(read, Err(error) if error.kind() == io::ErrorKind::NotFound);
        let Some(read) = places.iter().map(fs::read).find(is_there) else {
            return Err(LogError::NoObject { digest: digest.clone() });
        };
        let bytes = read.map_err(LogError::io("reading", &path))?;
        if blake3::hash(&bytes).to_hex().as_str() == digest.0 {
            Ok(bytes)
        } else {
            Err(LogError::CorruptObject { digest: digest.clone() })
        }
    }

    /// Returns the digests of all objects, ascending.
    pub(crate) fn list(&self) -> Result<Vec<Digest>, LogError> {
        let mut digests = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(LogError::io("listing", &self.folder))? {
            let path = entry.map_err(LogError::io("listing", &self.folder))?.path();
            if path.is_dir() && path != self.new_folder() && path != self.trash_folder() {
                digests.extend(digests_in(&path)?);
            }
        }
        digests.sort_unstable();
        Ok(digests)
    }

    /// Moves an object out of the way unless it is pinned; says whether it did.
    pub(crate) fn trash(&self, digest: &Digest) -> Result<bool, LogError> {
        let pins = self.pins.lock();
        if pins.contains_key(digest) {
            return Ok(false);
        }
        let moved = self.disk.rename(&self.path(digest), &self.trashed(digest));
        moved.map(|()| true).map_err(LogError::unavailable("moving an object to the trash"))
    }

    /// Puts an object back from the trash, unless it is there again already.
    pub(crate) fn restore(&self, digest: &Digest) -> Result<(), LogError> {
        let (trashed, path) = (self.trashed(digest), self.path(digest));
        let restored =
            if path.exists() { self.disk.remove(&trashed) } else { self.disk.rename(&trashed, &path) };
        match restored {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LogError::unavailable("putting an object back from the trash")(error))
            }
            _ => Ok(()),
        }
    }

    /// Removes an object from the trash; returns its bytes, none when it came back meanwhile.
    pub(crate) fn remove_trashed(&self, digest: &Digest) -> Result<Option<u64>, LogError> {
        let trashed = self.trashed(digest);
        let removed = fs::metadata(&trashed).and_then(|there| {
            self.disk.remove(&trashed)?;
            Ok(there.len())
        });
        match removed {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LogError::unavailable("removing an object")(error)),
        }
    }

    fn trashed(&self, digest: &Digest) -> PathBuf {
        self.trash_folder().join(&digest.0)
    }

    fn trash_folder(&self) -> PathBuf {
        self.folder.join("trash")
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.folder.join(&digest.0[..2]).join(&digest.0)
    }

    fn new_folder(&self) -> PathBuf {
        self.folder.join("new")
    }
}

/// Returns the digests that files in a folder are named by.
fn digests_in(folder: &Path) -> Result<Vec<Digest>, LogError> {
    let mut digests = Vec::new();
    for entry in fs::read_dir(folder).map_err(LogError::io("listing", folder))? {
        let name = entry.map_err(LogError::io("listing", folder))?.file_name();
        digests.extend(name.into_string().ok().map(Digest).filter(is_digest));
    }
    Ok(digests)
}

/// Says whether a digest can name an object; what comes from outside never becomes a path otherwise.
fn is_digest(digest: &Digest) -> bool {
    digest.0.len() == DIGEST_DIGITS && digest.0.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
