//! The files that tool results have shown.

use super::story::Attempt;
use super::topic::FOLDER;

/// Returns the files of a listing, in its order; folders end with a slash and are left out.
pub(super) fn listed(listing: &str) -> Vec<&str> {
    let is_file = |name: &str| {
        !name.is_empty() && !name.ends_with('/') && !name.contains(char::is_whitespace) && !name.contains(':')
    };
    let bare = |line| str::trim_start_matches(line, [' ', '-', '*', '│', '├', '└', '─', '\t']).trim_end();
    listing.lines().map(bare).filter(|name| is_file(name)).collect()
}

/// Returns the listed file that tells most about a workspace.
pub(super) fn telling_file(listing: &str) -> Option<&str> {
    let files: Vec<_> = listed(listing).into_iter().filter(|file| !file.starts_with(FOLDER)).collect();
    files.iter().copied().min_by_key(|file| (rank(file), file.matches('/').count()))
}

/// Returns how much a file tells by its name; less is more. Files of the same rank stay in their order.
fn rank(file: &str) -> usize {
    const TELLING: [&str; 6] =
        ["readme", "cargo.toml", "package.json", "pyproject.toml", "go.mod", "makefile"];
    let name = file.rsplit('/').next().unwrap_or(file).to_lowercase();
    TELLING.iter().position(|telling| name.starts_with(telling)).unwrap_or(TELLING.len())
}

/// Returns the first file with a match in a search result, whose lines are `path:line:text`.
pub(super) fn first_match(found: &str) -> Option<&str> {
    found.lines().find_map(|line| {
        let (path, rest) = line.split_once(':')?;
        let (number, _) = rest.split_once(':')?;
        (!path.is_empty() && number.parse::<u32>().is_ok()).then_some(path)
    })
}

/// Returns up to two files that the results really showed: the one that was read, and one with a match, or
/// else one from the listing.
pub(super) fn files(attempts: &[Attempt<'_>]) -> Vec<String> {
    let last = |tool: &str| attempts.iter().rfind(|attempt| attempt.call.name == tool && !attempt.is_error);
    let read = last("read_file").and_then(|attempt| attempt.argument("path"));
    let matched = last("search").and_then(|attempt| first_match(attempt.text)).map(str::to_owned);
    let listing = last("list_files").map_or("", |attempt| attempt.text);
    let mut files: Vec<String> = Vec::new();
    for file in read.into_iter().chain(matched).chain(telling_file(listing).map(str::to_owned)) {
        if files.len() < 2 && !files.contains(&file) && !file.starts_with(FOLDER) {
            files.push(file);
        }
    }
    files
}
