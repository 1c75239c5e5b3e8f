//! A fact as one line, for tests to compare: its type and what matters of its data.

use events::{
    ActorKind, GoalAfter, GoalChange, InputQueued, PlanVerdict, QuestionAsked, QuestionIntent, SessionEvent,
    Source, Target, ToolOutcome, ToolResult, plain_text,
};

/// Returns `fact` as one line.
pub(crate) fn line(fact: &SessionEvent) -> String {
    let what = match fact {
        SessionEvent::InputQueued(_)
        | SessionEvent::InputEdited(_)
        | SessionEvent::InputMoved(_)
        | SessionEvent::InputClaimed(_)
        | SessionEvent::InputReturned(_)
        | SessionEvent::InputWithdrawn(_) => of_input(fact),
        SessionEvent::PlanSelected(_)
        | SessionEvent::PlanMode(_)
        | SessionEvent::PlanProposed(_)
        | SessionEvent::PlanReviewed(_)
        | SessionEvent::QuestionAsked(_)
        | SessionEvent::QuestionAnswered(_)
        | SessionEvent::QuestionWithdrawn(_) => of_plan(fact),
        SessionEvent::ToolCall(_) | SessionEvent::ToolStarted(_) | SessionEvent::ToolResult(_) => {
            of_call(fact)
        }
        SessionEvent::GoalChange(data) => of_goal(data),
        SessionEvent::GoalRound(data) => format!("{} of r{}", data.round, data.revision),
        SessionEvent::TodoWrite(data) => data.todos.len().to_string(),
        SessionEvent::SessionOpened(data) => data.epoch.to_string(),
        SessionEvent::SessionTitled(data) => format!("{:?}", data.title),
        SessionEvent::SessionArchived(data) => data.archived.to_string(),
        SessionEvent::CommandRun(data) => format!("{}{}", data.name, data.args),
        SessionEvent::CommandDone(data) => {
            format!("{} {}", lower(&data.kind), data.text.as_deref().unwrap_or_default())
        }
        SessionEvent::PermissionRevoked(data) => data.pattern.clone(),
        other => of_turn(other),
    };
    format!("{} {what}", fact.type_name()).trim_end().to_owned()
}

fn lower(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

fn of_input(fact: &SessionEvent) -> String {
    match fact {
        SessionEvent::InputQueued(data) => of_queued(data),
        SessionEvent::InputEdited(data) => plain_text(&data.content),
        SessionEvent::InputMoved(data) => target(data.target).to_owned(),
        SessionEvent::InputClaimed(data) => data.input_ids.len().to_string(),
        SessionEvent::InputReturned(data) => data.input_ids.len().to_string(),
        SessionEvent::InputWithdrawn(data) => data.why.clone(),
        other => panic!("{} is no fact about inputs", other.type_name()),
    }
}

fn of_queued(data: &InputQueued) -> String {
    let text = match data.source {
        Source::User => format!(": {}", plain_text(&data.content)),
        Source::Goal { .. } | Source::Notice { .. } | Source::Plan { .. } => String::new(),
    };
    format!("{} {}{text}", target(data.target), source(&data.source))
}

fn target(target: Target) -> &'static str {
    match target {
        Target::NextTurn => "next-turn",
        Target::NextStep => "next-step",
    }
}

fn source(source: &Source) -> String {
    match source {
        Source::User => "user".to_owned(),
        Source::Goal { revision, round, .. } => format!("round {round} of r{revision}"),
        Source::Notice { about, .. } => format!("notice {about}"),
        Source::Plan { revision, .. } => format!("plan r{revision}"),
    }
}

