//! The one door: decide, append, fold, show, one submission at a time.

use std::collections::HashMap;
use std::sync::Arc;

use events::{Actor, Envelope, Epoch, NewEvent, Seq, SessionEvent, SessionId};
use parking_lot::Mutex;
use projections::{State, fold};
use store::{Append, Appended, Log, LogError, Operation};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::list::{KeptRow, row_of};
use crate::listing::Listing;
use crate::meters;
use crate::restore::{Kept, keep_row, keep_state, read_on};
use crate::session::{Asked, WayIn, Wish};
use crate::{
    Clock, Code, Command, Ids, Limits, ModelCatalogue, Moment, Receipt, Refusal, Session, Submission,
    SubmitError, View, decide, repair,
};

/// What every door of a process shares.
pub(crate) struct House {
    pub(crate) log: Arc<dyn Log>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) host: String,
    pub(crate) limits: Limits,
    pub(crate) models: Arc<ModelCatalogue>,
    pub(crate) list: Listing,
    /// What this process owns of the sessions that are not in memory.
    pub(crate) epochs: Mutex<HashMap<SessionId, Epoch>>,
    /// Told of each session that this process comes to own.
    pub(crate) owned: mpsc::UnboundedSender<Session>,
}

/// One session's state and the right to change it.
pub(crate) struct Door {
    pub(crate) id: SessionId,
    pub(crate) house: Arc<House>,
    pub(crate) way_in: WayIn,
    pub(crate) state: Arc<State>,
    pub(crate) epoch: Option<Epoch>,
    pub(crate) view: watch::Sender<View>,
    pub(crate) kept: Kept,
}

impl Door {
    pub(crate) async fn serve(mut self, mut wishes: mpsc::Receiver<Wish>) {
        if self.epoch.is_some() {
            self.announce();
        }
        while let Some(wish) = self.next(&mut wishes).await {
            match wish {
                Wish::Submit(asked) => self.answer(*asked).await,
                Wish::Leave => wishes.close(),
            }
            if self.state.session.deleted {
                wishes.close();
            }
        }
        self.leave();
    }

    async fn answer(&mut self, asked: Asked) {
        let outcome = self.carry_out(&asked.submission).await;
        // Whoever asked may have left; what was done stays done.
        let _ = asked.answer.send(outcome);
        self.keep_state();
    }

    /// Leaves behind what the next door of the session goes on with.
    fn leave(&mut self) {
        if self.kept.row_due(self.state.head).is_some() {
            self.keep_row();
        }
        if let Some(epoch) = self.epoch.filter(|_| !self.state.session.deleted) {
            self.house.epochs.lock().insert(self.id, epoch);
        }
    }

    /// Returns the next wish. Meanwhile, and before, it keeps the session's line of the list when that is due.
    async fn next(&mut self, wishes: &mut mpsc::Receiver<Wish>) -> Option<Wish> {
        while let Some(due) = self.kept.row_due(self.state.head) {
            if due > Instant::now()
                && let Ok(wish) = timeout_at(due, wishes.recv()).await
            {
                return wish;
            }
            self.keep_row();
        }
        wishes.recv().await
    }

    async fn carry_out(&mut self, submission: &Submission) -> Result<Receipt, SubmitError> {
        if let Some(receipt) = self.repeated(submission.operation).await? {
            return Ok(receipt);
        }
        if matches!(submission.command, Command::Disown) {
            self.epoch = None;
            self.show();
            return Ok(Receipt { seq: self.state.head });
        }
        self.own().await?;
        match submission.command {
            Command::Own => Ok(Receipt { seq: self.state.head }),
            Command::Delete => self.delete(submission).await,
            _ => self.record(submission).await,
        }
    }

    /// Records that the session is deleted, then has the log forget it.
    async fn delete(&mut self, submission: &Submission) -> Result<Receipt, SubmitError> {
        let receipt = self.record(submission).await?;
        let epoch = self.epoch.unwrap_or_default();
        self.house.log.delete(self.id, epoch, self.house.clock.now_ms()).await?;
        Ok(receipt)
    }

    /// Decides and appends, as often as others were faster.
    async fn record(&mut self, submission: &Submission) -> Result<Receipt, SubmitError> {
        loop {
            let at = self.moment(submission.actor.clone());
            let decided = decide(&self.state, &submission.command, &at)?;
            if decided.is_empty() && submission.operation.is_none() {
                return Ok(Receipt { seq: self.state.head });
            }
            match self.append(decided, &at, submission.operation).await {
                Err(LogError::Conflict { .. }) => self.catch_up().await?,
                Err(LogError::Duplicate(receipt)) => return Ok(Receipt { seq: receipt.seq }),
                Err(error) => return Err(self.give_up_on(error)),
                Ok(appended) => return Ok(Receipt { seq: appended.last }),
            }
        }
    }

