//! Prints the tables of `docs/performance.md`: the log beside the physical limit of the same disk and beside other
//! engines, in one run. `cargo run --release --manifest-path benches/Cargo.toml [PART…]`; the folders are made in
//! `BENCH_FOLDER`, or where temporary files go. Parts: `appends`, `reading`, `opening`, `sessions`, `space`.

mod appends;
mod engines;
mod long_session;
mod opening;
mod reading;
mod space;
#[path = "../../crates/store/benches/words/mod.rs"]
mod words;

use std::path::Path;

use tempfile::TempDir;

/// A part's name, and what prints its rows.
type Part = (&'static str, fn(&Path));

const PARTS: [Part; 4] = [
    ("reading", reading::print),
    ("opening", opening::print),
    ("sessions", long_session::print),
    ("space", space::print),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [part, rest @ ..] = arguments.as_slice()
        && part == opening::CHILD
    {
        return opening::child(rest);
    }
    let folder = match std::env::var_os("BENCH_FOLDER") {
        Some(folder) => TempDir::new_in(folder).unwrap(),
        None => TempDir::new().unwrap(),
    };
    let is_wanted = |name: &str| arguments.is_empty() || arguments.iter().any(|wanted| wanted == name);
    if is_wanted("appends") {
        appends::print(folder.path());
        println!();
    }
    println!("| what | target | measured |\n|---|---|---|");
    for (_, print) in PARTS.iter().filter(|(name, _)| is_wanted(name)) {
        let folder = TempDir::new_in(folder.path()).unwrap();
        print(folder.path());
    }
}

/// Prints a row of the second table.
fn row(what: &str, target: &str, measured: &str) {
    println!("| {what} | {target} | {measured} |");
}
