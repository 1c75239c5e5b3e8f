//! Each kind of damage: the first fact that cannot have happened is noted with its place, and folding goes on.

use events::{
    Actor, CallId, InputEdited, InputMoved, InputReturned, PlanOrigin, PlanProposed, PlanReviewed,
    PlanVerdict, QuestionAnswered, QuestionAsked, QuestionIntent, QuestionWithdrawn, Seq, SessionEvent,
    Source, Target, TurnCancelled, TurnEndReason,
};
use projections::{Damage, DamageCode, State, fold};

use crate::recorded::*;

const COMPLETED: TurnEndReason = TurnEndReason::Completed;

#[test]
fn a_gap_in_the_positions() {
    let mut state = State::default();
    fold(&mut state, &envelope(Seq(2), opened(1)));
    assert_eq!(state.damage, Some(Damage { seq: Seq(2), code: DamageCode::SeqGap }));

    let mut state = folded([opened(1)]);
    fold(&mut state, &envelope(Seq(1), opened(2)));
    assert_eq!(state.damage, Some(Damage { seq: Seq(1), code: DamageCode::SeqGap }));
}

#[test]
fn positions_begin_at_one() {
    let mut state = State::default();
    fold(&mut state, &envelope(Seq(0), opened(1)));
    assert_eq!(state.damage.map(|damage| damage.code), Some(DamageCode::SeqGap));
}

#[test]
fn an_epoch_that_does_not_grow() {
    breaks(&[opened(3)], opened(3), DamageCode::EpochOrder);
    breaks(&[opened(3)], opened(2), DamageCode::EpochOrder);
    breaks(&[], opened(0), DamageCode::EpochOrder);
    sound(&[opened(1), opened(7)]);
}

#[test]
fn turns_out_of_order() {
    breaks(&[], turn(2), DamageCode::TurnOrder);
    breaks(&[], turn(0), DamageCode::TurnOrder);
    breaks(&[turn(1)], turn(2), DamageCode::TurnOrder);
    breaks(&[turn(1), turn_end(1, COMPLETED)], turn(1), DamageCode::TurnOrder);
    breaks(&[], turn_end(1, COMPLETED), DamageCode::TurnOrder);
    breaks(&[turn(1)], turn_end(2, COMPLETED), DamageCode::TurnOrder);
    breaks(&[turn(1), step(1, 1)], turn_end(1, COMPLETED), DamageCode::TurnOrder);
    breaks(&[queued(1, Source::User), turn(1), claimed(1)], turn_end(1, COMPLETED), DamageCode::TurnOrder);
    let cancel = |turn| TurnCancelled { turn, by: Actor::HOST, keep_inbox: true }.into();
    breaks(&[], cancel(0), DamageCode::TurnOrder);
    breaks(&[turn(1)], cancel(2), DamageCode::TurnOrder);
    breaks(&[turn(1), turn_end(1, COMPLETED)], cancel(1), DamageCode::TurnOrder);
    sound(&[turn(1), cancel(1), cancel(1), turn_end(1, COMPLETED), turn(2)]);
}

#[test]
fn steps_out_of_order() {
    breaks(&[], step(1, 1), DamageCode::StepOrder);
    breaks(&[turn(1)], step(1, 2), DamageCode::StepOrder);
    breaks(&[turn(1)], step(2, 1), DamageCode::StepOrder);
    breaks(&[turn(1), step(1, 1)], step(1, 2), DamageCode::StepOrder);
    breaks(&[turn(1), step(1, 1), step_end(1, 1)], step(1, 1), DamageCode::StepOrder);
    breaks(&[turn(1)], step_end(1, 1), DamageCode::StepOrder);
    breaks(&[turn(1), step(1, 1)], step_end(1, 2), DamageCode::StepOrder);
    breaks(&[turn(1)], answered(1, 1), DamageCode::StepOrder);
    breaks(&[turn(1), step(1, 1)], answered(1, 2), DamageCode::StepOrder);
    breaks(&[turn(1), step(1, 1), answered(1, 1)], answered(1, 1), DamageCode::StepOrder);
    sound(&[turn(1), step(1, 1), answered(1, 1), step_end(1, 1), step(1, 2)]);
}

#[test]
fn calls_out_of_order() {
    let step = [turn(1), step(1, 1), answered(1, 1)];
    let with = |more: &[SessionEvent]| [&step[..], more].concat();
    breaks(&[turn(1)], call("c1"), DamageCode::CallOrder);
    breaks(&with(&[call("c1")]), call("c1"), DamageCode::CallOrder);
    breaks(&with(&[]), started("c1"), DamageCode::CallOrder);
    breaks(&with(&[call("c1"), started("c1")]), started("c1"), DamageCode::CallOrder);
    breaks(&with(&[]), result("c1"), DamageCode::CallOrder);
    breaks(&with(&[call("c1"), result("c1")]), result("c1"), DamageCode::CallOrder);
    breaks(&with(&[call("c1"), result("c1")]), started("c1"), DamageCode::CallOrder);
    sound(&with(&[call("c1"), call("c2"), started("c2"), result("c1"), result("c2")]));
}

