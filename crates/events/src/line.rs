//! A line of a record, read in one pass.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::{Actor, Cause, SessionEvent};

/// What a line says, read without a second look at its data. It is there only for a line as this version writes them: a
/// type that it knows, with its type before its data. Whatever else a line may be is for the slower reading to tell.
pub(crate) struct PlainLine {
    pub(crate) actor: Actor,
    pub(crate) cause: Option<Cause>,
    pub(crate) event: SessionEvent,
}

impl<'de> Deserialize<'de> for PlainLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = PlainLine;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a line as this version writes it")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PlainLine, A::Error> {
        let (mut type_name, mut actor, mut cause, mut event) = (None, None, None, None);
        while let Some(member) = map.next_key::<&str>()? {
            match member {
                "type" => once(&mut type_name, map.next_value::<&str>()?)?,
                "actor" => once(&mut actor, map.next_value()?)?,
                "cause" => once(&mut cause, map.next_value::<Option<Cause>>()?)?,
                "data" => {
                    let type_name = type_name.ok_or_else(unusual)?;
                    let data = SessionEvent::next_data(type_name, &mut map)?;
                    once(&mut event, data.ok_or_else(unusual)?)?;
                }
                "ignorable" => drop(map.next_value::<bool>()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(PlainLine {
            actor: actor.ok_or_else(unusual)?,
            cause: cause.flatten(),
            event: event.ok_or_else(unusual)?,
        })
    }
}

fn once<T, E: Error>(member: &mut Option<T>, value: T) -> Result<(), E> {
    match member.replace(value) {
        None => Ok(()),
        Some(_) => Err(unusual()),
    }
}

fn unusual<E: Error>() -> E {
    E::custom("not a line as this version writes it")
}
