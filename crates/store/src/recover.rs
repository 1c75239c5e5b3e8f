//! Brings heads back from the segments after a start, and tells a torn tail from damage.

use events::{LogId, Seq, SessionId};

use crate::disk::fill;
use crate::heads::{Heads, fold};
use crate::lookup::LOG_START;
use crate::recent::Recent;
use crate::record::{Kind, Spot};
use crate::segment::{Segment, Segments};
use crate::shared::{Damage, note_damage};
use crate::walk::{Bad, Found, Step, Walk, content_end};
use crate::{Finding, LogError};

/// Where a log stands as far as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Where the next record goes.
    pub(crate) end: Spot,
    /// Where the last record begins, in the same segment.
    pub(crate) last_offset: u32,
    /// The last record's group.
    pub(crate) group: u64,
    /// Bytes of that group which follow the last record.
    pub(crate) group_rest: u32,
}

impl Standing {
    /// Where a log stands that has no record.
    pub(crate) const START: Self =
        Self { end: LOG_START, last_offset: LOG_START.offset, group: 0, group_rest: 0 };

    /// Returns where it stands after one more record.
    pub(crate) fn after(found: &Found) -> Self {
        let Found { header, spot } = found;
        let length = u32::try_from(header.length()).expect("a record is below 4 GiB");
        let end = Spot { segment: spot.segment, offset: spot.offset + length };
        Self { end, last_offset: spot.offset, group: header.group, group_rest: header.group_rest }
    }

    /// Returns the group that a record without a readable header belongs to.
    fn next_group(&self) -> u64 {
        if self.group_rest == 0 { self.group + 1 } else { self.group }
    }
}

/// The log as it is brought back.
pub(crate) struct Recovery {
    log: LogId,
    pub(crate) heads: Heads,
    pub(crate) recent: Recent,
    pub(crate) damage: Damage,
    pub(crate) standing: Standing,
    /// Whether the last record is a clean stop's mark, and if so, whether the index was synced before it.
    pub(crate) clean: Option<bool>,
    /// Every place that is not as it was written, in the order of the log.
    pub(crate) findings: Vec<Finding>,
    /// From the first bad record on: the torn tail, unless a record of a later group comes.
    held: Vec<Step>,
    /// What a later format says somewhere: nothing may be cut or written then.
    unknown: Option<String>,
    /// Whether groups may be missing here: their records were reclaimed.
    sparse: bool,
}

impl Recovery {
    /// Begins at `standing`, with what is known of the log before it.
    pub(crate) fn from(
        log: LogId,
        standing: Standing,
        (heads, damage): (Heads, Damage),
        recent: Recent,
    ) -> Self {
        let (findings, held) = (Vec::new(), Vec::new());
        Self {
            log,
            heads,
            recent,
            damage,
            standing,
            clean: None,
            findings,
            held,
            unknown: None,
            sparse: false,
        }
    }

    /// Reads all segments from where it stands on, and cuts the torn tail off.
    pub(crate) fn run(&mut self, segments: &Segments, numbers: &[u32]) -> Result<(), LogError> {
        let start = self.standing.end;
        for &number in numbers.iter().filter(|&&number| number >= start.segment) {
            let from = if number == start.segment { start } else { Spot { segment: number, offset: 0 } };
            self.read_segment(segments, from)?;
        }
        self.held.clear();
        for &number in numbers.iter().filter(|&&number| number >= self.standing.end.segment) {
            self.cut_tail(segments, &segments.segment(number)?)?;
        }
        self.recent.set_end(self.standing.end);
        self.drop_unfinished();
        Ok(())
    }

    /// Reads one segment from a place on.
    pub(crate) fn read_segment(&mut self, segments: &Segments, from: Spot) -> Result<(), LogError> {
        let segment = segments.segment(from.segment)?;
        let bytes = segments.read(&segment, from.offset..segment.bytes)?;
        self.sparse |= segment.rewritten;
        Walk::new(self.log, &bytes, from).for_each(|step| self.step(step));
        // The first record behind a rewritten segment follows on from what is gone.
        self.sparse = segment.rewritten;
        self.unknown.take().map_or(Ok(()), |what| Err(LogError::Unsupported { what }))
    }

