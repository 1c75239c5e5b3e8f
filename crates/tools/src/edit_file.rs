//! `edit_file`: replaces exact texts in a file, all of them or none.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::arguments::{Arguments, Wrong};
use crate::workspace::{Access, Workspace};
use crate::{Outcome, ToolError, diff, text};

pub(crate) const NAME: &str = "edit_file";
pub(crate) const DESCRIPTION: &str = "Replaces exact texts in a file of the workspace. The edits apply in order, \
    each to the result of the one before; if one fails, nothing is written. Each old must occur exactly once, \
    unless its all is true. Copy old from read_file without the line numbers, white space included. Line \
    endings of the file are kept.";

/// Arguments of `edit_file`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct EditFile {
    /// Path of the file, relative to the workspace root or absolute inside it.
    path: String,
    /// The replacements, in the order in which they apply.
    #[schemars(length(min = 1))]
    edits: Vec<Edit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// The exact text to replace; not empty.
    old: String,
    /// The text to put there; empty deletes.
    new: String,
    /// Replaces every occurrence instead of the only one. Default false.
    all: Option<bool>,
}

impl Arguments for EditFile {
    fn check(&self) -> Result<(), Wrong> {
        if self.edits.is_empty() {
            return Err(Wrong::new("edits", "at least one edit is needed"));
        }
        match self.edits.iter().position(|edit| edit.old.is_empty()) {
            Some(index) => Err(Wrong::new(format!("edits[{index}].old"), "must not be empty")),
            None => Ok(()),
        }
    }
}

impl EditFile {
    pub(crate) fn run(&self, workspace: &Workspace) -> Result<Outcome, ToolError> {
        let place = workspace.locate(&self.path, Access::Write)?;
        let stored = workspace.read(&place)?;
        let old = text::from_bytes(place.relative(), stored.bytes)?;
        let (new, replacements) = self.apply(&old)?;
        if new == old {
            return Ok(Outcome::success(format!("{} has this text already; nothing was written", self.path)));
        }
        workspace.replace(&place, new.as_bytes(), Some(stored.mode))?;
        let outcome = Outcome::success(format!("edited {}: {replacements} replacements", self.path));
        Ok(outcome.with_diff(diff::unified(place.relative(), Some(&old), &new)))
    }

    /// Returns the text after all edits and how many places they changed.
    fn apply(&self, old: &str) -> Result<(String, usize), ToolError> {
        let ending = Ending::of(old);
        let mut text = old.to_owned();
        let mut replacements = 0;
        for (index, edit) in self.edits.iter().enumerate() {
            let (from, to) = (ending.adapt(&edit.old), ending.adapt(&edit.new));
            replacements += self.matches(index, &text, &from)?;
            text = text.replace(&from, &to);
        }
        Ok((text, replacements))
    }

    /// Counts the places that an edit replaces; errs unless there is exactly one or all are meant.
    fn matches(&self, index: usize, text: &str, from: &str) -> Result<usize, ToolError> {
        let (path, edit) = (self.path.clone(), index + 1);
        let all = self.edits[index].all.unwrap_or(false);
        let matches = if all { text.matches(from).count() } else { positions(text, from) };
        match matches {
            0 => Err(ToolError::EditNoMatch { path, edit }),
            1 => Ok(1),
            _ if all => Ok(matches),
            _ => Err(ToolError::EditNotUnique { path, edit, matches }),
        }
    }
}

/// Counts the positions at which `part` begins, overlapping ones too: each is a place that could be meant.
fn positions(text: &str, part: &str) -> usize {
    let step = part.chars().next().map_or(1, char::len_utf8);
    let mut count = 0;
    let mut from = 0;
    while let Some(found) = text[from..].find(part) {
        count += 1;
        from += found + step;
    }
    count
}

/// How lines end in a file. Line numbers and a model's texts know only `\n`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// Every line ends with `\r\n`.
    CrLf,
    /// Anything else; texts are taken as they are.
    AsIs,
}

impl Ending {
    fn of(text: &str) -> Self {
        let lines = text.matches('\n').count();
        match lines > 0 && lines == text.matches("\r\n").count() {
            true => Self::CrLf,
            false => Self::AsIs,
        }
    }

    fn adapt(self, text: &str) -> String {
        match self {
            Self::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
            Self::AsIs => text.to_owned(),
        }
    }
}
