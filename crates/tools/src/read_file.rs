//! `read_file`: shows numbered lines of a text file.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::arguments::Arguments;
use crate::text::cut_at;
use crate::workspace::{Access, Workspace};
use crate::{OUTPUT_BYTES_MAX, Outcome, ToolError, text};

pub(crate) const NAME: &str = "read_file";
pub(crate) const DESCRIPTION: &str = "Reads a text file of the workspace and returns its lines, each with its \
    number and a tab before it. Shows 2000 lines from start_line unless line_count says otherwise, 256 KiB at \
    most, and says how to read on. Refuses images, binary files and files over 16 MiB.";

const LINE_COUNT: u32 = 2000;

/// Arguments of `read_file`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct ReadFile {
    /// Path of the file, relative to the workspace root or absolute inside it.
    path: String,
    /// First line to show, from 1. Default 1.
    start_line: Option<NonZeroU32>,
    /// How many lines to show. Default 2000.
    line_count: Option<NonZeroU32>,
}

impl Arguments for ReadFile {}

impl ReadFile {
    pub(crate) fn run(&self, workspace: &Workspace) -> Result<Outcome, ToolError> {
        let place = workspace.locate(&self.path, Access::Read)?;
        let whole = text::from_bytes(place.relative(), workspace.read(&place)?.bytes)?;
        self.page(whole.strip_prefix('\u{feff}').unwrap_or(&whole)).map(Outcome::success)
    }

    fn page(&self, whole: &str) -> Result<String, ToolError> {
        let total = whole.lines().count();
        let start_line = self.start_line.map_or(1, NonZeroU32::get);
        let start = start_line as usize;
        if total == 0 {
            return Ok(format!("{} is empty", self.path));
        }
        if start > total {
            return Err(ToolError::PastEnd { path: self.path.clone(), lines: total, start_line });
        }
        let count = self.line_count.map_or(LINE_COUNT, NonZeroU32::get) as usize;
        let mut page = String::new();
        let mut next = start;
        for line in whole.lines().skip(start - 1).take(count) {
            if !append(&mut page, next, line) {
                break;
            }
            next += 1;
        }
        page.push_str(&self.ending(start, next, total));
        Ok(page)
    }

    fn ending(&self, start: usize, next: usize, total: usize) -> String {
        let shown = format!("lines {start} to {} of {total}", next - 1);
        match next > total {
            true => format!("({shown})"),
            false => format!("({shown}; read on with start_line {next})"),
        }
    }
}

/// Appends a numbered line if it fits. The first line is cut instead, or nothing could be shown at all.
fn append(page: &mut String, number: usize, line: &str) -> bool {
    let numbered = format!("{number:>6}\t{line}\n");
    if page.len() + numbered.len() <= OUTPUT_BYTES_MAX {
        page.push_str(&numbered);
        return true;
    }
    if page.is_empty() {
        let kept = cut_at(&numbered, OUTPUT_BYTES_MAX);
        page.push_str(&format!(
            "{}\n(line {number} cut: {} more bytes)\n",
            &numbered[..kept],
            numbered.len() - kept
        ));
        return true;
    }
    false
}
