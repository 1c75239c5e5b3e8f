//! The session list: one line a session, folded from its state.

use events::{Epoch, GoalPhase, SessionId};
use projections::{Activation, FOLD_VERSION, FlightStage, State, TurnPhase, TurnSlice};
use serde::{Deserialize, Serialize};
use store::LogError;

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
    /// Whether it was being deleted.
    #[serde(default)]
    pub(crate) deleted: bool,
}

impl KeptRow {
    pub(crate) fn of(session: SessionId, state: &State) -> Self {
        let row = row_of(session, state, None);
        let (was_at_work, deleted) = (was_at_work(state), state.session.deleted);
        Self { fold_version: FOLD_VERSION, row, was_at_work, deleted }
    }

    /// Reads what was kept; one that another fold made is as good as none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let kept: Self = serde_json::from_slice(bytes).ok()?;
        (kept.fold_version == FOLD_VERSION).then_some(kept)
    }
}

/// Says whether a state looks like work that only its dead host could have gone on with, its deletion included.
fn was_at_work(state: &State) -> bool {
    let goal = state.goals.current.as_ref();
    let reserved =
        goal.is_some_and(|goal| goal.flight.as_ref().is_some_and(|f| f.stage == FlightStage::Queued));
    let armed = goal.is_some_and(|goal| goal.armed_in.is_some() && goal.goal.phase == GoalPhase::Active);
    let at_work = state.turn.open.is_some() || reserved || armed;
    state.damage.is_none() && (at_work || state.session.deleted)
}

/// Says whether nothing happens in a session until somebody asks for something: no turn is open, no round is due, and
/// nothing waits that its agent would take up.
pub(crate) fn is_at_rest(state: &State, host_epoch: Option<Epoch>) -> bool {
    let Some(epoch) = host_epoch else { return true };
    if state.damage.is_some() || state.session.deleted {
        return true;
    }
    let goal = state.goals.current.as_ref();
    let goes_on =
        goal.is_some_and(|goal| goal.flight.is_some() || goal.activation(host_epoch) == Activation::Armed);
    let wakes = state.inbox.iter().any(|input| input.wakes && input.runs_in(epoch));
    let has_deadline = state.questions.open.iter().any(|question| question.asked.deadline.is_some());
    state.turn.open.is_none() && !goes_on && !wakes && !has_deadline
}

pub(crate) fn row_of(session: SessionId, state: &State, host_epoch: Option<Epoch>) -> SessionRow {
    let turn = TurnSlice::of(state, host_epoch);
    let status = match (state.damage, turn.phase, &state.turn.last_end) {
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
        title: state.session.title.clone(),
        status,
        updated_at_ms: state.at_ms,
        workspace: state.session.workspace.clone(),
        parent: state.session.parent.map(|(parent, _)| parent),
        archived: state.session.archived,
        goal: state.goals.current.as_ref().map(|goal| GoalRow {
            phase: goal.goal.phase,
            armed: goal.activation(host_epoch) == Activation::Armed,
        }),
        problem,
    }
}

/// Returns the row of a session that cannot be read: what was known of it, and what is wrong.
pub(crate) fn unreadable(session: SessionId, known: Option<&SessionRow>, error: &LogError) -> SessionRow {
    let nothing = || SessionRow {
        session,
        title: None,
        status: SessionStatus::Damaged,
        updated_at_ms: 0,
        workspace: String::new(),
        parent: None,
        archived: false,
        goal: None,
        problem: None,
    };
    let known = known.cloned().unwrap_or_else(nothing);
    SessionRow { status: SessionStatus::Damaged, problem: Some(error.to_string()), ..known }
}
