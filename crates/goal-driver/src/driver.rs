//! The loop: look, ask what is due, submit it.

use std::time::Duration;

use events::Actor;
use projections::Waiting;
use sessions::{Command, DriverCommand, Session, Submission, SubmitError};

use crate::{Step, next_step};

/// How long the driver waits before it tries again what the log could not take.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How often the driver looks at the clock while it waits for a provider to come back.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Drives the goal of `session` until the session is closed in this process, or the future is dropped.
pub async fn run(session: Session) {
    let mut watch = session.watch();
    loop {
        let view = watch.borrow_and_update().clone();
        let step = next_step(&view.state, view.host_epoch, session.now_ms());
        let backs_off = matches!(step, Step::Wait { why: Some(Waiting::BackOff(_)) });
        let submitted = match command(step) {
            None => None,
            Some(command) => {
                let command = Command::Driver(command);
                Some(session.submit(Submission { actor: Actor::DRIVER, command, operation: None }).await)
            }
        };
        match submitted {
            Some(Ok(_)) => {}
            Some(Err(SubmitError::Log(error))) => {
                tracing::error!(session = %session.id(), %error, "the log did not take the driver's record");
                tokio::time::sleep(RETRY_AFTER).await;
            }
            None if backs_off => {
                if let Ok(Err(_)) = tokio::time::timeout(LOOK_EVERY, watch.changed()).await {
                    return;
                }
            }
            // Nothing is due, or the state moved on between the look and the decision.
            None | Some(Err(SubmitError::Refused(_))) => {
                if watch.changed().await.is_err() {
                    return;
                }
            }
            Some(Err(SubmitError::Closed)) => return,
        }
    }
}

fn command(step: Step) -> Option<DriverCommand> {
    match step {
        Step::Wait { .. } => None,
        Step::Reserve { goal, round } => Some(DriverCommand::Reserve { goal, round }),
        Step::Block { goal, code, message } => {
            Some(DriverCommand::Block { goal, code: code.to_owned(), message })
        }
    }
}
