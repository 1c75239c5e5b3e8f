//! `waymark log show`: a session's events, one a line.

use std::io::Write;

use anyhow::Result;
use events::{ActorKind, Envelope, Seq};
use serde_json::json;
use store::{Batch, ReadLimit, Survey};

use super::find::find;
use super::stat::moment;
use crate::cli::Show;

/// Characters of an event's data that a line for people has at most.
const DATA_CHARS_MAX: usize = 160;

/// Prints the events that are asked for.
pub(super) fn show(survey: &Survey, asked: &Show, out: &mut dyn Write) -> Result<()> {
    let live = survey.sessions().into_iter().filter(|surveyed| !surveyed.deleted);
    let session = find(live.map(|surveyed| surveyed.head.session), &asked.session)?;
    let (first, last) = (Seq(asked.from.max(1)), Seq(asked.to.unwrap_or(u64::MAX)));
    let mut after = Seq(first.0 - 1);
    loop {
        let batches = survey.read(session, after, ReadLimit::default())?;
        let Some(end) = batches.last().map(Batch::last) else { return Ok(()) };
        for batch in &batches {
            if batch.is_elided() && batch.first() <= last && asked.types.is_empty() {
                print_elided(batch, asked.json, out)?;
            }
            let envelopes = batch.envelopes()?;
            let wanted = envelopes.iter().filter(|envelope| (first..=last).contains(&envelope.seq));
            wanted
                .filter(|envelope| is_of(envelope, &asked.types))
                .try_for_each(|envelope| print(envelope, asked.json, out))?;
        }
        after = end;
        if end >= last {
            return Ok(());
        }
    }
}

/// Says whether an event has one of the types, which may be named by their part before the slash.
fn is_of(envelope: &Envelope, types: &[String]) -> bool {
    let name = envelope.event.type_name();
    let group = name.split_once('/').map_or(name, |(group, _)| group);
    types.is_empty() || types.iter().any(|wanted| wanted == name || wanted == group)
}

fn print(envelope: &Envelope, json: bool, out: &mut dyn Write) -> Result<()> {
    if json {
        return Ok(writeln!(out, "{}", serde_json::to_string(envelope)?)?);
    }
    let Envelope { seq, at_ms, event, .. } = envelope;
    let data = event.encode()?;
    let mut shown: String = data.get().chars().take(DATA_CHARS_MAX).collect();
    if shown.len() < data.get().len() {
        shown.push('…');
    }
    // A batch's last event is where readers stop.
    let end = if envelope.seq == envelope.batch_end { '.' } else { ' ' };
    let (at, actor, name) = (moment(*at_ms), actor(envelope.actor.kind), event.type_name());
    Ok(writeln!(out, "{seq:>7}{end} {at}  {actor:<6}  {name:<18}  {shown}")?)
}

/// Says which events are gone, and which one stands for them.
fn print_elided(batch: &Batch, json: bool, out: &mut dyn Write) -> Result<()> {
    let (first, last, at_ms) = (batch.first(), batch.last(), batch.at_ms());
    if json {
        let elided = json!({"elided": {"first": first, "last": last, "replaced_by": batch.replaced_by()}});
        return Ok(writeln!(out, "{elided}")?);
    }
    let whole = batch.replaced_by().map_or_else(String::new, |whole| format!("; {whole} replaced them"));
    Ok(writeln!(out, "{first:>7}  {}  gone up to {last}{whole}", moment(at_ms))?)
}

fn actor(kind: ActorKind) -> &'static str {
    match kind {
        ActorKind::User => "user",
        ActorKind::Model => "model",
        ActorKind::Driver => "driver",
        ActorKind::Host => "host",
        ActorKind::Tool => "tool",
    }
}
