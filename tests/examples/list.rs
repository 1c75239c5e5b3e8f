//! What the list of 10,000 sessions costs: filled at a start, a page, a search, and the news of one change. Prints;
//! asserts nothing.
//!
//! `cargo run --release -p tests --example list` measures the release build.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use events::{ClientId, CommandId, SessionId};
use sessions::{
    ClientCommand, Limits, ListFilter, NewSession, Residency, Sessions, Setting, Submission, SystemClock,
};
use store::{Log, Options, SegmentLog};
use tokio::time::Instant;
use uuid::Uuid;

const SESSIONS: usize = 10_000;
/// Times that each thing is done.
const TIMES: usize = 200;
const PAGE_ROWS: usize = 100;

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().expect("the system has a folder for temporary files");
    {
        let sessions = sessions_in(folder.path());
        for number in 0..SESSIONS {
            create(&sessions, format!("Session {number}")).await;
        }
        println!("{SESSIONS} sessions, {} of them in memory", sessions.resident());
    }
    let sessions = wait_for(folder.path()).await;
    let everything = ListFilter::default();
    let began = Instant::now();
    page(&sessions, &everything).await;
    println!("the list at a start: {:?}", began.elapsed());
    let search = ListFilter { query: "sess 99".to_owned(), ..everything.clone() };
    let none = ListFilter { query: "nothing like it".to_owned(), ..everything.clone() };
    for (what, filter) in [("a page", &everything), ("a search", &search), ("a search in vain", &none)] {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            times.push(page(&sessions, filter).await);
        }
        tell(what, &mut times);
    }
    tell("the news of one change", &mut changes(&sessions, &everything).await);
}

async fn page(sessions: &Sessions, filter: &ListFilter) -> Duration {
    let began = Instant::now();
    sessions.page(filter, None, PAGE_ROWS).await.expect("the log is there");
    began.elapsed()
}

/// Renames sessions, and returns how long it took to say what had changed.
async fn changes(sessions: &Sessions, filter: &ListFilter) -> Vec<Duration> {
    let rows = sessions.page(filter, None, TIMES).await.expect("the log is there").rows;
    let mut times = Vec::new();
    for row in rows {
        let version = *sessions.list_version().borrow();
        let session = sessions.open(row.session).await.expect("it is listed");
        let command = ClientCommand::SetTitle { title: "another".to_owned() };
        let rename = Submission::from_client(ClientId::from("example"), CommandId(Uuid::now_v7()), command);
        session.submit(rename).await.expect("a title is taken");
        let began = Instant::now();
        std::hint::black_box(sessions.news(filter, version));
        times.push(began.elapsed());
    }
    times
}

async fn create(sessions: &Sessions, title: String) {
    let new = NewSession {
        session: SessionId(Uuid::now_v7()),
        title: Some(title),
        workspace: "/tmp/w".to_owned(),
        client: ClientId::from("example"),
    };
    sessions.create(new).await.expect("the id is new");
}

fn sessions_in(folder: &Path) -> Arc<Sessions> {
    sessions_on(Arc::new(SegmentLog::open(folder, Options::default()).expect("nobody else has the folder")))
}

/// Opens the folder again once everybody has let go of it.
async fn wait_for(folder: &Path) -> Arc<Sessions> {
    loop {
        match SegmentLog::open(folder, Options::default()) {
            Ok(log) => return sessions_on(Arc::new(log)),
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

fn sessions_on(log: Arc<dyn Log>) -> Arc<Sessions> {
    let (clock, host) = (Arc::new(SystemClock), "example".to_owned());
    let (limits, residency) = (Limits::default(), Residency::default());
    Sessions::new(Setting { models: Default::default(), log, clock, host, limits, residency }).0
}

fn tell(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("{what}: p50 {:?}, p99 {:?}, most {:?} ({} times)", at(50), at(99), at(100), times.len());
}
