//! Why an armed goal stands still.

use events::{Epoch, GoalPhase};

use crate::{Activation, BackOff, Goals, State};

/// Why no round of the goal is about to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// The goal is paused, blocked or complete.
    Phase(GoalPhase),
    /// It is disarmed; the text says by what.
    Disarmed(String),
    /// Plan mode is on or selected.
    PlanMode,
    /// A round is queued or running.
    RoundInFlight,
    /// Another turn is open.
    TurnOpen,
    /// Input from a person comes first.
    InputFirst,
    /// The provider has an outage.
    BackOff(BackOff),
    /// The session is deleted or its log is damaged.
    Closed,
}

impl Waiting {
    /// Returns the reason in words for a person.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Phase(phase) => format!("the goal is {}", phase.name()),
            Self::Disarmed(by) => format!("disarmed: {by}"),
            Self::PlanMode => "plan mode is on".to_owned(),
            Self::RoundInFlight => "a round is in flight".to_owned(),
            Self::TurnOpen => "another turn is running".to_owned(),
            Self::InputFirst => "your input comes first".to_owned(),
            Self::BackOff(BackOff { retry, code }) => format!(
                "the model could not be asked ({code}); retry {} starts at {}",
                retry.retry,
                time_of_day(retry.not_before_ms)
            ),
            Self::Closed => "the session takes no more work".to_owned(),
        }
    }
}

impl Goals {
    /// Returns why no round is about to start; none when the next one is due.
    #[must_use]
    pub fn waiting(state: &State, host_epoch: Option<Epoch>) -> Option<Waiting> {
        let current = state.goals.current.as_ref()?;
        if state.damage.is_some() || state.session.deleted {
            return Some(Waiting::Closed);
        }
        if current.goal.phase != GoalPhase::Active {
            return Some(Waiting::Phase(current.goal.phase));
        }
        if current.activation(host_epoch) == Activation::Disarmed {
            let by = current.disarmed_by.clone().unwrap_or_else(|| "the session was taken over".to_owned());
            return Some(Waiting::Disarmed(by));
        }
        if current.flight.is_some() {
            return Some(Waiting::RoundInFlight);
        }
        if state.is_planning() {
            return Some(Waiting::PlanMode);
        }
        if state.turn.open.is_some() {
            return Some(Waiting::TurnOpen);
        }
        let person_waits = |epoch| state.inbox.iter().any(|input| input.wakes && input.runs_in(epoch));
        if host_epoch.is_some_and(person_waits) {
            return Some(Waiting::InputFirst);
        }
        current.back_off.clone().map(Waiting::BackOff)
    }
}

/// Returns the time of day of a moment in milliseconds since 1970.
fn time_of_day(at_ms: u64) -> String {
    let seconds = at_ms / 1000 % 86_400;
    format!("{:02}:{:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
