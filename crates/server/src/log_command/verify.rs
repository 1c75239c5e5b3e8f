//! `waymark log verify`: every record, object and fold of the log, and each fault by its name.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Result, bail};
use events::{Digest, LogId, Seq, SessionId};
use projections::State;
use serde::Serialize;
use store::{Batch, Finding, LogError, ReadLimit, Survey};

use super::bar;
use super::find::find;
use crate::cli::Verify;

/// What was checked and found.
#[derive(Debug, Serialize)]
struct Verified {
    log: LogId,
    sessions: usize,
    /// Positions.
    events: u64,
    /// Those of them whose events are gone, replaced by others.
    elided: u64,
    objects: usize,
    faults: Vec<Fault>,
}

/// Something that is not as it should be.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Fault {
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<Seq>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u32>,
    what: String,
}

/// Checks the log, or one session of it, and prints what it found.
///
/// # Errors
///
/// When there is any fault.
pub(super) fn verify(survey: &Survey, asked: &Verify, out: &mut dyn Write) -> Result<()> {
    let verified = check(survey, asked)?;
    if asked.json {
        writeln!(out, "{}", serde_json::to_string(&verified)?)?;
    } else {
        verified.faults.iter().try_for_each(|fault| fault.print(out))?;
        let Verified { sessions, events, objects, elided, .. } = &verified;
        let gone = if *elided > 0 { format!(" ({elided} of them gone, replaced)") } else { String::new() };
        writeln!(out, "checked {sessions} sessions with {events} events{gone}, and {objects} objects")?;
    }
    match verified.faults.len() {
        0 => Ok(()),
        1 => bail!("the log has a fault; restore what it concerns from a backup"),
        count => bail!("the log has {count} faults; restore what they concern from a backup"),
    }
}

fn check(survey: &Survey, asked: &Verify) -> Result<Verified> {
    let live: Vec<_> = survey.sessions().into_iter().filter(|surveyed| !surveyed.deleted).collect();
    let all = || live.iter().map(|surveyed| surveyed.head.session);
    let only = asked.session.as_ref().map(|prefix| find(all(), prefix)).transpose()?;
    let mut faults = Faults { only, list: Vec::new() };
    survey.findings().iter().chain(&survey.fork_findings()).for_each(|finding| faults.add(finding.into()));
    let mut checked =
        Verified { log: survey.log(), sessions: 0, events: 0, elided: 0, objects: 0, faults: Vec::new() };
    let bar = bar::things("folding sessions");
    bar.set_length(live.len() as u64);
    let mut named = BTreeSet::new();
    for session in all().filter(|session| only.is_none_or(|only| only == *session)) {
        let mut folding = Folding { session, state: State::default(), elided: 0, named: &mut named };
        if let Err(fault) = folding.run(survey) {
            faults.add(fault);
        }
        checked.sessions += 1;
        checked.events += folding.state.head.0;
        checked.elided += folding.elided;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let there = if only.is_some() { named.iter().cloned().collect() } else { survey.objects()? };
    checked.objects = there.len();
    check_objects(survey, &there, &named).into_iter().for_each(|fault| faults.add(fault));
    checked.faults = faults.list;
    Ok(checked)
}

/// The faults so far, those of other sessions than the asked one left out.
struct Faults {
    only: Option<SessionId>,
    list: Vec<Fault>,
}

impl Faults {
    /// Adds a fault, unless its session has one at or before its place, of which it is a consequence.
    fn add(&mut self, fault: Fault) {
        let is_asked = self.only.is_none() || fault.session.is_none() || fault.session == self.only;
        let follows = |known: &Fault| {
            fault.session.is_some() && known.session == fault.session && known.seq <= fault.seq
        };
        if is_asked && (fault.segment.is_some() || !self.list.iter().any(follows)) {
            self.list.push(fault);
        }
    }
}

/// A session that is folded from its first event on.
struct Folding<'a> {
    session: SessionId,
    state: State,
    /// Positions whose events are gone.
    elided: u64,
    /// Objects that its events name.
    named: &'a mut BTreeSet<Digest>,
}

