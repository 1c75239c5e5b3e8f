//! The plans of a session over HTTP: every version, its text, and what it changed.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use events::{PlanProposed, Seq, SessionEvent};
use projections::ProposalSlice;
use serde_json::{Value, json};
use sessions::{ReadLimit, Session};
use similar::TextDiff;

use crate::errors::Fault;
use crate::http::opened;
use crate::requests::{DiffWanted, Wanted, query};
use crate::serve::Front;

type Shared = State<Arc<Front>>;
type Answer = Result<Json<Value>, Fault>;

/// After this a diff is coarser instead of minimal.
const DIFF_TIME_MAX: Duration = Duration::from_millis(500);

/// Answers every version at hand, newest first.
pub(crate) async fn versions(State(front): Shared, Path(id): Path<String>) -> Answer {
    let session = opened(&front, &id).await?;
    let state = session.view().state;
    let versions: Vec<ProposalSlice> = state.plan.versions().map(ProposalSlice::of).collect();
    Ok(Json(json!({ "versions": versions })))
}

/// Answers the text with a hash.
pub(crate) async fn text(State(front): Shared, Path((id, sha256)): Path<(String, String)>) -> Answer {
    let session = opened(&front, &id).await?;
    let plan = proposed(&session, &sha256).await?;
    Ok(Json(json!({
        "markdown": plan.markdown, "title": plan.title, "plan_id": plan.plan_id, "revision": plan.revision,
    })))
}

/// Answers what a version changed: since the one that is named, else since the one before it.
pub(crate) async fn difference(
    State(front): Shared,
    Path((id, sha256)): Path<(String, String)>,
    wanted: Wanted<DiffWanted>,
) -> Answer {
    let session = opened(&front, &id).await?;
    let from = match query(wanted)?.from {
        Some(from) => from,
        None => before(&session, &sha256)?,
    };
    let (old, new) = (proposed(&session, &from).await?, proposed(&session, &sha256).await?);
    let name = |plan: &PlanProposed| format!("revision {} of plan {}", plan.revision, plan.plan_id);
    let diff = TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(&old.markdown, &new.markdown);
    let text = diff.unified_diff().context_radius(3).header(&name(&old), &name(&new)).to_string();
    Ok(Json(json!({ "from": from, "to": sha256, "diff": text })))
}

/// Returns the hash of the version before the one with this hash.
fn before(session: &Session, sha256: &str) -> Result<String, Fault> {
    let state = session.view().state;
    let mut older = state.plan.versions().skip_while(|version| version.sha256.0 != sha256).skip(1);
    let before = older.next().map(|version| version.sha256.0.clone());
    before.ok_or_else(|| {
        let message = "there is no version before this one at hand; name the one to compare with as ?from=";
        Fault::new(StatusCode::NOT_FOUND, "PLAN_NOT_FOUND", message)
    })
}

/// Reads a plan from the log. Only one whose place is not at hand is looked for from the beginning.
async fn proposed(session: &Session, sha256: &str) -> Result<PlanProposed, Fault> {
    let state = session.view().state;
    let known = state.plan.versions().find(|version| version.sha256.0 == sha256);
    let mut after = known.map_or(Seq::ZERO, |known| Seq(known.seq.0 - 1));
    loop {
        let batches = session.read(after, ReadLimit { events: 512, bytes: 1 << 20 }).await?;
        let Some(last) = batches.last() else {
            let message = format!("this session has no plan with the hash {sha256}");
            return Err(Fault::new(StatusCode::NOT_FOUND, "PLAN_NOT_FOUND", message));
        };
        after = last.last();
        for batch in batches.iter().filter(|batch| batch.lines().any(|line| line.contains("plan/proposed"))) {
            let found = batch.envelopes()?.into_iter().find_map(|envelope| plan_in(envelope.event, sha256));
            if let Some(plan) = found {
                return Ok(plan);
            }
        }
    }
}

fn plan_in(event: SessionEvent, sha256: &str) -> Option<PlanProposed> {
    match event {
        SessionEvent::PlanProposed(plan) if plan.sha256.0 == sha256 => Some(plan),
        _ => None,
    }
}
