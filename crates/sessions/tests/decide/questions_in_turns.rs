//! Questions in the course of a turn: several in one answer, in a goal's round, and in a turn that is stopped.

use events::SessionEvent;
use sessions::Code;

use crate::given::{Session, given};
use crate::wishes::*;

fn asks(call_id: &str, id: &str) -> crate::given::Steps {
    act(call_id, ask_user(vec![item(id, ["yes", "no"])]))
}

/// Returns each call's result as the model reads it.
fn results(session: &Session) -> Vec<(String, String)> {
    let result = |envelope: &events::Envelope| match &envelope.event {
        SessionEvent::ToolResult(data) => Some((data.call_id.to_string(), events::plain_text(&data.content))),
        _ => None,
    };
    session.log.iter().filter_map(result).collect()
}

#[test]
fn each_question_of_an_answer_has_its_own_answer() {
    let session = given([asked("hi"), calls([("c1", "ask_user_question"), ("c2", "ask_user_question")])])
        .and([
            asks("c1", "first"),
            answer(vec![choose("first", ["yes"])]),
            asks("c2", "second"),
            answer(vec![choose("second", ["no"])]),
            end_step(),
        ]);
    let results = results(&session);
    assert_eq!(results.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["c1", "c2"]);
    assert!(results[0].1.contains("first") && results[0].1.contains("yes"), "{results:?}");
    assert!(results[1].1.contains("second") && results[1].1.contains("no"), "{results:?}");
}

#[test]
fn stopping_a_round_that_asks_pauses_its_goal() {
    given([goal_create("ship it", None), round(), calls([("c1", "ask_user_question")]), asks("c1", "way")])
        .when(stop())
        .then(["goal/change pause r2 paused 1/256", "question/withdrawn stopped", "turn/cancelled 1 keep"])
        .holds(|state| state.questions.open.is_empty());
}

#[test]
fn a_stopped_turn_asks_nothing_more() {
    given([asked("hi"), calls([("c1", "ask_user_question")]), stop()])
        .when(asks("c1", "way"))
        .refused(Code::TurnCancelled)
        .holds(|state| state.questions.open.is_empty());
}
