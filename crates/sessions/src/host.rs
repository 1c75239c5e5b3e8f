//! The sessions of one process: created, forked, opened, taken over, listed.

mod listed;

use std::sync::Arc;

use events::{Actor, ClientId, NewEvent, Seq, SessionCreated, SessionId};
use parking_lot::Mutex;
use projections::State;
use store::{Create, ForkPoint, Log, LogError};
use tokio::sync::{OnceCell, mpsc, watch};

use crate::door::{Door, House};
use crate::list::unreadable;
use crate::listing::Listing;
use crate::residence::Residence;
use crate::restore::{Kept, newest_state, state_after, state_at};
use crate::{
    Clock, Code, Command, Limits, ModelCatalogue, Refusal, Residency, Session, Submission, SubmitError, View,
    fork_batch,
};

/// The sessions of one process.
pub struct Sessions {
    house: Arc<House>,
    residence: Residence<Session>,
    residency: Residency,
    /// The sessions that were at work when the list was filled.
    loaded: OnceCell<Vec<SessionId>>,
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
    /// The models that people may choose from.
    pub models: Arc<ModelCatalogue>,
    /// How much may stay in memory.
    pub residency: Residency,
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

impl Sessions {
    /// Returns the sessions of `setting.log`, and those that this process comes to own, as it does, for their workers:
    /// these handles do not keep a session in memory.
    #[must_use]
    pub fn new(setting: Setting) -> (Arc<Self>, mpsc::UnboundedReceiver<Session>) {
        let (owned, told) = mpsc::unbounded_channel();
        let house = House {
            log: setting.log,
            clock: setting.clock,
            host: setting.host,
            limits: setting.limits,
            models: setting.models,
            list: Listing::new(),
            epochs: Mutex::default(),
            owned,
        };
        let sessions = Self {
            house: Arc::new(house),
            residence: Residence::new(),
            residency: setting.residency,
            loaded: OnceCell::new(),
        };
        (Arc::new(sessions), told)
    }

    /// Returns the log that the sessions are kept in.
    #[must_use]
    pub fn log(&self) -> &Arc<dyn Log> {
        &self.house.log
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
        let cut = state.head;
        let session = self.begin(child, (Some(point), state), events).await?;
        Ok((session, cut))
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
        state_at(&self.house.log, id, at).await
    }

    /// Returns the state at `at` when it is the one in memory and no turn is open in it.
    async fn idle_state_at(&self, id: SessionId, at: Seq) -> Result<Option<State>, LogError> {
        let Some(session) = self.residence.present(id) else { return Ok(None) };
        let head = self.house.log.head(id).await?;
        let state = session.view().state;
        let is_wanted = !head.deleted && state.head == head.seq.min(at) && state.turn.open.is_none();
        Ok(is_wanted.then(|| State::clone(&state)))
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
        let appended = self.house.log.create(create).await?;
        self.house.epochs.lock().insert(id, appended.epoch);
        let session = self.bring_in(id, Some(before)).await?;
        self.make_room().await;
        Ok(session)
    }

    /// Returns a session, folding its log when it is not in memory. Nothing is written. It stays in memory as long as
    /// what is returned, or a clone of it, is kept.
    ///
    /// # Errors
    ///
    /// `NotFound`, `Corrupt`, or an event that this build cannot read.
    pub async fn open(&self, id: SessionId) -> Result<Session, LogError> {
        let session = self.bring_in(id, None).await?;
        self.make_room().await;
        Ok(session)
    }

    /// Returns a session as [`Sessions::open`] does; what is known of its beginning need not be folded.
    async fn bring_in(&self, id: SessionId, before: Option<State>) -> Result<Session, LogError> {
        let place = self.residence.enter(id, self.house.clock.now_ms());
        let brought = place.resident(async || self.fold_and_serve(id, before).await).await.cloned();
        match brought {
            Ok(session) => Ok(session.held(place)),
            Err(error) => {
                drop(place);
                self.residence.vacate(id);
                self.note_unreadable(id, &error);
                Err(error)
            }
        }
    }

    async fn fold_and_serve(&self, id: SessionId, before: Option<State>) -> Result<Session, LogError> {
        let house = &self.house;
        let head = house.log.head(id).await?;
        if head.deleted {
            return Err(LogError::NotFound { session: id });
        }
        let (state, snapshot) = match before {
            None => newest_state(&house.log, id).await?,
            // There is no snapshot of it: a long one leaves its first one soon.
            Some(before) => (state_after(&house.log, id, before).await?, Seq::ZERO),
        };
        // What this process owned when the session left memory it still owns, unless somebody acquired it since.
        let epoch = house.epochs.lock().remove(&id).filter(|epoch| *epoch == state.epoch);
        let (view, seen) = watch::channel(View { state: Arc::clone(&state), host_epoch: epoch });
        // A session that was only opened has the row that it had.
        let row = if epoch.is_some() { Seq::ZERO } else { state.head };
        let kept = Kept::upto(snapshot, row);
        let house = Arc::clone(&self.house);
        let door = |way_in| {
            let door = Door { id, house, way_in, state, epoch, view, kept };
            door.list();
            door
        };
        Ok(Session::start(id, Arc::clone(&self.house), seen, door))
    }

    /// Lets sessions leave memory that nobody uses, when there are more than there may be.
    async fn make_room(&self) {
        if self.residence.len() > self.residency.sessions_max {
            self.send_away(Residency { idle_ms_max: u64::MAX, ..self.residency }).await;
        }
    }

    /// Lets sessions leave memory that nobody used for too long. To be called every so often.
    pub async fn sweep(&self) {
        self.send_away(self.residency).await;
    }

    async fn send_away(&self, bound: Residency) {
        let restless = self.residence.sweep(bound, self.house.clock.now_ms()).await;
        for id in restless {
            // Something was recorded on the way out: whoever goes on with it needs the session in memory.
            if let Err(error) = self.bring_in(id, None).await {
                tracing::error!(session = %id, %error, "a session that is at work cannot be opened");
            }
        }
    }

    /// Returns how many sessions are in memory.
    #[must_use]
    pub fn resident(&self) -> usize {
        self.residence.len()
    }

    /// Deletes a session for good: what it does is stopped, whoever follows it is told, its forks keep what they share
    /// with it, and its id stays used.
    ///
    /// # Errors
    ///
    /// `NotFound`, also when it was deleted before, `Held`, and what an append answers.
    pub async fn delete(&self, id: SessionId, client: ClientId) -> Result<(), SubmitError> {
        match self.open(id).await {
            Ok(session) => {
                let delete =
                    Submission { actor: Actor::user(client), command: Command::Delete, operation: None };
                session.submit(delete).await?;
                session.ended().await;
                drop(session);
                self.residence.vacate(id);
                Ok(())
            }
            Err(LogError::Corrupt { .. } | LogError::Undecodable { .. }) => self.delete_unread(id).await,
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a session that cannot be folded.
    async fn delete_unread(&self, id: SessionId) -> Result<(), SubmitError> {
        let (log, now_ms) = (&self.house.log, self.house.clock.now_ms());
        let lease = log.acquire(id, &self.house.host, now_ms).await?;
        log.delete(id, lease.epoch, now_ms).await?;
        self.house.list.remove(id);
        Ok(())
    }

    fn note_unreadable(&self, id: SessionId, error: &LogError) {
        if let LogError::Corrupt { .. } | LogError::Undecodable { .. } = error {
            self.house.list.mark(id, |known| unreadable(id, known, error));
        }
    }
}
