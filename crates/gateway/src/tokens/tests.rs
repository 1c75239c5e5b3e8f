use std::os::unix::fs::PermissionsExt;

use super::*;

fn tokens() -> (tempfile::TempDir, Tokens) {
    let folder = tempfile::tempdir().unwrap();
    let tokens = Tokens::open(folder.path()).unwrap();
    (folder, tokens)
}

#[test]
fn a_token_is_shown_once_and_kept_as_a_hash() {
    let (folder, tokens) = tokens();
    let made = tokens.make("nightly script", Role::Viewer, 7).unwrap();
    assert!(made.secret.starts_with("waymark_") && made.secret.len() == 72, "{}", made.secret.len());
    let path = folder.path().join(FILE);
    assert!(!std::fs::read_to_string(&path).unwrap().contains(&made.secret[8..]));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(tokens.shown(&made.secret), Some(made.kept.clone()));
    assert_eq!((made.kept.name.as_str(), made.kept.role), ("nightly script", Role::Viewer));
    assert_eq!(tokens.shown("waymark_0"), None);
}

#[test]
fn a_running_server_sees_what_another_process_makes_and_takes_away() {
    let (folder, served) = tokens();
    let beside = Tokens::open(folder.path()).unwrap();
    let made = beside.make("script", Role::Owner, 7).unwrap();
    assert_eq!(served.role(&made.kept.id), Some(Role::Owner));
    assert!(beside.revoke(&made.kept.id).unwrap());
    assert_eq!((served.role(&made.kept.id), served.shown(&made.secret)), (None, None));
    assert!(!beside.revoke(&made.kept.id).unwrap(), "it is gone already");
}

#[test]
fn a_damaged_file_lets_nobody_in_and_is_not_overwritten() {
    let (folder, tokens) = tokens();
    let made = tokens.make("script", Role::Owner, 7).unwrap();
    std::fs::write(folder.path().join(FILE), "[{").unwrap();
    assert_eq!(tokens.role(&made.kept.id), None);
    let error = tokens.make("another", Role::Owner, 8).err().unwrap();
    assert!(error.to_string().contains("tokens.json"), "{error}");
    assert!(Tokens::open(folder.path()).is_err());
}

#[test]
fn a_token_has_a_name() {
    let (_folder, tokens) = tokens();
    for name in ["", "  ", "two\nlines", &"x".repeat(81)] {
        assert!(tokens.make(name, Role::Owner, 7).is_err(), "{name:?}");
    }
    assert!(tokens.all().unwrap().is_empty());
}
