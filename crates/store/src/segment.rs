//! Segments: preallocated files that records are appended to, and that never change behind them.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use events::LogId;
use parking_lot::Mutex;

use crate::LogError;
use crate::disk::{Disk, DiskFile};
use crate::record::{bytes16, u32_at, u64_at};

/// The format of segments and records that this build writes and reads.
pub(crate) const FORMAT: u32 = 1;
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
        let made = self.folder.join(format!("{number:08}.new"));
        let result = self.fill_new(&made, number, bytes);
        if result.is_err() {
            // Gives the space back; a leftover is removed at the next start, too.
            let _ = std::fs::remove_file(&made);
        }
        let segment = Segment { number, file: result?, bytes };
        self.open.lock().insert(number, segment.clone());
        Ok(segment)
    }

    fn fill_new(&self, made: &Path, number: u32, bytes: u32) -> io::Result<Arc<dyn DiskFile>> {
        let file = self.disk.create(made, u64::from(bytes))?;
        file.write_all_at(&encode_header(self.log, number, bytes), 0)?;
        file.sync_data()?;
        self.disk.rename(made, &self.path(number))?;
        self.disk.sync_folder(&self.folder)?;
        Ok(file)
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
        let bytes = self.check_header(&*file, number, &path)?;
        let segment = Segment { number, file, bytes };
        open.insert(number, segment.clone());
        Ok(segment)
    }

    /// Reads all of a segment up to `end`, without the zeros that were never written.
    pub(crate) fn read(&self, segment: &Segment, end: u32) -> Result<Vec<u8>, LogError> {
        let path = self.path(segment.number);
        let content = segment.file.content_end().map_err(LogError::io("reading", &path))?;
        let mut bytes = vec![0; usize::try_from(content).unwrap_or(usize::MAX).min(end as usize)];
        segment.file.read_exact_at(&mut bytes, 0).map_err(LogError::io("reading", &path))?;
        Ok(bytes)
    }

    pub(crate) fn path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:08}.seg"))
    }

    fn check_header(&self, file: &dyn DiskFile, number: u32, path: &Path) -> Result<u32, LogError> {
        let mut header = [0; SEGMENT_HEADER_BYTES as usize];
        file.read_exact_at(&mut header, 0).map_err(LogError::io("reading", path))?;
        let described = decode_header(&header, self.log, number)
            .map_err(|what| LogError::Unsupported { what: format!("{} {what}", path.display()) })?;
        if described.is_none() {
            // Each record is bound to log and place by its own checksum, so the segment can be read without.
            tracing::error!(path = %path.display(), "the header of a segment is damaged");
        }
        let size = file.size().map_err(LogError::io("reading", path))?;
        Ok(described.unwrap_or_else(|| u32::try_from(size).unwrap_or(u32::MAX)))
    }
}

fn segment_number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_suffix(".seg")?.parse().ok()
}

fn encode_header(log: LogId, number: u32, bytes: u32) -> [u8; SEGMENT_HEADER_BYTES as usize] {
    let mut header = [0; SEGMENT_HEADER_BYTES as usize];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..16].copy_from_slice(&number.to_le_bytes());
    header[16..32].copy_from_slice(log.0.as_bytes());
    header[32..40].copy_from_slice(&u64::from(bytes).to_le_bytes());
    let checksum = crc32c::crc32c(&header[..60]);
    header[60..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Returns the segment's size; none when the header is damaged.
fn decode_header(header: &[u8], log: LogId, number: u32) -> Result<Option<u32>, &'static str> {
    if crc32c::crc32c(&header[..60]) != u32_at(header, 60) {
        return Ok(None);
    }
    if &header[..8] != MAGIC {
        return Err("is no segment of a log");
    }
    if u32_at(header, 8) != FORMAT {
        return Err("has a segment format that this waymark does not know");
    }
    if bytes16(header, 16) != *log.0.as_bytes() || u32_at(header, 12) != number {
        return Err("is a segment of another log or place");
    }
    u32::try_from(u64_at(header, 32)).map(Some).map_err(|_| "is larger than a segment may be")
}
