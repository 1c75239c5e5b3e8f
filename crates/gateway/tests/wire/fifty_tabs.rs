//! Fifty tabs want something of the same goal at the same moment: one of them gets it, all others learn how the goal
//! stands, and in the end every tab shows the same.

use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use sessions::Session;

use crate::tab::{Tab, seqs};
use crate::world::World;

const TABS: usize = 50;
const RACES: usize = 24;

/// A tab with what it shows.
struct Seat {
    tab: Tab,
    slices: Map<String, Value>,
    /// Positions of all events that it was sent.
    seqs: Vec<u64>,
}

impl Seat {
    async fn at(world: &World, session: &Session) -> Self {
        let mut tab = Tab::of(world).await;
        let snapshot = tab.open(session.id()).await;
        let slices = snapshot["slices"].as_object().unwrap().clone();
        Self { seqs: seqs(&snapshot), slices, tab }
    }

    fn take(&mut self, frame: &Value) {
        if frame["type"] == "update" {
            self.seqs.extend(seqs(frame));
            self.slices.extend(frame["slices"].as_object().unwrap().clone());
        }
    }

    /// Sends a command and returns its receipt or refusal; what comes before it is shown.
    async fn presses(&mut self, session: &Session, command: Value) -> Value {
        let id = self.tab.command(session.id(), command).await;
        loop {
            let frame = self.tab.next().await;
            if frame["id"] == id.as_str() {
                return frame;
            }
            self.take(&frame);
        }
    }

    async fn up_to(&mut self, seq: u64) {
        while self.seqs.last() < Some(&seq) {
            let frame = self.tab.next().await;
            self.take(&frame);
        }
    }
}

/// Returns the goal as tabs are shown it; null when none stands.
fn goal(session: &Session) -> Value {
    serde_json::to_value(session.view().slices().goal).unwrap()
}

/// Lets all tabs press at the same moment, each what `wish` says of the goal that all of them see. Returns the goal
/// afterwards.
async fn race(session: &Session, seats: &mut [Seat], wish: impl Fn(usize, &Value) -> Value) -> Value {
    let seen = goal(session);
    let presses = seats.iter_mut().enumerate().map(|(tab, seat)| seat.presses(session, wish(tab, &seen)));
    let answers = join_all(presses).await;
    let now = goal(session);
    let (winners, losers): (Vec<&Value>, Vec<&Value>) =
        answers.iter().partition(|answer| answer["type"] == "receipt");
    assert_eq!(winners.len(), 1, "exactly one tab wins revision {}", seen["revision"]);
    let code = if now.is_null() { "GOAL_NOT_FOUND" } else { "GOAL_STALE_REVISION" };
    for loser in losers {
        assert_eq!((&loser["code"], &loser["current"]), (&json!(code), &now), "{loser}");
    }
    if !now.is_null() {
        assert_eq!(now["id"], seen["id"]);
        assert_eq!(now["revision"].as_u64(), seen["revision"].as_u64().map(|revision| revision + 1));
    }
    now
}

/// Returns a command that the goal as it is `seen` allows: an edit, a change of its phase, or now and then its end.
fn of_goal(choice: usize, seen: &Value) -> Value {
    let reference = json!({ "id": seen["id"], "revision": seen["revision"] });
    let phase = if seen["phase"] == "paused" { "goal-resume" } else { "goal-pause" };
    match choice % 9 {
        0 => json!({ "type": "goal-clear", "goal": reference }),
        1 | 3 | 5 | 7 => json!({ "type": phase, "goal": reference }),
        _ => json!({ "type": "goal-edit", "goal": reference, "rounds_max": 1 + choice }),
    }
}

async fn begin(session: &Session, seat: &mut Seat) {
    let created = seat.presses(session, json!({ "type": "goal-create", "objective": "ship it" })).await;
    assert_eq!(created["type"], "receipt", "{created}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_fifty_tabs_wins_each_revision_and_all_show_the_same_in_the_end() {
    let world = World::start().await;
    let session = world.session().await;
    let mut seats = join_all((0..TABS).map(|_| Seat::at(&world, &session))).await;
    begin(&session, &mut seats[0]).await;
    for number in 0..RACES {
        // Who comes first in one race comes later in another.
        let now = race(&session, &mut seats, |tab, seen| of_goal((tab + number * 7) % TABS, seen)).await;
        if now.is_null() {
            begin(&session, &mut seats[number % TABS]).await;
        }
    }
    for kind in ["goal-pause", "goal-clear"] {
        if goal(&session)["phase"] == "paused" {
            race(&session, &mut seats, |_, seen| of_goal(1, seen)).await;
        }
        let press = |seen: &Value| json!({ "type": kind, "goal": { "id": seen["id"], "revision": seen["revision"] } });
        race(&session, &mut seats, |_, seen| press(seen)).await;
    }
    begin(&session, &mut seats[TABS - 1]).await;

    let head = session.view().state.head.0;
    let mut late = Seat::at(&world, &session).await;
    late.up_to(head).await;
    let expected = serde_json::to_value(session.view().slices()).unwrap();
    assert_eq!(Value::from(late.slices), expected, "a tab that comes late is shown the same");
    for (number, seat) in seats.iter_mut().enumerate() {
        seat.up_to(head).await;
        assert_eq!(Value::from(seat.slices.clone()), expected, "tab {number}");
        assert_eq!(seat.seqs, (1..=head).collect::<Vec<_>>(), "tab {number} saw each event once, in order");
    }
}
