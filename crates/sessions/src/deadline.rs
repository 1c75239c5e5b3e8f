//! Questions whose time runs: which is over first, and the loop that says so when it is.

use std::sync::Arc;

use events::{Actor, Epoch, QuestionId};
use projections::State;

use crate::{Clock, Command, Session, Submission};

/// The end of an open question's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// The question.
    pub question_id: QuestionId,
    /// Its revision.
    pub revision: u32,
    /// Milliseconds since 1970.
    pub at_ms: u64,
}

/// Returns the deadline that passes first under a host in `host_epoch`. Pure.
#[must_use]
pub fn next_deadline(state: &State, host_epoch: Option<Epoch>) -> Option<Deadline> {
    let running = state.questions.open.iter().filter_map(|question| {
        let at_ms = question.runs_out_at(host_epoch)?;
        Some(Deadline { question_id: question.asked.question_id, revision: question.asked.revision, at_ms })
    });
    running.min_by_key(|deadline| deadline.at_ms)
}

/// Lets the defaults of a session's questions stand when their time is over, until the session is closed.
pub async fn keep_deadlines(session: Session, clock: Arc<dyn Clock>) {
    let mut watch = session.watch();
    loop {
        let view = watch.borrow_and_update().clone();
        if let Some(next) = next_deadline(&view.state, view.host_epoch) {
            tokio::select! {
                changed = watch.changed() => match changed {
                    Ok(()) => continue,
                    Err(_) => return,
                },
                () = clock.reach(next.at_ms) => expire(&session, next).await,
            }
        }
        // Also after a refusal: whatever stood in the way, only another state can change it.
        if watch.changed().await.is_err() {
            return;
        }
    }
}

async fn expire(session: &Session, Deadline { question_id, revision, .. }: Deadline) {
    let command = Command::Expire { question_id, revision };
    let submission = Submission { actor: Actor::HOST, command, operation: None };
    if let Err(error) = session.submit(submission).await {
        tracing::debug!(session = %session.id(), %error, "a question's time is over, but it was not closed");
    }
}
