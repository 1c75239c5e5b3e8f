//! Sessions that leave memory and come back: nothing is missed, nothing runs twice, nothing that works is sent away.

#![allow(clippy::unwrap_used, reason = "the functions around the tests are tests too")]

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use events::{Actor, ClientId, CommandId, NewEvent, Seq, SessionDeleted, SessionEvent, SessionId, Target};
use projections::WorkspaceMark;
use sessions::{
    AgentCommand, ClientCommand, Clock, Command, Limits, ListFilter, LogError, NewSession, ReadLimit,
    Residency, Session, Sessions, Setting, Submission, SubmitError,
};
use store::{Append, Log, Options, SegmentLog};
use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;

const MINUTE_MS: u64 = 60_000;

#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Clock for Hand {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Nothing here has a deadline.
    fn reach(&self, _at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }
}

/// The sessions of a log in a folder of its own.
struct House {
    sessions: Arc<Sessions>,
    owned: UnboundedReceiver<Session>,
    log: Arc<dyn Log>,
    clock: Hand,
    _folder: TempDir,
}

impl House {
    fn with(residency: Residency) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { segment_bytes: 4 << 20, ..Options::default() };
        let log: Arc<dyn Log> = Arc::new(SegmentLog::open(folder.path(), options).unwrap());
        let clock = Hand::default();
        let (sessions, owned) = sessions_on(&log, &clock, residency);
        Self { sessions, owned, log, clock, _folder: folder }
    }

    fn new() -> Self {
        Self::with(Residency { sessions_max: 100, idle_ms_max: MINUTE_MS })
    }

    async fn create(&self) -> Session {
        let new = NewSession {
            session: SessionId(Uuid::now_v7()),
            title: None,
            workspace: "/tmp/w".to_owned(),
            client: ClientId::from("test"),
        };
        self.sessions.create(new).await.unwrap()
    }

    /// Lets a minute go by, and those leave who may.
    async fn a_minute_later(&self) {
        self.clock.0.fetch_add(MINUTE_MS, Ordering::SeqCst);
        self.sessions.sweep().await;
    }

    async fn delete(&self, id: SessionId) -> Result<(), SubmitError> {
        self.sessions.delete(id, ClientId::from("test")).await
    }
}

fn sessions_on(
    log: &Arc<dyn Log>,
    clock: &Hand,
    residency: Residency,
) -> (Arc<Sessions>, UnboundedReceiver<Session>) {
    let (log, clock) = (Arc::clone(log), Arc::new(clock.clone()));
    Sessions::new(Setting {
        models: Default::default(),
        log,
        clock,
        host: "pid 1".to_owned(),
        limits: Limits::default(),
        residency,
    })
}

async fn press(session: &Session, command: ClientCommand) -> Seq {
    let id = CommandId(Uuid::now_v7());
    session.submit(Submission::from_client(ClientId::from("test"), id, command)).await.unwrap().seq
}

async fn title(session: &Session, title: &str) -> Seq {
    press(session, ClientCommand::SetTitle { title: title.to_owned() }).await
}

async fn slash(session: &Session, line: &str) {
    press(session, ClientCommand::Slash { line: line.to_owned() }).await;
}

async fn prompt(session: &Session) {
    press(session, ClientCommand::Prompt { text: "hi".to_owned(), target: Target::NextTurn }).await;
}

async fn events_behind(session: &Session, mut after: Seq) -> Vec<SessionEvent> {
    let mut events = Vec::new();
    loop {
        let batches = session.read(after, ReadLimit::default()).await.unwrap();
        let Some(last) = batches.last() else { return events };
        after = last.last();
        for batch in &batches {
            events.extend(batch.envelopes().unwrap().into_iter().map(|envelope| envelope.event));
        }
    }
}

fn openings(events: &[SessionEvent]) -> usize {
    events.iter().filter(|event| matches!(event, SessionEvent::SessionOpened(_))).count()
}

#[tokio::test]
async fn a_session_that_nobody_uses_leaves_and_comes_back_in_the_same_epoch() {
    let mut house = House::new();
    let session = house.create().await;
    let (id, before) = (session.id(), session.view());
    house.sessions.sweep().await;
    drop(session);
    let worker = house.owned.recv().await.unwrap();
    house.sessions.sweep().await;
    assert_eq!(house.sessions.resident(), 1, "it was used just now");
    house.a_minute_later().await;
    assert_eq!(house.sessions.resident(), 0);
    worker.ended().await;

    let back = house.sessions.open(id).await.unwrap();
    assert_eq!((back.view().host_epoch, back.view().state), (before.host_epoch, before.state));
    title(&back, "back").await;
    assert_eq!(openings(&events_behind(&back, Seq::ZERO).await), 1);
    assert!(house.owned.recv().await.unwrap().is_same(&back), "it gets new workers");
}

