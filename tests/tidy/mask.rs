//! Rust source without its comments and literals, so that a plain search finds code alone.

/// Returns `source` with each letter of a comment, string or character literal replaced by a space.
///
/// Lines stay where they are.
pub(crate) fn mask(source: &str) -> String {
    let mut masking = Masking { letters: source.chars().collect(), at: 0, masked: String::new() };
    while masking.at < masking.letters.len() {
        masking.step();
    }
    masking.masked
}

struct Masking {
    letters: Vec<char>,
    at: usize,
    masked: String,
}

impl Masking {
    fn step(&mut self) {
        if self.sees("//") {
            self.hide_while(|masking| masking.letters[masking.at] != '\n');
        } else if self.sees("/*") {
            self.hide_block_comment();
        } else if let Some(hashes) = self.raw_string() {
            self.hide_raw_string(hashes);
        } else if self.sees("\"") {
            self.hide_quoted('"');
        } else if self.sees("'") && self.is_character() {
            self.hide_quoted('\'');
        } else {
            self.masked.push(self.letters[self.at]);
            self.at += 1;
        }
    }

    fn sees(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, letter)| self.letters.get(self.at + index) == Some(&letter))
    }

    fn hide(&mut self, count: usize) {
        let end = self.letters.len().min(self.at + count);
        self.masked.extend(self.letters[self.at..end].iter().map(|letter| match letter {
            '\n' => '\n',
            _ => ' ',
        }));
        self.at = end;
    }

    fn hide_while(&mut self, goes_on: impl Fn(&Self) -> bool) {
        while self.at < self.letters.len() && goes_on(self) {
            self.hide(1);
        }
    }

    /// Block comments nest.
    fn hide_block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.letters.len() {
            if self.sees("/*") {
                depth += 1;
                self.hide(2);
            } else if self.sees("*/") {
                depth -= 1;
                self.hide(2);
            } else {
                self.hide(1);
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Returns the number of hashes of the raw string that begins here.
    fn raw_string(&self) -> Option<usize> {
        let rest = self.letters[self.at..].strip_prefix(&['r'])?;
        let hashes = rest.iter().take_while(|letter| **letter == '#').count();
        (rest.get(hashes) == Some(&'"')).then_some(hashes)
    }

    fn hide_raw_string(&mut self, hashes: usize) {
        let end = format!("\"{}", "#".repeat(hashes));
        self.hide(1 + end.len());
        self.hide_while(|masking| !masking.sees(&end));
        self.hide(end.len());
    }

    /// Says whether the apostrophe here begins a character, not a lifetime.
    fn is_character(&self) -> bool {
        self.letters.get(self.at + 1) == Some(&'\\') || self.letters.get(self.at + 2) == Some(&'\'')
    }

    fn hide_quoted(&mut self, quote: char) {
        self.hide(1);
        while self.at < self.letters.len() && self.letters[self.at] != quote {
            self.hide(if self.letters[self.at] == '\\' { 2 } else { 1 });
        }
        self.hide(1);
    }
}

#[test]
fn comments_and_literals_are_hidden() {
    let check = |source: &str, expected: &str| assert_eq!(mask(source), expected, "{source}");

    check("a // b\nc", "a     \nc");
    check("a /* b /* c */ d\n */ e", "a               \n    e");
    check(r#"a "b\"c" d"#, "a        d");
    check("a r#\"b\"c\"# d", "a          d");
    check(r"a '{' '\'' 'x' d", "a              d");
    check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
    check("r#type = br\"x\";", "r#type = b    ;");
}
