//! `waymark log import`: brings in the sessions of an export, each whole or not at all.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use anyhow::{Context, Result, anyhow, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use events::{Digest, Seq};
use projections::State;
use store::{Elision, ForeignBatch, ForkPoint, Log, LogError, Operation};

use super::errand::Owner;
use super::export::{read_range, shared};
use super::form::{ElidedLine, End, EventLine, FORMAT, Fingerprint, Head, Line, OperationLine, Parent};
use super::told::{Teller, Told};

/// Bytes of a line at most: the largest object takes a third more as text.
const LINE_BYTES_MAX: u64 = 96 << 20;

/// Brings in every session of `input` that is not here; says which ones were refused, and goes on with the others.
pub(super) fn import(owner: &Owner, input: Option<File>, teller: &Teller) -> Result<String> {
    let mut input = input.context("there is no file to import")?;
    let bytes = input.metadata()?.len();
    // Something else may stand before it in the file.
    let at = input.stream_position()?;
    let mut lines = Lines { file: BufReader::new(input), at, number: 0 };
    let (mut imported, mut refused) = (0, 0);
    while let Some(text) = lines.next()? {
        teller.progress(lines.at, bytes)?;
        let Ok(Line::Session(head)) = serde_json::from_str(&text) else {
            ensure!(refused > 0, "line {} begins no session; is this an export?", lines.number);
            continue;
        };
        let session = head.session;
        let section = Section { owner, teller, bytes, head };
        match section.bring_in(&mut lines) {
            Ok(()) => imported += 1,
            Err(error) => {
                refused += 1;
                teller.tell(Told::Note(format!("session {session} was not imported: {error:#}")))?;
            }
        }
    }
    ensure!(imported + refused > 0, "there is no session in it; is this an export?");
    ensure!(refused == 0, "{imported} sessions were imported and {refused} were not");
    Ok(format!("imported {imported} sessions"))
}

/// The lines of a file.
struct Lines {
    file: BufReader<File>,
    /// Where the next one begins, in bytes.
    at: u64,
    /// Lines before the next one.
    number: u64,
}

impl Lines {
    fn next(&mut self) -> Result<Option<String>> {
        let mut text = String::new();
        let read = (&mut self.file).take(LINE_BYTES_MAX).read_line(&mut text)? as u64;
        ensure!(read < LINE_BYTES_MAX, "line {} is longer than any export has", self.number + 1);
        (self.at, self.number) = (self.at + read, self.number + 1);
        Ok((read > 0).then_some(text))
    }

    fn back_to(&mut self, (at, number): (u64, u64)) -> Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        (self.at, self.number) = (at, number);
        Ok(())
    }
}

/// One session of an export.
struct Section<'a> {
    owner: &'a Owner,
    teller: &'a Teller,
    /// Size of the file.
    bytes: u64,
    head: Head,
}

