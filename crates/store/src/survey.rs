//! Looks at a log's files without taking part: no lock, no index, nothing written, also while a process has it open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use events::{Digest, LogId, Seq, SessionId};

use crate::disk::FilesAsTheyAre;
use crate::folder::Folder;
use crate::heads::Heads;
use crate::lookup::LOG_START;
use crate::objects::Objects;
use crate::open::shared;
use crate::read::Reading;
use crate::recent::Recent;
use crate::record::Spot;
use crate::recover::{Recovery, Standing};
use crate::segment::Segments;
use crate::shared::{Damage, Shared};
use crate::{Batch, LogError, Options, ReadLimit, SessionHead};

/// How often the files are read again when what was found changes under a process that writes.
const LOOKS_MAX: u32 = 4;

/// Something in a log that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The session and the first position that cannot be relied on, where they are known.
    pub position: Option<(SessionId, Seq)>,
    /// The segment and the offset in it, in bytes, where it stands in one.
    pub place: Option<(u32, u32)>,
    /// What was found, in lower case.
    pub what: String,
}

/// A session as its records are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyedSession {
    /// Its end.
    pub head: SessionHead,
    /// Whether it is deleted.
    pub deleted: bool,
    /// Batches that stand under its own name: those before a fork stand under its ancestors'.
    pub batches: u64,
    /// Events in them.
    pub events: u64,
    /// Bytes of their records.
    pub bytes: u64,
}

/// What files take, in bytes of content rather than of space set aside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Files.
    pub files: u64,
    /// Bytes in them.
    pub bytes: u64,
}

/// A log as its files were at one moment.
pub struct Survey {
    folder: PathBuf,
    shared: Shared,
    objects: Objects,
    findings: Vec<Finding>,
    segments: Size,
}

impl Survey {
    /// Reads all segments in `folder`; none when it holds no log. `progress` is told bytes read and bytes in all.
    ///
    /// # Errors
    ///
    /// `Unsupported` when something else wrote it, `Io` when it cannot be read.
    pub fn of(folder: &Path, mut progress: impl FnMut(u64, u64)) -> Result<Option<Self>, LogError> {
        let Some(log) = Folder::log_of(folder)? else { return Ok(None) };
        let mut last = Self::look(folder, log, &mut progress)?;
        for _ in 1..LOOKS_MAX {
            if last.findings.is_empty() {
                break;
            }
            // A record that is being written looks damaged for a moment; what is damaged stays so.
            let again = Self::look(folder, log, &mut progress)?;
            let is_settled = again.findings == last.findings;
            last = again;
            if is_settled {
                break;
            }
        }
        Ok(Some(last))
    }

    fn look(folder: &Path, log: LogId, progress: &mut impl FnMut(u64, u64)) -> Result<Self, LogError> {
        let segments = Segments::new(Arc::new(FilesAsTheyAre), folder.join("log"), log);
        let numbers = segments.numbers()?;
        let nothing = (Heads::new(), Damage::new());
        let mut recovery = Recovery::from(log, Standing::START, nothing, Recent::all_places(LOG_START));
        let size = read_all(&segments, &numbers, &mut recovery, progress)?;
        let mut findings = missing(&numbers);
        findings.append(&mut recovery.findings);
        recovery.recent.set_end(recovery.standing.end);
        let options = Options { hot_bytes_max: 0, ..Options::default() };
        let shared = shared(segments, recovery, (log, folder, 0), (&options, options.segment_bytes));
        let objects = Objects::at(Arc::new(FilesAsTheyAre), folder.join("objects"));
        Ok(Self { folder: folder.to_owned(), shared, objects, findings, segments: size })
    }

    /// Names the log.
    #[must_use]
    pub fn log(&self) -> LogId {
        self.shared.log
    }

    /// Returns what was found damaged while reading, in the order of the log. A torn tail that was never acknowledged
    /// is no damage.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns all sessions, deleted ones too, by id.
    #[must_use]
    pub fn sessions(&self) -> Vec<SurveyedSession> {
        let (heads, recent) = (self.shared.heads.lock(), self.shared.recent.lock());
        let mut sessions: Vec<_> = heads
            .iter()
            .filter(|(_, head)| !head.unfinished)
            .map(|(session, head)| {
                let (batches, events, bytes) = recent.tally(*session);
                SurveyedSession { head: head.listed(*session), deleted: head.deleted, batches, events, bytes }
            })
            .collect();
        sessions.sort_unstable_by_key(|surveyed| surveyed.head.session);
        sessions
    }

