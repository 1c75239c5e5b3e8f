//! Finds declarations and words in masked code.

/// Something with a name, and where it is.
pub(crate) struct Declared<'a> {
    /// The name.
    pub(crate) name: &'a str,
    /// Its line, from 1.
    pub(crate) line: usize,
    /// The code from the keyword on.
    pub(crate) rest: &'a str,
}

/// Returns what `code` declares with `keyword`.
pub(crate) fn declared<'a>(code: &'a str, keyword: &str) -> Vec<Declared<'a>> {
    words(code, keyword)
        .filter_map(|at| {
            let rest = &code[at..];
            let name = rest[keyword.len()..].strip_prefix(' ')?;
            let end = name.find(|letter| !is_of_word(letter)).unwrap_or(name.len());
            (end > 0).then(|| Declared { name: &name[..end], line: line_at(code, at), rest })
        })
        .collect()
}

/// Returns where `word` stands in `code` as a word of its own.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + use<'a> {
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = code[..*at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(is_of_word) && !after.is_some_and(is_of_word)
    })
}

/// Returns the line of the byte `at`, from 1.
pub(crate) fn line_at(code: &str, at: usize) -> usize {
    1 + code[..at].matches('\n').count()
}

/// Returns the body of the function that `code` begins with, braces included, and what precedes it.
pub(crate) fn head_and_body(code: &str) -> Option<(&str, &str)> {
    let begin = body_begin(code)?;
    let mut depth = 0;
    for (at, letter) in code[begin..].char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&code[..begin], &code[begin..=begin + at]));
        }
    }
    None
}

/// Returns where the first brace outside parentheses and brackets is, unless a semicolon ends the function before.
fn body_begin(code: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in code.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns where `code` has a match arm that takes whatever is left, guarded or not.
pub(crate) fn catch_alls(code: &str) -> impl Iterator<Item = usize> {
    words(code, "_").filter(|at| {
        let rest = code[at + 1..].trim_start();
        rest.starts_with("=>") || rest.starts_with("if ")
    })
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[test]
fn a_function_is_found_with_its_body() {
    let code = "fn a(x: [u8; 4]) -> B\nwhere\n    B: C,\n{\n    if x { y }\n}\nfn next();";
    let found = declared(code, "fn");

    assert_eq!(found.iter().map(|function| function.name).collect::<Vec<_>>(), ["a", "next"]);
    assert_eq!(head_and_body(found[0].rest).expect("it has a body").1, "{\n    if x { y }\n}");
    assert_eq!(found[1].line, 7);
    assert!(head_and_body(found[1].rest).is_none());
}

#[test]
fn a_word_is_no_part_of_another() {
    assert_eq!(words("sleep(); asleep(); sleeper(); sleep_until()", "sleep").count(), 1);
    assert_eq!(declared("struct A; the_struct B; structs C", "struct").len(), 1);
}

#[test]
fn a_catch_all_is_told_from_a_wildcard_inside_a_pattern() {
    let count = |code| catch_alls(code).count();

    assert_eq!(count("_ => {}"), 1);
    assert_eq!(count("_ if late => {}"), 1);
    assert_eq!(count("Some(_) => {} A { .. } => {} rest_ => {} let _ = b;"), 0);
}
