//! Questions to a person: what may be asked, what counts as an answer, and how they end.

use events::{Answer, QuestionItem, SessionEvent, Target};
use sessions::{ClientCommand, Code};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

fn calling() -> Session {
    given([asked("hi"), calls([("c1", "ask_user_question"), ("c2", "read_file")])])
}

fn color() -> QuestionItem {
    item("color", ["red", "blue"])
}

fn many() -> QuestionItem {
    QuestionItem { multi_select: true, ..item("many", ["a", "b", "c"]) }
}

fn open(items: Vec<QuestionItem>) -> Session {
    calling().and([act("c1", ask_user(items))])
}

#[test]
fn asking_starts_the_call_and_leaves_it_open() {
    calling()
        .when(act("c1", ask_user(vec![color()])))
        .then(["tool/started c1 ask", "question/asked ask-user"])
        .when(end_step())
        .refused(Code::StepNotOpen);
}

#[test]
fn one_to_three_items_are_asked_at_once() {
    let items = |count: usize| (0..count).map(|n| item(&format!("q{n}"), ["x", "y"])).collect::<Vec<_>>();
    for count in [1, 2, 3] {
        open(items(count));
    }
    for count in [0, 4] {
        calling().when(act("c1", ask_user(items(count)))).then(["tool/result c1 QUESTION_INVALID"]);
    }
}

#[test]
fn malformed_questions_are_refused() {
    let malformed = [
        vec![color(), color()],
        vec![QuestionItem { id: " ".to_owned(), ..color() }],
        vec![QuestionItem { question: String::new(), ..color() }],
        vec![item("one", ["only"])],
        vec![item("five", ["a", "b", "c", "d", "e"])],
        vec![item("twice", ["a", "a"])],
        vec![item("blank", ["a", " "])],
    ];
    for items in malformed {
        calling()
            .when(act("c1", ask_user(items)))
            .then(["tool/result c1 QUESTION_INVALID"])
            .holds(|state| state.questions.open.is_empty());
    }
    open(vec![item("four", ["a", "b", "c", "d"])]);
}

#[test]
fn an_answer_is_the_calls_result() {
    let facts = open(vec![color()]).when(answer(vec![choose("color", ["blue"])])).facts();
    let lines: Vec<String> = facts.iter().map(crate::facts::line).collect();
    assert_eq!(lines, ["question/answered blue", "tool/result c1 ok"]);
    let SessionEvent::ToolResult(result) = &facts[1] else { panic!("the second fact is the result") };
    let told: serde_json::Value =
        serde_json::from_str(&events::plain_text(&result.content)).expect("the result is JSON");
    assert_eq!(told["answered_by"], "user");
    assert_eq!(told["answers"][0]["selected"][0], "blue");
}

#[test]
fn a_text_of_ones_own_is_an_answer() {
    open(vec![color()])
        .when(answer(vec![write("color", "green")]))
        .then(["question/answered green", "tool/result c1 ok"]);
}

#[test]
fn several_may_be_chosen_where_that_is_offered() {
    let with_text = Answer { custom: Some("and d".to_owned()), ..choose("many", ["a", "c"]) };
    open(vec![many()]).and([answer(vec![choose("many", ["a", "c"])])]);
    open(vec![many()]).and([answer(vec![with_text])]);
    open(vec![color(), many()]).and([answer(vec![choose("color", ["red"]), write("many", "none")])]);
}

#[test]
fn answers_that_do_not_fit_are_refused_and_the_question_stays() {
    let with_text = Answer { custom: Some("dark".to_owned()), ..choose("color", ["red"]) };
    let unfit: [(Vec<QuestionItem>, Vec<Answer>); 10] = [
        (vec![color()], vec![]),
        (vec![color()], vec![choose("color", ["red"]), choose("color", ["red"])]),
        (vec![color()], vec![choose("colour", ["red"])]),
        (vec![color()], vec![choose("color", ["green"])]),
        (vec![color()], vec![choose("color", ["red", "blue"])]),
        (vec![color()], vec![choose("color", [])]),
        (vec![color()], vec![write("color", " \n")]),
        (vec![color()], vec![with_text]),
        (vec![many()], vec![choose("many", ["a", "a"])]),
        (vec![color(), many()], vec![choose("many", ["a"]), choose("color", ["red"])]),
    ];
    for (items, answers) in unfit {
        open(items)
            .when(answer(answers))
            .refused(Code::AnswerInvalid)
            .holds(|state| state.questions.open.len() == 1);
    }
}

