//! How long it takes to open and to fork a long session from its snapshot.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use events::{
    Actor, AssistantDelta, AssistantMessage, Block, Channel, ClientId, MessageId, NewEvent, Seq,
    SessionEvent, SessionId, Source, StepEnd, StepFinish, StepStart, TurnEnd, TurnEndReason, TurnStart,
    UserMessage,
};
use sessions::{Limits, Residency, Sessions, Setting, SystemClock};
use store::contract::{Author, HOST, new_session};
use store::{Append, Log, LogError, Options, SegmentLog};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::appends::median;
use crate::{row, words};

/// Events of a turn.
pub(crate) const TURN_EVENTS: usize = 100;
/// Turns behind the snapshot: half of what there is on average at most.
const TAIL_TURNS: usize = 5;
const SAMPLES: usize = 15;

pub(crate) fn print(folder: &Path) {
    let runtime = Runtime::new().unwrap();
    for events in [100_000, 1_000_000] {
        let folder = folder.join(events.to_string());
        let session = runtime.block_on(fill(&folder, events / TURN_EVENTS));
        let samples = (0..SAMPLES).map(|_| runtime.block_on(sample(&folder, session)));
        let (opened, forked): (Vec<f64>, Vec<f64>) = samples.unzip();
        let (opened, forked) = (median(opened), median(forked));
        let what = format!("a session of {events} events");
        row(&format!("{what} opened from its snapshot"), "≤ 5 ms", &format!("{opened:.2} ms"));
        row(&format!("{what} forked, beyond the commit"), "≤ 1 ms", &format!("{forked:.2} ms"));
    }
}

/// Opens the log as soon as what the sample before still does in the background has let go of it.
fn log_in(folder: &Path) -> Arc<dyn Log> {
    loop {
        match SegmentLog::open(folder, Options::default()) {
            Err(LogError::Busy { .. }) => std::thread::yield_now(),
            opened => return Arc::new(opened.unwrap()),
        }
    }
}

fn sessions_on(log: &Arc<dyn Log>) -> Arc<Sessions> {
    let (log, clock) = (Arc::clone(log), Arc::new(SystemClock));
    let (limits, residency) = (Limits::default(), Residency::default());
    Sessions::new(Setting { models: Default::default(), log, clock, host: HOST.to_owned(), limits, residency }).0
}

/// Writes a session of so many turns, lets it leave a snapshot, and writes a few turns more.
async fn fill(folder: &Path, turns: usize) -> SessionId {
    let log = log_in(folder);
    let mut author = Author::new(&log).await;
    let mut write = async |turns: std::ops::Range<usize>| {
        for turn in turns {
            let events = turn_of(u32::try_from(turn).unwrap());
            author.append(Append { events, ..author.batch(&[]) }).await.unwrap();
        }
        author.session
    };
    let session = write(1..turns - TAIL_TURNS).await;
    let version = projections::FOLD_VERSION;
    let opened = sessions_on(&log).open(session).await.unwrap();
    assert_eq!(opened.view().state.damage, None);
    while log.snapshot(session, Seq(u64::MAX), version).await.unwrap().is_none() {
        tokio::task::yield_now().await;
    }
    write(turns - TAIL_TURNS..turns).await
}

/// Returns a whole turn with a streamed answer.
pub(crate) fn turn_of(turn: u32) -> Vec<NewEvent> {
    let (step, content) = (1, |count| vec![Block::Text { text: words::text(count) }]);
    let message_id = || MessageId(Uuid::now_v7());
    let mut events: Vec<SessionEvent> = vec![
        TurnStart { turn, workspace_head: None, dirty_hash: None }.into(),
        StepStart { turn, step, wraps_up: false }.into(),
        UserMessage { message_id: message_id(), input_id: None, source: Source::User, content: content(40) }
            .into(),
    ];
    let deltas = (events.len()..TURN_EVENTS - 3).map(|number| -> SessionEvent {
        let (text, offset) = (words::text(6), number as u64 * 30);
        AssistantDelta { turn, step, attempt: 1, offset, channel: Channel::Text, text }.into()
    });
    events.extend(deltas);
    events.push(
        AssistantMessage {
            message_id: message_id(),
            turn,
            step,
            content: content(600),
            usage: None,
            interrupted: false, items: Vec::new() }
        .into(),
    );
    let finish = StepFinish::Stop;
    events
        .push(StepEnd { turn, step, finish, usage: None, role: None, model: None, cost_micros: None }.into());
    events.push(TurnEnd::new(turn, TurnEndReason::Completed).into());
    events.into_iter().map(|event| NewEvent { cause: None, actor: Actor::HOST, event }).collect()
}

/// Returns how long a process that has nothing in memory takes to open the session, and how much longer than a
/// commit to fork it; both in milliseconds.
async fn sample(folder: &Path, session: SessionId) -> (f64, f64) {
    let log = log_in(folder);
    let began = Instant::now();
    let opened = sessions_on(&log).open(session).await.unwrap();
    let opening = began.elapsed();
    let commit = commit(&log).await;
    let began = Instant::now();
    let (head, child) = (opened.view().state.head, (new_session(), ClientId::from("bench")));
    sessions_on(&log).fork(session, head, child).await.unwrap();
    let forking = began.elapsed().saturating_sub(commit);
    (opening.as_secs_f64() * 1e3, forking.as_secs_f64() * 1e3)
}

/// Returns how long it takes to begin a session, in the middle of some tries.
async fn commit(log: &Arc<dyn Log>) -> Duration {
    let mut took = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        Author::new(log).await;
        took.push(began.elapsed());
    }
    took.sort_unstable();
    took[took.len() / 2]
}
