//! The data folder: who uses it, which log it holds, and where its parts are.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use events::LogId;
use uuid::Uuid;

use crate::LogError;
use crate::disk::Disk;
use crate::segment::FORMAT;

/// How often, and how far apart, the pid in a lock that is taken is looked at.
const HOLDER_TRIES: u32 = 50;
const HOLDER_PAUSE: Duration = Duration::from_millis(5);
/// Names the file that counts the rewritings of segments.
const GENERATION: &str = "GENERATION";

/// A data folder that this process alone uses, until it is dropped.
pub(crate) struct Folder {
    path: PathBuf,
    pub(crate) log: LogId,
    /// Holds the lock until this is dropped.
    lock: File,
}

impl Folder {
    /// Makes the folder where need be, locks it, and learns or mints the log's id.
    pub(crate) fn open(disk: &dyn Disk, path: &Path) -> Result<Self, LogError> {
        make_folder(path)?;
        let lock = lock(&path.join("LOCK"))?;
        make_folder(&path.join("log"))?;
        make_folder(&path.join("objects"))?;
        let log = match Self::log_of(path)? {
            Some(log) => log,
            None => {
                refuse_orphaned(&path.join("log"))?;
                mint(disk, path).map_err(LogError::unavailable("writing FORMAT"))?
            }
        };
        Ok(Self { path: path.to_owned(), log, lock })
    }

    /// Returns which log a folder holds, without taking part in it; none when it holds no log.
    pub(crate) fn log_of(path: &Path) -> Result<Option<LogId>, LogError> {
        let format = path.join("FORMAT");
        match fs::read_to_string(&format) {
            Ok(text) => parse_format(&text).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LogError::io("reading", &format)(error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns which generation the segments are of: how often one was rewritten.
    pub(crate) fn generation(&self) -> Result<u64, LogError> {
        let path = self.path.join(GENERATION);
        match fs::read_to_string(&path) {
            Ok(text) => parse_generation(&text).ok_or_else(|| {
                let what = "the file GENERATION is unreadable; remove it to have the index made again";
                LogError::Unsupported { what: what.to_owned() }
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(LogError::io("reading", &path)(error)),
        }
    }

    pub(crate) fn segments(&self) -> PathBuf {
        self.path.join("log")
    }

    pub(crate) fn objects(&self) -> PathBuf {
        self.path.join("objects")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.path.join("index")
    }
}

fn make_folder(path: &Path) -> Result<(), LogError> {
    fs::create_dir_all(path).map_err(LogError::io("making", path))
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Closing the file is not enough: a child of this process that has not reached its program yet has it open too.
        if let Err(error) = fs4::FileExt::unlock(&self.lock) {
            tracing::debug!(%error, "the lock goes with the process");
        }
    }
}

/// Takes the lock, or names the process that has it.
fn lock(path: &Path) -> Result<File, LogError> {
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = opened.map_err(LogError::io("opening", path))?;
    match fs4::FileExt::try_lock(&file) {
        Ok(()) => {}
        Err(fs4::TryLockError::WouldBlock) => {
            return Err(LogError::Busy { pid: holder(&mut file) });
        }
        Err(fs4::TryLockError::Error(error)) => return Err(LogError::io("locking", path)(error)),
    }
    write_pid(&mut file).map_err(LogError::io("writing", path))?;
    Ok(file)
}

/// Returns the pid of the process that has the lock. Right after it was taken, what stands there is nothing yet, or the
/// one before.
fn holder(file: &mut File) -> String {
    let mut pid = String::new();
    for _ in 0..HOLDER_TRIES {
        pid.clear();
        let read = file.rewind().and_then(|()| file.read_to_string(&mut pid));
        if read.is_ok() && pid.parse::<u32>().is_ok_and(is_running) {
            return pid;
        }
        thread::sleep(HOLDER_PAUSE);
    }
    // It may run where this process cannot see it.
    if pid.is_empty() { "unknown".to_owned() } else { pid }
}

fn is_running(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

/// Refuses segments without the file that says whose they are.
fn refuse_orphaned(segments: &Path) -> Result<(), LogError> {
    let mut entries = fs::read_dir(segments).map_err(LogError::io("listing", segments))?;
    let has_segment = entries.any(|entry| {
        entry.is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "seg"))
    });
    if has_segment {
        let what = format!("{} has segments, and FORMAT is missing beside it", segments.display());
        return Err(LogError::Unsupported { what });
    }
    Ok(())
}

fn mint(disk: &dyn Disk, folder: &Path) -> io::Result<LogId> {
    let log = LogId(Uuid::now_v7());
    write_whole(disk, (folder, "FORMAT"), &format_text(log))?;
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        disk.sync_folder(parent)?;
    }
    Ok(log)
}

/// Returns the content of the file FORMAT.
pub(crate) fn format_text(log: LogId) -> String {
    format!("waymark log\nformat {FORMAT}\nlog {log}\n")
}

/// Writes a small file so that it is there whole or as it was before.
fn write_whole(disk: &dyn Disk, (folder, name): (&Path, &str), text: &str) -> io::Result<()> {
    let new = folder.join(format!("{name}.new"));
    let file = disk.create(&new, text.len() as u64)?;
    file.write_all_at(text.as_bytes(), 0)?;
    file.sync_data()?;
    disk.rename(&new, &folder.join(name))?;
    disk.sync_folder(folder)
}

/// Records the generation of the log's segments, which makes an index of another one stale.
pub(crate) fn write_generation(disk: &dyn Disk, folder: &Path, generation: u64) -> io::Result<()> {
    write_whole(disk, (folder, GENERATION), &format!("generation {generation}\n"))
}

fn parse_generation(text: &str) -> Option<u64> {
    text.strip_prefix("generation ")?.strip_suffix('\n')?.parse().ok()
}

fn parse_format(text: &str) -> Result<LogId, LogError> {
    let unsupported = |what: String| LogError::Unsupported { what };
    let mut lines = text.lines();
    if lines.next() != Some("waymark log") {
        return Err(unsupported("the file FORMAT does not describe a log".to_owned()));
    }
    let format = lines.next().and_then(|line| line.strip_prefix("format ")).unwrap_or("without a number");
    if format != FORMAT.to_string() {
        return Err(unsupported(format!("the log has format {format}; this waymark knows format {FORMAT}")));
    }
    let log = lines.next().and_then(|line| line.strip_prefix("log ")).and_then(|id| id.parse().ok());
    log.ok_or_else(|| unsupported("the file FORMAT does not name its log".to_owned()))
}