#[test]
fn a_question_is_answered_once() {
    let mut session = open(vec![color()]);
    let (question_id, revision) = open_question(&session.state);
    let again = move || {
        client(move |_| ClientCommand::Answer {
            question_id,
            revision,
            answers: vec![choose("color", ["red"])],
        })
    };
    session = session.and([again()]).when(again()).refused(Code::QuestionGone);
    session
        .when(client(move |_| ClientCommand::DismissQuestion { question_id, revision }))
        .refused(Code::QuestionGone);
}

#[test]
fn an_answer_to_another_revision_is_refused() {
    let stale = client(|state| {
        let (question_id, revision) = open_question(state);
        ClientCommand::Answer { question_id, revision: revision + 1, answers: vec![choose("color", ["red"])] }
    });
    open(vec![color()]).when(stale).refused(Code::QuestionStale);
}

#[test]
fn dismissing_tells_the_model_to_wait() {
    open(vec![color()])
        .when(dismiss())
        .then(["question/withdrawn dismissed", "tool/result c1 ASK_CANCELLED"])
        .holds(|state| state.turn.open.is_some());
}

#[test]
fn text_typed_while_a_question_is_open_dismisses_it_and_joins_the_turn() {
    for target in [Target::NextTurn, Target::NextStep] {
        open(vec![color()])
            .when(prompt_to("green, please", target))
            .then([
                "question/withdrawn dismissed",
                "tool/result c1 ASK_CANCELLED",
                "input/queued next-step user: green, please",
            ])
            .and([fail_call("c2"), end_step()])
            .when(admit())
            .then(["input/claimed 1", "step/start 1.2", "user/message user: green, please"]);
    }
}

#[test]
fn blank_text_dismisses_nothing() {
    open(vec![color()])
        .when(prompt(" "))
        .refused(Code::InputEmpty)
        .holds(|state| state.questions.open.len() == 1);
}

#[test]
fn stopping_withdraws_the_question() {
    open(vec![color()])
        .when(stop())
        .then(["question/withdrawn stopped", "turn/cancelled 1 keep"])
        .when(settle())
        .then([
            "tool/result c1 ABORTED",
            "tool/result c2 ABORTED_BEFORE_DISPATCH",
            "step/end 1.1 aborted",
            "turn/end 1 aborted",
        ]);
}

#[test]
fn pausing_the_goal_withdraws_its_rounds_question() {
    given([
        goal_create("ship it", None),
        round(),
        calls([("c1", "ask")]),
        act("c1", ask_user(vec![color()])),
    ])
    .when(goal_pause())
    .then(["goal/change pause r2 paused 1/256", "question/withdrawn stopped", "turn/cancelled 1 keep"]);
}

#[test]
fn questions_are_asked_in_plan_mode_too() {
    given([plan_on(), asked("hi"), calls([("c1", "ask")])])
        .when(act("c1", ask_user(vec![color()])))
        .then(["tool/started c1 ask", "question/asked ask-user"]);
}

#[test]
fn an_open_question_and_the_calls_behind_it_survive_a_restart() {
    let session = open(vec![color()]).when(restart()).then_nothing();
    assert_eq!(session.state.questions.open.len(), 1);
    assert!(session.state.turn.open.is_some());
}

#[test]
fn a_waiting_turn_goes_on_only_when_a_person_answers() {
    let refused: [Steps; 5] = [
        start("c2", events::ToolClass::Read),
        act("c2", sessions::ToolAction::GetGoal),
        fail_call("c2"),
        end_step(),
        fails(),
    ];
    for wish in refused {
        open(vec![color()]).and([restart()]).when(wish).refused(Code::StepNotOpen);
    }
    open(vec![color()]).and([
        restart(),
        answer(vec![choose("color", ["red"])]),
        start("c2", events::ToolClass::Read),
        finish("c2"),
        end_step(),
        admit(),
        concludes(),
    ]);
}

#[test]
fn putting_the_question_aside_takes_a_waiting_turn_up_as_well() {
    open(vec![color()]).and([restart(), dismiss(), fail_call("c2"), end_step(), admit(), concludes()]);
    open(vec![color()]).and([restart(), prompt("green"), fail_call("c2"), end_step(), admit(), concludes()]);
}

#[test]
fn a_waiting_turn_survives_several_restarts() {
    let session = open(vec![color()]).and([restart(), restart(), restart()]);
    session.and([answer(vec![choose("color", ["red"])]), fail_call("c2"), end_step(), admit(), concludes()]);
}

#[test]
fn a_body_that_was_running_beside_the_question_has_an_unknown_outcome_after_a_restart() {
    let both = calls([("c1", "read_file"), ("c2", "ask_user_question"), ("c3", "read_file")]);
    given([asked("hi"), both, start("c1", events::ToolClass::Read), act("c2", ask_user(vec![color()]))])
        .when(restart())
        .then(["tool/result c1 TOOL_OUTCOME_UNKNOWN"])
        .holds(|state| state.questions.open.len() == 1);
}
