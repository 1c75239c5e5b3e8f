//! What waits: queued, held after a restart, sent, edited, moved, dropped, claimed and given back.

use events::{InputId, Target};
use sessions::{ClientCommand, Code};

use crate::given::{Session, given};
use crate::wishes::*;

fn texts(session: &Session) -> Vec<String> {
    session.state.inbox.iter().map(|input| events::plain_text(&input.content)).collect()
}

fn held(session: &Session) -> Vec<bool> {
    session.state.inbox.iter().map(|input| !input.runs_in(session.epoch)).collect()
}

#[test]
fn a_text_waits_in_the_list_it_is_meant_for() {
    given([]).when(prompt("hi")).then(["input/queued next-turn user: hi"]);
    given([]).when(prompt_to("hi", Target::NextStep)).then(["input/queued next-step user: hi"]);
}

#[test]
fn blank_and_oversized_texts_are_refused() {
    for blank in ["", " ", "\n\t"] {
        given([]).when(prompt(blank)).refused(Code::InputEmpty);
    }
    let small = || given([limits(|limits| limits.input_bytes_max = 4), prompt("1234")]);
    small().when(prompt("12345")).refused(Code::InputTooLarge);
    small().when(edit_input(0, "12345")).refused(Code::InputTooLarge);
    small().when(edit_input(0, " ")).refused(Code::InputEmpty);
}

#[test]
fn a_text_is_kept_as_it_was_typed() {
    given([prompt("  two\n spaces ")]).holds(|state| state.inbox.len() == 1);
    assert_eq!(texts(&given([prompt("  two\n spaces ")])), ["  two\n spaces "]);
}

#[test]
fn the_inbox_has_its_limit() {
    let full = given([limits(|limits| limits.inputs_queued_max = 2), prompt("1"), prompt("2")]);
    full.when(prompt("3"))
        .refused(Code::InboxFull)
        .when(slash("/plan 3"))
        .refused(Code::InboxFull)
        .and([drop_input(0), prompt("3")]);
}

#[test]
fn prompts_run_first_come_first_served_one_a_turn() {
    let session = given([prompt("one"), prompt("two"), claim(), admit()]);
    assert_eq!(session.lines("user/message"), ["user/message user: one"]);
    assert_eq!(texts(&session), ["two"]);
}

#[test]
fn a_turn_takes_the_whole_next_step_list_before_its_own_prompt() {
    let session =
        given([prompt("turn"), prompt_to("step 1", Target::NextStep), prompt_to("step 2", Target::NextStep)])
            .and([claim(), admit()]);
    let expected = ["user/message user: step 1", "user/message user: step 2", "user/message user: turn"];
    assert_eq!(session.lines("user/message"), expected);
}

#[test]
fn a_running_turn_takes_what_joins_it_at_its_next_step() {
    given([asked("hi"), prompt_to("and this", Target::NextStep), prompt("later"), calls([("c1", "x")])])
        .and([fail_call("c1"), end_step()])
        .when(admit())
        .then(["input/claimed 1", "step/start 1.2", "user/message user: and this"])
        .holds(|state| state.inbox.len() == 1);
}

#[test]
fn nothing_is_claimed_from_an_empty_inbox_or_during_a_turn() {
    given([]).when(claim()).refused(Code::NothingToClaim);
    given([asked("hi"), prompt("more")]).when(claim()).refused(Code::StepNotOpen);
}

#[test]
fn an_input_of_a_dead_host_is_held() {
    let session = given([prompt("old"), restart()]);
    assert_eq!(held(&session), [true]);
    session.when(claim()).refused(Code::NothingToClaim);
}

#[test]
fn a_new_prompt_runs_alone_before_held_ones() {
    let session = given([prompt("old"), prompt_to("older", Target::NextStep), restart(), whole_turn("new")]);
    assert_eq!(session.lines("user/message"), ["user/message user: new"]);
    assert_eq!(texts(&session), ["older", "old"]);
}

#[test]
fn a_held_input_does_not_join_a_running_turn() {
    given([prompt_to("old", Target::NextStep), restart(), asked("new"), calls([("c1", "x")])])
        .and([fail_call("c1"), end_step()])
        .when(admit())
        .then(["step/start 1.2"]);
}

#[test]
fn a_held_input_runs_once_it_is_sent() {
    let session = given([prompt("old"), restart()]).when(send(0)).then(["input/moved next-turn"]);
    assert_eq!(held(&session), [false]);
    assert_eq!(session.and([claim(), admit()]).lines("user/message"), ["user/message user: old"]);
}

#[test]
fn sending_goes_on_being_sent_only_until_the_next_restart() {
    assert_eq!(held(&given([prompt("old"), restart(), send(0), restart()])), [true]);
}

