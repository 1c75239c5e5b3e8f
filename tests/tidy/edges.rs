//! Who may know whom. The log is where those meet who do not know one another.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::{nothing_breaks, tree};

/// The crates, each with those of ours that it may depend on.
const MAP: [(&str, &[&str]); 9] = [
    ("events", &[]),
    ("projections", &["events"]),
    ("store", &["events"]),
    ("sessions", &["events", "projections", "store"]),
    ("model", &[]),
    ("tools", &["events", "projections", "sessions"]),
    ("agent", &["events", "projections", "sessions", "model", "tools"]),
    ("goal-driver", &["events", "projections", "sessions"]),
    ("gateway", &["events", "projections", "sessions"]),
];
/// The crates that wire the others together and may know all of them.
const WIRING: [&str; 2] = ["server", "tests"];
/// What a pure crate does not reach, by whatever way.
const WORLD: [&str; 8] = ["tokio", "axum", "sled", "hyper", "reqwest", "mio", "socket2", "tokio-util"];

#[test]
fn the_crates_know_one_another_only_as_the_map_says() {
    let map = BTreeMap::from(MAP);
    let extra = packages().into_iter().filter(|(name, _)| !WIRING.contains(&name.as_str())).flat_map(
        |(name, dependencies)| {
            let allowed = map.get(name.as_str()).copied();
            let Some(allowed) = allowed else { return vec![format!("{name} is not on the map")] };
            dependencies
                .into_iter()
                .filter(|dependency| !allowed.contains(&dependency.as_str()))
                .map(|dependency| format!("{name} -> {dependency}"))
                .collect()
        },
    );

    nothing_breaks("these edges are not on the map of the crates:", extra);
}

#[test]
fn every_crate_of_the_map_exists() {
    let packages = packages();
    let missing = MAP
        .iter()
        .map(|(name, _)| *name)
        .chain(WIRING)
        .filter(|name| !packages.contains_key(*name))
        .map(str::to_owned);

    nothing_breaks("the map names crates that are not there:", missing);
}

#[test]
fn the_binary_and_the_scenarios_alone_know_everybody() {
    for (name, dependencies) in packages() {
        let knows_everybody = MAP.iter().all(|(other, _)| *other == name || dependencies.contains(*other));

        assert!(!knows_everybody || WIRING.contains(&name.as_str()), "{name} depends on every other crate");
    }
}

#[test]
fn events_and_projections_do_not_reach_the_world() {
    let reached = ["events", "projections"].into_iter().flat_map(|name| {
        let all = reached_by(name);
        WORLD.iter().filter(move |other| all.contains(**other)).map(move |other| format!("{name} -> {other}"))
    });

    nothing_breaks("a pure crate depends on nothing that touches disk, time or sockets:", reached);
}

/// Returns the packages of the workspace, each with those of the workspace that it depends on outside tests.
fn packages() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    packages.iter().map(|package| (text(&package["name"]), ours(package))).collect()
}

/// Returns the dependencies of `package` that lie in this repository, those of its tests left out.
fn ours(package: &Value) -> BTreeSet<String> {
    package["dependencies"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|dependency| dependency["path"].is_string() && dependency["kind"] != "dev")
        .map(|dependency| text(&dependency["name"]))
        .collect()
}

/// Returns the names of all packages that `package` is built from.
fn reached_by(package: &str) -> BTreeSet<String> {
    let edges = ["--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
    let tree = cargo(&[&["tree", "--offline", "--package", package], &edges[..]].concat());
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a name is text").to_owned()
}

/// Runs cargo in the root and returns what it prints.
fn cargo(arguments: &[&str]) -> String {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program).args(arguments).current_dir(tree::root()).output();
    let output = output.unwrap_or_else(|error| panic!("cargo {arguments:?}: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {complaint}");
    String::from_utf8(output.stdout).expect("cargo writes text")
}
