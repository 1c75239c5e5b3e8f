//! What no code says.

use crate::scan::{catch_alls, declared, head_and_body, line_at, words};
use crate::{nothing_breaks, tree};

#[test]
fn nothing_is_left_to_be_done() {
    let left = tree::sources().into_iter().flat_map(|source| {
        let found: Vec<String> = ["todo", "unimplemented", "dbg"]
            .iter()
            .flat_map(|name| words(&source.code, name).map(move |at| (at, name)))
            .filter(|(at, name)| source.code[at + name.len()..].starts_with("!("))
            .map(|(at, name)| format!("{}:{}: {name}!", source.path, line_at(&source.code, at)))
            .collect();
        found
    });

    nothing_breaks("finish it, or leave it out:", left);
}

#[test]
fn no_test_sleeps() {
    let sleeps = tree::sources().into_iter().flat_map(|source| {
        let found: Vec<String> = naps(source.tests())
            .map(|line| format!("{}:{}", source.path, source.lines_above_tests() + line))
            .collect();
        found
    });

    nothing_breaks("a test waits for what it expects, never for a while:", sleeps);
}

/// Returns the lines of `code` on which a thread or a task is put to sleep; an injected clock may be.
fn naps(code: &str) -> impl Iterator<Item = usize> {
    ["sleep", "sleep_until", "sleep_ms"].into_iter().flat_map(move |name| {
        words(code, name)
            .filter(move |at| code[at + name.len()..].starts_with('('))
            .filter(|at| !["fn ", "."].iter().any(|before| code[..*at].ends_with(before)))
            .map(|at| line_at(code, at))
    })
}

#[test]
fn a_sleep_is_told_from_a_clock_that_is_asked() {
    let count = |code| naps(code).count();

    assert_eq!(count("std::thread::sleep(a); tokio::time::sleep(b).await; time::sleep_until(c)"), 3);
    assert_eq!(count("{\n    sleep(a).await;\n let b = sleep(c);}"), 2);
    assert_eq!(count("clock.sleep(a); fn sleep(b: Duration) {} use tokio::time::sleep;"), 0);
}

/// A new event must break the build until somebody says what it changes.
#[test]
fn a_fold_has_no_catch_all() {
    let catch_all = tree::sources_below("crates/projections/").into_iter().flat_map(|source| {
        let found: Vec<String> = declared(&source.code, "fn")
            .into_iter()
            .filter(|function| function.name.starts_with("fold"))
            .filter_map(|function| Some((function.line, function.name, head_and_body(function.rest)?.1)))
            .flat_map(|(line, name, body)| {
                catch_alls(body).map(move |at| (line + line_at(body, at) - 1, name))
            })
            .map(|(line, name)| format!("{}:{line}: in {name}", source.path))
            .collect();
        found
    });

    nothing_breaks("a fold names every event, also those that it passes over; no `_ =>`:", catch_all);
}

/// Events and projections are pure: what they need to know is handed to them.
#[test]
fn pure_crates_look_at_nothing() {
    let impure = ["SystemTime", "Instant", "std::fs", "std::env", "std::net", "std::process", "std::thread"];
    let folders = ["crates/events/src/", "crates/projections/src/"];
    let looks = folders.into_iter().flat_map(tree::sources_below).flat_map(|source| {
        let code = source.production();
        let found: Vec<String> = impure
            .iter()
            .flat_map(|name| words(code, name).map(move |at| (at, name)))
            .map(|(at, name)| format!("{}:{}: {name}", source.path, line_at(code, at)))
            .collect();
        found
    });

    nothing_breaks("neither clock, disk, environment nor sockets here:", looks);
}
