//! What the workspace looks like when a goal's round begins and ends: whether it made progress is read off that.

use events::Digest;
use projections::{FlightStage, State, WorkspaceMark};
use tokio_util::sync::CancellationToken;
use tools::{Fingerprint, ToolError};

use crate::agent::Agent;

impl Agent {
    /// Looks at the workspace for a round that is about to begin, or for the one that the open turn runs. A turn of
    /// anybody else is not worth the look.
    pub(crate) async fn mark(&self, state: &State) -> WorkspaceMark {
        if !concerns_a_round(state) {
            return WorkspaceMark::default();
        }
        match self.look(state).await {
            Ok(seen) => WorkspaceMark { head: seen.head, dirty_hash: Some(Digest(seen.files)) },
            Err(error) => {
                tracing::warn!(session = %self.session.id(), %error, "the workspace was not looked at");
                WorkspaceMark::default()
            }
        }
    }

    /// A look that nobody waits for any more stops.
    async fn look(&self, state: &State) -> Result<Fingerprint, ToolError> {
        let workspace = self.workspace(state)?;
        let cancel = CancellationToken::new();
        let stops = cancel.clone().drop_guard();
        let look = tokio::task::spawn_blocking(move || workspace.fingerprint(&cancel));
        let seen = look.await.unwrap_or(Err(ToolError::Aborted));
        drop(stops);
        seen
    }
}

fn concerns_a_round(state: &State) -> bool {
    let Some(current) = &state.goals.current else { return false };
    match &state.turn.open {
        None => current.flight.as_ref().is_some_and(|flight| flight.stage == FlightStage::Queued),
        Some(open) => current.is_run_by(open),
    }
}
