//! Walking a folder of the workspace as a person would see it: without ignored files, `.git` and
//! protected folders, in the order of names.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use tokio_util::sync::CancellationToken;

use crate::ToolError;
use crate::arguments::Wrong;
use crate::workspace::{Place, Workspace};

/// Entries that one walk looks at before it gives up.
const WALK_ENTRIES_MAX: usize = 200_000;

/// Which entries of a folder are wanted.
#[derive(Default)]
pub(crate) struct Wanted {
    pub(crate) name: Option<NamePattern>,
    /// How many levels down; none for all.
    pub(crate) depth: Option<usize>,
}

/// An entry below the folder that was walked.
pub(crate) struct Entry {
    /// Relative to the workspace root.
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
    /// A symbolic link or a special file, which a walk does not follow or open.
    Other,
}

/// A glob that is matched against the name, or, when it has a slash, against the path from the folder.
pub(crate) struct NamePattern {
    glob: GlobMatcher,
    whole_path: bool,
}

impl NamePattern {
    pub(crate) fn new(glob: &str) -> Result<Self, Wrong> {
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        let built = built.map_err(|error| Wrong::new("glob", error.to_string()))?;
        Ok(Self { glob: built.compile_matcher(), whole_path: glob.contains('/') })
    }

    fn matches(&self, below: &Path) -> bool {
        match self.whole_path {
            true => self.glob.is_match(below),
            false => below.file_name().is_some_and(|name| self.glob.is_match(name)),
        }
    }
}

/// Calls `visit` for each wanted entry below a folder, or for the place itself if it is a file, until
/// `visit` answers `false`.
///
/// Returns whether everything was looked at. Errs when `cancel` fires.
pub(crate) fn walk(
    workspace: &Workspace,
    (place, wanted): (&Place, &Wanted),
    cancel: &CancellationToken,
    mut visit: impl FnMut(Entry) -> bool,
) -> Result<bool, ToolError> {
    let start = workspace.root().join(place.relative());
    start.symlink_metadata().map_err(|error| ToolError::from_io(place.relative(), error))?;
    for (number, entry) in entries(workspace, &start, wanted.depth).enumerate() {
        if cancel.is_cancelled() {
            return Err(ToolError::Aborted);
        }
        if number == WALK_ENTRIES_MAX {
            return Ok(false);
        }
        // An entry that vanished or may not be read is no reason to hide the others.
        let Ok(entry) = entry.inspect_err(|error| tracing::debug!(%error, "an entry was left out")) else {
            continue;
        };
        if let Some(entry) = accept(workspace, &start, wanted, &entry)
            && !visit(entry)
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn entries(workspace: &Workspace, start: &Path, depth: Option<usize>) -> ignore::Walk {
    let mut walk = WalkBuilder::new(start);
    // What a walk shows depends on the workspace, not on the settings of whoever runs this.
    walk.hidden(false).git_global(false).require_git(false).max_depth(depth);
    walk.sort_by_file_name(|one, other| one.cmp(other));
    let workspace = workspace.clone();
    walk.filter_entry(move |entry| entry.file_name() != ".git" && !workspace.is_protected(entry.path()));
    walk.build()
}

fn accept(workspace: &Workspace, start: &Path, wanted: &Wanted, entry: &ignore::DirEntry) -> Option<Entry> {
    let kind = match entry.file_type()? {
        kind if kind.is_dir() => Kind::Folder,
        kind if kind.is_file() => Kind::File,
        _ => Kind::Other,
    };
    let below = entry.path().strip_prefix(start).ok()?;
    // The folder that is walked is no entry of itself; a file that was named is.
    let below = match (entry.depth(), kind) {
        (0, Kind::File) => Path::new(start.file_name()?),
        (0, Kind::Folder | Kind::Other) => return None,
        _ => below,
    };
    let fits = wanted.name.as_ref().is_none_or(|name| name.matches(below));
    let path = entry.path().strip_prefix(workspace.root()).ok()?.to_owned();
    fits.then_some(Entry { path, kind })
}
