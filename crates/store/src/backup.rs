//! Copies a log while it is written to: segments first, then the objects that their events name.

use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::lookup::LOG_START;
use crate::record::Spot;
use crate::{LogError, SegmentLog};

/// What a copy of a log holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Segments.
    pub segments: u32,
    /// Objects.
    pub objects: usize,
    /// Bytes of both.
    pub bytes: u64,
}

/// A copy on its way; dropped before it is whole, nothing is left of it.
struct Copying<'a> {
    log: &'a SegmentLog,
    target: PathBuf,
    was_there: bool,
    whole: bool,
    copied: Copied,
}

impl SegmentLog {
    /// Copies the log as it is now into `target`, which is made when it is not there. The copy is a log of the same
    /// name without an index, which opens like any other. Blocks. `progress` is told steps done and steps in all, and
    /// says whether to go on.
    ///
    /// # Errors
    ///
    /// `NotEmpty` for a target that holds anything, `Stopped` when `progress` says so, `Io` and `Unavailable`; nothing
    /// of the copy is left then.
    pub fn backup(
        &self,
        target: &Path,
        progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Copied, LogError> {
        let was_there = is_there(target)?;
        fs::create_dir_all(target).map_err(LogError::io("making", target))?;
        let copied = Copied::default();
        let mut copying = Copying { log: self, target: target.to_owned(), was_there, whole: false, copied };
        copying.run(progress)?;
        copying.whole = true;
        Ok(copying.copied)
    }
}

impl Copying<'_> {
    fn run(&mut self, mut progress: impl FnMut(u64, u64) -> ControlFlow<()>) -> Result<(), LogError> {
        let end = self.log.shared.recent.lock().end();
        let segments = u64::from(end.segment - LOG_START.segment) + 1;
        let mut step = |done, total| match progress(done, total) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(LogError::Stopped),
        };
        for (done, number) in (0..).zip(LOG_START.segment..=end.segment) {
            step(done, segments)?;
            self.copy_segment(number, end)?;
        }
        let objects = self.log.objects.list()?;
        let total = segments + objects.len() as u64;
        for (done, digest) in (segments..).zip(&objects) {
            step(done, total)?;
            let path = Path::new("objects").join(&digest.0[..2]).join(&digest.0);
            self.write(&path, (&self.log.objects.read(digest)?, None))?;
            self.copied.objects += 1;
        }
        // Last, for without it the folder is no log.
        let format = crate::folder::format_text(self.log.shared.log);
        self.write(Path::new("FORMAT"), (format.as_bytes(), None))?;
        self.sync_folders().map_err(LogError::io("syncing", &self.target))
    }

    /// Copies a segment up to where the log ends.
    fn copy_segment(&mut self, number: u32, end: Spot) -> Result<(), LogError> {
        let segments = &self.log.shared.segments;
        let segment = segments.segment(number)?;
        let upto = if number == end.segment { end.offset } else { segment.bytes };
        let bytes = segments.read(&segment, 0..upto)?;
        let name = segments.path(number);
        let path = Path::new("log").join(name.file_name().expect("a segment has a name"));
        self.write(&path, (&bytes, Some(u64::from(segment.bytes))))?;
        self.copied.segments += 1;
        Ok(())
    }

    /// Writes a file of the copy, with zeros behind it up to `size`.
    fn write(&mut self, path: &Path, (bytes, size): (&[u8], Option<u64>)) -> Result<(), LogError> {
        let path = self.target.join(path);
        let folder = path.parent().expect("it lies in the target");
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes)).and_then(|()| {
            let file = File::options().write(true).open(&path)?;
            size.map_or(Ok(()), |size| file.set_len(size))?;
            file.sync_all()
        });
        written.map_err(LogError::unavailable("writing the copy"))?;
        self.copied.bytes += bytes.len() as u64;
        Ok(())
    }

    fn sync_folders(&self) -> io::Result<()> {
        let objects = self.target.join("objects");
        fs::create_dir_all(&objects)?;
        for entry in fs::read_dir(&objects)? {
            File::open(entry?.path())?.sync_all()?;
        }
        [objects, self.target.join("log"), self.target.clone()]
            .iter()
            .try_for_each(|folder| File::open(folder)?.sync_all())
    }
}

impl Drop for Copying<'_> {
    fn drop(&mut self) {
        if self.whole {
            return;
        }
        let made = ["FORMAT", "log", "objects"].map(|name| self.target.join(name));
        let removed = if self.was_there {
            let mut all = made.iter().filter(|path| path.exists());
            all.try_for_each(
                |path| if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) },
            )
        } else {
            fs::remove_dir_all(&self.target)
        };
        if let Err(error) = removed {
            tracing::warn!(target = %self.target.display(), %error, "a part of a copy is left");
        }
    }
}

/// Says whether the target is there; refuses one that holds anything.
fn is_there(target: &Path) -> Result<bool, LogError> {
    match fs::read_dir(target).map(|mut entries| entries.next()) {
        Ok(None) => Ok(true),
        Ok(Some(_)) => Err(LogError::NotEmpty { path: target.display().to_string() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(LogError::io("listing", target)(error)),
    }
}
