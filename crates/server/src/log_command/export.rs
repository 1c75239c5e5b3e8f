//! `waymark log export`: sessions as lines of JSON, forks behind their parents.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use events::{Seq, SessionId};
use indicatif::HumanCount;
use serde_json::value::to_raw_value;
use store::{Batch, ForkPoint, Log, ReadLimit, SessionHead};

use super::errand::Owner;
use super::find::find;
use super::form::{End, FORMAT, Fingerprint, Head, Line, Parent, batch_lines};
use super::told::{Teller, Told};

/// Tells the lines of the sessions whose ids begin with `asked`, or of all.
pub(super) fn export(owner: &Owner, asked: Option<&[String]>, teller: &Teller) -> Result<String> {
    let all = owner.runtime.block_on(owner.log.sessions())?;
    let wanted = match asked {
        None => all,
        Some(prefixes) => {
            let ids = || all.iter().map(|head| head.session);
            let found: BTreeSet<_> =
                prefixes.iter().map(|prefix| find(ids(), prefix)).collect::<Result<_>>()?;
            all.into_iter().filter(|head| found.contains(&head.session)).collect()
        }
    };
    let ordered = parents_first(wanted);
    let included: HashSet<SessionId> = ordered.iter().map(|head| head.session).collect();
    let sections: Vec<_> = ordered
        .into_iter()
        .map(|head| (head.parent.filter(|parent| included.contains(&parent.session)), head))
        .collect();
    let own =
        |(parent, head): &(Option<ForkPoint>, SessionHead)| head.seq.0 - parent.map_or(0, |at| at.seq.0);
    let total = sections.iter().map(own).sum();
    let mut exporting = Exporting { owner, teller, done: 0, total };
    sections.iter().try_for_each(|(parent, head)| exporting.section(*parent, head))?;
    Ok(format!("exported {} sessions with {} events", sections.len(), HumanCount(total)))
}

/// Puts every session behind its parent.
fn parents_first(sessions: Vec<SessionHead>) -> Vec<SessionHead> {
    let mut left: BTreeMap<SessionId, SessionHead> =
        sessions.into_iter().map(|head| (head.session, head)).collect();
    let mut ordered = Vec::with_capacity(left.len());
    while let Some((&first, _)) = left.first_key_value() {
        let mut line = vec![first];
        let parent = |session: &SessionId| left[session].parent.map(|parent| parent.session);
        while let Some(above) = line.last().and_then(parent).filter(|above| left.contains_key(above)) {
            line.push(above);
        }
        ordered.extend(line.iter().rev().filter_map(|session| left.remove(session)));
    }
    ordered
}

/// An export under way.
struct Exporting<'a> {
    owner: &'a Owner,
    teller: &'a Teller,
    done: u64,
    total: u64,
}

impl Exporting<'_> {
    fn section(&mut self, parent: Option<ForkPoint>, head: &SessionHead) -> Result<()> {
        let shared = parent.map(|point| shared(self.owner, point)).transpose()?;
        let after = parent.map_or(Seq::ZERO, |point| point.seq);
        self.line(&Line::Session(Head {
            format: FORMAT,
            log: self.owner.log.id(),
            waymark: env!("CARGO_PKG_VERSION").to_owned(),
            session: head.session,
            parent: shared,
            first: after.next(),
            last: head.seq,
        }))?;
        let (mut fingerprint, mut objects) = (Fingerprint::default(), HashSet::new());
        read_range(self.owner, head.session, (after, head.seq), |batch| {
            for envelope in batch.envelopes()? {
                for digest in envelope.event.objects() {
                    if objects.insert(digest.clone()) {
                        let bytes = self.owner.runtime.block_on(self.owner.log.object(digest))?;
                        self.line(&Line::Object { digest: digest.clone(), base64: STANDARD.encode(bytes) })?;
                    }
                }
            }
            for line in batch_lines(batch)? {
                fingerprint.add(&line);
                self.line(&line)?;
            }
            self.done += batch.last().next().0 - batch.first().0;
            self.teller.progress(self.done, self.total)
        })?;
        self.line(&Line::End(End { session: head.session, fingerprint: fingerprint.digest() }))
    }

    fn line(&self, line: &Line) -> Result<()> {
        self.teller.tell(Told::Line(to_raw_value(line)?))
    }
}

/// Returns what a fork goes on from, with the fingerprint of all events up to there.
pub(super) fn shared(owner: &Owner, point: ForkPoint) -> Result<Parent> {
    let mut fingerprint = Fingerprint::default();
    read_range(owner, point.session, (Seq::ZERO, point.seq), |batch| {
        batch_lines(batch)?.iter().for_each(|line| fingerprint.add(line));
        Ok(())
    })?;
    Ok(Parent { session: point.session, seq: point.seq, fingerprint: fingerprint.digest() })
}

/// Reads a session's batches behind `after` up to `upto`, a batch end.
pub(super) fn read_range(
    owner: &Owner,
    session: SessionId,
    (after, upto): (Seq, Seq),
    mut each: impl FnMut(&Batch) -> Result<()>,
) -> Result<()> {
    let mut after = after;
    while after < upto {
        let batches = owner.runtime.block_on(owner.log.read(session, after, ReadLimit::default()))?;
        if batches.is_empty() {
            break;
        }
        for batch in &batches {
            after = batch.last();
            if after <= upto {
                each(batch)?;
            }
        }
    }
    Ok(())
}
