//! Reading and replacing a file at a checked place, so that nobody can swap a link in between.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fchmod, fstat, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::ToolError;
use crate::workspace::{Place, Workspace, within};

/// Bytes of the largest file that a tool reads or writes as a whole.
pub(crate) const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A file as it is on disk.
pub(crate) struct Stored {
    pub(crate) bytes: Vec<u8>,
    /// The permission bits.
    pub(crate) mode: Mode,
}

impl Workspace {
    /// Opens a regular file for reading. A pipe or a device is refused without waiting for it.
    pub(crate) fn open_file(&self, place: &Place) -> Result<File, ToolError> {
        let path = place.relative();
        // NONBLOCK: opening a named pipe would otherwise wait for its writer.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = open_beneath(self.folder().as_fd(), path, flags);
        let file = opened.map_err(|errno| ToolError::from_errno(path, errno))?;
        let stat = fstat(&file).map_err(|errno| ToolError::from_errno(path, errno))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(file.into()),
            _ => Err(ToolError::not_a_file(path)),
        }
    }

    /// Reads a whole file of at most [`FILE_BYTES_MAX`].
    pub(crate) fn read(&self, place: &Place) -> Result<Stored, ToolError> {
        let path = place.relative();
        let file = self.open_file(place)?;
        let stat = fstat(&file).map_err(|errno| ToolError::from_errno(path, errno))?;
        within(path, u64::try_from(stat.st_size).unwrap_or(0), FILE_BYTES_MAX)?;
        let mut bytes = Vec::new();
        // The size is only what it was a moment ago; one byte more than the limit is enough to know.
        let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
        read.map_err(|error| ToolError::from_io(path, error))?;
        within(path, bytes.len() as u64, FILE_BYTES_MAX)?;
        Ok(Stored { bytes, mode: Mode::from_raw_mode(stat.st_mode & 0o777) })
    }

    /// Reads a file that may be missing.
    pub(crate) fn read_if_there(&self, place: &Place) -> Result<Option<Stored>, ToolError> {
        match self.read(place) {
            Ok(stored) => Ok(Some(stored)),
            Err(ToolError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Puts `content` at a place in one step: a reader sees the old file or the new one, whole.
    ///
    /// Creates missing folders. `mode` is given to the file; without one the process default holds.
    pub(crate) fn replace(&self, place: &Place, content: &[u8], mode: Option<Mode>) -> Result<(), ToolError> {
        let path = place.relative();
        within(path, content.len() as u64, FILE_BYTES_MAX)?;
        let name = path.file_name().ok_or_else(|| ToolError::not_a_file(path))?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let replaced = make_folders(self.folder().as_fd(), parent)
            .map_err(io::Error::from)
            .and_then(|folder| swap_in(folder.as_fd(), name, content, mode));
        replaced.map_err(|error| ToolError::from_io(path, error))
    }
}

/// Opens `path` below `folder`, following no link on the way.
fn open_beneath(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(folder, path, flags, Mode::empty(), how) {
            // Kernels before 5.6, and sandboxes that do not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            other => return other,
        }
    }
    open_by_steps(folder, path, flags)
}

/// As [`open_beneath`], one component at a time, for systems without a call for it.
fn open_by_steps(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or(OsStr::new("."));
    let mut here = openat(folder, ".", folder_flags(), Mode::empty())?;
    for part in parent.components() {
        here = openat(&here, part.as_os_str(), folder_flags(), Mode::empty())?;
    }
    openat(&here, name, flags | OFlags::NOFOLLOW, Mode::empty())
}

/// Opens the folder `path` below `folder`, making what is missing.
fn make_folders(folder: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    let mut here = openat(folder, ".", folder_flags(), Mode::empty())?;
    for part in path.components() {
        match mkdirat(&here, part.as_os_str(), Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        here = openat(&here, part.as_os_str(), folder_flags(), Mode::empty())?;
    }
    Ok(here)
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// Writes `content` beside its destination and renames it into place.
fn swap_in(folder: BorrowedFd<'_>, name: &OsStr, content: &[u8], mode: Option<Mode>) -> io::Result<()> {
    let (draft, file) = create_draft(folder)?;
    let written = fill(file, content, mode)
        .and_then(|()| renameat(folder, draft.as_str(), folder, name).map_err(io::Error::from));
    if written.is_err()
        && let Err(errno) = unlinkat(folder, draft.as_str(), AtFlags::empty())
    {
        tracing::warn!(draft, %errno, "a half-written file stays behind");
    }
    written
}

fn create_draft(folder: BorrowedFd<'_>) -> io::Result<(String, File)> {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    loop {
        let draft = format!(".waymark-{}-{}.tmp", std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed));
        match openat(folder, draft.as_str(), flags, Mode::from_raw_mode(0o666)) {
            Ok(file) => return Ok((draft, file.into())),
            // Left behind by a killed process that had our number: the counter moves on.
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

fn fill(mut file: File, content: &[u8], mode: Option<Mode>) -> io::Result<()> {
    file.write_all(content)?;
    if let Some(mode) = mode {
        fchmod(&file, mode)?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn below(root: &Path, path: &str, open: Opener) -> Result<OwnedFd, Errno> {
        let folder = File::open(root).unwrap();
        open(folder.as_fd(), Path::new(path), OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW)
    }

    type Opener = fn(BorrowedFd<'_>, &Path, OFlags) -> Result<OwnedFd, Errno>;

    /// The state that a lost race leaves: the check saw a plain path, the opening meets a link.
    #[test]
    fn a_link_swapped_in_after_the_check_is_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "s").unwrap();
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("real")).unwrap();
        std::fs::write(root.path().join("real/file"), "f").unwrap();
        symlink(outside.path(), root.path().join("folder")).unwrap();
        symlink(outside.path().join("secret"), root.path().join("file")).unwrap();
        for open in [open_beneath as Opener, open_by_steps as Opener] {
            assert!(below(root.path(), "real/file", open).is_ok());
            assert_eq!(below(root.path(), "file", open).unwrap_err(), Errno::LOOP);
            let through = below(root.path(), "folder/secret", open).unwrap_err();
            assert!(matches!(through, Errno::LOOP | Errno::NOTDIR), "{through}");
        }
    }

    #[test]
    fn folders_are_not_made_through_a_link() {
        let outside = tempfile::tempdir().unwrap();
        let root = tempfile::tempdir().unwrap();
        symlink(outside.path(), root.path().join("folder")).unwrap();
        let folder = File::open(root.path()).unwrap();
        let made = make_folders(folder.as_fd(), Path::new("folder/new"));
        assert!(matches!(made, Err(Errno::LOOP | Errno::NOTDIR)), "{made:?}");
        assert_eq!(outside.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_failed_swap_leaves_no_draft_and_the_old_entry() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("taken")).unwrap();
        let folder = File::open(root.path()).unwrap();
        let swapped = swap_in(folder.as_fd(), OsStr::new("taken"), b"text", None);
        assert!(swapped.is_err());
        let names: Vec<_> = root.path().read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["taken"]);
    }
}