    /// Returns the receipt of a command that was carried out before.
    async fn repeated(&self, operation: Option<Operation>) -> Result<Option<Receipt>, SubmitError> {
        let Some(operation) = operation else { return Ok(None) };
        match self.house.log.operation(self.id, operation.id).await? {
            None => Ok(None),
            Some(receipt) if receipt.body_hash == operation.body_hash => {
                Ok(Some(Receipt { seq: receipt.seq }))
            }
            Some(_) => {
                let message = "this command id was used before with another body; give each command its own";
                Err(Refusal::new(Code::CommandIdReused, message).into())
            }
        }
    }

    /// Takes the session over unless this process owns it: acquires it, then repairs what its last host left.
    async fn own(&mut self) -> Result<(), SubmitError> {
        if self.epoch.is_some() {
            return Ok(());
        }
        let now = self.house.clock.now_ms();
        let lease = self.house.log.acquire(self.id, &self.house.host, now).await?;
        self.catch_up().await?;
        let at = Moment { epoch: lease.epoch, ..self.moment(Actor::HOST) };
        // Nothing is recorded in a session that is damaged or deleted.
        let is_closed = self.state.damage.is_some() || self.state.session.deleted;
        let repairs = if is_closed { Vec::new() } else { repair(&self.state, &at) };
        if !repairs.is_empty() {
            self.append(repairs, &at, None).await?;
        }
        self.epoch = Some(lease.epoch);
        self.show();
        self.announce();
        Ok(())
    }

    fn announce(&self) {
        if let Some(session) = self.way_in.session() {
            // Nobody listens when the process is shutting down.
            let _ = self.house.owned.send(session);
        }
    }

    fn moment(&self, actor: Actor) -> Moment {
        Moment {
            at_ms: self.house.clock.now_ms(),
            epoch: self.epoch.unwrap_or_default(),
            actor,
            ids: Ids::new(Uuid::now_v7()),
            limits: self.house.limits,
            models: Arc::clone(&self.house.models),
        }
    }

    async fn append(
        &mut self,
        events: Vec<SessionEvent>,
        at: &Moment,
        operation: Option<Operation>,
    ) -> Result<Appended, LogError> {
        let new = |event| NewEvent { cause: None, actor: at.actor.clone(), event };
        let events: Vec<NewEvent> = events.into_iter().map(new).collect();
        let append = Append {
            session: self.id,
            expected: self.state.head,
            epoch: at.epoch,
            at_ms: at.at_ms,
            operation,
            events: events.clone(),
        };
        let began = Instant::now();
        let appended = self.house.log.append(append).await?;
        meters::appended(&events, began.elapsed());
        let state = Arc::make_mut(&mut self.state);
        for (seq, new) in (appended.first.0..).map(Seq).zip(events) {
            fold(state, &placed(seq, &appended, at.at_ms, new));
        }
        self.show();
        Ok(appended)
    }

    fn keep_state(&mut self) {
        if !self.state.session.deleted && self.kept.is_state_due(self.state.head) {
            keep_state(&self.house.log, self.id, &self.state);
            self.kept.state = self.state.head;
        }
    }

    /// Never makes anybody wait: a row that comes late does not take the place of a newer one.
    fn keep_row(&mut self) {
        let (id, head, log) = (self.id, self.state.head, Arc::clone(&self.house.log));
        let row = KeptRow::of(id, &self.state);
        tokio::spawn(async move { keep_row(log.as_ref(), id, head, &row).await });
        self.kept.row_kept(head);
    }

    /// Folds what others appended.
    async fn catch_up(&mut self) -> Result<(), LogError> {
        read_on(&self.house.log, self.id, Arc::make_mut(&mut self.state)).await?;
        self.show();
        Ok(())
    }

    fn show(&self) {
        // The list first: who sees something of a session finds it there, too.
        self.list();
        self.view.send_replace(View { state: Arc::clone(&self.state), host_epoch: self.epoch });
    }

    /// Shows the session in the list as it is now.
    pub(crate) fn list(&self) {
        match self.state.session.deleted {
            true => self.house.list.remove(self.id),
            false => self.house.list.put(row_of(self.id, &self.state, self.epoch)),
        }
    }

    /// A host that is fenced, or cannot know what was written, owns nothing until it acquires again.
    fn give_up_on(&mut self, error: LogError) -> SubmitError {
        if matches!(error, LogError::Fenced { .. } | LogError::Unknown { .. } | LogError::Poisoned { .. }) {
            tracing::error!(session = %self.id, %error, "the session is no longer owned");
            self.epoch = None;
            self.show();
        }
        error.into()
    }
}

fn placed(seq: Seq, appended: &Appended, at_ms: u64, new: NewEvent) -> Envelope {
    Envelope {
        seq,
        batch_end: appended.last,
        epoch: appended.epoch,
        at_ms,
        cause: new.cause,
        actor: new.actor,
        event: new.event,
    }
}
