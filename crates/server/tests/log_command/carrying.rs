//! `export`, `import`, `backup` and `reindex`, without a server.

use std::fs;

use projections::State;
use tempfile::TempDir;

use crate::world::{World, log_in, states};

#[test]
fn sessions_come_back_as_they_were() {
    let (world, other) = (World::new("the needle"), TempDir::new().unwrap());
    let file = other.path().join("all.jsonl");
    let to = file.to_str().unwrap();
    let said = world.log(&["export", "--all", "--to", to]);
    assert_eq!(said.complaint, None);
    assert!(said.printed.starts_with("exported 3 sessions"), "{}", said.printed);
    let data = other.path().join("data");
    let said = log_in(&data, &["import", to]);
    assert_eq!((said.printed.as_str(), said.complaint), ("imported 3 sessions\n", None));
    assert_eq!(states(&data), states(world.path()));
    for session in world.sessions {
        let show = ["show", &session.to_string(), "--json"];
        assert_eq!(log_in(&data, &show).printed, world.log(&show).printed);
    }
    assert_eq!(log_in(&data, &["verify"]).complaint, None);
}

#[test]
fn a_fork_alone_is_exported_with_all_that_it_shares() {
    let (world, other) = (World::new("the needle"), TempDir::new().unwrap());
    let (file, child) = (other.path().join("child.jsonl"), world.sessions[2].to_string());
    let to = file.to_str().unwrap();
    assert_eq!(world.log(&["export", &child, "--to", to]).complaint, None);
    let data = other.path().join("data");
    assert_eq!(log_in(&data, &["import", to]).complaint, None);
    let known = states(&data);
    let before = states(world.path());
    assert_eq!(known.len(), 1);
    assert_eq!(known[&world.sessions[2]], before[&world.sessions[2]]);
}

#[test]
fn what_is_here_already_is_refused_and_the_others_come_in() {
    let (world, other) = (World::new("the needle"), TempDir::new().unwrap());
    let (one, all) = (other.path().join("one.jsonl"), other.path().join("all.jsonl"));
    let second = world.sessions[1].to_string();
    world.log(&["export", &second, "--to", one.to_str().unwrap()]);
    world.log(&["export", "--all", "--to", all.to_str().unwrap()]);
    let data = other.path().join("data");
    log_in(&data, &["import", one.to_str().unwrap()]);
    let said = log_in(&data, &["import", all.to_str().unwrap()]);
    assert_eq!(said.complaint.as_deref(), Some("2 sessions were imported and 1 were not"));
    assert_eq!(said.printed, format!("session {second} was not imported: it is here already\n"));
    assert_eq!(states(&data), states(world.path()));
}

#[test]
fn a_torn_or_changed_export_brings_in_whole_sessions_alone() {
    let (world, other) = (World::new("the needle"), TempDir::new().unwrap());
    let file = other.path().join("all.jsonl");
    world.log(&["export", "--all", "--to", file.to_str().unwrap()]);
    let text = fs::read_to_string(&file).unwrap();
    let known = states(world.path());
    let ends: Vec<usize> = text.match_indices("{\"end\"").map(|(at, _)| at).collect();
    assert_eq!(ends.len(), 3);
    for (before, end) in ends.into_iter().enumerate() {
        let behind = end + text[end..].find('\n').unwrap() + 1;
        for (cut, whole) in
            [(end / 2 + 9, None), (end, Some(before)), (end + 9, Some(before)), (behind, Some(before + 1))]
        {
            fs::write(&file, &text[..cut]).unwrap();
            let data = TempDir::new().unwrap();
            let said = log_in(data.path(), &["import", file.to_str().unwrap()]);
            let there = states(data.path());
            assert_eq!(there.len(), whole.unwrap_or(there.len()), "{said:?}");
            assert_eq!(said.complaint.is_none(), cut == behind, "{said:?}");
            assert!(
                there.iter().all(|(session, state)| known[session] == *state),
                "a part of a session is here"
            );
        }
    }
    fs::write(&file, text.replacen("the needle", "the noodle", 1)).unwrap();
    let said = log_in(&other.path().join("changed"), &["import", file.to_str().unwrap()]);
    assert!(said.printed.contains("its events are not those that were exported"), "{said:?}");
    assert!(said.printed.contains("its parent"), "a fork does not come in without what it shares: {said:?}");
    assert_eq!(states(&other.path().join("changed")).len(), 1);
}

#[test]
fn a_file_that_is_no_export_is_refused() {
    let other = TempDir::new().unwrap();
    let file = other.path().join("poem.txt");
    for text in ["", "roses are red\n", "{\"event\":{}}\n"] {
        fs::write(&file, text).unwrap();
        let said = log_in(&other.path().join("data"), &["import", file.to_str().unwrap()]);
        assert!(said.complaint.unwrap().ends_with("is this an export?"));
    }
}

#[test]
fn an_export_is_never_written_over() {
    let (world, other) = (World::new("the needle"), TempDir::new().unwrap());
    let file = other.path().join("mine");
    fs::write(&file, "mine").unwrap();
    let said = world.log(&["export", "--all", "--to", file.to_str().unwrap()]);
    assert!(said.complaint.unwrap().ends_with("is there already; choose another name"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let nowhere = other.path().join("new");
    let said = world.log(&["export", "ffff", "--to", nowhere.to_str().unwrap()]);
    assert!(said.complaint.unwrap().starts_with("no session starts with"));
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1, "nothing half done is left");
}

#[test]
fn a_backup_opens_and_verifies() {
    let (world, other) = (World::new("the needle"), TempDir::new().unwrap());
    let copy = other.path().join("copy");
    let said = world.log(&["backup", copy.to_str().unwrap()]);
    assert_eq!(said.complaint, None);
    assert_eq!(log_in(&copy, &["verify"]).complaint, None);
    assert_eq!(states(&copy), states(world.path()));
    let said = world.log(&["backup", copy.to_str().unwrap()]);
    assert!(said.complaint.unwrap().contains("is not empty"));
}

#[test]
fn reindex_sets_the_index_aside() {
    let world = World::new("the needle");
    let before = states(world.path());
    assert_eq!(world.log(&["reindex"]).complaint, None);
    assert!(world.path().join("index.damaged-1").is_dir());
    assert_eq!(states(world.path()), before);
    assert!(before.values().all(|state: &State| state.damage.is_none()));
}
