//! The table of scenarios: every one that was set stands in it once, with the tests that prove it or the reason why
//! there is none.
//!
//! `tests/scenarios.ids` lists what was set, a group a line. `tests/scenarios.tsv` says of each id, separated by tabs,
//! `proven` and the tests (`file::name`, separated by blanks), `open` and what it waits for, or `left-out` and why.

use std::collections::{HashMap, HashSet};

use crate::scan::words;
use crate::{mask, nothing_breaks, tree};

const IDS: &str = "tests/scenarios.ids";
const TABLE: &str = "tests/scenarios.tsv";

/// One line of the table.
struct Row {
    line: usize,
    id: String,
    verdict: String,
    rest: String,
}

/// Returns the ids that were set: a line `group 01 02` means `group01` and `group02`.
fn ids(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let group = words.next().unwrap_or_default();
        words.map(move |number| format!("{group}{number}")).collect::<Vec<_>>()
    };
    text.lines().flat_map(of_line).collect()
}

/// Returns the lines of the table that are neither blank nor a heading.
fn rows(text: &str) -> Vec<Row> {
    let row = |(line, text): (usize, &str)| {
        let mut cells = text.splitn(3, '\t').map(|cell| cell.trim().to_owned());
        let mut cell = || cells.next().unwrap_or_default();
        Row { line, id: cell(), verdict: cell(), rest: cell() }
    };
    let is_row = |(_, text): &(usize, &str)| !text.trim().is_empty() && !text.starts_with('#');
    (1..).zip(text.lines()).filter(is_row).map(row).collect()
}

fn table() -> Vec<Row> {
    rows(&tree::read(TABLE).expect("it is text"))
}

#[test]
fn every_scenario_stands_in_the_table_once() {
    let set = ids(&tree::read(IDS).expect("it is text"));
    let rows = table();
    let mut count: HashMap<&str, usize> = HashMap::new();
    rows.iter().for_each(|row| *count.entry(&row.id).or_default() += 1);
    let missing = set.iter().filter(|id| count.get(id.as_str()) != Some(&1)).map(|id| {
        format!("{TABLE}: {id} stands there {} times", count.get(id.as_str()).copied().unwrap_or_default())
    });
    let known: HashSet<&String> = set.iter().collect();
    let strange = rows
        .iter()
        .filter(|row| !known.contains(&row.id))
        .map(|row| format!("{TABLE}:{}: {}", row.line, row.id));

    assert!(known.len() == set.len() && set.len() > 400, "{IDS} lists {} ids, each once", set.len());
    nothing_breaks("each scenario has one line:", missing.chain(strange));
}

#[test]
fn every_test_that_proves_a_scenario_exists() {
    let mut texts: HashMap<String, Option<String>> = HashMap::new();
    let mut unproven = Vec::new();
    for row in table().iter().filter(|row| row.verdict == "proven") {
        if row.rest.is_empty() {
            unproven.push(format!("{TABLE}:{}: {} names no test", row.line, row.id));
        }
        for test in row.rest.split_whitespace() {
            let (path, name) = test.split_once("::").unwrap_or((test, ""));
            let text = texts.entry(path.to_owned()).or_insert_with(|| code_of(path));
            if !text.as_ref().is_some_and(|text| has_test(path, text, name)) {
                unproven.push(format!("{TABLE}:{}: {test}", row.line));
            }
        }
    }

    nothing_breaks("these tests do not exist:", unproven);
}

#[test]
fn what_is_not_proven_says_why() {
    let rows = table();
    let of = |verdict: &str| rows.iter().filter(|row| row.verdict == verdict).count();
    println!("{} proven, {} open, {} left out", of("proven"), of("open"), of("left-out"));
    let silent = rows.iter().filter_map(|row| {
        let is_said = match row.verdict.as_str() {
            "proven" => true,
            "open" | "left-out" => row.rest.split_whitespace().count() >= 3,
            _ => false,
        };
        (!is_said).then(|| format!("{TABLE}:{}: {} is `{}`: `{}`", row.line, row.id, row.verdict, row.rest))
    });

    nothing_breaks(
        "a scenario is proven, or open or left out with the reason in three words or more:",
        silent,
    );
}

/// Returns the text of a file, a Rust file without its comments and literals; none when there is no such file.
fn code_of(path: &str) -> Option<String> {
    if !tree::root().join(path).is_file() {
        return None;
    }
    let text = tree::read(path)?;
    Some(if path.ends_with(".rs") { mask::mask(&text) } else { text })
}

/// Says whether `text`, the file at `path`, has the test `name`.
fn has_test(path: &str, text: &str, name: &str) -> bool {
    match path.rsplit('.').next() {
        Some("rs") => is_marked(text, name) || is_played_in_both_places(text, name),
        Some("ts" | "tsx") => text.contains(&format!("test(\"{name}\",")),
        Some("mjs") => text.contains(&format!("export async function {name}(")),
        _ => false,
    }
}

/// Says whether the function `name` follows an attribute that makes it a test.
fn is_marked(code: &str, name: &str) -> bool {
    words(code, name).any(|at| {
        let Some(before) = code[..at].strip_suffix("fn ") else { return false };
        let begin = before.rfind(['}', ';']).map_or(0, |end| end + 1);
        ["#[test]", "#[tokio::test"].iter().any(|mark| before[begin..].contains(mark))
    })
}

/// Says whether the scenario `name` is in the list that is played within the process and with the binary.
fn is_played_in_both_places(code: &str, name: &str) -> bool {
    let Some((_, list)) = code.split_once("in_both_places! {") else { return false };
    let Some((list, rest)) = list.split_once('}') else { return false };
    words(list, name).next().is_some() && rest.contains(&format!("async fn {name}("))
}

#[test]
fn a_group_stands_for_its_ids() {
    assert_eq!(ids("a:B- 01 02b\nc:D 7\n"), ["a:B-01", "a:B-02b", "c:D7"]);
    let rows = rows("# heading\n\na:B-01\tproven\tx.rs::y z.rs::w\n");
    assert_eq!((rows.len(), rows[0].line, rows[0].rest.as_str()), (1, 3, "x.rs::y z.rs::w"));
}

#[test]
fn a_test_is_told_from_a_function() {
    let rust = "fn one() {}\n#[test]\nfn two() {}\n#[tokio::test(flavor)]\nasync fn three() {}\nfn four() {}";
    let found = ["one", "two", "three", "four", "tw"].map(|name| has_test("a.rs", rust, name));
    assert_eq!(found, [false, true, true, false, false]);

    let both = "in_both_places! {\n    one\n}\nasync fn one(world: World) {}\nasync fn two(world: World) {}";
    assert_eq!(["one", "two"].map(|name| has_test("a.rs", both, name)), [true, false]);
    assert!(has_test("a.test.ts", "test(\"one\", () => {", "one"));
    assert!(has_test("a.test.tsx", "test(\"one\", async () => {", "one"));
    assert!(!has_test("a.test.tsx", "test(\"one_more\", async () => {", "one"));
    assert!(has_test("a.mjs", "export async function one(stage) {", "one"));
}
