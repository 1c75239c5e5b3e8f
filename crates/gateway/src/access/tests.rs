use super::*;
use uuid::Uuid;

const NOW_MS: u64 = 1_800_000_000_000;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn log() -> LogId {
    LogId(Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef))
}

fn access() -> (tempfile::TempDir, Access) {
    let folder = tempfile::tempdir().unwrap();
    let access = Access::open(folder.path(), log()).unwrap();
    (folder, access)
}

fn cookie(access: &Access) -> String {
    access.set_cookie(&Pass::Launch, NOW_MS).unwrap().split(';').next().unwrap().to_owned()
}

#[test]
fn a_key_is_made_once_and_kept_from_others() {
    let (folder, first) = access();
    let path = folder.path().join(KEY_FILE);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let second = Access::open(folder.path(), log()).unwrap();
    assert!(second.signed_in(&cookie(&first), NOW_MS).is_some());
    assert_ne!(first.launch_token(), second.launch_token());
    assert_eq!(first.launch_token().len(), 64);
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    Access::open(folder.path(), log()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_file_that_is_no_key_is_not_overwritten() {
    let (folder, _) = access();
    fs::write(folder.path().join(KEY_FILE), "short").unwrap();
    let error = Access::open(folder.path(), log()).err().unwrap();
    assert!(error.to_string().contains("gateway.key"), "{error}");
}

#[test]
fn a_cookie_holds_for_thirty_days() {
    let (_folder, access) = access();
    let cookie = cookie(&access);
    assert!(access.signed_in(&format!("a=b; {cookie}"), NOW_MS + 30 * DAY_MS - 1).is_some());
    assert!(access.signed_in(&cookie, NOW_MS + 30 * DAY_MS).is_none());
    assert!(access.signed_in(&cookie, NOW_MS - DAY_MS).is_none(), "issued in the future");
}

#[test]
fn a_forged_cookie_does_not_hold() {
    let (_folder, access) = access();
    let (name, value) = cookie(&access).split_once('=').map(|(n, v)| (n.to_owned(), v.to_owned())).unwrap();
    let (issued, mac) = value.split_once('.').unwrap();
    let later = issued.parse::<u64>().unwrap() + 1;
    let forged = [
        format!("{later}.{mac}"),
        format!("{issued}.{}", "0".repeat(64)),
        format!("{issued}.{}", &mac[..62]),
        format!("{issued}."),
        mac.to_owned(),
        String::new(),
    ];
    for value in forged {
        assert!(access.signed_in(&format!("{name}={value}"), NOW_MS).is_none(), "{value}");
    }
    assert!(access.signed_in(&format!("waymark_other={issued}.{mac}"), NOW_MS).is_none());
}

#[test]
fn another_folders_cookie_does_not_hold() {
    let ((_one, mine), (_two, other)) = (access(), access());
    assert!(mine.signed_in(&cookie(&other), NOW_MS).is_none());
}

#[test]
fn another_logs_cookie_does_not_hold() {
    let (folder, mine) = access();
    let other = LogId(Uuid::from_u128(log().0.as_u128() + 1));
    let other = Access::open(folder.path(), other).unwrap();
    assert_eq!(mine.cookie_name(), other.cookie_name());
    assert!(mine.signed_in(&cookie(&other), NOW_MS).is_none());
}

#[test]
fn too_many_wrong_tokens_lock_for_a_minute() {
    let (_folder, access) = access();
    let (start, token) = (Instant::now(), access.launch_token().to_owned());
    for _ in 0..20 {
        assert_eq!(access.check_token("wrong", start, 20), Err(TokenRefused::Wrong));
    }
    assert_eq!(access.check_token(&token, start + WINDOW / 2, 20), Err(TokenRefused::TooMany));
    assert_eq!(access.check_token(&token, start + WINDOW, 20), Ok(Pass::Launch));
}

#[test]
fn wrong_tokens_of_long_ago_do_not_count() {
    let (_folder, access) = access();
    let start = Instant::now();
    for number in 0..60 {
        let now = start + WINDOW / 10 * number;
        assert_eq!(access.check_token("wrong", now, 20), Err(TokenRefused::Wrong));
    }
}

#[test]
fn a_guests_cookie_lasts_as_long_as_the_token_it_came_from() {
    let (folder, access) = access();
    let tokens = Tokens::open(folder.path()).unwrap();
    let guest = tokens.make("guest", Role::Viewer, NOW_MS).unwrap();
    let pass = access.check_token(&guest.secret, Instant::now(), 20).unwrap();
    let cookie = access.set_cookie(&pass, NOW_MS).unwrap();
    let signed_in = access.signed_in(cookie.split(';').next().unwrap(), NOW_MS).unwrap();
    assert_eq!(access.role(&signed_in, NOW_MS), Some(Role::Viewer));
    let Pass::Cookie(value) = &signed_in else { panic!("{signed_in:?}") };
    let (issued, mac) = (value.split('.').next().unwrap(), value.split('.').next_back().unwrap());
    let promoted = Pass::Cookie(format!("{issued}.{mac}"));
    assert_eq!(access.role(&promoted, NOW_MS), None, "a guest made itself an owner");
    tokens.revoke(&guest.kept.id).unwrap();
    assert_eq!(access.role(&signed_in, NOW_MS), None);
}

#[test]
fn another_key_signs_every_browser_out_of_a_running_server() {
    let (folder, access) = access();
    let cookie = cookie(&access);
    let pass = access.signed_in(&cookie, NOW_MS).unwrap();
    Access::rotate(folder.path()).unwrap();
    assert_eq!((access.role(&pass, NOW_MS), access.signed_in(&cookie, NOW_MS)), (None, None));
    let fresh = access.set_cookie(&Pass::Launch, NOW_MS).unwrap();
    assert!(access.signed_in(fresh.split(';').next().unwrap(), NOW_MS).is_some());
}
