//! The sessions of one process: created, forked, opened, taken over, listed.

use std::collections::HashMap;
use std::sync::Arc;

use events::{Actor, ClientId, Epoch, GoalPhase, NewEvent, Seq, SessionCreated, SessionId};
use parking_lot::Mutex;
use projections::{Activation, FlightStage, State, TurnPhase, fold_all};
use serde::Serialize;
use store::{Create, ForkPoint, Log, LogError, ReadLimit, SessionHead};
use tokio::sync::{OnceCell, mpsc, watch};

use crate::door::{Door, House, read_on};
use crate::{Clock, Code, Command, Limits, Refusal, Session, Submission, SubmitError, View, fork_batch};

/// The sessions of one process.
pub struct Sessions {
    house: Arc<House>,
    open: Mutex<HashMap<SessionId, Arc<OnceCell<Session>>>>,
    rows: Mutex<HashMap<SessionId, (Seq, SessionRow)>>,
}

/// What the sessions of a process need.
pub struct Setting {
    /// Where sessions are kept.
    pub log: Arc<dyn Log>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Names this process, e.g. `pid 4711`.
    pub host: String,
    /// The limits in force.
    pub limits: Limits,
}

/// A session to create.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its id, never used before.
    pub session: SessionId,
    /// A title.
    pub title: Option<String>,
    /// Absolute path of its folder.
    pub workspace: String,
    /// Who asks.
    pub client: ClientId,
}

/// One line of the session list.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GoalRow {
    /// Where it stands.
    pub phase: GoalPhase,
    /// Whether it may go on by itself.
    pub armed: bool,
}

impl Sessions {
    /// Returns the sessions of `setting.log`, and the ids of those that this process comes to own, as it does.
    #[must_use]
    pub fn new(setting: Setting) -> (Arc<Self>, mpsc::UnboundedReceiver<SessionId>) {
        let (owned, told) = mpsc::unbounded_channel();
        let house = House {
            log: setting.log,
            clock: setting.clock,
            host: setting.host,
            limits: setting.limits,
            changes: watch::Sender::new(0),
            owned,
        };
        let sessions = Self { house: Arc::new(house), open: Mutex::default(), rows: Mutex::default() };
        (Arc::new(sessions), told)
    }

    /// Returns the log that the sessions are kept in.
    #[must_use]
    pub fn log(&self) -> &Arc<dyn Log> {
        &self.house.log
    }