#[tokio::test]
async fn a_session_that_was_only_read_is_owned_no_more_than_before() {
    let house = House::new();
    let id = house.create().await.id();
    let (reader, _) = sessions_on(&house.log, &house.clock, Residency { sessions_max: 0, idle_ms_max: 0 });
    for _ in 0..2 {
        assert_eq!(reader.open(id).await.unwrap().view().host_epoch, None);
        reader.sweep().await;
        assert_eq!(reader.resident(), 0);
    }
    assert_eq!(house.log.head(id).await.unwrap().seq, Seq(2));
}

#[tokio::test]
async fn a_session_that_is_followed_stays() {
    let house = House::new();
    let follower = house.create().await;
    for _ in 0..3 {
        house.a_minute_later().await;
    }
    let writer = house.sessions.open(follower.id()).await.unwrap();
    assert!(writer.is_same(&follower));
    let (id, last) = (writer.id(), follower.clone());
    drop((writer, follower));
    house.a_minute_later().await;
    assert_eq!(house.sessions.resident(), 1, "a clone follows it still");
    drop(last);
    house.a_minute_later().await;
    assert_eq!(house.sessions.resident(), 0, "{id}");
}

#[tokio::test]
async fn a_session_that_is_at_work_stays_until_it_is_done() {
    let house = House::new();
    let armed = house.create().await;
    slash(&armed, "/goal ship it").await;
    let waiting = house.create().await;
    prompt(&waiting).await;
    let running = house.create().await;
    prompt(&running).await;
    let claim = Command::Agent(AgentCommand::Claim(WorkspaceMark::default()));
    running.submit(Submission { actor: Actor::HOST, command: claim, operation: None }).await.unwrap();
    let ids = [armed.id(), waiting.id(), running.id()];
    drop((armed, waiting, running));
    house.a_minute_later().await;
    assert_eq!(house.sessions.resident(), 3);

    slash(&house.sessions.open(ids[0]).await.unwrap(), "/goal pause").await;
    house.a_minute_later().await;
    assert_eq!(house.sessions.resident(), 2, "a paused goal does nothing");
}

#[tokio::test]
async fn an_asked_command_is_carried_out_also_when_whoever_asked_is_gone() {
    let house = House::with(Residency { sessions_max: 0, idle_ms_max: 0 });
    let session = house.create().await;
    let id = session.id();
    let asking = tokio::spawn(async move { title(&session, "asked").await });
    tokio::task::yield_now().await;
    asking.abort();
    let was_sent = asking.await.is_ok() || house.log.head(id).await.unwrap().seq > Seq(2);
    house.sessions.sweep().await;
    let title = house.sessions.open(id).await.unwrap().view().state.session.title.clone();
    assert!(!was_sent || title.as_deref() == Some("asked"));
}

#[tokio::test]
async fn more_sessions_than_there_may_be_leave_the_longest_unused_first() {
    let house = House::with(Residency { sessions_max: 3, idle_ms_max: u64::MAX });
    let mut ids = Vec::new();
    for now_ms in 0..6 {
        house.clock.0.store(now_ms, Ordering::SeqCst);
        ids.push(house.create().await.id());
        assert!(house.sessions.resident() <= 3);
    }
    let kept = house.sessions.open(ids[5]).await.unwrap();
    let back = house.sessions.open(ids[0]).await.unwrap();
    assert_eq!((openings(&events_behind(&back, Seq::ZERO).await), house.sessions.resident()), (1, 3));
    let all =
        [back, kept, house.sessions.open(ids[1]).await.unwrap(), house.sessions.open(ids[2]).await.unwrap()];
    assert_eq!(house.sessions.resident(), all.len(), "as many as are in use");
}

/// Writers, followers that come and go, and a memory that is far too small.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn under_load_no_event_is_missed_and_no_session_has_two_doors() {
    const TITLES: usize = 60;
    let mut house = House::with(Residency { sessions_max: 2, idle_ms_max: 0 });
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.push(house.create().await.id());
    }
    let mut tasks = tokio::task::JoinSet::new();
    for id in ids.clone() {
        let (sessions, again) = (Arc::clone(&house.sessions), Arc::clone(&house.sessions));
        tasks.spawn(async move {
            for number in 0..TITLES {
                title(&sessions.open(id).await.unwrap(), &format!("title {number}")).await;
            }
        });
        tasks.spawn(async move { follows(&again, id, TITLES).await });
    }
    let sweeping = tokio::spawn({
        let sessions = Arc::clone(&house.sessions);
        async move {
            loop {
                sessions.sweep().await;
                tokio::task::yield_now().await;
            }
        }
    });
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    sweeping.abort();
    let _ = sweeping.await;
    house.sessions.sweep().await;
    assert_eq!(house.sessions.resident(), 0);
    assert!(one_door_at_a_time(&mut house.owned) > ids.len(), "some came back");
    for id in ids {
        let session = house.sessions.open(id).await.unwrap();
        let events = events_behind(&session, Seq::ZERO).await;
        assert_eq!((events.len(), openings(&events)), (2 + TITLES, 1));
    }
}