#[test]
fn sending_a_queued_input_brings_it_into_the_running_turn() {
    given([asked("hi"), prompt("later")]).when(send(0)).then(["input/moved next-step"]);
}

#[test]
fn sending_what_runs_anyway_does_nothing() {
    given([prompt("hi")]).when(send(0)).then_nothing();
    given([asked("hi"), prompt_to("soon", Target::NextStep)]).when(send(0)).then_nothing();
}

#[test]
fn editing_a_held_input_leaves_it_held() {
    let session = given([prompt("old"), restart()]).when(edit_input(0, "new")).then(["input/edited new"]);
    assert_eq!((texts(&session), held(&session)), (vec!["new".to_owned()], vec![true]));
}

#[test]
fn dropping_an_input_withdraws_it() {
    given([prompt("old"), restart()])
        .when(drop_input(0))
        .then(["input/withdrawn dropped"])
        .holds(|state| state.inbox.is_empty());
}

#[test]
fn moving_reorders_and_changes_lists() {
    let three = || given([prompt("1"), prompt("2"), prompt("3")]);
    assert_eq!(texts(&three().and([move_input(2, Target::NextTurn, 0)])), ["3", "1", "2"]);
    assert_eq!(texts(&three().and([move_input(0, Target::NextTurn, 1)])), ["2", "1", "3"]);
    assert_eq!(texts(&three().and([move_input(0, Target::NextTurn, u32::MAX)])), ["2", "3", "1"]);
    assert_eq!(texts(&three().and([move_input(1, Target::NextStep, 7)])), ["2", "1", "3"]);
}

#[test]
fn what_no_longer_waits_cannot_be_touched() {
    let id: InputId = "018f0000-0000-7000-8000-000000000001".parse().expect("an id");
    let taken = given([prompt("hi")]);
    let claimed = waiting(&taken.state, 0);
    let session = taken.and([claim()]);
    for input_id in [id, claimed] {
        session.clone().when(client(move |_| ClientCommand::InputSend { input_id })).refused(Code::InputGone);
        session
            .clone()
            .when(client(move |_| ClientCommand::InputWithdraw { input_id }))
            .refused(Code::InputGone);
        let edit = client(move |_| ClientCommand::InputEdit { input_id, text: "x".to_owned() });
        session.clone().when(edit).refused(Code::InputGone);
        let shift =
            client(move |_| ClientCommand::InputMove { input_id, target: Target::NextTurn, position: 0 });
        session.clone().when(shift).refused(Code::InputGone);
    }
}

#[test]
fn a_claimed_input_that_nobody_saw_goes_back_to_the_head_of_its_list() {
    let step = |text: &str| prompt_to(text, Target::NextStep);
    for end in [all([stop(), settle()]), fails(), restart()] {
        let queued = [prompt("one"), step("step 1"), step("step 2")];
        let session = given(queued).and([claim(), prompt("two"), step("step 3"), end]);
        assert_eq!(texts(&session), ["step 1", "step 2", "step 3", "one", "two"]);
        assert!(session.state.turn.open.is_none());
    }
}

#[test]
fn an_input_given_back_after_a_restart_is_held() {
    assert_eq!(held(&given([prompt("one"), claim(), restart()])), [true]);
}

#[test]
fn an_input_given_back_by_a_failed_turn_may_run_again() {
    assert_eq!(held(&given([prompt("one"), claim(), fails()])), [false]);
}

#[test]
fn a_message_that_was_admitted_does_not_go_back() {
    assert!(texts(&given([asked("hi"), restart()])).is_empty());
    assert!(texts(&given([asked("hi"), stop(), settle()])).is_empty());
}

#[test]
fn what_was_claimed_beside_a_stale_round_goes_back() {
    let notice = events::InputQueued {
        input_id: "018f0000-0000-7000-8000-000000000001".parse().expect("an id"),
        target: Target::NextStep,
        source: events::Source::Notice { about: "test".to_owned(), summary: "x".to_owned() },
        content: vec![events::Block::text("context")],
        wakes: false,
    };
    let session = given([goal_create("ship it", None), fact(notice), reserve(), claim()]);
    let session = session.and([goal_edit(Some("x"), None)]).when(admit()).then([
        "input/withdrawn turn-ended",
        "input/returned 1",
        "turn/end 1 blocked",
    ]);
    assert_eq!(texts(&session), ["context"]);
}

#[test]
fn a_notice_opens_no_turn_by_itself() {
    let notice = events::InputQueued {
        input_id: "018f0000-0000-7000-8000-000000000001".parse().expect("an id"),
        target: Target::NextStep,
        source: events::Source::Notice { about: "test".to_owned(), summary: "x".to_owned() },
        content: vec![events::Block::text("context")],
        wakes: false,
    };
    given([fact(notice)]).when(claim()).refused(Code::NothingToClaim);
}
