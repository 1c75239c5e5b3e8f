//! What a piece of work is about: its title, and the file it ends up in.

use super::words;

/// The folder that the rehearsal model writes to, and no other.
pub(super) const FOLDER: &str = "waymark-rehearsal";

const TITLE_CHARS_MAX: usize = 60;
const SLUG_WORDS_MAX: usize = 6;

/// The subject of one piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Topic {
    /// One line, for headings.
    pub(super) title: String,
    /// The file, relative to the workspace.
    pub(super) path: String,
}

impl Topic {
    /// Draws the subject from what a person asked for.
    pub(super) fn of(request: &str) -> Self {
        let title = title(request);
        let path = format!("{FOLDER}/{}.md", slug(&title));
        Self { title, path }
    }

    /// Takes the subject of a plan: its heading, and the file that it names.
    pub(super) fn of_plan(plan: &str) -> Self {
        let heading = plan.lines().find_map(|line| line.trim().strip_prefix("# ")).unwrap_or("Plan");
        let topic = Self::of(heading);
        Self { path: named_path(plan).unwrap_or(topic.path), ..topic }
    }
}

fn title(request: &str) -> String {
    let line = request.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("Rehearsal");
    let line = line.trim_start_matches(['#', '*', '-', '>', ' ']);
    let line = match line.get(..7) {
        Some(please) if please.eq_ignore_ascii_case("please ") => &line[7..],
        _ => line,
    };
    let clipped = words::clip(line, TITLE_CHARS_MAX);
    let clipped = clipped.trim_end_matches(['.', '!', '?', ':', ',', ' ']);
    let mut letters = clipped.chars();
    letters
        .next()
        .map_or_else(|| "Rehearsal".to_owned(), |first| first.to_uppercase().chain(letters).collect())
}

/// Returns a file name of plain letters and digits; a title without any gets its hash.
fn slug(title: &str) -> String {
    let plain = |at: char| if at.is_ascii_alphanumeric() { at.to_ascii_lowercase() } else { ' ' };
    let spaced: String = title.chars().map(plain).collect();
    let slug = spaced.split_whitespace().take(SLUG_WORDS_MAX).collect::<Vec<_>>().join("-");
    if slug.is_empty() { format!("request-{:08x}", words::hash(title.as_bytes()) >> 32) } else { slug }
}

/// Returns the file in the rehearsal folder that a plan names first.
fn named_path(plan: &str) -> Option<String> {
    let (_, rest) = plan.split_once(&format!("{FOLDER}/"))?;
    let name = rest.split(|at: char| !(at.is_ascii_alphanumeric() || at == '-' || at == '.')).next()?;
    let name = name.strip_suffix(".md").filter(|name| !name.is_empty() && !name.contains('.'))?;
    Some(format!("{FOLDER}/{name}.md"))
}
