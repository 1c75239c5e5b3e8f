//! The sessions of one process: created, forked, opened, taken over, listed.

use std::collections::HashMap;
use std::sync::Arc;

use events::{Actor, ClientId, Epoch, NewEvent, Seq, SessionCreated, SessionId};
use parking_lot::Mutex;
use projections::{State, fold_all};
use store::{Create, ForkPoint, Log, LogError, ReadLimit, SessionHead};
use tokio::sync::{OnceCell, mpsc, watch};

use crate::door::{Door, House};
use crate::list::{KeptRow, SessionRow, row_of, unreadable};
use crate::restore::{Kept, keep_row, newest_snapshot, newest_state, state_after};
use crate::{Clock, Code, Command, Limits, Refusal, Session, Submission, SubmitError, View, fork_batch};

/// The sessions of one process.
pub struct Sessions {
    house: Arc<House>,
    open: Mutex<HashMap<SessionId, Arc<OnceCell<Session>>>>,
    /// The list's lines of sessions that are not in memory, with the seq that each was made from.
    rows: Mutex<HashMap<SessionId, (Seq, KeptRow)>>,
    rows_are_loaded: OnceCell<()>,
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

/// What is known of a session that was just begun.
struct Begun {
    epoch: Epoch,
    /// The state before its first batch.
    before: State,
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
        let sessions = Self {
            house: Arc::new(house),
            open: Mutex::default(),
            rows: Mutex::default(),
            rows_are_loaded: OnceCell::new(),
        };
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
        self.begin(new.session, (None, State::default()), events).await
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
        let session = self.begin(child, (Some(point), state), events).await?;
        Ok((session, point.seq))
    }

    /// Folds a session up to the last batch end at or before `at`; also returns the last one without an open turn.
    ///
    /// # Errors
    ///
    /// What the log says.
    pub async fn state_at(&self, id: SessionId, at: Seq) -> Result<(State, Seq), LogError> {
        if let Some(state) = self.idle_state_at(id, at).await? {
            let head = state.head;
            return Ok((state, head));
        }
        let start = newest_snapshot(self.house.log.as_ref(), id, at).await?;
        let mut from = start.head;
        let (state, mut legal) = self.fold_to(id, at, start).await?;
        while legal == Seq::ZERO && from > Seq::ZERO {
            // The turn was open at the snapshot already: the last place without one is before it.
            let start = newest_snapshot(self.house.log.as_ref(), id, Seq(from.0 - 1)).await?;
            let to = std::mem::replace(&mut from, start.head);
            legal = self.fold_to(id, to, start).await?.1;
        }
        Ok((state, legal))
    }

    /// Returns the state at `at` when it is the one in memory and no turn is open in it.
    async fn idle_state_at(&self, id: SessionId, at: Seq) -> Result<Option<State>, LogError> {
        let Some(session) = self.in_memory(id) else { return Ok(None) };
        let head = self.house.log.head(id).await?;
        let state = session.view().state;
        let is_wanted = !head.deleted && state.head == head.seq.min(at) && state.turn.open.is_none();
        Ok(is_wanted.then(|| State::clone(&state)))
    }

    fn in_memory(&self, id: SessionId) -> Option<Session> {
        self.open.lock().get(&id).and_then(|cell| cell.get().cloned())
    }

