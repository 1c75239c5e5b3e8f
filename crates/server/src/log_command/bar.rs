//! Progress of long work, on standard error where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// Returns a bar that counts bytes.
pub(super) fn bytes(doing: &'static str) -> ProgressBar {
    bar(doing, "{msg} {wide_bar} {bytes}/{total_bytes} {eta}")
}

/// Returns a bar that counts things.
pub(super) fn things(doing: &'static str) -> ProgressBar {
    bar(doing, "{msg} {wide_bar} {human_pos}/{human_len} {eta}")
}

fn bar(doing: &'static str, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is whole");
    ProgressBar::new(0).with_style(style).with_message(doing)
}
