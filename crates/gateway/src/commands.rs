//! Commands of clients on their way to a session: in order for each session, several sessions at a time.

use std::collections::HashMap;
use std::sync::Arc;

use events::{ClientId, CommandId, SessionId};
use projections::Slices;
use serde_json::Value;
use sessions::{Receipt, Session, Sessions, Submission, SubmitError};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tracing::{Instrument, debug_span};

use crate::errors::Fault;
use crate::frames::{Refused, ServerFrame, command_of};
use crate::outbox::Outbox;

/// A command with its sender, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) client: ClientId,
    pub(crate) id: CommandId,
    pub(crate) session: SessionId,
    pub(crate) command: Value,
}

/// Carries a command out.
pub(crate) async fn carry_out(sessions: &Sessions, asked: Asked) -> Result<Receipt, Fault> {
    let command = command_of(asked.command)?;
    let span = debug_span!("command", session = %asked.session, id = %asked.id, client = %asked.client);
    let submit = async {
        let session = sessions.open(asked.session).await?;
        let submission = Submission::from_client(asked.client, asked.id, command);
        session.submit(submission).await.map_err(|error| explained(error, &session))
    };
    submit.instrument(span).await
}

/// Adds the state that refused a command, so that its sender sees what it did not know.
fn explained(error: SubmitError, session: &Session) -> Fault {
    let mut fault = Fault::from(error);
    fault.current = current(fault.code, || session.view().slices());
    fault
}

fn current(code: &str, slices: impl FnOnce() -> Slices) -> Option<Value> {
    let value = match code.split('_').next() {
        Some("GOAL") => serde_json::to_value(slices().goal),
        Some("PLAN" | "MODE") => serde_json::to_value(slices().plan),
        Some("QUESTION") => serde_json::to_value(slices().questions),
        Some("INPUT" | "INBOX") => serde_json::to_value(slices().inbox),
        _ => return None,
    };
    Some(value.expect("a slice has no value that JSON lacks"))
}

/// The commands of one socket.
pub(crate) struct Lanes {
    sessions: Arc<Sessions>,
    outbox: Arc<Outbox>,
    /// The newest command of each session; those before it run before it.
    newest: HashMap<SessionId, JoinHandle<()>>,
    in_flight: Arc<Semaphore>,
}

impl Lanes {
    pub(crate) fn new(sessions: Arc<Sessions>, outbox: Arc<Outbox>, in_flight_max: usize) -> Self {
        let in_flight = Arc::new(Semaphore::new(in_flight_max));
        Self { sessions, outbox, newest: HashMap::new(), in_flight }
    }

    /// Sends a command on its way; its answer goes to the outbox. What is on its way is carried out also when the
    /// client leaves.
    pub(crate) fn submit(&mut self, asked: Asked) -> Result<(), Fault> {
        let Ok(permit) = Arc::clone(&self.in_flight).try_acquire_owned() else {
            let message = "too many commands of this connection are on their way; wait for their answers";
            return Err(Fault::new(axum::http::StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_COMMANDS", message));
        };
        self.newest.retain(|_, command| !command.is_finished());
        let session = asked.session;
        let before = self.newest.remove(&session);
        let (sessions, outbox) = (Arc::clone(&self.sessions), Arc::clone(&self.outbox));
        let command = tokio::spawn(async move {
            if let Some(before) = before {
                // A command that panicked has taken nothing from this one.
                let _ = before.await;
            }
            answer(&sessions, asked, &outbox).await;
            drop(permit);
        });
        self.newest.insert(session, command);
        Ok(())
    }
}

async fn answer(sessions: &Sessions, asked: Asked, outbox: &Outbox) {
    let (id, session) = (asked.id, asked.session);
    let frame = match carry_out(sessions, asked).await {
        Ok(Receipt { seq }) => ServerFrame::Receipt { id, session, seq, reply: None }.text(),
        Err(fault) => Refused::command(id, session, fault).text(),
    };
    // Whoever asked may have left; the log has the answer.
    let _ = outbox.push(frame).await;
}
