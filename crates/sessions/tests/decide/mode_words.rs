//! The words that a mode is chosen by.

use sessions::{ClientCommand, Code, Mode};

use crate::given::given;
use crate::wishes::*;

const OTHER_WORDS_FOR_DEFAULT: [&str; 4] = ["code", "pair_programming", "execute", "custom"];

#[test]
fn a_mode_is_chosen_by_its_name() {
    given([]).when(mode("plan")).then(["plan/mode on"]).when(mode("default")).then(["plan/mode off"]);
    for mode in Mode::ALL {
        assert_eq!(Mode::read(mode.name()), Ok(mode));
    }
}

#[test]
fn the_words_of_other_programs_choose_the_default_mode() {
    for word in OTHER_WORDS_FOR_DEFAULT {
        given([plan_on()]).when(mode(word)).then(["plan/mode off"]);
        given([]).when(mode(word)).then_nothing();
    }
}

#[test]
fn a_mode_is_told_by_its_name_whatever_word_chose_it() {
    for word in OTHER_WORDS_FOR_DEFAULT {
        assert_eq!(Mode::read(word).map(Mode::name), Ok("default"));
    }
    for planning in [true, false] {
        assert_eq!(Mode::read(Mode::of(planning).name()), Ok(Mode::of(planning)));
    }
}

#[test]
fn no_mode_is_guessed_from_another_word() {
    for word in ["PLAN", "Plan", "planning", " plan", "plan ", "Default", "pair-programming", "Code", ""] {
        given([plan_on()])
            .when(mode(word))
            .refused(Code::ModeUnknown)
            .holds(|state| state.plan.active && state.plan.pending.is_none());
    }
}

#[test]
fn the_refusal_of_a_word_names_the_word_and_what_to_write() {
    let told = Mode::read("planning").map_err(|refusal| refusal.message);
    assert_eq!(told, Err("there is no mode \"planning\"; write \"plan\" or \"default\"".to_owned()));
    let endless = Mode::read(&"x".repeat(100_000)).map_err(|refusal| refusal.message.len() < 200);
    assert_eq!(endless, Err(true));
}

#[test]
fn a_word_that_comes_in_an_open_turn_waits_like_any_choice() {
    given([asked("hi")])
        .when(mode("plan"))
        .then(["plan/selected on"])
        .when(mode("execute"))
        .then(["plan/selected off"])
        .holds(|state| !state.plan.active && state.plan.pending.is_none());
}

#[test]
fn a_command_names_its_mode_as_json() {
    let read = |json: &str| serde_json::from_str::<ClientCommand>(json).ok();
    let mode = |mode: &str| Some(ClientCommand::ModeSet { mode: mode.to_owned() });
    assert_eq!(read(r#"{"type":"mode-set","mode":"plan"}"#), mode("plan"));
    for other in
        [r#"{"type":"mode-set"}"#, r#"{"type":"mode-set","mode":null}"#, r#"{"type":"mode-set","mode":1}"#]
    {
        assert_eq!(read(other), None);
    }
}