impl Section<'_> {
    /// Checks all of the section, then writes it. Leaves `lines` behind the section, unless that is not whole.
    fn bring_in(&self, lines: &mut Lines) -> Result<()> {
        let format = self.head.format;
        ensure!(format == FORMAT, "it has form {format}, this waymark reads form {FORMAT}");
        self.refuse_known()?;
        let state = self.state_before()?;
        let start = (lines.at, lines.number);
        self.check(lines, state)?;
        lines.back_to(start)?;
        self.write(lines)
    }

    fn refuse_known(&self) -> Result<()> {
        match self.owner.runtime.block_on(self.owner.log.head(self.head.session)) {
            Ok(head) if head.deleted => bail!("it was deleted here"),
            Ok(_) => bail!("it is here already"),
            Err(LogError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn fork_point(&self) -> Option<ForkPoint> {
        self.head
            .parent
            .as_ref()
            .map(|Parent { session, seq, .. }| ForkPoint { session: *session, seq: *seq })
    }

    /// Returns the state that the section goes on from, after checking that what is shared is the same here.
    fn state_before(&self) -> Result<State> {
        let mut state = State::default();
        let (Some(point), Some(parent)) = (self.fork_point(), &self.head.parent) else { return Ok(state) };
        let here = shared(self.owner, point).with_context(|| {
            format!("its parent {} is not here; import that too, or export this one alone", point.session)
        })?;
        ensure!(
            here.fingerprint == parent.fingerprint,
            "its parent {} is another one here; export this one alone",
            point.session
        );
        read_range(self.owner, point.session, (Seq::ZERO, point.seq), |batch| {
            sessions::fold_batch(&mut state, batch)?;
            Ok(())
        })?;
        Ok(state)
    }

    /// Checks that everything is whole, can be read and can have happened.
    fn check(&self, lines: &mut Lines, mut state: State) -> Result<()> {
        let mut fingerprint = Fingerprint::default();
        let end = self.walk(lines, &mut |part| match part {
            Part::Line(line) => {
                fingerprint.add(line);
                Ok(())
            }
            Part::Object(digest, bytes) => {
                let is_whole = blake3::hash(&bytes).to_hex().as_str() == digest.0;
                ensure!(is_whole, "the bytes of object {digest} do not have its hash");
                Ok(())
            }
            Part::Batch(batch) => self.fold(&batch, &mut state),
        })?;
        ensure!(end.fingerprint == fingerprint.digest(), "its events are not those that were exported");
        match state.damage {
            None => Ok(()),
            Some(damage) => bail!("event {} cannot have happened ({})", damage.seq, damage.code.name()),
        }
    }

    fn fold(&self, batch: &ForeignBatch, state: &mut State) -> Result<()> {
        let (first, epoch) = (batch.first, batch.epoch);
        ensure!(epoch >= state.epoch, "event {first} has epoch {epoch}, after {}", state.epoch);
        let begins = batch.elided.is_none() || state.head > Seq::ZERO;
        ensure!(begins, "event {first} is gone, and a session begins with an event");
        Ok(sessions::fold_batch(state, &batch.read_as(self.head.session))?)
    }

    /// Writes objects, then events, which become visible all at once.
    fn write(&self, lines: &mut Lines) -> Result<()> {
        let Owner { log, runtime } = self.owner;
        let mut importing = runtime.block_on(log.import(self.head.session, self.fork_point()))?;
        let mut kept = Vec::new();
        self.walk(lines, &mut |part| match part {
            Part::Line(_) => Ok(()),
            Part::Object(_, bytes) => {
                kept.push(runtime.block_on(log.put_object(bytes))?);
                Ok(())
            }
            Part::Batch(batch) => Ok(runtime.block_on(importing.add(batch))?),
        })?;
        runtime.block_on(importing.finish())?;
        Ok(())
    }

    /// Goes through the section to its end.
    fn walk(&self, lines: &mut Lines, each: &mut impl FnMut(Part<'_>) -> Result<()>) -> Result<End> {
        let mut gathering = Gathering { next: self.head.first, open: None };
        loop {
            let text = lines.next()?.context("the file ends before the session does")?;
            self.teller.progress(lines.at, self.bytes)?;
            let number = lines.number;
            match serde_json::from_str(&text).with_context(|| format!("line {number} is not understood"))? {
                Line::Session(_) => bail!("line {number} begins another session before this one ends"),
                Line::Object { digest, base64 } => {
                    let bytes = STANDARD.decode(base64).with_context(|| format!("in line {number}"))?;
                    each(Part::Object(digest, bytes))?;
                }
                line @ (Line::Event(_) | Line::Elided(_)) => {
                    each(Part::Line(&line))?;
                    if let Some(batch) = gathering.take(line).with_context(|| format!("line {number}"))? {
                        each(Part::Batch(batch))?;
                    }
                }
                Line::End(end) => {
                    self.check_end(&end, &gathering)?;
                    return Ok(end);
                }
            }
        }
    }

    fn check_end(&self, end: &End, gathering: &Gathering) -> Result<()> {
        let Head { session, last, .. } = self.head;
        let is_whole = gathering.open.is_none() && gathering.next == last.next();
        ensure!(
            end.session == session && is_whole,
            "it ends at event {}, not at {last}",
            gathering.next.0 - 1
        );
        Ok(())
    }
}

/// What a section consists of.
enum Part<'a> {
    /// An event, or where some are gone.
    Line(&'a Line),
    Object(Digest, Vec<u8>),
    /// The lines since the last one, which were written at once.
    Batch(ForeignBatch),
}

/// Puts events together to the batches that they were.
struct Gathering {
    next: Seq,
    /// The batch under way, with its end.
    open: Option<(ForeignBatch, Seq)>,
}

impl Gathering {
    /// Takes the next line; returns its batch when that is whole.
    fn take(&mut self, line: Line) -> Result<Option<ForeignBatch>> {
        match line {
            Line::Event(event) => self.take_event(event),
            Line::Elided(elided) => self.take_elided(&elided).map(Some),
            Line::Session(_) | Line::Object { .. } | Line::End(_) => Ok(None),
        }
    }

    fn take_event(&mut self, event: EventLine) -> Result<Option<ForeignBatch>> {
        let EventLine { seq, batch_end, epoch, at_ms, schema, operation, line } = event;
        ensure!(seq == self.next, "event {seq} stands where event {} belongs", self.next);
        let (mut batch, end) = match self.open.take() {
            Some(open) => open,
            None => {
                let (operation, lines) = (read_operation(operation.as_ref())?, Vec::new());
                let batch = ForeignBatch { first: seq, epoch, at_ms, schema, operation, lines, elided: None };
                (batch, batch_end)
            }
        };
        let is_same = (batch.epoch, batch.at_ms, batch.schema, end) == (epoch, at_ms, schema, batch_end);
        ensure!(is_same && seq <= end, "event {seq} does not fit the batch that it stands in");
        let text = line.get();
        ensure!(!text.contains('\n'), "event {seq} has a line end in it");
        batch.lines.push(text.to_owned());
        self.next = seq.next();
        if seq == end {
            return Ok(Some(batch));
        }
        self.open = Some((batch, end));
        Ok(None)
    }

    fn take_elided(&mut self, elided: &ElidedLine) -> Result<ForeignBatch> {
        let ElidedLine { first, last, epoch, at_ms, schema, replaced_by, .. } = *elided;
        let is_next = self.open.is_none() && first == self.next;
        ensure!(is_next, "event {first} stands where event {} belongs", self.next);
        let is_in_order = first <= last && last.0 < u64::MAX && replaced_by.is_none_or(|whole| whole > last);
        ensure!(is_in_order, "what replaced the events from {first} on does not stand behind them");
        let operation = read_operation(elided.operation.as_ref())?;
        self.next = last.next();
        let elided = Some(Elision { last, replaced_by });
        Ok(ForeignBatch { first, epoch, at_ms, schema, operation, lines: Vec::new(), elided })
    }
}

fn read_operation(line: Option<&OperationLine>) -> Result<Option<Operation>> {
    line.map(|line| line.operation().ok_or_else(|| anyhow!("an operation is no hash"))).transpose()
}