    /// Folds from `start` to the last batch end at or before `at`; also returns the last one without an open turn.
    async fn fold_to(&self, id: SessionId, at: Seq, start: State) -> Result<(State, Seq), LogError> {
        let mut state = start;
        let mut legal = if state.turn.open.is_none() { state.head } else { Seq::ZERO };
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

    /// Begins a session that shares what `parent` holds, `before` when folded.
    async fn begin(
        &self,
        id: SessionId,
        (parent, before): (Option<ForkPoint>, State),
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
        let epoch = self.house.log.create(create).await?.epoch;
        Ok(self.opened(id, Some(Begun { epoch, before })).await?)
    }

    /// Returns a session, folding its log when it is not in memory. Nothing is written.
    ///
    /// # Errors
    ///
    /// `NotFound`, `Corrupt`, or an event that this build cannot read.
    pub async fn open(&self, id: SessionId) -> Result<Session, LogError> {
        self.opened(id, None).await
    }

    async fn opened(&self, id: SessionId, begun: Option<Begun>) -> Result<Session, LogError> {
        let cell = self.cell(id);
        let opened = cell.get_or_try_init(|| self.fold_and_serve(id, begun)).await.cloned();
        if opened.is_err() {
            self.open.lock().remove(&id);
            // What went wrong may be news for the list.
            self.house.changes.send_modify(|count| *count += 1);
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

    async fn fold_and_serve(&self, id: SessionId, begun: Option<Begun>) -> Result<Session, LogError> {
        let head = self.house.log.head(id).await?;
        if head.deleted {
            return Err(LogError::NotFound { session: id });
        }
        let epoch = begun.as_ref().map(|begun| begun.epoch);
        let (state, snapshot) = match begun {
            None => newest_state(&self.house.log, id).await?,
            // There is no snapshot of it: a long one leaves its first one soon.
            Some(Begun { before, .. }) => (state_after(&self.house.log, id, before).await?, Seq::ZERO),
        };
        let (view, seen) = watch::channel(View { state: Arc::clone(&state), host_epoch: epoch });
        // A session that was only opened has the row that it had.
        let row = if epoch.is_some() { Seq::ZERO } else { state.head };
        let kept = Kept::upto(snapshot, row);
        let door = Door { id, house: Arc::clone(&self.house), state, epoch, view, kept };
        self.house.changes.send_modify(|count| *count += 1);
        Ok(Session::start(door, seen))
    }

    /// Takes over every session that its last host left at work, so that nothing dead looks alive. Returns how many.
    /// A session that cannot be read is left as it is, with a line in the log.
    ///
    /// # Errors
    ///
    /// When the list of sessions cannot be read.
    pub async fn recover(&self) -> Result<usize, LogError> {
        self.load_rows().await?;
        let mut taken = 0;
        for head in self.house.log.sessions().await? {
            match self.recover_one(&head).await {
                Ok(took_over) => taken += usize::from(took_over),
                Err(error) => tracing::error!(session = %head.session, %error, "not taken over"),
            }
        }
        Ok(taken)
    }

    async fn recover_one(&self, head: &SessionHead) -> Result<bool, SubmitError> {
        let id = head.session;
        let kept = match self.remembered(head) {
            Some(kept) => kept,
            None => self.remember(id).await?,
        };
        if kept.was_at_work {
            let session = self.open(id).await?;
            session.submit(Submission { actor: Actor::HOST, command: Command::Own, operation: None }).await?;
        }
        Ok(kept.was_at_work)
    }

    /// Takes over what an earlier process kept of the list, once.
    async fn load_rows(&self) -> Result<(), LogError> {
        let loading = || async {
            let kept = self.house.log.rows().await?;
            let mut rows = self.rows.lock();
            for row in kept {
                if let Some(kept) = KeptRow::read(&row.bytes) {
                    rows.insert(row.session, (row.seq, kept));
                }
            }
            Ok(())
        };
        self.rows_are_loaded.get_or_try_init(loading).await.copied()
    }

    /// Returns the session list, newest first. Sessions that are put away are in it.
    ///
    /// # Errors
    ///
    /// When the list of sessions cannot be read.
    pub async fn rows(&self) -> Result<Vec<SessionRow>, LogError> {
        self.load_rows().await?;
        let mut rows = Vec::new();
        for head in self.house.log.sessions().await? {
            rows.push(self.row(&head).await);
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.updated_at_ms));
        Ok(rows)
    }

    async fn row(&self, head: &SessionHead) -> SessionRow {
        if let Some(session) = self.in_memory(head.session) {
            let view = session.view();
            return row_of(head.session, &view.state, view.host_epoch);
        }
        if let Some(kept) = self.remembered(head) {
            return kept.row;
        }
        match self.remember(head.session).await {
            Ok(kept) => kept.row,
            Err(error) => unreadable(head, &error),
        }
    }

    /// Returns the line that is known of a session, unless the session has gone on since.
    fn remembered(&self, head: &SessionHead) -> Option<KeptRow> {
        let rows = self.rows.lock();
        rows.get(&head.session).filter(|(seq, _)| *seq == head.seq).map(|(_, kept)| kept.clone())
    }

    /// Folds a session for its line, and remembers that here and for the next start.
    async fn remember(&self, id: SessionId) -> Result<KeptRow, LogError> {
        let (state, _) = newest_state(&self.house.log, id).await?;
        let kept = KeptRow::of(id, &state);
        self.rows.lock().insert(id, (state.head, kept.clone()));
        keep_row(self.house.log.as_ref(), id, state.head, &kept).await;
        Ok(kept)
    }
}
