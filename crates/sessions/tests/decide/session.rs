//! The session as a whole: its title, putting it away, deleting it.

use events::Seq;
use projections::{Damage, DamageCode};
use sessions::{ClientCommand, Code, Command};

use crate::given::{Step, Steps, given};
use crate::story::story;
use crate::wishes::*;

fn titled(title: &str) -> Steps {
    let title = title.to_owned();
    client(move |_| ClientCommand::SetTitle { title: title.clone() })
}

fn archived(archived: bool) -> Steps {
    client(move |_| ClientCommand::Archive { archived })
}

/// A person deletes the session.
pub(crate) fn deleted() -> Steps {
    vec![Step::Wish(person(), Box::new(|_| Command::Delete))]
}

#[test]
fn a_title_is_one_line_of_words() {
    given([]).when(titled("  Fix\tthe\n login \u{7} ")).then(["session/titled \"Fix the login\""]);
    given([]).when(titled("修复登录流程")).then(["session/titled \"修复登录流程\""]);
}

#[test]
fn a_blank_or_endless_title_is_refused() {
    given([]).when(titled(" \n\u{7}")).refused(Code::TitleInvalid);
    given([]).when(titled(&"x".repeat(81))).refused(Code::TitleInvalid);
    given([]).when(titled(&"登".repeat(27))).refused(Code::TitleInvalid);
}

#[test]
fn a_session_is_put_away_once_and_taken_out_once() {
    given([]).when(archived(false)).then([]);
    given([])
        .when(archived(true))
        .then(["session/archived true"])
        .when(archived(true))
        .then([])
        .when(archived(false))
        .then(["session/archived false"]);
}

#[test]
fn deleting_stops_what_runs_and_drops_what_waits() {
    given([prompt("later"), goal_create("ship it", Some(9))]).when(deleted()).then(["session/deleted"]);
    given([goal_create("ship it", Some(9)), round(), prompt("later")]).when(deleted()).then([
        "goal/change pause r2 paused 1/9",
        "turn/cancelled 1 drop",
        "input/withdrawn stopped",
        "session/deleted",
    ]);
}

#[test]
fn a_session_may_be_deleted_at_any_time_and_takes_nothing_more_then() {
    let whole = story();
    for end in whole.batch_ends() {
        let session = whole.cut(end).and([deleted()]);
        assert_eq!((session.state.damage, session.state.session.deleted), (None, true), "at {end}");
        let open = session.state.turn.open.as_ref();
        assert!(open.is_none_or(|open| open.cancelled.is_some()), "at {end}");
        session.when(titled("too late")).refused(Code::SessionDeleted);
    }
}

#[test]
fn deleting_what_is_deleted_or_damaged_records_nothing() {
    given([deleted()]).when(deleted()).then([]);
    let mut damaged = given([]);
    let damage = Damage { seq: Seq(1), code: DamageCode::SeqGap };
    damaged.state.damage = Some(damage);
    assert_eq!(damaged.decide(&person(), &Command::Delete), Ok(vec![]));
}
