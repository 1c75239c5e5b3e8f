//! Every interleaving that a random scheduler finds, of someone who sends sessions away, someone who follows one and
//! someone who appends to it. A schedule that fails is printed, and replayed by `shuttle::replay`.

use std::convert::Infallible;
use std::sync::Arc;

use shuttle::future::{block_on, spawn, yield_now};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::watch;
use uuid::Uuid;

use super::{Place, Residence, Residency, Resident};
use events::SessionId;

const ID: SessionId = SessionId(Uuid::nil());
const SCHEDULES: usize = 1000;
/// Sends away whoever may leave.
const NOBODY_STAYS: Residency = Residency { sessions_max: 0, idle_ms_max: 0 };

/// A log in small, and the doors that write to it.
#[derive(Default)]
struct Outside {
    log: Mutex<Vec<u32>>,
    doors: AtomicUsize,
    doors_ever: AtomicUsize,
}

/// A door in small: it appends, then shows how far the log goes.
#[derive(Clone)]
struct Door {
    outside: Arc<Outside>,
    seen: watch::Receiver<usize>,
    inside: Arc<Mutex<Option<watch::Sender<usize>>>>,
    is_busy: Arc<AtomicBool>,
}

impl Door {
    async fn open(outside: Arc<Outside>) -> Self {
        assert_eq!(outside.doors.fetch_add(1, Ordering::SeqCst), 0, "a session has one door");
        outside.doors_ever.fetch_add(1, Ordering::SeqCst);
        yield_now().await;
        let (sender, seen) = watch::channel(outside.log.lock().unwrap().len());
        let inside = Arc::new(Mutex::new(Some(sender)));
        Self { outside, seen, inside, is_busy: Arc::default() }
    }

    /// Appends what follows from `state`, as far as this door knows it.
    async fn append(&self, fact: u32) {
        self.is_busy.store(true, Ordering::SeqCst);
        let expected = *self.seen.borrow();
        yield_now().await;
        let head = {
            let mut log = self.outside.log.lock().unwrap();
            assert_eq!(log.len(), expected, "nobody else appends");
            log.push(fact);
            log.len()
        };
        yield_now().await;
        self.inside.lock().unwrap().as_ref().expect("a door that is held is open").send_replace(head);
        self.is_busy.store(false, Ordering::SeqCst);
    }
}

impl Resident for Door {
    fn is_at_rest(&self) -> bool {
        !self.is_busy.load(Ordering::SeqCst)
    }

    fn has_ended(&self) -> bool {
        self.inside.lock().unwrap().is_none()
    }

    async fn end(&self) {
        yield_now().await;
        if let Some(sender) = self.inside.lock().unwrap().take() {
            self.outside.doors.fetch_sub(1, Ordering::SeqCst);
            drop(sender);
        }
    }
}

struct House {
    residence: Residence<Door>,
    outside: Arc<Outside>,
}

impl House {
    async fn open(&self) -> (Arc<Place<Door>>, Door) {
        let place = self.residence.enter(ID, 0);
        let bring = async || Ok::<_, Infallible>(Door::open(Arc::clone(&self.outside)).await);
        let Ok(door) = place.resident(bring).await;
        let door = door.clone();
        (place, door)
    }

    async fn appends(&self, fact: u32) {
        let (_hold, door) = self.open().await;
        door.append(fact).await;
    }

    /// Follows in two sittings, and returns what was seen.
    async fn follows(&self, facts: usize) -> Vec<u32> {
        let mut seen = Vec::new();
        for upto in [1, facts] {
            let (_hold, door) = self.open().await;
            let mut tail = door.seen.clone();
            while seen.len() < upto {
                tail.borrow_and_update();
                let news = self.outside.log.lock().unwrap()[seen.len()..].to_vec();
                if news.is_empty() {
                    tail.changed().await.expect("a followed session stays");
                }
                seen.extend(news);
            }
        }
        seen
    }
}

fn explore(plays: impl AsyncFn(Arc<House>) + Send + Sync + 'static) {
    let plays = Arc::new(plays);
    shuttle::check_random(
        move || {
            let house = House { residence: Residence::new(), outside: Arc::default() };
            block_on(plays(Arc::new(house)));
        },
        SCHEDULES,
    );
}

async fn sweeps(house: &House, times: usize) {
    for _ in 0..times {
        assert_eq!(house.residence.sweep(NOBODY_STAYS, 0).await, [], "who is not held does nothing");
        yield_now().await;
    }
}

#[test]
fn whatever_leaves_meanwhile_a_follower_misses_nothing_and_no_session_has_two_doors() {
    explore(async |house: Arc<House>| {
        let (a, b, c, d) = (house.clone(), house.clone(), house.clone(), house.clone());
        let follower = spawn(async move { a.follows(3).await });
        let writer = spawn(async move {
            b.appends(1).await;
            b.appends(2).await;
            b.appends(3).await;
        });
        let sweeper = spawn(async move { sweeps(&c, 3).await });
        let another = spawn(async move { sweeps(&d, 2).await });
        for task in [writer, sweeper, another] {
            task.await.unwrap();
        }
        assert_eq!(follower.await.unwrap(), [1, 2, 3]);
        sweeps(&house, 1).await;
        assert_eq!(house.outside.doors.load(Ordering::SeqCst), 0, "in the end nobody is left");
        assert_eq!(house.residence.len(), 0);
    });
}

#[test]
fn a_sweep_that_is_given_up_half_way_leaves_a_session_that_opens() {
    explore(async |house: Arc<House>| {
        house.appends(1).await;
        let sent_away = house.residence.send_away(NOBODY_STAYS, 0);
        assert_eq!(sent_away.len(), 1);
        drop(sent_away);
        let (a, b) = (house.clone(), house.clone());
        let writers = [spawn(async move { a.appends(2).await }), spawn(async move { sweeps(&b, 2).await })];
        for task in writers {
            task.await.unwrap();
        }
        assert_eq!(*house.outside.log.lock().unwrap(), [1, 2]);
        assert!(house.outside.doors_ever.load(Ordering::SeqCst) >= 2);
    });
}