impl Folding<'_> {
    fn run(&mut self, survey: &Survey) -> Result<(), Fault> {
        loop {
            let read = survey.read(self.session, self.state.head, ReadLimit::default());
            let batches = read.map_err(|error| self.fault(self.state.head.next(), &error))?;
            if batches.is_empty() {
                return self.damage();
            }
            batches.iter().try_for_each(|batch| self.fold(batch))?;
        }
    }

    fn fold(&mut self, batch: &Batch) -> Result<(), Fault> {
        let lines = batch.lines().count();
        if lines != batch.events() {
            let what = format!("its record has {lines} lines for {} events", batch.events());
            return Err(self.at(batch.first(), what));
        }
        if batch.epoch() < self.state.epoch {
            let what = format!("its epoch {} is older than {}", batch.epoch(), self.state.epoch);
            return Err(self.at(batch.first(), what));
        }
        let envelopes = batch.envelopes().map_err(|error| self.fault(batch.first(), &error))?;
        envelopes.iter().for_each(|envelope| self.named.extend(envelope.event.objects().cloned()));
        if batch.is_elided() {
            self.elided += batch.last().next().0 - batch.first().0;
        }
        sessions::fold_batch(&mut self.state, batch).map_err(|error| self.fault(batch.first(), &error))
    }

    /// Returns the first fact that cannot have happened.
    fn damage(&self) -> Result<(), Fault> {
        match self.state.damage {
            Some(damage) => {
                Err(self.at(damage.seq, format!("it cannot have happened ({})", damage.code.name())))
            }
            None => Ok(()),
        }
    }

    fn fault(&self, seq: Seq, error: &LogError) -> Fault {
        match error {
            LogError::Corrupt { seq, what, .. } => self.at(*seq, what.clone()),
            LogError::Undecodable { seq, source, .. } => self.at(*seq, source.to_string()),
            error => self.at(seq, error.to_string()),
        }
    }

    fn at(&self, seq: Seq, what: String) -> Fault {
        Fault { session: Some(self.session), seq: Some(seq), segment: None, offset: None, what }
    }
}

/// Finds objects whose bytes do not have their hash, and those that events name and that are not there.
fn check_objects(survey: &Survey, there: &[Digest], named: &BTreeSet<Digest>) -> Vec<Fault> {
    let bar = bar::things("reading objects");
    bar.set_length(there.len() as u64);
    let all: BTreeSet<&Digest> = there.iter().chain(named).collect();
    let mut faults = Vec::new();
    for digest in all {
        bar.inc(1);
        if let Err(error) = survey.object(digest) {
            let what = match error {
                LogError::NoObject { .. } => format!("object {digest} is named by an event and not there"),
                LogError::CorruptObject { .. } => {
                    format!("the bytes of object {digest} do not have its hash")
                }
                error => error.to_string(),
            };
            faults.push(Fault { session: None, seq: None, segment: None, offset: None, what });
        }
    }
    bar.finish_and_clear();
    faults
}

impl Fault {
    fn print(&self, out: &mut dyn Write) -> Result<()> {
        let mut place = Vec::new();
        place.extend(self.session.map(|session| format!("session {session}")));
        place.extend(self.seq.map(|seq| format!("seq {seq}")));
        place.extend(self.segment.map(|segment| format!("segment {segment}")));
        place.extend(self.offset.map(|offset| format!("offset {offset}")));
        let place = if place.is_empty() { "objects".to_owned() } else { place.join(", ") };
        Ok(writeln!(out, "{place}: {}", self.what)?)
    }
}

impl From<&Finding> for Fault {
    fn from(finding: &Finding) -> Self {
        let (session, seq) = finding.position.unzip();
        let (segment, offset) = finding.place.unzip();
        Self { session, seq, segment, offset, what: finding.what.clone() }
    }
}
