//! How long a file and a function may be.

use crate::scan::{declared, head_and_body};
use crate::{nothing_breaks, tree};

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;

#[test]
fn no_file_swallows_the_system() {
    let long = tree::sources().into_iter().filter_map(|source| {
        let lines = source.lines_above_tests();
        (lines > FILE_LINES_MAX).then(|| format!("{}: {lines} lines above its tests", source.path))
    });

    nothing_breaks(
        &format!("a file has at most {FILE_LINES_MAX} production lines; split it by subject:"),
        long,
    );
}

#[test]
fn no_function_is_longer_than_a_screen() {
    let long = tree::sources().into_iter().flat_map(|source| {
        let too_long: Vec<String> = long_functions(&source.code)
            .map(|(line, name, lines)| format!("{}:{line}: {name} has {lines} lines", source.path))
            .collect();
        too_long
    });

    nothing_breaks(&format!("a function has at most {FUNCTION_LINES_MAX} lines; 35 is long:"), long);
}

/// Returns line, name and length of each function of `code` that is too long.
fn long_functions(code: &str) -> impl Iterator<Item = (usize, &str, usize)> {
    declared(code, "fn").into_iter().filter_map(|function| {
        let (head, body) = head_and_body(function.rest)?;
        let lines = 1 + head.matches('\n').count() + body.matches('\n').count();
        (lines > FUNCTION_LINES_MAX).then_some((function.line, function.name, lines))
    })
}

#[test]
fn a_function_of_71_lines_is_too_long() {
    let function = |lines: usize| format!("\nfn f() {{\n{}}}\n", "a;\n".repeat(lines - 2));

    assert_eq!(long_functions(&function(70)).count(), 0);
    assert_eq!(long_functions(&function(71)).collect::<Vec<_>>(), [(2, "f", 71)]);
}