    /// Returns a count that moves whenever anything about any session changed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.house.changes.subscribe()
    }

    /// Creates a session; this process owns it.
    ///
    /// # Errors
    ///
    /// `Exists` when the id was ever used, and what the log says.
    pub async fn create(&self, new: NewSession) -> Result<Session, SubmitError> {
        let created = SessionCreated {
            title: new.title,
            workspace: new.workspace,
            parent: None,
            fork_seq: None,
            preset: None,
        };
        let actor = Actor::user(new.client);
        let events = vec![NewEvent { cause: None, actor, event: created.into() }];
        self.begin(new.session, None, events).await
    }

    /// Creates a session that shares everything up to `at` with `parent`, rounded down to a batch end.
    /// Returns it with the last shared seq.
    ///
    /// # Errors
    ///
    /// `FORK_OPEN_TURN`, naming the last legal seq, when a turn is open there; what the log says.
    pub async fn fork(
        &self,
        parent: SessionId,
        at: Seq,
        (child, client): (SessionId, ClientId),
    ) -> Result<(Session, Seq), SubmitError> {
        let (state, legal) = self.state_at(parent, at).await?;
        if state.turn.open.is_some() {
            let message =
                format!("a turn is open at event {at}; the last place to fork before it is event {legal}");
            return Err(Refusal::new(Code::ForkOpenTurn, message).into());
        }
        let created = SessionCreated {
            title: None,
            workspace: state.session.workspace.clone(),
            parent: Some(parent),
            fork_seq: Some(state.head),
            preset: None,
        };
        let actor = Actor::user(client);
        let all = std::iter::once(created.into()).chain(fork_batch(&state));
        let events = all.map(|event| NewEvent { cause: None, actor: actor.clone(), event }).collect();
        let point = ForkPoint { session: parent, seq: state.head };
        let session = self.begin(child, Some(point), events).await?;
        Ok((session, state.head))
    }

    /// Folds a session up to the last batch end at or before `at`; also returns the last one without an open turn.
    ///
    /// # Errors
    ///
    /// What the log says.
    pub async fn state_at(&self, id: SessionId, at: Seq) -> Result<(State, Seq), LogError> {
        let mut state = State::default();
        let mut legal = Seq::ZERO;
        loop {
            let batches = self.house.log.read(id, state.head, ReadLimit::default()).await?;
            for batch in &batches {
                if batch.last() > at {
                    return Ok((state, legal));
                }
                fold_all(&mut state, &batch.envelopes()?);
                if state.turn.open.is_none() {
                    legal = state.head;
                }
            }
            if batches.is_empty() {
                return Ok((state, legal));
            }
        }
    }

    async fn begin(
        &self,
        id: SessionId,
        parent: Option<ForkPoint>,
        events: Vec<NewEvent>,
    ) -> Result<Session, SubmitError> {
        let create = Create {
            session: id,
            parent,
            host: self.house.host.clone(),
            at_ms: self.house.clock.now_ms(),
            operation: None,
            events,
        };
        let appended = self.house.log.create(create).await?;
        Ok(self.opened(id, Some(appended.epoch)).await?)
    }

    /// Returns a session, folding its log when it is not in memory. Nothing is written.
    ///
    /// # Errors
    ///
    /// `NotFound`, `Corrupt`, or an event that this build cannot read.
    pub async fn open(&self, id: SessionId) -> Result<Session, LogError> {
        self.opened(id, None).await
    }

    async fn opened(&self, id: SessionId, epoch: Option<Epoch>) -> Result<Session, LogError> {
        let cell = self.cell(id);
        let opened = cell.get_or_try_init(|| self.fold_and_serve(id, epoch)).await.cloned();
        if opened.is_err() {
            self.open.lock().remove(&id);
        }
        opened
    }

    /// Returns the place of a session in memory; one whose door broke down makes room for a new one.
    fn cell(&self, id: SessionId) -> Arc<OnceCell<Session>> {
        let mut open = self.open.lock();
        if open.get(&id).and_then(|cell| cell.get()).is_some_and(Session::is_closed) {
            open.remove(&id);
        }
        Arc::clone(open.entry(id).or_default())
    }

    async fn fold_and_serve(&self, id: SessionId, epoch: Option<Epoch>) -> Result<Session, LogError> {
        let head = self.house.log.head(id).await?;
        if head.deleted {
            return Err(LogError::NotFound { session: id });
        }
        let mut state = State::default();
        read_on(self.house.log.as_ref(), id, &mut state).await?;
        let state = Arc::new(state);
        let (view, seen) = watch::channel(View { state: Arc::clone(&state), host_epoch: epoch });
        let door = Door { id, house: Arc::clone(&self.house), state, epoch, view };
        self.house.changes.send_modify(|count| *count += 1);
        Ok(Session::start(id, Arc::clone(&self.house.log), door, seen))
    }

    /// Takes over every session that its last host left at work, so that nothing dead looks alive. Returns how many.
    /// A session that cannot be read is left as it is, with a line in the log.
    ///
    /// # Errors
    ///
    /// When the list of sessions cannot be read.
    pub async fn recover(&self) -> Result<usize, LogError> {
        let mut taken = 0;
        for head in self.house.log.sessions().await? {
            match self.recover_one(head.session).await {
                Ok(took_over) => taken += usize::from(took_over),
                Err(error) => tracing::error!(session = %head.session, %error, "not taken over"),
            }
        }
        Ok(taken)
    }

    async fn recover_one(&self, id: SessionId) -> Result<bool, SubmitError> {
        let mut state = State::default();
        read_on(self.house.log.as_ref(), id, &mut state).await?;
        self.remember(id, &state);
        if !was_at_work(&state) {
            return Ok(false);
        }
        let session = self.open(id).await?;
        session.submit(Submission { actor: Actor::HOST, command: Command::Own, operation: None }).await?;
        Ok(true)
    }

    /// Returns the session list, newest first. Sessions that are put away are in it.
    ///
    /// # Errors
    ///
    /// When the list of sessions cannot be read.
    pub async fn rows(&self) -> Result<Vec<SessionRow>, LogError> {
        let mut rows = Vec::new();
        for head in self.house.log.sessions().await? {
            rows.push(self.row(&head).await);
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.updated_at_ms));
        Ok(rows)
    }

    async fn row(&self, head: &SessionHead) -> SessionRow {
        let live = self.open.lock().get(&head.session).and_then(|cell| cell.get().cloned());
        if let Some(session) = live {
            let view = session.view();
            return row_of(head.session, &view.state, view.host_epoch);
        }
        let remembered = self.rows.lock().get(&head.session).cloned();
        if let Some((seq, row)) = remembered
            && seq == head.seq
        {
            return row;
        }
        let mut state = State::default();
        match read_on(self.house.log.as_ref(), head.session, &mut state).await {
            Ok(()) => self.remember(head.session, &state),
            Err(error) => unreadable(head, &error),
        }
    }

    fn remember(&self, id: SessionId, state: &State) -> SessionRow {
        let row = row_of(id, state, None);
        self.rows.lock().insert(id, (state.head, row.clone()));
        row
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

fn row_of(session: SessionId, state: &State, host_epoch: Option<Epoch>) -> SessionRow {
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

fn unreadable(head: &SessionHead, error: &LogError) -> SessionRow {
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