    /// Returns whole batches behind `after`, as [`Log::read`](crate::Log::read) does.
    ///
    /// # Errors
    ///
    /// `NotFound`, `Corrupt`.
    pub fn read(&self, session: SessionId, after: Seq, limit: ReadLimit) -> Result<Vec<Batch>, LogError> {
        let head = self.shared.live_head(session)?;
        self.shared.read_cold(&Reading { session, head, after, limit })
    }

    /// Finds forks that go on from what is no batch end of a session.
    #[must_use]
    pub fn fork_findings(&self) -> Vec<Finding> {
        let heads = self.shared.heads.lock().clone();
        let forks = heads.iter().filter(|(_, head)| !head.deleted && !head.unfinished);
        let mut findings: Vec<_> = forks
            .filter_map(|(session, head)| {
                let point = head.parent?;
                let parent = heads.get(&point.session).cloned();
                let what = match parent {
                    None => format!("its parent {} is not in the log", point.session),
                    Some(parent) if point.seq > parent.seq => {
                        format!("it goes on from seq {}, where its parent has not come", point.seq)
                    }
                    Some(head) => {
                        let (session, limit) = (point.session, ReadLimit::default());
                        let reading = Reading { session, head, after: point.seq, limit };
                        let end = self.shared.batch_end_at(&reading).ok()?;
                        (end != point.seq)
                            .then(|| format!("it goes on from seq {}, which is no batch end", point.seq))?
                    }
                };
                Some(Finding { position: Some((*session, point.seq)), place: None, what })
            })
            .collect();
        findings.sort_by_key(|finding| finding.position);
        findings
    }

    /// Returns the hashes of all objects.
    ///
    /// # Errors
    ///
    /// `Io` when a folder cannot be read.
    pub fn objects(&self) -> Result<Vec<Digest>, LogError> {
        self.objects.list()
    }

    /// Returns an object's bytes.
    ///
    /// # Errors
    ///
    /// `NoObject`, `CorruptObject`.
    pub fn object(&self, digest: &Digest) -> Result<Vec<u8>, LogError> {
        self.objects.read(digest)
    }

    /// Returns what the segments take.
    #[must_use]
    pub fn segment_size(&self) -> Size {
        self.segments
    }

    /// Returns what the objects take.
    #[must_use]
    pub fn object_size(&self) -> Size {
        tree_size(&self.folder.join("objects"))
    }

    /// Returns what the index takes.
    #[must_use]
    pub fn index_size(&self) -> Size {
        tree_size(&self.folder.join("index"))
    }
}

fn read_all(
    segments: &Segments,
    numbers: &[u32],
    recovery: &mut Recovery,
    progress: &mut impl FnMut(u64, u64),
) -> Result<Size, LogError> {
    let mut sizes = Vec::new();
    for &number in numbers {
        let content = segments.segment(number)?.file.content_end();
        sizes.push((number, content.map_err(LogError::io("reading", &segments.path(number)))?));
    }
    let total = sizes.iter().map(|(_, bytes)| bytes).sum();
    let mut size = Size::default();
    for (number, bytes) in sizes {
        recovery.read_segment(segments, Spot { segment: number, offset: 0 })?;
        size = Size { files: size.files + 1, bytes: size.bytes + bytes };
        progress(size.bytes, total);
    }
    Ok(size)
}

/// Finds segments that are not there.
fn missing(numbers: &[u32]) -> Vec<Finding> {
    let all = LOG_START.segment..=numbers.last().copied().unwrap_or(0);
    let missing = all.filter(|number| numbers.binary_search(number).is_err());
    missing
        .map(|number| Finding {
            position: None,
            place: Some((number, 0)),
            what: "the segment is missing".to_owned(),
        })
        .collect()
}

/// Adds up the files in a folder and those below it; what cannot be read, or goes meanwhile, counts nothing.
fn tree_size(folder: &Path) -> Size {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.fold(Size::default(), |so_far, entry| {
        let here = match entry.metadata() {
            Ok(found) if found.is_dir() => tree_size(&entry.path()),
            Ok(found) => Size { files: 1, bytes: found.len() },
            Err(_) => Size::default(),
        };
        Size { files: so_far.files + here.files, bytes: so_far.bytes + here.bytes }
    })
}
