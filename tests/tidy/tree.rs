//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::mask::mask;

/// What is not ours, or not a source: builds, downloads, the built page, and `.git`, a file in a second working tree.
const FOREIGN: [&str; 5] = [".git", "target", "node_modules", "dist", "waymark-rehearsal"];

/// A Rust file.
pub(crate) struct Source {
    /// Its path from the root, with slashes.
    pub(crate) path: String,
    /// Its code, see [`mask`].
    pub(crate) code: String,
}

impl Source {
    /// Returns the code above the file's own tests; a file of tests has none.
    pub(crate) fn production(&self) -> &str {
        &self.code[..self.tests_begin()]
    }

    /// Returns the file's own tests; the whole of a file of tests.
    pub(crate) fn tests(&self) -> &str {
        &self.code[self.tests_begin()..]
    }

    /// Returns how many lines lie above [`Self::tests`].
    pub(crate) fn lines_above_tests(&self) -> usize {
        self.production().matches('\n').count()
    }

    fn tests_begin(&self) -> usize {
        if self.is_tests_alone() {
            return 0;
        }
        self.code
            .match_indices("#[cfg(test)]")
            .find(|(at, mark)| opens_a_module(self.code[at + mark.len()..].trim_start()))
            .map_or(self.code.len(), |(at, _)| at)
    }

    fn is_tests_alone(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "tests" | "benches" | "tests.rs"))
    }
}

/// Says whether `code` begins with a module whose body follows.
fn opens_a_module(code: &str) -> bool {
    let rest = code.strip_prefix("pub(crate) ").unwrap_or(code).strip_prefix("mod ");
    rest.is_some_and(|rest| {
        rest.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_').starts_with(" {")
    })
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the repository").to_owned()
}

/// Returns all Rust files.
pub(crate) fn sources() -> Vec<Source> {
    files()
        .into_iter()
        .filter(|path| path.ends_with(".rs"))
        .map(|path| {
            let code = mask(&read(&path).unwrap_or_default());
            Source { path, code }
        })
        .collect()
}

/// Returns the Rust files below `folder`.
pub(crate) fn sources_below(folder: &str) -> Vec<Source> {
    sources().into_iter().filter(|source| source.path.starts_with(folder)).collect()
}

/// Returns the text of a file; none when it is no text.
pub(crate) fn read(path: &str) -> Option<String> {
    let bytes = fs::read(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    String::from_utf8(bytes).ok()
}

/// Returns the paths of all files from the root, with slashes, in order.
pub(crate) fn files() -> Vec<String> {
    let mut found = Vec::new();
    walk(&root(), "", &mut found);
    found.sort();
    found
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().expect("a listed entry has a kind");
        if FOREIGN.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() {
            walk(&entry.path(), &format!("{prefix}{name}/"), found);
        } else if kind.is_file() {
            found.push(format!("{prefix}{name}"));
        }
    }
}

#[test]
fn tests_begin_at_their_module() {
    let lines_above_tests =
        |path: &str, code: &str| Source { path: path.to_owned(), code: code.to_owned() }.lines_above_tests();

    assert_eq!(lines_above_tests("crates/a/src/lib.rs", "one\n#[cfg(test)]\nmod tests {\n}\n"), 1);
    assert_eq!(lines_above_tests("crates/a/src/lib.rs", "#[cfg(test)]\nmod tests;\ntwo\nthree\n"), 4);
    assert_eq!(lines_above_tests("crates/a/src/lib.rs", "#[cfg(test)]\nuse b::c;\ntwo\n"), 3);
    assert_eq!(lines_above_tests("crates/a/tests/b.rs", "one\ntwo\n"), 0);
    assert_eq!(lines_above_tests("crates/a/src/b/tests.rs", "one\ntwo\n"), 0);
}
