//! The session list: one line a session, folded from its state.

use events::{Epoch, GoalPhase, SessionId};
use projections::{Activation, FOLD_VERSION, FlightStage, State, TurnPhase};
use serde::{Deserialize, Serialize};
use store::{LogError, SessionHead};

/// One line of the session list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The session.
    pub session: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// What it is doing.
    pub status: SessionStatus,
    /// Time of its last batch, milliseconds since 1970.
    pub updated_at_ms: u64,
    /// Absolute path of its folder.
    pub workspace: String,
    /// The session it was forked from.
    pub parent: Option<SessionId>,
    /// Whether it is put away.
    pub archived: bool,
    /// Its goal.
    pub goal: Option<GoalRow>,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionStatus {
    /// Nothing.
    Idle,
    /// A turn runs.
    Running,
    /// A turn or a question waits for a person.
    Waiting,
    /// Its newest turn ended in an error.
    Error,
    /// Its log is damaged or was written by a newer build.
    Damaged,
}

/// A goal in the session list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalRow {
    /// Where it stands.
    pub phase: GoalPhase,
    /// Whether it may go on by itself.
    pub armed: bool,
}

/// What is kept of a session that nobody owns, so that a start need not fold it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptRow {
    /// The fold that it was made with.
    fold_version: u32,
    pub(crate) row: SessionRow,
    /// Whether it looked like work that only its host could have gone on with.
    pub(crate) was_at_work: bool,
}

impl KeptRow {
    pub(crate) fn of(session: SessionId, state: &State) -> Self {
        let row = row_of(session, state, None);
        Self { fold_version: FOLD_VERSION, row, was_at_work: was_at_work(state) }
    }

    /// Reads what was kept; one that another fold made is as good as none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let kept: Self = serde_json::from_slice(bytes).ok()?;
        (kept.fold_version == FOLD_VERSION).then_some(kept)
    }
}

/// Says whether a state looks like work that only its dead host could have gone on with.
fn was_at_work(state: &State) -> bool {
    let goal = state.goals.current.as_ref();
    let reserved =
        goal.is_some_and(|goal| goal.flight.as_ref().is_some_and(|f| f.stage == FlightStage::Queued));
    let armed = goal.is_some_and(|goal| goal.armed_in.is_some() && goal.goal.phase == GoalPhase::Active);
    state.damage.is_none() && !state.session.deleted && (state.turn.open.is_some() || reserved || armed)
}

pub(crate) fn row_of(session: SessionId, state: &State, host_epoch: Option<Epoch>) -> SessionRow {
    let slices = projections::Slices::of(state, host_epoch);
    let status = match (state.damage, slices.turn.phase, &state.turn.last_end) {
        (Some(_), _, _) => SessionStatus::Damaged,
        (None, TurnPhase::Running, _) => SessionStatus::Running,
        (None, TurnPhase::Waiting, _) => SessionStatus::Waiting,
        (None, TurnPhase::Idle, _) if !state.questions.open.is_empty() => SessionStatus::Waiting,
        (None, TurnPhase::Idle, Some(events::TurnEndReason::Error { .. })) => SessionStatus::Error,
        (None, TurnPhase::Idle, _) => SessionStatus::Idle,
    };
    let problem =
        state.damage.map(|damage| format!("damaged at event {} ({})", damage.seq, damage.code.name()));
    SessionRow {
        session,
        title: slices.title,
        status,
        updated_at_ms: state.at_ms,
        workspace: slices.session.workspace,
        parent: slices.session.parent.map(|parent| parent.session),
        archived: slices.session.archived,
        goal: state.goals.current.as_ref().map(|goal| GoalRow {
            phase: goal.goal.phase,
            armed: goal.activation(host_epoch) == Activation::Armed,
        }),
        problem,
    }
}

pub(crate) fn unreadable(head: &SessionHead, error: &LogError) -> SessionRow {
    SessionRow {
        session: head.session,
        title: None,
        status: SessionStatus::Damaged,
        updated_at_ms: head.updated_at_ms,
        workspace: String::new(),
        parent: head.parent.map(|parent| parent.session),
        archived: false,
        goal: None,
        problem: Some(error.to_string()),
    }
}
