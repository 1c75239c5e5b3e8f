//! What `docs/wire.md` says of the wire: every route and every command.

use std::fmt::Write;

use crate::{nothing_breaks, tree};

const GUIDE: &str = "docs/wire.md";

fn guide() -> String {
    tree::read(GUIDE).expect("docs/wire.md says how the wire is used")
}

#[test]
fn every_route_is_written_down() {
    let (guide, routes) = (guide(), tree::read("crates/gateway/src/http.rs").expect("it is text"));
    let paths = routes.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let paths: Vec<&str> = paths.filter(|path| path.starts_with("/v1/")).collect();
    assert!(paths.len() > 8, "the routes are not where they were: {paths:?}");
    let written = |path: &str| path.replace("{id}", "ID").replace("{sha256}", "SHA256");
    let shortened = |path: &str| written(path).replace("/v1/sessions/ID/plans", "…/plans");
    let is_known = |path: &&&str| guide.contains(&written(path)) || guide.contains(&shortened(path));
    let missing = paths.iter().filter(|path| !is_known(path)).map(|path| format!("{GUIDE}: {path}"));
    nothing_breaks("these routes are not written down:", missing);
}

#[test]
fn every_command_is_written_down() {
    let (guide, source) = (guide(), tree::read("crates/sessions/src/command.rs").expect("it is text"));
    let body = source.split("pub enum ClientCommand {").nth(1).and_then(|rest| rest.split("\n}").next());
    let lines = body.expect("the commands are an enum").lines();
    let variants: Vec<String> = lines.filter_map(|line| line.strip_prefix("    ")).filter_map(tag).collect();
    assert!(variants.len() > 15, "the commands are not where they were: {variants:?}");
    let missing = variants.iter().filter(|tag| !names(&guide, tag)).map(|tag| format!("{GUIDE}: {tag}"));
    nothing_breaks("these commands are not written down:", missing);
}

/// Returns the tag of the variant that begins in a line, as it stands in JSON.
fn tag(line: &str) -> Option<String> {
    let name = line.split([' ', ',', '{']).next()?;
    if !name.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let mut tag = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !tag.is_empty() {
            tag.push('-');
        }
        write!(tag, "{}", letter.to_ascii_lowercase()).expect("a string takes all");
    }
    Some(tag)
}

/// Says whether a code span of the section on commands begins with, or lists, `tag`.
fn names(guide: &str, tag: &str) -> bool {
    let section = guide.split("## Commands").nth(1).unwrap_or_default();
    let words = section.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.into_iter().any(|word| word == tag)
}
