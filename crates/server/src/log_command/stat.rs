//! `waymark log stat`: what the log holds and what it takes.

use std::io::Write;

use anyhow::Result;
use events::{LogId, Seq, SessionId};
use indicatif::{HumanBytes, HumanCount};
use jiff::Timestamp;
use serde::Serialize;
use store::{Size, Survey, SurveyedSession};

use crate::cli::Stat;

/// Sessions that are listed when nobody asks for all.
const LISTED: usize = 20;

/// What a log holds and takes.
#[derive(Debug, Serialize)]
struct Statistics {
    log: LogId,
    sessions: usize,
    deleted_sessions: usize,
    batches: u64,
    events: u64,
    segments: Files,
    objects: Files,
    index: Files,
    /// Bytes of segments, objects and index for one event; none without events.
    bytes_per_event: Option<u64>,
    damaged_places: usize,
    largest: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Files {
    files: u64,
    bytes: u64,
}

/// A session in the list.
#[derive(Debug, Serialize)]
struct Line {
    session: SessionId,
    head: Seq,
    events: u64,
    batches: u64,
    bytes: u64,
    created_at_ms: u64,
    updated_at_ms: u64,
    parent: Option<SessionId>,
    deleted: bool,
}

/// Prints what a log holds and takes, and its largest sessions.
pub(super) fn stat(survey: &Survey, asked: &Stat, out: &mut dyn Write) -> Result<()> {
    let statistics = Statistics::of(survey, asked);
    if asked.json {
        writeln!(out, "{}", serde_json::to_string(&statistics)?)?;
    } else {
        statistics.print(out)?;
    }
    Ok(())
}

impl Statistics {
    fn of(survey: &Survey, asked: &Stat) -> Self {
        let mut sessions = survey.sessions();
        let (segments, objects, index) = (survey.segment_size(), survey.object_size(), survey.index_size());
        let events = sessions.iter().map(|session| session.events).sum();
        let bytes = segments.bytes + objects.bytes + index.bytes;
        let deleted = sessions.iter().filter(|session| session.deleted).count();
        let (count, batches) =
            (sessions.len() - deleted, sessions.iter().map(|session| session.batches).sum());
        sessions.sort_by_key(|session| std::cmp::Reverse(session.bytes));
        sessions.truncate(if asked.all { usize::MAX } else { LISTED });
        Self {
            log: survey.log(),
            sessions: count,
            deleted_sessions: deleted,
            batches,
            events,
            segments: segments.into(),
            objects: objects.into(),
            index: index.into(),
            bytes_per_event: bytes.checked_div(events),
            damaged_places: survey.findings().len(),
            largest: sessions.into_iter().map(Line::from).collect(),
        }
    }

    fn print(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "log        {}", self.log)?;
        writeln!(out, "sessions   {}, {} more deleted", self.sessions, self.deleted_sessions)?;
        writeln!(out, "events     {} in {} batches", HumanCount(self.events), HumanCount(self.batches))?;
        for (name, files) in
            [("segments", &self.segments), ("objects", &self.objects), ("index", &self.index)]
        {
            writeln!(out, "{name:<10} {} in {} files", HumanBytes(files.bytes), files.files)?;
        }
        if let Some(bytes) = self.bytes_per_event {
            writeln!(out, "an event   {}", HumanBytes(bytes))?;
        }
        if self.damaged_places > 0 {
            writeln!(out, "damaged    {} places; name them with: waymark log verify", self.damaged_places)?;
        }
        if !self.largest.is_empty() {
            writeln!(out, "\n{:<36}  {:>12}  {:>12}  last batch", "session", "events", "bytes")?;
        }
        self.largest.iter().try_for_each(|line| line.print(out))
    }
}

impl Line {
    fn print(&self, out: &mut dyn Write) -> Result<()> {
        let (events, bytes) = (HumanCount(self.events).to_string(), HumanBytes(self.bytes).to_string());
        let at = moment(self.updated_at_ms);
        let deleted = if self.deleted { "  deleted" } else { "" };
        Ok(writeln!(out, "{}  {events:>12}  {bytes:>12}  {at}{deleted}", self.session)?)
    }
}

impl From<Size> for Files {
    fn from(size: Size) -> Self {
        Self { files: size.files, bytes: size.bytes }
    }
}

impl From<SurveyedSession> for Line {
    fn from(surveyed: SurveyedSession) -> Self {
        let SurveyedSession { head, deleted, batches, events, bytes } = surveyed;
        Self {
            session: head.session,
            head: head.seq,
            events,
            batches,
            bytes,
            created_at_ms: head.created_at_ms,
            updated_at_ms: head.updated_at_ms,
            parent: head.parent.map(|parent| parent.session),
            deleted,
        }
    }
}

/// Writes a wall clock, given in milliseconds since 1970, for people: in UTC, to the second.
pub(super) fn moment(at_ms: u64) -> String {
    let at = i64::try_from(at_ms / 1000).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    at.map_or_else(|| format!("{at_ms} ms"), |at| at.to_string())
}
