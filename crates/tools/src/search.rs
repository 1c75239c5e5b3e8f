//! `search`: finds lines by a regular expression.

use std::io;
use std::num::NonZeroU32;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::arguments::{Arguments, Wrong};
use crate::text::cut_at;
use crate::walk::{Entry, Kind, NamePattern, Wanted, walk};
use crate::workspace::{Access, Place, Workspace};
use crate::{OUTPUT_BYTES_MAX, Outcome, ToolError};

pub(crate) const NAME: &str = "search";
pub(crate) const DESCRIPTION: &str = "Searches the files of the workspace line by line for a regular expression \
    (Rust syntax, without look-around and back-references) and returns path:line:text. Leaves out .git, binary \
    files and what .gitignore names. Returns 200 matches unless max_matches says otherwise; lines are cut at \
    400 characters.";

const MATCHES: u32 = 200;
const MATCHES_MAX: u32 = 2000;
const LINE_CHARS_MAX: usize = 400;
/// Memory for one line of a searched file; a file with a longer one is skipped.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Arguments of `search`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct Search {
    /// Regular expression that a line must match.
    pattern: String,
    /// File or folder to search, relative to the workspace root or absolute inside it. Default the root.
    path: Option<String>,
    /// Searches only files that match this glob: their name, or, if it has a slash, their path from the
    /// searched folder, as in `*.rs` or `src/**/*.rs`.
    glob: Option<String>,
    /// Takes small and capital letters as equal. Default false.
    case_insensitive: Option<bool>,
    /// How many matches to return, 2000 at most. Default 200.
    #[schemars(range(min = 1, max = 2000))]
    max_matches: Option<NonZeroU32>,
}

impl Arguments for Search {
    fn check(&self) -> Result<(), Wrong> {
        if self.max_matches.is_some_and(|wanted| wanted.get() > MATCHES_MAX) {
            return Err(Wrong::new("max_matches", format!("more than {MATCHES_MAX}")));
        }
        self.wanted()?;
        self.matcher().map(drop)
    }
}

impl Search {
    fn wanted(&self) -> Result<Wanted, Wrong> {
        Ok(Wanted { name: self.glob.as_deref().map(NamePattern::new).transpose()?, depth: None })
    }

    fn matcher(&self) -> Result<RegexMatcher, Wrong> {
        let mut builder = RegexMatcherBuilder::new();
        builder.case_insensitive(self.case_insensitive.unwrap_or(false)).line_terminator(Some(b'\n'));
        builder.build(&self.pattern).map_err(|error| Wrong::new("pattern", error.to_string()))
    }

    pub(crate) fn run(
        &self,
        workspace: &Workspace,
        cancel: &CancellationToken,
    ) -> Result<Outcome, ToolError> {
        let place = workspace.locate(self.path.as_deref().unwrap_or("."), Access::Read)?;
        let refused = |wrong: Wrong| wrong.refused(NAME);
        let wanted = self.wanted().map_err(refused)?;
        let mut hunt = Hunt::new(self.matcher().map_err(refused)?, self.matches_max());
        let complete = walk(workspace, (&place, &wanted), cancel, |entry| {
            if entry.kind == Kind::File {
                hunt.file(workspace, &entry);
            }
            !hunt.full
        })?;
        Ok(Outcome::success(hunt.report(complete)))
    }

    fn matches_max(&self) -> usize {
        self.max_matches.map_or(MATCHES, NonZeroU32::get) as usize
    }
}

/// A search under way.
struct Hunt {
    matcher: RegexMatcher,
    searcher: Searcher,
    found: Found,
    /// Whether there was one match more than may be returned.
    full: bool,
    /// Files that could not be searched to their end.
    unread: usize,
}

struct Found {
    text: String,
    matches: usize,
    matches_max: usize,
}

impl Hunt {
    fn new(matcher: RegexMatcher, matches_max: usize) -> Self {
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LINE_BYTES_MAX))
            .build();
        let found = Found { text: String::new(), matches: 0, matches_max };
        Self { matcher, searcher, found, full: false, unread: 0 }
    }

    fn file(&mut self, workspace: &Workspace, entry: &Entry) {
        if let Err(error) = self.lines(workspace, entry) {
            tracing::debug!(path = %entry.path.display(), %error, "a file was not searched to its end");
            self.unread += 1;
        }
    }

    fn lines(&mut self, workspace: &Workspace, entry: &Entry) -> io::Result<()> {
        let file = workspace.open_file(&Place::walked(entry)).map_err(io::Error::other)?;
        let Self { matcher, searcher, found, full, .. } = self;
        let path = entry.path.to_string_lossy();
        let sink = Lossy(|number, line| {
            *full = !found.add(&path, number, line);
            Ok(!*full)
        });
        searcher.search_file(&*matcher, &file, sink)
    }

    fn report(self, complete: bool) -> String {
        let Found { mut text, matches, .. } = self.found;
        let ending = match (self.full, complete, matches) {
            (true, ..) => "; there are more: narrow pattern, path or glob",
            (false, false, _) => "; stopped before the end: name a deeper path",
            (false, true, _) => "",
        };
        let unread = match self.unread {
            0 => String::new(),
            files => format!("; {files} files could not be searched"),
        };
        text.push_str(&format!("({matches} matches{ending}{unread})"));
        text
    }
}

impl Found {
    /// Adds a match, or answers `false` when there is no room for it.
    fn add(&mut self, path: &str, number: u64, line: &str) -> bool {
        let line = shortened(line.trim_end_matches(['\r', '\n']));
        let added = format!("{path}:{number}:{line}\n");
        if self.matches == self.matches_max || self.text.len() + added.len() > OUTPUT_BYTES_MAX {
            return false;
        }
        self.text.push_str(&added);
        self.matches += 1;
        true
    }
}

fn shortened(line: &str) -> String {
    // No character is longer than 4 bytes, so this never counts through a line of megabytes.
    let near = &line[..cut_at(line, 4 * (LINE_CHARS_MAX + 1))];
    match near.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &near[..end]),
        None => line.to_owned(),
    }
}
