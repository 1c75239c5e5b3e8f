//! An event with its place in a session's log.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::event::lost_field;
use crate::line::PlainLine;
use crate::{Actor, DecodeError, Epoch, RawEvent, SCHEMA_VERSION, Seq, SessionEvent};

/// An event with its position, owner, time and cause. Order is `seq`; `at_ms` is for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// Position, from 1, without gaps.
    pub seq: Seq,
    /// The last position of the batch it was written in: readers stop only there.
    pub batch_end: Seq,
    /// The ownership it was written under.
    pub epoch: Epoch,
    /// Wall clock at the append, milliseconds since 1970; may go backwards.
    pub at_ms: u64,
    /// What led here.
    pub cause: Option<Cause>,
    /// Who caused it.
    pub actor: Actor,
    /// What happened.
    pub event: SessionEvent,
}

/// What led to an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// An accepted command, by operation id in hexadecimal.
    Operation(String),
    /// An earlier event of the session.
    Seq(Seq),
}

/// An event on its way into the log: everything that the log itself does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// What led here, where that is an event; an operation's id is the append's.
    pub cause: Option<Cause>,
    /// Who caused it.
    pub actor: Actor,
    /// What happened.
    pub event: SessionEvent,
}

/// One event as a record keeps it: a line of JSON without the members that the record's header has.
#[derive(Debug, Serialize, Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    type_name: Cow<'a, str>,
    actor: Actor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    ignorable: bool,
    #[serde(borrow)]
    data: &'a RawValue,
}

impl Line<'_> {
    /// Refuses what a newer writer put beside the data, where this reader would lose it.
    fn refuse_lost_members(&self, text: &str, schema: u32) -> Result<(), DecodeError> {
        let written = serde_json::from_str(text).map_err(malformed_line)?;
        let kept = serde_json::to_value(self).map_err(malformed_line)?;
        match lost_field(&written, &kept) {
            None => Ok(()),
            Some(field) => {
                Err(DecodeError::Newer { type_name: self.type_name.clone().into_owned(), schema, field })
            }
        }
    }
}

fn malformed_line(source: serde_json::Error) -> DecodeError {
    DecodeError::Malformed { type_name: "a line".to_owned(), source }
}

/// What a record's header says about the events in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Position of this event.
    pub seq: Seq,
    /// Last position of its batch.
    pub batch_end: Seq,
    /// The ownership.
    pub epoch: Epoch,
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// The writer's schema version.
    pub schema: u32,
}

impl NewEvent {
    /// Writes the line that a record keeps, without a line end.
    ///
    /// # Errors
    ///
    /// When a value cannot be written as JSON; no event type has such a value.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        let line = Line {
            type_name: self.event.type_name().into(),
            actor: self.actor.clone(),
            cause: self.cause.clone(),
            ignorable: self.event.is_ignorable(),
            data: &self.event.encode()?,
        };
        serde_json::to_string(&line)
    }
}

impl Envelope {
    /// Reads a record's line at its place.
    ///
    /// # Errors
    ///
    /// See [`DecodeError`]; a line that is no JSON object with the members of a line is malformed.
    pub fn from_line(text: &str, at: &Placement) -> Result<Self, DecodeError> {
        if at.schema <= SCHEMA_VERSION
            && let Ok(PlainLine { actor, cause, event }) = serde_json::from_str(text)
        {
            return Ok(Self::placed(at, (actor, cause), event));
        }
        let line: Line<'_> = serde_json::from_str(text).map_err(malformed_line)?;
        let event = SessionEvent::decode(&RawEvent {
            type_name: &line.type_name,
            data: line.data,
            ignorable: line.ignorable,
            schema: at.schema,
        })?;
        if at.schema > SCHEMA_VERSION && !matches!(event, SessionEvent::Skipped(_)) {
            line.refuse_lost_members(text, at.schema)?;
        }
        Ok(Self::placed(at, (line.actor, line.cause), event))
    }

    fn placed(at: &Placement, (actor, cause): (Actor, Option<Cause>), event: SessionEvent) -> Self {
        let Placement { seq, batch_end, epoch, at_ms, .. } = *at;
        Self { seq, batch_end, epoch, at_ms, cause, actor, event }
    }
}

/// An envelope on the wire: one flat JSON object.
#[derive(Serialize, Deserialize)]
struct Wire<'a> {
    seq: Seq,
    batch_end: Seq,
    epoch: Epoch,
    at_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    actor: Actor,
    #[serde(rename = "type")]
    type_name: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    ignorable: bool,
    data: Box<RawValue>,
}

impl Serialize for Envelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire {
            seq: self.seq,
            batch_end: self.batch_end,
            epoch: self.epoch,
            at_ms: self.at_ms,
            cause: self.cause.clone(),
            actor: self.actor.clone(),
            type_name: self.event.type_name().into(),
            ignorable: self.event.is_ignorable(),
            data: self.event.encode().map_err(serde::ser::Error::custom)?,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let event = SessionEvent::decode(&RawEvent {
            type_name: &wire.type_name,
            data: &wire.data,
            ignorable: wire.ignorable,
            schema: SCHEMA_VERSION,
        })
        .map_err(serde::de::Error::custom)?;
        Ok(Self {
            seq: wire.seq,
            batch_end: wire.batch_end,
            epoch: wire.epoch,
            at_ms: wire.at_ms,
            cause: wire.cause,
            actor: wire.actor,
            event,
        })
    }
}
