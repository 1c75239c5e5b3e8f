//! `list_files`: shows what is in a folder.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::arguments::{Arguments, Wrong};
use crate::walk::{Entry, Kind, NamePattern, Wanted, walk};
use crate::workspace::{Access, Workspace};
use crate::{OUTPUT_BYTES_MAX, Outcome, ToolError};

pub(crate) const NAME: &str = "list_files";
pub(crate) const DESCRIPTION: &str = "Lists a folder of the workspace as sorted paths from the workspace root; \
    folders end with a slash. Goes 3 levels down unless depth says otherwise. Leaves out .git and what \
    .gitignore names. Shows 2000 entries at most and says how many were left out.";

const ENTRIES_MAX: usize = 2000;
const DEPTH: u32 = 3;

/// Arguments of `list_files`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct ListFiles {
    /// Folder to list, relative to the workspace root or absolute inside it. Default the root.
    path: Option<String>,
    /// How many levels to go down; 1 shows the folder's own entries. Default 3.
    depth: Option<NonZeroU32>,
    /// Shows only entries that match this glob: their name, or, if it has a slash, their path from the
    /// listed folder, as in `*.rs` or `src/**/*.rs`.
    glob: Option<String>,
}

impl Arguments for ListFiles {
    fn check(&self) -> Result<(), Wrong> {
        self.wanted().map(drop)
    }
}

impl ListFiles {
    fn wanted(&self) -> Result<Wanted, Wrong> {
        let depth = self.depth.map_or(DEPTH, NonZeroU32::get) as usize;
        Ok(Wanted { name: self.glob.as_deref().map(NamePattern::new).transpose()?, depth: Some(depth) })
    }

    pub(crate) fn run(
        &self,
        workspace: &Workspace,
        cancel: &CancellationToken,
    ) -> Result<Outcome, ToolError> {
        let asked = self.path.as_deref().unwrap_or(".");
        let place = workspace.locate(asked, Access::Read)?;
        if workspace.root().join(place.relative()).is_file() {
            return Err(ToolError::NotAFolder { path: asked.to_owned() });
        }
        let wanted = self.wanted().map_err(|wrong| wrong.refused(NAME))?;
        let mut paths = Vec::new();
        let complete = walk(workspace, (&place, &wanted), cancel, |entry| {
            paths.push(line(&entry));
            true
        })?;
        paths.sort_unstable();
        Ok(Outcome::success(listing(&paths, complete)))
    }
}

fn line(entry: &Entry) -> String {
    let slash = if entry.kind == Kind::Folder { "/" } else { "" };
    format!("{}{slash}", entry.path.to_string_lossy())
}

fn listing(paths: &[String], complete: bool) -> String {
    let mut text = String::new();
    let mut shown = 0;
    for path in paths.iter().take(ENTRIES_MAX) {
        if text.len() + path.len() >= OUTPUT_BYTES_MAX {
            break;
        }
        text.push_str(path);
        text.push('\n');
        shown += 1;
    }
    let least = if complete { "" } else { "at least " };
    match paths.len() - shown {
        0 if complete && shown == 0 => text.push_str("(no entries)"),
        0 if complete => text.push_str(&format!("({shown} entries)")),
        left => text.push_str(&format!(
            "({shown} entries; {least}{left} more left out: name a deeper path, a smaller depth or a glob)"
        )),
    }
    text
}
