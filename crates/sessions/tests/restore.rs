//! Opening from snapshots: the same state as folding the whole log, with and without them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use events::{ClientId, CommandId, Seq, SessionId};
use projections::{FOLD_VERSION, State, fold_all};
use sessions::{
    ClientCommand, Limits, ListFilter, LogError, NewSession, ReadLimit, Residency, Session, SessionRow,
    SessionStatus, Sessions, Setting, Submission, SystemClock,
};
use store::{Log, Options, SegmentLog};
use uuid::Uuid;

/// How often a test looks for what is kept in the background before it gives the session something new to keep.
const LOOKS: usize = 200;

/// Opens the log as soon as the one before has let go of it: snapshots are kept in the background.
async fn log_in(folder: &Path) -> Arc<dyn Log> {
    let opened = until(async || match SegmentLog::open(folder, Options::default()) {
        Err(LogError::Busy { .. }) => None,
        opened => Some(opened.unwrap()),
    });
    Arc::new(opened.await)
}

fn sessions_on(log: &Arc<dyn Log>) -> Arc<Sessions> {
    let (log, clock) = (Arc::clone(log), Arc::new(SystemClock));
    Sessions::new(Setting {
        models: Default::default(),
        log,
        clock,
        host: "pid 1".to_owned(),
        limits: Limits::default(),
        residency: Residency::default(),
    })
    .0
}

async fn session_on(sessions: &Sessions) -> Session {
    let new = NewSession {
        session: SessionId(Uuid::now_v7()),
        title: None,
        workspace: "/tmp/w".to_owned(),
        client: ClientId::from("test"),
    };
    sessions.create(new).await.unwrap()
}

/// Returns the whole list.
async fn rows_of(sessions: &Sessions) -> Vec<SessionRow> {
    sessions.page(&ListFilter::default(), None, usize::MAX).await.unwrap().rows
}

async fn press(session: &Session, command: ClientCommand) {
    let id = CommandId(Uuid::now_v7());
    session.submit(Submission::from_client(ClientId::from("test"), id, command)).await.unwrap();
}

async fn title(session: &Session, title: String) {
    press(session, ClientCommand::SetTitle { title }).await;
}

async fn whole_fold(session: &Session) -> State {
    let mut state = State::default();
    loop {
        let batches = session.read(state.head, ReadLimit::default()).await.unwrap();
        if batches.is_empty() {
            return state;
        }
        for batch in batches {
            fold_all(&mut state, &batch.envelopes().unwrap());
        }
    }
}

/// Waits until the log has kept something in the background.
async fn until<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looking).await.expect("it is kept in the background")
}