    fn step(&mut self, step: Step) {
        if let Step::Bad(Bad { unknown: Some(what), spot: Spot { segment, offset }, .. }) = &step {
            let what =
                format!("segment {segment} holds {what} at byte {offset}, which this waymark does not know");
            self.unknown.get_or_insert(what);
        }
        let held_group = self.held.first().map(|first| match first {
            Step::Bad(Bad { header: Some(header), .. }) => header.group,
            Step::Bad(_) | Step::Record(_) => self.standing.next_group(),
        });
        match (step, held_group) {
            (Step::Record(found), None) => self.apply(found),
            (Step::Record(found), Some(held)) if found.header.group > held => {
                std::mem::take(&mut self.held).into_iter().for_each(|step| self.apply_damaged(step));
                self.apply(found);
            }
            (step, _) => self.held.push(step),
        }
    }

    /// Drops the sessions whose import stopped before it was whole.
    pub(crate) fn drop_unfinished(&mut self) {
        self.heads.retain(|_, head| !head.unfinished);
    }

    fn apply(&mut self, found: Found) {
        if found.header.group > self.standing.group + 1 && !self.sparse {
            self.find(None, found.spot, "whole commit groups are missing before this place");
        }
        self.fold(&found);
        self.clean = found.header.clean.then_some(found.header.index_synced);
        self.standing = Standing::after(&found);
        self.recent.push(found);
    }

    fn fold(&mut self, Found { header, spot }: &Found) {
        if let Some(gap) = fold(&mut self.heads, header) {
            self.find(Some((gap.session, gap.seq)), *spot, "records before this place are missing");
        }
    }

    fn find(&mut self, position: Option<(SessionId, Seq)>, spot: Spot, what: &str) {
        let Spot { segment, offset } = spot;
        match position {
            Some((session, seq)) => note_damage(&mut self.damage, session, seq, what),
            None => tracing::error!(segment, offset, what, "the log is damaged"),
        }
        self.findings.push(Finding { position, place: Some((segment, offset)), what: what.to_owned() });
    }

    fn apply_damaged(&mut self, step: Step) {
        if let Step::Bad(Bad { header, .. }) = &step {
            // It is damaged and not missing.
            let (group, group_rest) =
                header.as_ref().map_or((self.standing.next_group(), 0), |it| (it.group, it.group_rest));
            self.standing = Standing { group, group_rest, ..self.standing };
        }
        match step {
            Step::Record(found) => self.apply(found),
            Step::Bad(Bad { header: Some(header), spot, .. }) if header.kind != Kind::Mark => {
                let position = (header.session, header.first);
                self.fold(&Found { header, spot });
                self.find(Some(position), spot, "its record is damaged");
            }
            Step::Bad(Bad { spot, bytes, .. }) => {
                self.find(None, spot, &format!("{bytes} bytes are damaged and name no session"));
            }
        }
    }

    /// Overwrites what stands behind the log's end in one segment with zeros.
    fn cut_tail(&self, segments: &Segments, segment: &Segment) -> Result<(), LogError> {
        let end = self.standing.end;
        let from = if segment.number == end.segment { end.offset } else { LOG_START.offset };
        let bytes = segments.read(segment, from..segment.bytes)?;
        let to = content_end(&bytes);
        let size = segment.file.size().map_err(LogError::unavailable("reading the last segment"))?;
        if size < u64::from(segment.bytes) {
            segment
                .file
                .grow(u64::from(segment.bytes))
                .map_err(LogError::unavailable("setting aside the last segment's space"))?;
        }
        if to > from as usize {
            let (number, bytes) = (segment.number, to - from as usize);
            tracing::warn!(segment = number, bytes, "cut a torn tail that was never acknowledged");
            fill(&*segment.file, u64::from(from), to as u64)
                .and_then(|()| segment.file.sync_data())
                .map_err(LogError::unavailable("cutting the torn tail"))?;
        }
        Ok(())
    }
}
