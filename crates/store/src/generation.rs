//! Which generation of segments a place is of: each segment that is rewritten begins another one.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

/// Tells look-ups whether the places that they found may have moved.
///
/// A look-up takes no lock: it notes [`Self::moves`], and only when what it finds is not what it looked for asks
/// [`Self::moved_since`], which waits for a rewriting under way.
pub(crate) struct Generations {
    /// Counts the beginnings and ends of switches.
    moves: AtomicU64,
    /// The generation on disk; held while segments and index go over to another one.
    number: Mutex<u64>,
}

impl Generations {
    pub(crate) fn new(number: u64) -> Self {
        Self { moves: AtomicU64::new(0), number: Mutex::new(number) }
    }

    pub(crate) fn moves(&self) -> u64 {
        self.moves.load(Ordering::SeqCst)
    }

    /// Says whether places that were looked up since `moves` may be stale. Waits for a switch under way.
    pub(crate) fn moved_since(&self, moves: u64) -> bool {
        drop(self.number.lock());
        self.moves() != moves
    }

    /// Returns the generation, which stays as long as the guard is held.
    pub(crate) fn hold(&self) -> MutexGuard<'_, u64> {
        self.number.lock()
    }

    /// Begins a switch, which lasts until the guard is dropped.
    pub(crate) fn switch(&self) -> Switching<'_> {
        let number = self.number.lock();
        self.moves.fetch_add(1, Ordering::SeqCst);
        Switching { moves: &self.moves, number }
    }
}

/// A switch under way.
pub(crate) struct Switching<'a> {
    moves: &'a AtomicU64,
    /// The generation, to be moved on.
    pub(crate) number: MutexGuard<'a, u64>,
}

impl Drop for Switching<'_> {
    fn drop(&mut self) {
        self.moves.fetch_add(1, Ordering::SeqCst);
    }
}
