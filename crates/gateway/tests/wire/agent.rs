//! The agent's side of a session: what it would record.

use events::{Actor, AssistantDelta, Block, Channel, Seq, StepFinish};
use projections::WorkspaceMark;
use sessions::{AgentCommand, Answered, Command, Session, Submission};

pub(crate) async fn records(session: &Session, command: AgentCommand) -> Seq {
    let submission = Submission { actor: Actor::MODEL, command: Command::Agent(command), operation: None };
    session.submit(submission).await.unwrap().seq
}

/// Opens a turn for what waits, and its first step.
pub(crate) async fn begins(session: &Session) {
    records(session, AgentCommand::Claim(WorkspaceMark::default())).await;
    records(session, AgentCommand::Admit).await;
}

/// Streams `count` pieces, each in a batch of its own.
pub(crate) async fn streams(session: &Session, count: usize) {
    let turn = session.view().state.turn.number;
    for piece in 0..count {
        let offset = 6 * piece as u64;
        let text = "piece ".to_owned();
        let delta = AssistantDelta { turn, step: 1, attempt: 1, offset, channel: Channel::Text, text };
        records(session, AgentCommand::Delta(delta)).await;
    }
}

pub(crate) async fn answers(session: &Session, content: Vec<Block>) -> Seq {
    let model = "scripted".to_owned();
    records(
        session,
        AgentCommand::Answered(Answered {
            items: Vec::new(),
            content,
            plan: None,
            usage: None,
            finish: StepFinish::Stop,
            model,
        }),
    )
    .await
}

pub(crate) async fn ends(session: &Session) -> Seq {
    records(session, AgentCommand::EndTurn(WorkspaceMark::default())).await
}
