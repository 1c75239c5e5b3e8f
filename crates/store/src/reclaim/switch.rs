//! Puts a rewritten segment in place: on disk, in memory and in the index.
//!
//! The generation on disk moves on before the segment does, so that an index of the old places is never believed after
//! a crash. The rename alone is what counts for the log: before it stands the old segment, after it the new one, and
//! either is whole. Readers who hold the old file read on in it; those who find their places stale look again.

use std::time::Duration;

use super::rewrite::Rewritten;
use crate::LogError;
use crate::folder::write_generation;
use crate::generation::Switching;
use crate::indexer::Indexed;
use crate::segment::Segment;
use crate::shared::Shared;
use crate::walk::Found;

/// How long the index may stand still before a segment that it has not passed is left as it is.
const INDEX_PATIENCE: Duration = Duration::from_secs(10);

impl Shared {
    /// Puts `after` in the place of `segment`; false when that has to wait for another time.
    pub(super) fn switch(
        &self,
        segment: &Segment,
        before: &[Found],
        after: &mut Rewritten,
    ) -> Result<bool, LogError> {
        let number = segment.number;
        let unavailable = LogError::unavailable("rewriting a segment");
        let aside = self.segments.write_aside(number, &mut after.bytes).map_err(unavailable)?;
        let done = self.replace_by(aside, before, after);
        if !matches!(done, Ok(true)) {
            self.segments.remove_aside(number);
        }
        done
    }

    fn replace_by(&self, aside: Segment, before: &[Found], after: &Rewritten) -> Result<bool, LogError> {
        let number = aside.number;
        if !self.index_has_passed(number) {
            return Ok(false);
        }
        let mut switching = self.generations.switch();
        let indexed = self.indexed.lock().clone();
        if indexed.as_ref().is_some_and(|indexed| indexed.upto.segment <= number) {
            return Ok(false);
        }
        self.begin_generation(&mut switching)?;
        let unavailable = LogError::unavailable("putting a rewritten segment in its place");
        self.segments.put_in_place(aside).map_err(unavailable)?;
        self.recent.lock().forget_through(number);
        if let Some(Indexed { index, .. }) = indexed
            && let Err(fault) = index.replace(before, &after.records, *switching.number)
        {
            self.index_failed(&fault.to_string());
        }
        drop(switching);
        self.segments.sync_names().map_err(|error| self.poison(&error))?;
        Ok(true)
    }

    fn begin_generation(&self, switching: &mut Switching<'_>) -> Result<(), LogError> {
        let next = *switching.number + 1;
        write_generation(&*self.room.disk, &self.room.folder, next)
            .map_err(LogError::unavailable("writing GENERATION"))?;
        *switching.number = next;
        Ok(())
    }

    /// Which name a segment has is unknown after this, as it is of what a failed write left.
    fn poison(&self, error: &std::io::Error) -> LogError {
        let reason = format!("putting a rewritten segment in its place: {error}");
        tracing::error!(%reason, "the log writes nothing any more");
        LogError::Poisoned { reason: self.poison.get_or_init(|| reason).clone() }
    }

    /// Waits until the index, if there is one, is past a segment; says whether it is.
    fn index_has_passed(&self, number: u32) -> bool {
        let mut indexed = self.indexed.lock();
        while indexed.as_ref().is_some_and(|indexed| indexed.upto.segment <= number) {
            if self.stops() || self.index_moved.wait_for(&mut indexed, INDEX_PATIENCE).timed_out() {
                return false;
            }
        }
        true
    }
}
