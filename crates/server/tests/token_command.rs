//! `waymark token …` as a script meets it.

#![allow(clippy::unwrap_used, reason = "the functions around the tests are tests too")]

use std::path::Path;

use serde_json::Value;
use server::cli::{ListTokens, NewToken, RevokeToken, TokenCommand};
use server::token_command;

fn does(folder: &Path, command: TokenCommand) -> Result<String, String> {
    let mut out = Vec::new();
    let done = token_command(folder, &command, &mut out);
    done.map_err(|error| format!("{error:#}"))?;
    Ok(String::from_utf8(out).unwrap())
}

fn listed(folder: &Path) -> Vec<Value> {
    let lines = does(folder, TokenCommand::List(ListTokens { json: true })).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_token_is_made_listed_and_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let made = NewToken { name: "for a guest".to_owned(), viewer: true };
    let secret = does(folder.path(), TokenCommand::New(made)).unwrap();
    assert_eq!(
        (secret.lines().count(), secret.trim().len()),
        (1, 72),
        "the token alone, for a script to take"
    );
    let tokens = listed(folder.path());
    assert_eq!((&tokens[0]["role"], &tokens[0]["name"]), (&"viewer".into(), &"for a guest".into()));
    let id = tokens[0]["id"].as_str().unwrap().to_owned();
    assert!(does(folder.path(), TokenCommand::Revoke(RevokeToken { id: id.clone() })).unwrap().contains(&id));
    assert_eq!(listed(folder.path()), [] as [Value; 0]);
    let again = does(folder.path(), TokenCommand::Revoke(RevokeToken { id })).unwrap_err();
    assert!(again.contains("waymark token list"), "{again}");
}

#[test]
fn rotating_makes_another_key() {
    let folder = tempfile::tempdir().unwrap();
    let key = || std::fs::read(folder.path().join("gateway.key")).unwrap();
    does(folder.path(), TokenCommand::Rotate).unwrap();
    let first = key();
    does(folder.path(), TokenCommand::Rotate).unwrap();
    assert_ne!(first, key());
}