/// Waits until the list's line of the session as it is now is kept. A log that is new has no index to keep it in at
/// first, so the session says something again when its line stays away.
async fn is_kept(log: &Arc<dyn Log>, session: &Session) {
    until(async || {
        press(session, ClientCommand::Archive { archived: true }).await;
        press(session, ClientCommand::Archive { archived: false }).await;
        let head = session.view().state.head;
        for _ in 0..LOOKS {
            let rows = log.rows().await.unwrap();
            if rows.iter().any(|row| row.session == session.id() && row.seq == head) {
                return Some(());
            }
        }
        None
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_session_opens_from_its_snapshot_to_the_same_state() {
    let folder = tempfile::tempdir().unwrap();
    let log = log_in(folder.path()).await;
    let sessions = sessions_on(&log);
    let session = session_on(&sessions).await;
    for number in 0..1100 {
        title(&session, format!("title {number}")).await;
    }
    press(&session, ClientCommand::Slash { line: "/goal ship it".to_owned() }).await;
    let found = until(async || log.snapshot(session.id(), Seq(u64::MAX), FOLD_VERSION).await.unwrap()).await;
    assert!(found.seq >= Seq(1000));
    let reopened = sessions_on(&log).open(session.id()).await.unwrap();
    assert_eq!(*reopened.view().state, whole_fold(&session).await);
    let (past, _) = sessions.state_at(session.id(), Seq(1050)).await.unwrap();
    assert_eq!((past.head, past.session.title), (Seq(1050), Some("title 1047".to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_has_the_state_that_its_log_folds_to_whether_its_parent_is_in_memory_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let log = log_in(folder.path()).await;
    let parent = {
        let parent = session_on(&sessions_on(&log)).await;
        for number in 0..3 {
            title(&parent, format!("title {number}")).await;
        }
        parent
    };
    let head = parent.view().state.head;
    for is_in_memory in [true, false] {
        for at in [head, Seq(head.0 - 1), Seq(u64::MAX)] {
            let sessions = sessions_on(&log);
            if is_in_memory {
                sessions.open(parent.id()).await.unwrap();
            }
            let child = (SessionId(Uuid::now_v7()), ClientId::from("test"));
            let (child, shared) = sessions.fork(parent.id(), at, child).await.unwrap();
            assert_eq!(shared, at.min(head));
            assert_eq!(*child.view().state, whole_fold(&child).await);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_past_state_is_never_the_one_in_memory_when_another_host_went_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = log_in(folder.path()).await;
    let ours = session_on(&sessions_on(&log)).await;
    let looking_on = sessions_on(&log);
    let seen = looking_on.open(ours.id()).await.unwrap().view().state.head;
    title(&ours, "later".to_owned()).await;
    let (newest, _) = looking_on.state_at(ours.id(), Seq(u64::MAX)).await.unwrap();
    assert_eq!((newest.head, newest.session.title.as_deref()), (Seq(seen.0 + 1), Some("later")));
    let (past, _) = looking_on.state_at(ours.id(), seen).await.unwrap();
    assert_eq!((past.head, past.session.title), (seen, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_comes_from_kept_rows_and_is_the_same_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let rows = {
        let log = log_in(folder.path()).await;
        let sessions = sessions_on(&log);
        for number in 0..3 {
            title(&session_on(&sessions).await, format!("session {number}")).await;
        }
        let all = rows_of(&sessions).await;
        for row in &all {
            is_kept(&log, &sessions.open(row.session).await.unwrap()).await;
        }
        rows_of(&sessions).await
    };
    assert!(rows.iter().all(|row| row.status == SessionStatus::Idle));
    for index_is_lost in [false, true] {
        if index_is_lost {
            std::fs::remove_dir_all(folder.path().join("index")).unwrap();
        }
        let sessions = sessions_on(&log_in(folder.path()).await);
        assert_eq!(sessions.recover().await.unwrap(), 0);
        assert_eq!(rows_of(&sessions).await, rows);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_at_work_is_taken_over_whatever_its_row_says() {
    let folder = tempfile::tempdir().unwrap();
    let id = {
        let log = log_in(folder.path()).await;
        let session = session_on(&sessions_on(&log)).await;
        press(&session, ClientCommand::Slash { line: "/goal ship it".to_owned() }).await;
        is_kept(&log, &session).await;
        session.id()
    };
    let sessions = sessions_on(&log_in(folder.path()).await);
    assert_eq!(sessions.recover().await.unwrap(), 1);
    let view = sessions.open(id).await.unwrap().view();
    assert!(view.host_epoch.is_some());
    assert_eq!(view.slices().goal.unwrap().activation, projections::Activation::Disarmed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_that_open_a_cold_session_at_once_share_one_host() {
    const MANY: usize = 16;
    let folder = tempfile::tempdir().unwrap();
    let id = {
        let log = log_in(folder.path()).await;
        session_on(&sessions_on(&log)).await.id()
    };
    let sessions = sessions_on(&log_in(folder.path()).await);
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..MANY {
        let sessions = Arc::clone(&sessions);
        tasks.spawn(async move {
            let session = sessions.open(id).await.unwrap();
            title(&session, format!("title {number}")).await;
        });
    }
    tasks.join_all().await;
    let session = sessions.open(id).await.unwrap();
    let state = whole_fold(&session).await;
    assert_eq!(state, *session.view().state);
    assert_eq!((state.epoch, state.damage), (events::Epoch(2), None), "it was taken over once");
    let batches = session.read(Seq::ZERO, ReadLimit::default()).await.unwrap();
    let events = batches.iter().flat_map(|batch| batch.envelopes().unwrap());
    let titles = events.filter(|envelope| matches!(envelope.event, events::SessionEvent::SessionTitled(_)));
    assert_eq!(titles.count(), MANY);
}
