//! `stat`, `verify` and `show`: what looks at the segments alone.

use serde_json::Value;

use crate::world::{World, log_in};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn stat_says_what_the_log_holds() {
    let world = World::new("the needle");
    let said = world.log(&["stat", "--json"]);
    assert_eq!(said.complaint, None);
    let stat = json(&said.printed);
    assert_eq!(stat["sessions"], 3);
    assert_eq!(stat["damaged_places"], 0);
    assert_eq!(stat["segments"]["files"], 1);
    let listed = stat["largest"].as_array().unwrap();
    let events: u64 = listed.iter().map(|line| line["events"].as_u64().unwrap()).sum();
    assert_eq!(stat["events"], events);
    let [first, _, child] = world.sessions.map(|session| session.to_string());
    let child = listed.iter().find(|line| line["session"] == child.as_str()).unwrap();
    assert_eq!(child["parent"], first.as_str());
    assert!(child["head"].as_u64() > child["events"].as_u64(), "what a fork shares is not its own");
    for session in world.sessions {
        assert!(world.log(&["stat"]).printed.contains(&session.to_string()));
    }
}

#[test]
fn a_whole_log_has_no_fault() {
    let world = World::new("the needle");
    let said = world.log(&["verify", "--json"]);
    assert_eq!(said.complaint, None);
    let verified = json(&said.printed);
    assert_eq!(verified["faults"], json("[]"));
    assert_eq!(verified["sessions"], 3);
}

#[test]
fn a_flipped_bit_is_named_with_session_seq_and_place() {
    let world = World::new("the needle");
    let shown = world.log(&["show", &world.sessions[0].to_string(), "--json"]).printed;
    let hit = shown.lines().map(json).find(|line| line.to_string().contains("the needle")).unwrap();
    world.flip("the needle");
    let said = world.log(&["verify", "--json"]);
    assert!(said.complaint.unwrap().contains("restore"), "it says what to do");
    let verified = json(&said.printed);
    let faults = verified["faults"].as_array().unwrap();
    let first = world.sessions[0].to_string();
    let fault = faults.iter().find(|fault| fault["session"] == first.as_str()).unwrap();
    let names_the_batch = fault["seq"].as_u64().unwrap() <= hit["seq"].as_u64().unwrap();
    assert!(names_the_batch && fault["segment"] == 1 && fault["offset"].as_u64() > Some(64), "{faults:?}");
    let second = world.sessions[1].to_string();
    assert!(faults.iter().all(|fault| fault["session"] != second.as_str()), "the other one is whole");
    assert_eq!(world.log(&["verify", &second]).complaint, None);
    assert!(world.log(&["verify"]).printed.contains(&format!("session {first}, seq")));
}

#[test]
fn looking_leaves_every_file_as_it_is() {
    let world = World::new("the needle");
    let before = files(world.path());
    for words in [&["stat"][..], &["verify"], &["show", &world.sessions[2].to_string()]] {
        assert_eq!(world.log(words).complaint, None);
    }
    assert_eq!(files(world.path()), before);
}

#[test]
fn show_prints_an_event_a_line_and_leaves_out_what_is_not_asked_for() {
    let world = World::new("the needle");
    let child = world.sessions[2].to_string();
    let all = world.log(&["show", &child, "--json"]).printed;
    let seqs: Vec<u64> = all.lines().map(|line| json(line)["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "a fork's whole history");
    let some = world.log(&["show", &child, "--from", "2", "--to", "4"]).printed;
    assert_eq!(some.lines().count(), 3);
    let inputs = world.log(&["show", &child, "--type", "input", "--json"]).printed;
    assert!(inputs.lines().count() > 0);
    assert!(inputs.lines().all(|line| json(line)["type"].as_str().unwrap().starts_with("input/")));
    let human = world.log(&["show", &child]).printed;
    assert_eq!(human.lines().count(), seqs.len());
    assert!(human.contains("session/created") && human.contains("another way"), "{human}");
}

#[test]
fn a_session_that_is_not_there_and_a_folder_without_a_log_say_what_to_do() {
    let world = World::new("the needle");
    let said = world.log(&["show", "ffff"]).complaint.unwrap();
    assert_eq!(said, "no session starts with \"ffff\"; list them with: waymark log stat --all");
    // Ids that were made within a moment of one another begin alike.
    let said = world.log(&["show", &world.sessions[0].to_string()[..4]]).complaint.unwrap();
    assert!(world.sessions.iter().all(|session| said.contains(&session.to_string())), "{said}");
    let empty = tempfile::tempdir().unwrap();
    let said = log_in(empty.path(), &["stat"]).complaint.unwrap();
    assert!(said.starts_with("there is no log in") && said.ends_with("--data"), "{said}");
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0, "nothing is made by looking");
}

/// Returns every file of a folder and those below it, with its content.
fn files(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}
