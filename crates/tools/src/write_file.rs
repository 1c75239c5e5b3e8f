//! `write_file`: puts a whole file in place.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::arguments::Arguments;
use crate::workspace::{Access, Workspace};
use crate::{Outcome, ToolError, diff, text};

pub(crate) const NAME: &str = "write_file";
pub(crate) const DESCRIPTION: &str = "Writes a whole text file in the workspace, creating it and the folders \
    above it, or replacing what it had; the change is all or nothing. Use edit_file for a part of a file. \
    Refuses .git folders and content over 16 MiB.";

/// Arguments of `write_file`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct WriteFile {
    /// Path of the file, relative to the workspace root or absolute inside it.
    path: String,
    /// Everything that the file shall have.
    content: String,
}

impl Arguments for WriteFile {}

impl WriteFile {
    pub(crate) fn run(&self, workspace: &Workspace) -> Result<Outcome, ToolError> {
        let place = workspace.locate(&self.path, Access::Write)?;
        let path = place.relative();
        let (old, mode) = match workspace.read_if_there(&place) {
            Ok(Some(stored)) => (text::from_bytes(path, stored.bytes).map(Some), Some(stored.mode)),
            Ok(None) => (Ok(None), None),
            Err(error) => return Err(error),
        };
        workspace.replace(&place, self.content.as_bytes(), mode)?;
        let verb = if mode.is_some() { "replaced" } else { "created" };
        let outcome = Outcome::success(format!("{verb} {}: {} bytes", self.path, self.content.len()));
        // A replaced binary file has no diff that a person could read.
        Ok(outcome.with_diff(old.ok().and_then(|old| diff::unified(path, old.as_deref(), &self.content))))
    }
}
