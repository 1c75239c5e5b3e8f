//! A unified diff of one file, for people who review what a call changed.

use std::path::Path;
use std::time::Duration;

use similar::TextDiff;

use crate::error::shown;
use crate::text::cut_at;

/// Bytes of a diff that are kept.
const DIFF_BYTES_MAX: usize = 64 * 1024;
/// After this the diff is coarser instead of minimal.
const DIFF_TIME_MAX: Duration = Duration::from_millis(500);

/// Returns the unified diff from `old` to `new`, or none where they are equal.
///
/// `old` is none for a file that was not there.
pub(crate) fn unified(path: &Path, old: Option<&str>, new: &str) -> Option<String> {
    if old == Some(new) {
        return None;
    }
    let path = shown(path);
    let from = if old.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
    let diff = TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(old.unwrap_or_default(), new);
    let text = diff.unified_diff().context_radius(3).header(&from, &format!("b/{path}")).to_string();
    Some(capped(text))
}

fn capped(mut text: String) -> String {
    let bytes = text.len();
    if bytes > DIFF_BYTES_MAX {
        text.truncate(cut_at(&text, DIFF_BYTES_MAX));
        text.push_str(&format!("\n(diff cut: {} more bytes)\n", bytes - text.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_all_additions() {
        let diff = unified(Path::new("a.txt"), None, "one\n").unwrap();
        assert!(diff.starts_with("--- /dev/null\n+++ b/a.txt\n"), "{diff}");
        assert!(diff.contains("+one\n"), "{diff}");
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified(Path::new("a.txt"), Some("one\n"), "one\n"), None);
    }

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        let new = "é\n".repeat(DIFF_BYTES_MAX);
        let diff = unified(Path::new("a.txt"), None, &new).unwrap();
        assert!(diff.len() < DIFF_BYTES_MAX + 100, "{}", diff.len());
        assert!(diff.ends_with("more bytes)\n"), "{}", &diff[diff.len() - 80..]);
    }
}
