//! Whatever moment a host dies at, the next one leaves nothing looking alive that is dead.

use std::collections::BTreeMap;

use events::{Block, SessionEvent};
use projections::{Activation, CallStage, State};

use crate::given::{Session, given};
use crate::story::story;
use crate::wishes::*;

/// Takes `session` over and records the repairs.
fn taken_over(mut session: Session) -> Session {
    let repairs = session.take_over();
    session.record(&events::Actor::HOST, repairs);
    session
}

fn waits_for_a_person(state: &State) -> bool {
    state.turn.open.is_some() && state.questions.hold_turn()
}

#[track_caller]
pub(crate) fn is_sound(session: &Session) {
    let state = &session.state;
    assert_eq!(state.damage, None);
    assert!(state.turn.open.is_none() || waits_for_a_person(state), "a turn is open that nobody works on");
    assert!(state.turn.open.as_ref().is_none_or(|open| open.cancelled.is_none()), "a stopped turn is open");
    assert!(!state.inbox.iter().any(|input| input.is_round()), "a round is queued");
    assert!(!state.inbox.iter().any(|input| input.runs_in(session.epoch)), "an input runs unasked");
    if let Some(current) = &state.goals.current {
        assert_eq!(current.activation(Some(session.epoch)), Activation::Disarmed);
        assert!(current.flight.is_none() || waits_for_a_person(state), "a round flies");
    }
    if state.turn.open.is_none() {
        assert!(!state.questions.hold_turn(), "a call's question is open without its turn");
    }
}

/// Each call has exactly one result, right behind its message, before anything else is said.
#[track_caller]
pub(crate) fn a_strict_provider_accepts(session: &Session) {
    let mut results: BTreeMap<String, u32> = BTreeMap::new();
    let mut owed: Vec<String> = Vec::new();
    let mut before = "start";
    for envelope in &session.log {
        match &envelope.event {
            SessionEvent::UserMessage(_) => {
                assert!(owed.is_empty(), "a message comes before the results of {owed:?}");
                before = "user";
            }
            SessionEvent::AssistantMessage(data) => {
                assert!(owed.is_empty(), "an answer comes before the results of {owed:?}");
                assert!(!data.content.is_empty(), "an answer is empty");
                assert!(["user", "tool"].contains(&before), "an answer follows {before}");
                owed = data.content.iter().filter_map(call_id).collect();
                assert!(!data.interrupted || owed.is_empty(), "a cut answer has calls");
                before = "assistant";
            }
            SessionEvent::ToolResult(data) => {
                let id = data.call_id.to_string();
                *results.entry(id.clone()).or_default() += 1;
                let index = owed.iter().position(|call| *call == id).expect("the result answers a call");
                owed.remove(index);
                before = "tool";
            }
            _ => {}
        }
    }
    assert!(results.values().all(|count| *count == 1), "{results:?}");
    assert!(owed.is_empty() || waits_for_a_person(&session.state), "no result for {owed:?}");
}

fn call_id(block: &Block) -> Option<String> {
    match block {
        Block::ToolCall { call_id, .. } => Some(call_id.to_string()),
        _ => None,
    }
}

#[test]
fn a_session_may_be_cut_at_any_batch_end() {
    let whole = story();
    let ends = whole.batch_ends();
    assert!(ends.len() > 100, "the story is long: {} batches", ends.len());
    for end in ends.into_iter().skip(1) {
        let session = taken_over(whole.cut(end));
        is_sound(&session);
        a_strict_provider_accepts(&session);
    }
}

#[test]
fn a_repaired_session_needs_no_second_repair() {
    let whole = story();
    for end in whole.batch_ends().into_iter().skip(1) {
        let once = taken_over(whole.cut(end));
        let again = once.clone().take_over();
        assert!(again.is_empty(), "at {end}: {again:?}");
    }
}

