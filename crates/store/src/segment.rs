//! Segments: preallocated files that records are appended to, and that never change behind them.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use events::LogId;
use parking_lot::Mutex;

use crate::LogError;
use crate::disk::{Disk, DiskFile};
use crate::record::{bytes16, u32_at, u64_at};

/// The format of logs, segments and records that this build writes and reads.
pub(crate) const FORMAT: u32 = 1;
/// The format of a segment that was rewritten: as the other one, yet with records that are no longer in it.
const REWRITTEN_FORMAT: u32 = 2;
/// Where a segment's first record begins.
pub(crate) const SEGMENT_HEADER_BYTES: u32 = 64;
const MAGIC: &[u8; 8] = b"wmSEGMNT";
/// Files kept open for reading.
const OPEN_FILES_MAX: usize = 128;

/// A segment that is open.
#[derive(Clone)]
pub(crate) struct Segment {
    pub(crate) number: u32,
    pub(crate) file: Arc<dyn DiskFile>,
    /// Its size with its preallocated part.
    pub(crate) bytes: u32,
    /// Whether space was reclaimed in it, so that groups may be missing.
    pub(crate) rewritten: bool,
}

/// All segments of one log.
pub(crate) struct Segments {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    log: LogId,
    open: Mutex<HashMap<u32, Segment>>,
}

impl Segments {
    pub(crate) fn new(disk: Arc<dyn Disk>, folder: PathBuf, log: LogId) -> Self {
        Self { disk, folder, log, open: Mutex::new(HashMap::new()) }
    }

    pub(crate) fn log(&self) -> LogId {
        self.log
    }