fn of_turn(fact: &SessionEvent) -> String {
    match fact {
        SessionEvent::TurnStart(data) => data.turn.to_string(),
        SessionEvent::TurnCancelled(data) => {
            format!("{} {}", data.turn, if data.keep_inbox { "keep" } else { "drop" })
        }
        SessionEvent::TurnEnd(data) => format!("{} {}", data.turn, data.reason.name()),
        SessionEvent::StepStart(data) => format!("{}.{}", data.turn, data.step),
        SessionEvent::StepEnd(data) => format!("{}.{} {}", data.turn, data.step, lower(&data.finish)),
        SessionEvent::UserMessage(data) => match data.source {
            Source::User => format!("user: {}", plain_text(&data.content)),
            Source::Goal { .. } | Source::Notice { .. } | Source::Plan { .. } => source(&data.source),
        },
        SessionEvent::AssistantMessage(data) => {
            let cut = if data.interrupted { " interrupted" } else { "" };
            format!("{}.{}{cut}: {}", data.turn, data.step, plain_text(&data.content))
        }
        _ => String::new(),
    }
}

fn of_call(fact: &SessionEvent) -> String {
    match fact {
        SessionEvent::ToolCall(data) => format!("{} {}", data.call_id, data.name),
        SessionEvent::ToolStarted(data) => format!("{} {}", data.call_id, data.class.name()),
        SessionEvent::ToolResult(data) => of_result(data),
        other => panic!("{} is no fact about calls", other.type_name()),
    }
}

fn of_result(data: &ToolResult) -> String {
    let code = data.error.as_ref().map(|error| error.code.as_str());
    assert_eq!(data.outcome == ToolOutcome::Error, code.is_some(), "an error has a code: {data:?}");
    format!("{} {}", data.call_id, code.unwrap_or("ok"))
}

fn of_plan(fact: &SessionEvent) -> String {
    let on = |active: bool| if active { "on" } else { "off" };
    match fact {
        SessionEvent::PlanSelected(data) => {
            let silently = if data.narrate { "" } else { " silently" };
            let by = if data.by.kind == ActorKind::User { "" } else { " by another" };
            format!("{}{silently}{by}", on(data.active))
        }
        SessionEvent::PlanMode(data) => on(data.active).to_owned(),
        SessionEvent::PlanProposed(data) => format!("r{} {}", data.revision, data.title),
        SessionEvent::PlanReviewed(data) => {
            let feedback = data.feedback.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
            format!("r{} {}{feedback}", data.revision, verdict(data.verdict))
        }
        SessionEvent::QuestionAsked(data) => intent(data).to_owned(),
        SessionEvent::QuestionAnswered(data) => {
            let of =
                |answer: &events::Answer| answer.custom.clone().unwrap_or_else(|| answer.selected.join("+"));
            data.answers.iter().map(of).collect::<Vec<_>>().join(", ")
        }
        SessionEvent::QuestionWithdrawn(data) => data.why.clone(),
        other => panic!("{} is no fact about plans and questions", other.type_name()),
    }
}

fn verdict(verdict: PlanVerdict) -> &'static str {
    match verdict {
        PlanVerdict::Approved => "approved",
        PlanVerdict::KeepPlanning => "keep-planning",
        PlanVerdict::Dismissed => "dismissed",
        PlanVerdict::Withdrawn => "withdrawn",
    }
}

fn intent(asked: &QuestionAsked) -> &'static str {
    match asked.intent {
        QuestionIntent::AskUser => "ask-user",
        QuestionIntent::PlanReview { .. } => "plan-review",
        QuestionIntent::Permission => "permission",
    }
}

fn of_goal(change: &GoalChange) -> String {
    let (operation, after) = match change {
        GoalChange::Create(after) => ("create", after),
        GoalChange::Edit(after) => ("edit", after),
        GoalChange::Pause(after) => ("pause", after),
        GoalChange::Resume(after) => ("resume", after),
        GoalChange::Complete(after) => ("complete", after),
        GoalChange::Block(after) => ("block", after),
        GoalChange::Clear { cleared, .. } => return format!("clear r{}", cleared.revision),
    };
    format!("{operation} {}", of_after(after))
}

fn of_after(after: &GoalAfter) -> String {
    let GoalAfter { goal, rounds_started, .. } = after;
    format!("r{} {} {rounds_started}/{}", goal.revision, goal.phase.name(), goal.budgets.rounds)
}