/// Follows a session in sittings of a few titles each, as a tab does that is closed and opened again.
async fn follows(sessions: &Sessions, id: SessionId, titles: usize) {
    let (mut seen, mut seq) = (0, Seq(2));
    while seen < titles {
        let session = sessions.open(id).await.unwrap();
        let mut view = session.watch();
        for _ in 0..3 {
            view.wait_for(|view| view.state.head > seq).await.expect("a followed session stays");
            for event in events_behind(&session, seq).await {
                let SessionEvent::SessionTitled(titled) = event else { panic!("only titles are written") };
                assert_eq!(titled.title, format!("title {seen}"));
                (seen, seq) = (seen + 1, seq.next());
            }
            if seen == titles {
                return;
            }
        }
    }
}

/// Returns how many doors were opened; each had ended when the next one of its session began.
fn one_door_at_a_time(owned: &mut UnboundedReceiver<Session>) -> usize {
    let (mut doors, mut newest) = (0, HashMap::new());
    while let Ok(session) = owned.try_recv() {
        doors += 1;
        if let Some(before) = newest.insert(session.id(), session) {
            assert!(before.watch().has_changed().is_err(), "the door before has ended");
        }
    }
    doors
}

#[tokio::test]
async fn deleting_stops_a_turn_tells_followers_and_keeps_the_id_used() {
    let house = House::new();
    let session = house.create().await;
    prompt(&session).await;
    let claim = Command::Agent(AgentCommand::Claim(WorkspaceMark::default()));
    session.submit(Submission { actor: Actor::HOST, command: claim, operation: None }).await.unwrap();
    let mut view = session.watch();
    house.delete(session.id()).await.unwrap();
    let last = view.borrow_and_update().state.clone();
    assert!(last.session.deleted && last.turn.open.as_ref().unwrap().cancelled.is_some());
    assert!(view.changed().await.is_err(), "nobody shows it any more");

    let id = session.id();
    drop(session);
    assert!(matches!(house.sessions.open(id).await.err(), Some(LogError::NotFound { .. })));
    assert!(matches!(house.delete(id).await, Err(SubmitError::Log(LogError::NotFound { .. }))));
    assert_eq!(house.sessions.resident(), 0);
    let new = NewSession {
        session: id,
        title: None,
        workspace: "/tmp/w".to_owned(),
        client: ClientId::from("test"),
    };
    let again = house.sessions.create(new).await.err();
    assert!(matches!(again, Some(SubmitError::Log(LogError::Exists { .. }))));
    assert_eq!(house.sessions.page(&ListFilter::default(), None, 9).await.unwrap().rows, []);
}

#[tokio::test]
async fn deleting_twice_at_once_deletes_once() {
    let house = House::new();
    let id = house.create().await.id();
    let (one, other) = tokio::join!(house.delete(id), house.delete(id));
    assert_eq!([&one, &other].iter().filter(|deleted| deleted.is_ok()).count(), 1, "{one:?} {other:?}");
}

#[tokio::test]
async fn a_fork_outlives_the_deletion_of_its_parent_and_of_its_parents_parent() {
    let house = House::new();
    let first = house.create().await;
    let head = title(&first, "shared").await;
    let ids = [SessionId(Uuid::now_v7()), SessionId(Uuid::now_v7())];
    let by = |id| (id, ClientId::from("test"));
    let (second, head) = {
        let (second, _) = house.sessions.fork(first.id(), head, by(ids[0])).await.unwrap();
        let head = second.view().state.head;
        (second, head)
    };
    house.sessions.fork(second.id(), head, by(ids[1])).await.unwrap();
    let before = events_behind(&house.sessions.open(ids[1]).await.unwrap(), Seq::ZERO).await;
    for parent in [first.id(), second.id()] {
        house.delete(parent).await.unwrap();
    }
    drop((first, second));
    house.a_minute_later().await;
    assert_eq!(house.sessions.resident(), 0);
    let third = house.sessions.open(ids[1]).await.unwrap();
    assert_eq!(events_behind(&third, Seq::ZERO).await, before);
    assert_eq!(third.view().state.session.title.as_deref(), Some("shared"));
}

#[tokio::test]
async fn a_deletion_that_was_cut_short_is_finished_at_the_next_start() {
    let house = House::new();
    let session = house.create().await;
    let (id, view) = (session.id(), session.view());
    let deleted = SessionDeleted { by: Actor::HOST }.into();
    let append = Append {
        session: id,
        expected: view.state.head,
        epoch: view.host_epoch.unwrap(),
        at_ms: 0,
        operation: None,
        events: vec![NewEvent { cause: None, actor: Actor::HOST, event: deleted }],
    };
    house.log.append(append).await.unwrap();
    let (next, _) = sessions_on(&house.log, &house.clock, Residency::default());
    assert_eq!(next.page(&ListFilter::default(), None, 9).await.unwrap().rows, [], "nobody sees it");
    assert_eq!(next.recover().await.unwrap(), 1);
    assert!(house.log.head(id).await.unwrap().deleted);
    assert_eq!(next.recover().await.unwrap(), 0);
}