#[test]
fn inputs_that_do_not_wait() {
    breaks(&[], withdrawn(1), DamageCode::InputUnknown);
    breaks(&[queued(1, Source::User), withdrawn(1)], withdrawn(1), DamageCode::InputUnknown);
    breaks(&[turn(1)], claimed(1), DamageCode::InputUnknown);
    breaks(&[queued(1, Source::User)], claimed(1), DamageCode::InputUnknown);
    breaks(&[], InputEdited { input_id: input(1), content: vec![] }.into(), DamageCode::InputUnknown);
    let moved = InputMoved { input_id: input(1), target: Target::NextStep, position: 0 };
    breaks(&[], moved.into(), DamageCode::InputUnknown);
    let returned: SessionEvent = InputReturned { input_ids: vec![input(1)] }.into();
    breaks(&[queued(1, Source::User), turn(1)], returned.clone(), DamageCode::InputUnknown);
    sound(&[queued(1, Source::User), turn(1), claimed(1), returned, withdrawn(1)]);
    sound(&[queued(1, Source::User), turn(1), claimed(1), withdrawn(1)]);
}

#[test]
fn rounds_that_the_goal_does_not_allow() {
    breaks(&[], reserved(1, 1), DamageCode::RoundReplay);
    breaks(&[created("other")], reserved(1, 1), DamageCode::RoundReplay);
    breaks(&[created("g")], reserved(1, 2), DamageCode::RoundReplay);
    breaks(&[created("g"), reserved(1, 1)], reserved(2, 1), DamageCode::RoundReplay);
    breaks(&[], said(1, of_round(1)), DamageCode::RoundReplay);
    breaks(&[created("g")], said(1, of_round(0)), DamageCode::RoundReplay);
    breaks(&[created("g")], said(1, of_round(2)), DamageCode::RoundReplay);
    breaks(&[created("other")], said(1, of_round(1)), DamageCode::RoundReplay);
    let stale = Source::Goal { goal_id: "g".into(), revision: 2, round: 1 };
    breaks(&[created("g")], said(1, stale), DamageCode::RoundReplay);
    let rounds = [1, 2, 3].map(|round| said(round, of_round(round)));
    let spent = [vec![created("g")], rounds.to_vec()].concat();
    sound(&spent);
    breaks(&spent, said(4, of_round(4)), DamageCode::RoundReplay);
    breaks(&spent, reserved(4, 4), DamageCode::RoundReplay);
}

fn asked(number: u32) -> SessionEvent {
    QuestionAsked {
        question_id: question(number),
        revision: 1,
        call_id: Some(CallId::from("c1")),
        intent: QuestionIntent::AskUser,
        items: vec![],
        default: None,
        deadline: None,
    }
    .into()
}

#[test]
fn questions_that_are_not_open() {
    let answer: SessionEvent =
        QuestionAnswered { question_id: question(1), revision: 1, answers: vec![], by: Actor::HOST }.into();
    let gone: SessionEvent = QuestionWithdrawn { question_id: question(1), why: "x".to_owned() }.into();
    breaks(&[], answer.clone(), DamageCode::QuestionUnknown);
    breaks(&[], gone.clone(), DamageCode::QuestionUnknown);
    breaks(&[asked(2)], answer.clone(), DamageCode::QuestionUnknown);
    breaks(&[asked(1), answer.clone()], answer, DamageCode::QuestionUnknown);
    breaks(&[asked(1), gone.clone()], gone, DamageCode::QuestionUnknown);
}

#[test]
fn reviews_of_unknown_plans() {
    let proposed = |revision| {
        let (title, markdown) = ("Plan".to_owned(), "# Plan".to_owned());
        let (plan_id, sha256, from) = (plan(1), digest(), PlanOrigin::Tool);
        SessionEvent::from(PlanProposed { plan_id, revision, title, markdown, sha256, from })
    };
    let reviewed = |number, revision| {
        let verdict = PlanVerdict::Approved;
        SessionEvent::from(PlanReviewed { plan_id: plan(number), revision, verdict, feedback: None })
    };
    breaks(&[], reviewed(1, 1), DamageCode::PlanUnknown);
    breaks(&[proposed(1)], reviewed(2, 1), DamageCode::PlanUnknown);
    breaks(&[proposed(1)], reviewed(1, 2), DamageCode::PlanUnknown);
    sound(&[proposed(1), proposed(2), reviewed(1, 1), reviewed(1, 2)]);
}

#[test]
fn the_first_impossible_fact_is_the_one_that_is_named() {
    let state = folded([opened(1), turn(2), step(9, 9), withdrawn(1)]);
    assert_eq!(state.damage, Some(Damage { seq: Seq(2), code: DamageCode::TurnOrder }));
    assert_eq!(state.head, Seq(4), "folding goes on");
}

#[test]
fn each_code_has_a_stable_name() {
    use DamageCode::*;
    let codes = [
        (SeqGap, "SEQ_GAP"),
        (TurnOrder, "TURN_ORDER"),
        (StepOrder, "STEP_ORDER"),
        (CallOrder, "CALL_ORDER"),
        (InputUnknown, "INPUT_UNKNOWN"),
        (GoalReplay, "GOAL_REPLAY"),
        (RoundReplay, "ROUND_REPLAY"),
        (QuestionUnknown, "QUESTION_UNKNOWN"),
        (PlanUnknown, "PLAN_UNKNOWN"),
        (EpochOrder, "EPOCH_ORDER"),
    ];
    for (code, name) in codes {
        assert_eq!(code.name(), name);
        assert_eq!(serde_json::to_value(code).expect("a code can be written"), name);
    }
}
