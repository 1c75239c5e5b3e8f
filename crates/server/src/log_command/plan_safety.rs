//! `waymark verify plan-safety`: the proof, from a session's log, that plan mode kept its workspace.

use std::io::Write;

use anyhow::{Result, bail};
use events::{Seq, SessionId};
use projections::{Breach, Outside, OutsideKind, PlanSafety, PlanWatch};
use serde::Serialize;
use store::{ReadLimit, Survey};

use super::find::find;
use crate::cli::PlanSafetyProof;

/// What was found, for programs.
#[derive(Debug, Serialize)]
struct Proof {
    session: SessionId,
    holds: bool,
    #[serde(flatten)]
    found: PlanSafety,
}

/// Goes through a session and prints what its log proves.
///
/// # Errors
///
/// When the proof does not hold, or the log cannot be read.
pub(super) fn plan_safety(survey: &Survey, asked: &PlanSafetyProof, out: &mut dyn Write) -> Result<()> {
    let live = survey.sessions().into_iter().filter(|surveyed| !surveyed.deleted);
    let session = find(live.map(|surveyed| surveyed.head.session), &asked.session)?;
    let found = look(survey, session)?;
    let holds = found.holds();
    if asked.json {
        writeln!(out, "{}", serde_json::to_string(&Proof { session, holds, found })?)?;
    } else {
        print(&found, out)?;
    }
    match holds {
        true => Ok(()),
        false => bail!("session {session} is not proven safe; what breaks the proof is named above"),
    }
}

fn look(survey: &Survey, session: SessionId) -> Result<PlanSafety> {
    let (mut watch, mut after) = (PlanWatch::default(), Seq::ZERO);
    loop {
        let batches = survey.read(session, after, ReadLimit::default())?;
        let Some(last) = batches.last() else { return Ok(watch.finish()) };
        after = last.last();
        for batch in &batches {
            batch.envelopes()?.iter().for_each(|envelope| watch.look(envelope));
        }
    }
}

fn print(found: &PlanSafety, out: &mut dyn Write) -> Result<()> {
    found.breaches.iter().try_for_each(|breach| print_breach(breach, out))?;
    if let Some(damage) = found.damage {
        writeln!(out, "seq {}: the log is damaged ({})", damage.seq, damage.code.name())?;
    }
    found.outside.iter().try_for_each(|outside| print_outside(outside, out))?;
    let PlanSafety { head, calls, programs, .. } = found;
    Ok(writeln!(out, "{head} events: {calls} calls started under plan mode, {programs} of them programs")?)
}

fn print_breach(breach: &Breach, out: &mut dyn Write) -> Result<()> {
    let Breach { seq, call_id, tool, class, sandbox } = breach;
    let confined = sandbox.as_ref().map_or_else(
        || "no sandbox".to_owned(),
        |sandbox| format!("sandbox {}, {}", sandbox.by, sandbox.profile.name()),
    );
    Ok(writeln!(out, "seq {seq}: {tool} ({call_id}) of class {} was started with {confined}", class.name())?)
}

fn print_outside(outside: &Outside, out: &mut dyn Write) -> Result<()> {
    let Outside { seq, kind, name } = outside;
    let what = match kind {
        OutsideKind::Hook => "the hook ran",
        OutsideKind::StartedBefore => "was running when plan mode was selected",
    };
    Ok(writeln!(out, "seq {seq}: outside the proof: {name}: {what}")?)
}
