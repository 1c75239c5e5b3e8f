//! A client that is cut off at any frame of a session, comes back after a restart and has lost nothing.

use events::{Block, SessionId};
use serde_json::{Map, Value, json};
use sessions::{AgentCommand, Session};

use crate::agent::{answers, begins, ends, records, streams};
use crate::stream::Listener;
use crate::tab::{Tab, seqs};
use crate::world::World;

/// Cuts that every test run makes, spread over the frames; `WAYMARK_CUTS` makes more, up to every one.
const CUTS: usize = 60;

/// What a client has made of its frames.
#[derive(Clone, Default)]
struct Seen {
    slices: Map<String, Value>,
    seqs: Vec<u64>,
    cursor: Value,
}

impl Seen {
    fn take(&mut self, frame: &Value) {
        self.seqs.extend(seqs(frame));
        if frame["type"] == "snapshot" {
            assert!(self.seqs.is_empty() || self.cursor.is_null() || frame["history"]["follows"] == true);
            self.slices.clear();
        }
        self.slices.extend(frame["slices"].as_object().unwrap().clone());
        self.cursor = frame["cursor"].clone();
    }

    /// Says what the frames after a cut make of this.
    fn after(&self, frames: &[Value]) -> Self {
        let mut seen = self.clone();
        frames.iter().for_each(|frame| seen.take(frame));
        seen
    }
}

/// Plays a session of all kinds of frames, and returns each frame that a tab got.
async fn recorded(world: &World, session: &Session) -> Vec<Value> {
    let mut tab = Tab::of(world).await;
    let mut frames = vec![tab.open(session.id()).await];
    let mut hand = Tab::of(world).await;
    for number in 0..6 {
        plays(&mut hand, session, number).await;
    }
    frames.extend(tab.up_to(session.view().state.head.0).await);
    frames
}

async fn plays(hand: &mut Tab, session: &Session, number: u64) {
    let id = session.id();
    does(hand, id, json!({ "type": "plan-set", "active": number.is_multiple_of(2) })).await;
    does(hand, id, json!({ "type": "prompt", "text": format!("prompt {number}") })).await;
    begins(session).await;
    streams(session, 5).await;
    does(hand, id, json!({ "type": "prompt", "text": "meanwhile", "target": "next-turn" })).await;
    answers(session, vec![Block::text("piece piece piece piece piece ")]).await;
    if number.is_multiple_of(2) {
        let turn = session.view().state.turn.number;
        does(hand, id, json!({ "type": "stop", "turn": turn, "keep_inbox": false })).await;
        records(session, AgentCommand::Settle).await;
    } else {
        ends(session).await;
    }
    does(hand, id, json!({ "type": "set-title", "title": format!("title {number}") })).await;
    does(hand, id, json!({ "type": "goal-create", "objective": "ship it" })).await;
    let goal =
        |session: &Session| json!(session.view().state.goals.current.as_ref().unwrap().goal.reference());
    does(hand, id, json!({ "type": "goal-pause", "goal": goal(session) })).await;
    does(hand, id, json!({ "type": "goal-clear", "goal": goal(session) })).await;
}

async fn does(tab: &mut Tab, session: SessionId, command: Value) {
    let done = tab.done(session, command.clone()).await;
    assert_eq!(done["type"], "receipt", "{command}: {done}");
}

#[tokio::test]
async fn a_client_cut_off_at_any_frame_comes_back_after_a_restart_and_has_seen_each_event_once() {
    let mut world = World::start().await;
    let session = world.session().await;
    let id = session.id();
    let frames = recorded(&world, &session).await;
    drop(session);
    let cuts = std::env::var("WAYMARK_CUTS").map_or(CUTS, |cuts| cuts.parse().unwrap());
    let share = |number: usize| number * cuts.min(frames.len()) / frames.len();
    let mut seen = Seen::default();
    for (number, frame) in frames.iter().enumerate() {
        seen.take(frame);
        if share(number) < share(number + 1) {
            world.restart_whole().await;
            comes_back(&world, id, &seen).await;
        }
    }
    println!("{} frames, {} cuts", frames.len(), share(frames.len()));
}

/// Goes on from where a client was cut off, by a socket and by a stream.
async fn comes_back(world: &World, id: SessionId, seen: &Seen) {
    let view = world.sessions.open(id).await.unwrap().view();
    let head = view.state.head.0;
    let mut tab = Tab::of(world).await;
    tab.open_from(id, &seen.cursor).await;
    let by_socket = seen.after(&tab.up_to(head).await);
    let last = format!("{}:{}", seen.cursor["log"].as_str().unwrap(), seen.cursor["seq"]);
    let by_stream = seen.after(&Listener::of(world, id, &last).await.up_to(head).await);
    for after in [by_socket, by_stream] {
        assert_eq!(after.seqs, (1..=head).collect::<Vec<_>>(), "cut at {}", seen.cursor);
        assert_eq!(Value::from(after.slices), json!(view.slices()), "cut at {}", seen.cursor);
    }
}