    /// Returns the numbers of all segments, ascending.
    pub(crate) fn numbers(&self) -> Result<Vec<u32>, LogError> {
        let paths = self.paths()?;
        let mut numbers: Vec<u32> = paths.iter().filter_map(|path| segment_number(path)).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Removes what a crash left half made.
    pub(crate) fn remove_unfinished(&self) -> Result<(), LogError> {
        for path in self.paths()?.into_iter().filter(|path| segment_number(path).is_none()) {
            // One that stays is in nobody's way.
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    fn paths(&self) -> Result<Vec<PathBuf>, LogError> {
        let listed = std::fs::read_dir(&self.folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        listed.map_err(LogError::io("listing", &self.folder))
    }

    /// Makes segment `number`: written and synced under another name first, so that it is whole or absent.
    pub(crate) fn create(&self, number: u32, bytes: u32) -> io::Result<Segment> {
        let made = self.path_aside(number);
        let result = self.fill_new(&made, number, bytes);
        if result.is_err() {
            // Gives the space back; a leftover is removed at the next start, too.
            let _ = std::fs::remove_file(&made);
        }
        let segment = Segment { number, file: result?, bytes, rewritten: false };
        self.open.lock().insert(number, segment.clone());
        Ok(segment)
    }

    fn fill_new(&self, made: &Path, number: u32, bytes: u32) -> io::Result<Arc<dyn DiskFile>> {
        let file = self.disk.create(made, u64::from(bytes))?;
        file.write_all_at(&encode_header(self.log, FORMAT, (number, bytes)), 0)?;
        file.sync_data()?;
        self.disk.rename(made, &self.path(number))?;
        self.disk.sync_folder(&self.folder)?;
        Ok(file)
    }

    /// Writes what shall take the place of segment `number` under another name: `content` from its first byte on, whose
    /// header is written here.
    pub(crate) fn write_aside(&self, number: u32, content: &mut [u8]) -> io::Result<Segment> {
        let bytes = u32::try_from(content.len()).map_err(io::Error::other)?;
        content[..SEGMENT_HEADER_BYTES as usize].copy_from_slice(&encode_header(
            self.log,
            REWRITTEN_FORMAT,
            (number, bytes),
        ));
        let file = self.disk.create(&self.path_aside(number), u64::from(bytes)).and_then(|file| {
            file.write_all_at(content, 0)?;
            file.sync_data()?;
            Ok(file)
        });
        if file.is_err() {
            self.remove_aside(number);
        }
        Ok(Segment { number, file: file?, bytes, rewritten: true })
    }

    /// Puts a segment that was written aside in its place. An error leaves everything as it was.
    pub(crate) fn put_in_place(&self, segment: Segment) -> io::Result<()> {
        let number = segment.number;
        self.disk.rename(&self.path_aside(number), &self.path(number))?;
        self.open.lock().insert(number, segment);
        Ok(())
    }

    /// Makes the names of all segments durable.
    pub(crate) fn sync_names(&self) -> io::Result<()> {
        self.disk.sync_folder(&self.folder)
    }

    /// Gives the space of a segment back that was written aside; a leftover is removed at the next start, too.
    pub(crate) fn remove_aside(&self, number: u32) {
        let _ = std::fs::remove_file(self.path_aside(number));
    }

    fn path_aside(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:08}.new"))
    }

    /// Returns segment `number`, opening it when need be.
    pub(crate) fn segment(&self, number: u32) -> Result<Segment, LogError> {
        let mut open = self.open.lock();
        if let Some(segment) = open.get(&number) {
            return Ok(segment.clone());
        }
        if open.len() >= OPEN_FILES_MAX {
            open.clear();
        }
        let path = self.path(number);
        let file = self.disk.open(&path).map_err(LogError::io("opening", &path))?;
        let (bytes, rewritten) = self.check_header(&*file, number, &path)?;
        let segment = Segment { number, file, bytes, rewritten };
        open.insert(number, segment.clone());
        Ok(segment)
    }

    /// Reads what stands at `range` of a segment, without the zeros that were never written. The bytes before it are
    /// not read and are zeros, so that each byte has the index of its place.
    pub(crate) fn read(&self, segment: &Segment, range: Range<u32>) -> Result<Vec<u8>, LogError> {
        let path = self.path(segment.number);
        let content = segment.file.content_end().map_err(LogError::io("reading", &path))?;
        let mut bytes = vec![0; usize::try_from(content).unwrap_or(usize::MAX).min(range.end as usize)];
        let start = bytes.len().min(range.start as usize);
        let read = segment.file.read_exact_at(&mut bytes[start..], start as u64);
        read.map_err(LogError::io("reading", &path))?;
        Ok(bytes)
    }

    pub(crate) fn path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:08}.seg"))
    }

    fn check_header(&self, file: &dyn DiskFile, number: u32, path: &Path) -> Result<(u32, bool), LogError> {
        let mut header = [0; SEGMENT_HEADER_BYTES as usize];
        file.read_exact_at(&mut header, 0).map_err(LogError::io("reading", path))?;
        let described = decode_header(&header, self.log, number)
            .map_err(|what| LogError::Unsupported { what: format!("{} {what}", path.display()) })?;
        if described.is_none() {
            // Each record is bound to log and place by its own checksum, so the segment can be read without.
            tracing::error!(path = %path.display(), "the header of a segment is damaged");
        }
        let size = file.size().map_err(LogError::io("reading", path))?;
        Ok(described.unwrap_or_else(|| (u32::try_from(size).unwrap_or(u32::MAX), false)))
    }
}

fn segment_number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_suffix(".seg")?.parse().ok()
}

fn encode_header(
    log: LogId,
    format: u32,
    (number, bytes): (u32, u32),
) -> [u8; SEGMENT_HEADER_BYTES as usize] {
    let mut header = [0; SEGMENT_HEADER_BYTES as usize];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&format.to_le_bytes());
    header[12..16].copy_from_slice(&number.to_le_bytes());
    header[16..32].copy_from_slice(log.0.as_bytes());
    header[32..40].copy_from_slice(&u64::from(bytes).to_le_bytes());
    let checksum = crc32c::crc32c(&header[..60]);
    header[60..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Returns the segment's size and whether it was rewritten; none when the header is damaged.
fn decode_header(header: &[u8], log: LogId, number: u32) -> Result<Option<(u32, bool)>, &'static str> {
    if crc32c::crc32c(&header[..60]) != u32_at(header, 60) {
        return Ok(None);
    }
    if &header[..8] != MAGIC {
        return Err("is no segment of a log");
    }
    let rewritten = match u32_at(header, 8) {
        FORMAT => false,
        REWRITTEN_FORMAT => true,
        _ => return Err("has a segment format that this waymark does not know"),
    };
    if bytes16(header, 16) != *log.0.as_bytes() || u32_at(header, 12) != number {
        return Err("is a segment of another log or place");
    }
    let bytes = u32::try_from(u64_at(header, 32)).map_err(|_| "is larger than a segment may be")?;
    Ok(Some((bytes, rewritten)))
}
