//! A disk that fails below a session: what is not durable is shown to nobody, and nothing goes on by itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[allow(dead_code, unreachable_pub, clippy::cast_possible_truncation, reason = "the disk is the store's own")]
#[path = "../../store/tests/support/breakable.rs"]
mod breakable;

use std::path::Path;
use std::sync::Arc;

use breakable::Breakable;
use events::{Actor, ClientId, CommandId, SessionId};
use projections::Activation;
use projections::WorkspaceMark;
use sessions::{
    AgentCommand, Answered, BudgetEdit, ClientCommand, Command, DriverCommand, Limits, LogError, NewSession,
    Residency, Session, Sessions, Setting, Submission, SubmitError, SystemClock,
};
use store::{Log, Options, SegmentLog};
use uuid::Uuid;

fn sessions_on(folder: &Path, disk: &Breakable) -> Arc<Sessions> {
    let options = Options { disk: Arc::new(disk.clone()), ..Options::default() };
    let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder, options).unwrap());
    Sessions::new(Setting {
        models: Default::default(),
        log,
        clock: Arc::new(SystemClock),
        host: "host".to_owned(),
        limits: Limits::default(),
        residency: Residency::default(),
    })
    .0
}

async fn session_on(sessions: &Sessions) -> Session {
    let (session, client) = (SessionId(Uuid::now_v7()), ClientId::from("test"));
    let new = NewSession { session, title: None, workspace: "/tmp/w".to_owned(), client };
    sessions.create(new).await.unwrap()
}

async fn press(session: &Session, command: ClientCommand) -> Result<(), SubmitError> {
    let submission = Submission::from_client(ClientId::from("test"), CommandId(Uuid::now_v7()), command);
    session.submit(submission).await.map(drop)
}

async fn works(session: &Session, actor: Actor, command: Command) -> Result<(), SubmitError> {
    session.submit(Submission { actor, command, operation: None }).await.map(drop)
}

fn ship_it() -> ClientCommand {
    ClientCommand::GoalCreate {
        objective: "ship it".to_owned(),
        rounds_max: Some(3),
        budgets: BudgetEdit::default(),
    }
}

fn reserve(session: &Session, round: u32) -> Command {
    let goal = session.view().state.goals.current.as_ref().unwrap().goal.reference();
    Command::Driver(DriverCommand::Reserve { goal, round })
}

/// Takes a goal through its first round, as its driver and agent do.
async fn whole_round(session: &Session) {
    round_but_its_end(session).await;
    works(session, Actor::HOST, end_turn()).await.unwrap();
}

fn end_turn() -> Command {
    Command::Agent(AgentCommand::EndTurn(WorkspaceMark::default()))
}

async fn round_but_its_end(session: &Session) {
    works(session, Actor::DRIVER, reserve(session, 1)).await.unwrap();
    let answer = Answered {
        items: Vec::new(),
        content: vec![events::Block::text("done")],
        plan: None,
        usage: None,
        finish: events::StepFinish::Stop,
        model: "m".to_owned(),
    };
    for command in
        [AgentCommand::Claim(WorkspaceMark::default()), AgentCommand::Admit, AgentCommand::Answered(answer)]
    {
        works(session, Actor::HOST, Command::Agent(command)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_that_could_not_be_kept_is_shown_to_nobody() {
    let (folder, disk) = (tempfile::tempdir().unwrap(), Breakable::new());
    let sessions = sessions_on(folder.path(), &disk);
    let session = session_on(&sessions).await;
    let before = session.view().state;
    Breakable::set(&disk.faults.syncs, true);
    let failed = press(&session, ship_it()).await;
    assert!(matches!(failed, Err(SubmitError::Log(LogError::Unknown { .. }))), "{failed:?}");
    let view = session.view();
    assert_eq!((&*view.state, view.host_epoch), (&*before, None));

    Breakable::set(&disk.faults.syncs, false);
    let refused = press(&session, ship_it()).await;
    assert!(matches!(refused, Err(SubmitError::Log(LogError::Poisoned { .. }))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_that_could_not_be_kept_leaves_its_goal_disarmed_with_the_rounds_before_it() {
    let (folder, disk) = (tempfile::tempdir().unwrap(), Breakable::new());
    let sessions = sessions_on(folder.path(), &disk);
    let session = session_on(&sessions).await;
    press(&session, ship_it()).await.unwrap();
    whole_round(&session).await;
    assert_eq!(session.view().slices().goal.unwrap().activation, Activation::Armed);

    Breakable::set(&disk.faults.writes, true);
    let failed = works(&session, Actor::DRIVER, reserve(&session, 2)).await;
    assert!(matches!(failed, Err(SubmitError::Log(_))), "{failed:?}");
    let view = session.view();
    let goal = view.slices().goal.unwrap();
    assert_eq!((goal.activation, goal.rounds_started, view.host_epoch), (Activation::Disarmed, 1, None));
    assert!(view.state.inbox.is_empty(), "the round is shown to nobody");
    assert_eq!(view.state.goals.current.as_ref().unwrap().goal.phase, events::GoalPhase::Active);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_round_that_could_not_be_kept_is_not_begun() {
    let (folder, disk) = (tempfile::tempdir().unwrap(), Breakable::new());
    let sessions = sessions_on(folder.path(), &disk);
    let session = session_on(&sessions).await;
    press(&session, ship_it()).await.unwrap();
    Breakable::set(&disk.faults.writes, true);
    let failed = works(&session, Actor::DRIVER, reserve(&session, 1)).await;
    assert!(matches!(failed, Err(SubmitError::Log(_))), "{failed:?}");
    let goal = session.view().slices().goal.unwrap();
    assert_eq!((goal.phase, goal.activation), (events::GoalPhase::Active, Activation::Disarmed));
    assert_eq!((goal.rounds_started, goal.round_in_flight), (0, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_whose_end_could_not_be_kept_leaves_its_goal_active_and_disarmed() {
    let (folder, disk) = (tempfile::tempdir().unwrap(), Breakable::new());
    let sessions = sessions_on(folder.path(), &disk);
    let session = session_on(&sessions).await;
    press(&session, ship_it()).await.unwrap();
    round_but_its_end(&session).await;
    Breakable::set(&disk.faults.writes, true);
    let failed = works(&session, Actor::HOST, end_turn()).await;
    assert!(matches!(failed, Err(SubmitError::Log(_))), "{failed:?}");
    let goal = session.view().slices().goal.unwrap();
    assert_eq!((goal.phase, goal.activation), (events::GoalPhase::Active, Activation::Disarmed));
    assert_eq!((goal.rounds_started, session.view().host_epoch), (1, None));
}