#[test]
fn a_repaired_session_can_be_taken_up_again() {
    let whole = story();
    for end in whole.batch_ends().into_iter().skip(1) {
        let mut session = taken_over(whole.cut(end));
        if waits_for_a_person(&session.state) {
            session = session.and([stop(), settle()]);
        }
        let session = session.and([asked("go on"), concludes()]);
        assert!(session.state.turn.open.is_none());
        a_strict_provider_accepts(&session);
    }
}

#[test]
fn a_repair_never_loses_what_a_person_queued() {
    let whole = story();
    for end in whole.batch_ends().into_iter().skip(1) {
        let before = whole.cut(end);
        let count = |session: &Session| {
            let claimed = session.state.turn.open.iter().flat_map(|open| &open.claimed);
            session.state.inbox.iter().chain(claimed).filter(|input| input.is_from_person()).count()
        };
        assert_eq!(count(&before), count(&taken_over(before.clone())), "at {end}");
    }
}

#[test]
fn an_idle_session_needs_no_repair() {
    given([]).when(restart()).then_nothing();
    given([whole_turn("hi"), goal_create("ship it", None), whole_round()]).when(restart()).then_nothing();
}

#[test]
fn a_reservation_is_withdrawn() {
    given([goal_create("ship it", None), reserve()]).when(restart()).then(["input/withdrawn restarted"]);
}

#[test]
fn a_claimed_round_is_given_up() {
    given([goal_create("ship it", None), reserve(), claim()])
        .when(restart())
        .then(["input/withdrawn turn-ended", "turn/end 1 interrupted"]);
}

#[test]
fn streamed_text_becomes_an_interrupted_answer() {
    given([asked("hi"), streams("half "), streams("an ans")]).when(restart()).then([
        "assistant/message 1.1 interrupted: half an ans",
        "step/end 1.1 interrupted",
        "turn/end 1 interrupted",
    ]);
}

#[test]
fn a_step_without_any_text_just_ends() {
    given([asked("hi")]).when(restart()).then(["step/end 1.1 interrupted", "turn/end 1 interrupted"]);
}

#[test]
fn the_newest_attempt_alone_is_kept() {
    let second = agent(|_| {
        sessions::AgentCommand::Delta(events::AssistantDelta {
            turn: 1,
            step: 1,
            attempt: 2,
            offset: 0,
            channel: events::Channel::Text,
            text: "anew".to_owned(),
        })
    });
    given([asked("hi"), streams("first try"), second]).when(restart()).then([
        "assistant/message 1.1 interrupted: anew",
        "step/end 1.1 interrupted",
        "turn/end 1 interrupted",
    ]);
}

#[test]
fn calls_are_told_apart_by_whether_they_started() {
    given([asked("hi"), calls([("c1", "run"), ("c2", "run")]), start("c1", events::ToolClass::Exec)])
        .when(restart())
        .then([
            "tool/result c1 TOOL_OUTCOME_UNKNOWN",
            "tool/result c2 TOOL_NOT_STARTED",
            "step/end 1.1 interrupted",
            "turn/end 1 interrupted",
        ]);
}

#[test]
fn an_open_review_keeps_its_turn_waiting() {
    let session = given([in_review("# Plan")]).when(restart()).then_nothing();
    let call = session.state.turn.step().expect("the step is open").calls[0].clone();
    assert!(matches!(call.stage, CallStage::Started(_)));
    session.and([review(sessions::ReviewVerdict::Approve, None), end_step(), admit(), header(), concludes()]);
}

#[test]
fn an_answered_question_that_was_not_continued_ends_interrupted() {
    let ask = act("c1", ask_user(vec![item("color", ["red", "blue"])]));
    given([asked("hi"), calls([("c1", "ask")]), ask, answer(vec![choose("color", ["red"])])])
        .when(restart())
        .then(["step/end 1.1 interrupted", "turn/end 1 interrupted"]);
}

#[test]
fn a_list_outlives_its_host() {
    let list = vec![todo("one", events::TodoStatus::Completed), todo("two", events::TodoStatus::InProgress)];
    let session = given([asked("hi"), calls([("c1", "todo_write")]), act("c1", todo_write(list.clone()))]);
    assert_eq!(session.and([restart()]).state.todos, Some(list));
}
