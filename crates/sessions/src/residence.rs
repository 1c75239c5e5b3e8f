//! Which sessions are in memory: a place for each, entered by whoever wants it, left when nobody needs it.
//!
//! Nobody leaves a place that is held. Once a resident is asked to leave, whoever enters waits until it has ended, so
//! that a session never has two.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use events::SessionId;
#[cfg(test)]
use shuttle::sync::{Mutex, MutexGuard};
#[cfg(not(test))]
use std::sync::{Mutex, MutexGuard};
use tokio::sync::OnceCell;

/// How much may stay in memory without being held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residency {
    /// Sessions in memory; more only when more are in use.
    pub sessions_max: usize,
    /// Milliseconds after which a session that nobody uses leaves.
    pub idle_ms_max: u64,
}

impl Default for Residency {
    fn default() -> Self {
        Self { sessions_max: 256, idle_ms_max: 10 * 60 * 1000 }
    }
}

/// Who lives in a place.
pub(crate) trait Resident: Clone {
    /// Says whether it does nothing by itself: as long as nobody asks for something, nothing is lost without it.
    fn is_at_rest(&self) -> bool;

    /// Says whether it has ended, asked or not.
    fn has_ended(&self) -> bool;

    /// Asks it to end, and returns when it has.
    fn end(&self) -> impl Future<Output = ()> + Send;
}

/// A session's place in memory. Holding it keeps its resident there.
pub(crate) struct Place<R> {
    resident: OnceCell<R>,
    /// Who was here before, and may not have ended yet.
    before: Option<R>,
}

impl<R: Resident> Place<R> {
    fn after(before: Option<R>) -> Arc<Self> {
        Arc::new(Self { resident: OnceCell::new(), before })
    }

    /// Returns the resident; the first to ask brings it in, once the one before has ended.
    pub(crate) async fn resident<E>(&self, bring: impl AsyncFnOnce() -> Result<R, E>) -> Result<&R, E> {
        let bring = async || {
            if let Some(before) = &self.before {
                before.end().await;
            }
            bring().await
        };
        self.resident.get_or_try_init(bring).await
    }

    /// Returns whoever is here or has not yet left.
    fn last(&self) -> Option<&R> {
        self.resident.get().or(self.before.as_ref())
    }
}

/// The places.
pub(crate) struct Residence<R> {
    rooms: Mutex<HashMap<SessionId, Room<R>>>,
}

struct Room<R> {
    place: Arc<Place<R>>,
    /// When it was last seen in use, milliseconds since 1970.
    used_at_ms: u64,
}

impl<R: Resident> Residence<R> {
    pub(crate) fn new() -> Self {
        Self { rooms: Mutex::new(HashMap::new()) }
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<SessionId, Room<R>>> {
        // Each change is a single assignment: a panic in between leaves nothing half done.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a session's place. One whose resident broke down makes room for a new one.
    pub(crate) fn enter(&self, id: SessionId, now_ms: u64) -> Arc<Place<R>> {
        let mut rooms = self.rooms();
        let vacant = || Room { place: Place::after(None), used_at_ms: now_ms };
        let room = rooms.entry(id).or_insert_with(vacant);
        if let Some(ended) = room.place.resident.get().filter(|resident| resident.has_ended()) {
            room.place = Place::after(Some(ended.clone()));
        }
        room.used_at_ms = now_ms;
        Arc::clone(&room.place)
    }

    /// Returns whoever lives in a session's place, without holding it.
    pub(crate) fn present(&self, id: SessionId) -> Option<R> {
        self.rooms().get(&id)?.place.resident.get().cloned()
    }

    /// Takes back a place that nobody holds and nobody lives in any more.
    pub(crate) fn vacate(&self, id: SessionId) {
        let mut rooms = self.rooms();
        if rooms.get_mut(&id).is_some_and(Room::is_vacant) {
            rooms.remove(&id);
        }
    }

    /// Returns how many sessions have a place.
    pub(crate) fn len(&self) -> usize {
        self.rooms().len()
    }

    /// Ends whom nobody holds, who is at rest, and who was unused for too long or is one too many; the one that was
    /// unused for longest first. Returns those that did something after all while they were leaving.
    pub(crate) async fn sweep(&self, bound: Residency, now_ms: u64) -> Vec<SessionId> {
        let mut restless = Vec::new();
        for (id, leaving) in self.send_away(bound, now_ms) {
            leaving.end().await;
            self.vacate(id);
            if !leaving.is_at_rest() {
                restless.push(id);
            }
        }
        restless
    }

    /// Chooses who has to leave. Their places are new ones from now on, so that whoever enters waits for their end.
    fn send_away(&self, bound: Residency, now_ms: u64) -> Vec<(SessionId, R)> {
        let mut rooms = self.rooms();
        rooms.retain(|_, room| !room.is_vacant());
        let mut unused = Vec::new();
        for (id, room) in rooms.iter_mut() {
            if room.may_leave() {
                unused.push((room.used_at_ms, *id));
            } else {
                room.used_at_ms = now_ms;
            }
        }
        unused.sort_unstable();
        let surplus = rooms.len().saturating_sub(bound.sessions_max);
        let is_idle = |used_at_ms: u64| now_ms.saturating_sub(used_at_ms) >= bound.idle_ms_max;
        let idle = unused.iter().take_while(|(used_at_ms, _)| is_idle(*used_at_ms)).count();
        unused.truncate(surplus.max(idle));
        let left = unused.into_iter().filter_map(|(_, id)| Some((id, rooms.get_mut(&id)?.send_away()?)));
        left.collect()
    }
}

impl<R: Resident> Room<R> {
    /// Says whether nobody holds the place; unlike a mere count, this sees all that its last holder did.
    fn is_free(&mut self) -> bool {
        Arc::get_mut(&mut self.place).is_some()
    }

    fn is_vacant(&mut self) -> bool {
        self.is_free() && self.place.last().is_none_or(Resident::has_ended)
    }

    fn may_leave(&mut self) -> bool {
        self.is_free() && self.place.last().is_none_or(Resident::is_at_rest)
    }

    fn send_away(&mut self) -> Option<R> {
        let leaving = self.place.last()?.clone();
        self.place = Place::after(Some(leaving.clone()));
        Some(leaving)
    }
}

#[cfg(test)]
#[path = "residence/tests.rs"]
mod tests;
