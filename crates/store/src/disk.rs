//! The edge to the disk: what the log needs of a file system, so that tests can break it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{FallocateFlags, SeekFrom, fallocate, seek};

/// A file system.
pub trait Disk: Send + Sync + 'static {
    /// Makes a new file of `bytes` zeros whose space is set aside.
    ///
    /// # Errors
    ///
    /// What the system says, a full disk above all; the file may be left behind then.
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn DiskFile>>;

    /// Opens a file for reading and writing.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Gives a file another name, replacing what had it.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    /// Makes a folder's entries durable.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// An open file.
pub trait DiskFile: Send + Sync + 'static {
    /// Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn size(&self) -> io::Result<u64>;

    /// Returns an offset behind which all bytes are zero, the size where nothing better is known.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn content_end(&self) -> io::Result<u64> {
        self.size()
    }

    /// Makes it `bytes` long, with the space set aside; what is new reads as zeros.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn grow(&self, bytes: u64) -> io::Result<()>;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    ///
    /// What the system says; `UnexpectedEof` when the file ends earlier.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    ///
    /// What the system says; a part may be written.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Makes what was written durable.
    ///
    /// # Errors
    ///
    /// What the system says; what was written may be lost then, and another try proves nothing.
    fn sync_data(&self) -> io::Result<()>;
}

/// The real file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Files;

impl Disk for Files {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn DiskFile>> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        if bytes > 0 {
            DiskFile::grow(&file, bytes)?;
        }
        Ok(Arc::new(file))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(OpenOptions::new().read(true).write(true).open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }
}

/// Files of the operating system that are looked at and never changed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FilesAsTheyAre;

impl Disk for FilesAsTheyAre {
    fn create(&self, _: &Path, _: u64) -> io::Result<Arc<dyn DiskFile>> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(File::open(path)?))
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn content_end(&self) -> io::Result<u64> {
        Ok(last_data_end(self).unwrap_or(self.metadata()?.len()))
    }

    fn grow(&self, bytes: u64) -> io::Result<()> {
        match fallocate(self, FallocateFlags::empty(), 0, bytes) {
            Err(rustix::io::Errno::OPNOTSUPP) => fill(self, self.metadata()?.len(), bytes),
            done => Ok(done?),
        }
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, buffer, offset)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn sync_data(&self) -> io::Result<()> {
        File::sync_data(self)
    }
}

/// Returns the end of the last range that was ever written to; none where the file system does not say.
fn last_data_end(file: &File) -> Option<u64> {
    let mut end = 0;
    loop {
        match seek(file, SeekFrom::Data(end)) {
            Ok(data) => end = seek(file, SeekFrom::Hole(data)).ok()?,
            Err(rustix::io::Errno::NXIO) => return Some(end),
            Err(_) => return None,
        }
    }
}

/// Writes zeros over `from..to`, where space cannot be set aside in another way or bytes must go.
pub(crate) fn fill(file: &dyn DiskFile, from: u64, to: u64) -> io::Result<()> {
    const ZEROS: &[u8] = &[0; 1 << 16];
    let mut at = from;
    while at < to {
        let step = (to - at).min(ZEROS.len() as u64);
        file.write_all_at(&ZEROS[..usize::try_from(step).unwrap_or(ZEROS.len())], at)?;
        at += step;
    }
    Ok(())
}
