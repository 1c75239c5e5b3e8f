//! Eviction racing with followers and an append: memory and tails under schedules that a model checker comes up with.

use std::sync::Arc;

use events::{Seq, SessionId};
use shuttle::sync::Mutex;
use shuttle::{future, thread};
use tokio::sync::watch;
use uuid::Uuid;

use crate::tail::tests::batch;
use crate::tail::{Hot, Page, Tails};
use crate::{Batch, ReadLimit};

const SESSION: u128 = 1;
const BATCHES: u64 = 5;
const SCHEDULES: usize = 1000;

/// What the writer moves for each append, one lock each.
#[derive(Clone, Copy)]
enum Part {
    Head,
    Hot,
    Tails,
}

/// The writer's order: whoever is woken finds all.
const ORDER: [Part; 3] = [Part::Head, Part::Hot, Part::Tails];

struct Model {
    durable: Mutex<Vec<Batch>>,
    head: Mutex<Seq>,
    hot: Mutex<Hot>,
    tails: Mutex<Tails>,
}

fn session() -> SessionId {
    SessionId(Uuid::from_u128(SESSION))
}

impl Model {
    /// Has room for three batches in memory.
    fn new() -> Self {
        Self {
            durable: Mutex::default(),
            head: Mutex::new(Seq::ZERO),
            hot: Mutex::new(Hot::new(700)),
            tails: Mutex::default(),
        }
    }

    fn append(&self, seq: u64, order: [Part; 3]) {
        let batch = batch(SESSION, seq);
        self.durable.lock().unwrap().push(batch.clone());
        for part in order {
            match part {
                Part::Head => *self.head.lock().unwrap() = Seq(seq),
                Part::Hot => self.hot.lock().unwrap().push(batch.clone()),
                Part::Tails => self.tails.lock().unwrap().move_to(session(), Seq(seq)),
            }
        }
    }

    fn tail(&self) -> watch::Receiver<Seq> {
        let mut tails = self.tails.lock().unwrap();
        let head = *self.head.lock().unwrap();
        tails.subscribe(session(), head)
    }

    /// Reads as the log does: from memory when it begins there, from disk otherwise.
    fn read(&self, after: Seq) -> Vec<Batch> {
        let head = *self.head.lock().unwrap();
        let mut page = Page::new(ReadLimit { events: 2, bytes: usize::MAX });
        if after >= head {
            return Vec::new();
        }
        let is_hot = self.hot.lock().unwrap().read(session(), (after.next(), head), &mut page);
        if !is_hot || page.last().is_none() {
            let durable = self.durable.lock().unwrap();
            let wanted = durable.iter().filter(|batch| batch.first() > after && batch.last() <= head);
            wanted.cloned().take_while(|batch| page.push(batch.clone())).for_each(drop);
        }
        page.into_batches()
    }

    fn follow(&self) {
        let (mut tail, mut at) = (self.tail(), Seq::ZERO);
        while at < Seq(BATCHES) {
            let page = self.read(at);
            if page.is_empty() {
                future::block_on(tail.wait_for(|head| *head > at)).expect("the session lives");
                assert!(!self.read(at).is_empty(), "woken for nothing");
            }
            for batch in page {
                assert_eq!(batch.first(), at.next(), "a gap, or a batch twice");
                at = batch.last();
            }
        }
    }
}

/// Lets a writer of two sessions, whose batches push one another out of memory, race with two followers.
fn race(order: [Part; 3]) {
    let model = Arc::new(Model::new());
    let followers: Vec<_> = (0..2)
        .map(|_| {
            let model = model.clone();
            thread::spawn(move || model.follow())
        })
        .collect();
    for seq in 1..=BATCHES {
        model.append(seq, order);
        model.hot.lock().unwrap().push(batch(2, seq));
    }
    followers.into_iter().for_each(|follower| follower.join().unwrap());
}

#[test]
fn eviction_racing_with_followers_and_appends_leaves_no_gap_and_nobody_asleep() {
    shuttle::check_random(|| race(ORDER), SCHEDULES);
    shuttle::check_pct(|| race(ORDER), SCHEDULES, 3);
}

#[test]
#[should_panic(expected = "woken for nothing")]
fn a_tail_that_moved_before_the_head_would_be_found_out() {
    shuttle::check_random(|| race([Part::Tails, Part::Hot, Part::Head]), SCHEDULES);
}
