//! The list of all sessions, and the ones that were at work when it was made.

use std::collections::HashMap;

use events::{Actor, SessionId};
use store::{LogError, Row, SessionHead};
use tokio::sync::watch;

use super::Sessions;
use crate::list::{KeptRow, unreadable};
use crate::restore::{keep_row, newest_state};
use crate::{Command, ListCursor, ListFilter, ListNews, ListPage, SessionRow, Submission, SubmitError};

impl Sessions {
    /// Takes over every session that its last host left at work, so that nothing dead looks alive. Returns how many.
    /// A session that cannot be read is left as it is, with a line in the log.
    ///
    /// # Errors
    ///
    /// When the list of sessions cannot be read.
    pub async fn recover(&self) -> Result<usize, LogError> {
        let mut taken = 0;
        for id in self.load().await? {
            match self.recover_one(*id).await {
                Ok(()) => taken += 1,
                Err(error) => tracing::error!(session = %id, %error, "not taken over"),
            }
        }
        Ok(taken)
    }

    async fn recover_one(&self, id: SessionId) -> Result<(), SubmitError> {
        let session = self.open(id).await?;
        let command = if session.view().state.session.deleted { Command::Delete } else { Command::Own };
        session.submit(Submission { actor: Actor::HOST, command, operation: None }).await?;
        Ok(())
    }

    /// Returns a part of the session list, newest first: at most `rows_max` rows that fit, from `after` on. A row that
    /// changes between two pages goes to the list's head; every other one is in exactly one page.
    ///
    /// # Errors
    ///
    /// When the list of sessions cannot be read.
    pub async fn page(
        &self,
        filter: &ListFilter,
        after: Option<ListCursor>,
        rows_max: usize,
    ) -> Result<ListPage, LogError> {
        self.load().await?;
        Ok(self.house.list.page(filter, after, rows_max))
    }

    /// Returns what is different in the list since `version`.
    #[must_use]
    pub fn news(&self, filter: &ListFilter, version: u64) -> ListNews {
        self.house.list.news(filter, version)
    }

    /// Returns the list's version, which moves whenever a row changes.
    #[must_use]
    pub fn list_version(&self) -> watch::Receiver<u64> {
        self.house.list.version()
    }

    /// Fills the list, once: from what an earlier process kept of it, else from the sessions themselves. Returns the
    /// sessions that were at work when it began.
    async fn load(&self) -> Result<&Vec<SessionId>, LogError> {
        let loading = async || {
            let kept = self.house.log.rows().await?;
            let kept: HashMap<SessionId, Row> = kept.into_iter().map(|row| (row.session, row)).collect();
            let mut at_work = Vec::new();
            for head in self.house.log.sessions().await? {
                if self.show_known(&head, kept.get(&head.session)).await {
                    at_work.push(head.session);
                }
            }
            Ok(at_work)
        };
        self.loaded.get_or_try_init(loading).await
    }

    /// Shows a session in the list, unless its door does already. Says whether its last host left it at work.
    async fn show_known(&self, head: &SessionHead, row: Option<&Row>) -> bool {
        let kept = row.filter(|row| row.seq == head.seq).and_then(|row| KeptRow::read(&row.bytes));
        let known = match kept {
            Some(kept) => Ok(kept),
            None if self.house.list.contains(head.session) => return false,
            None => self.fold_row(head.session).await,
        };
        match known {
            Ok(kept) => {
                if !kept.deleted {
                    self.house.list.put_known(kept.row);
                }
                kept.was_at_work
            }
            Err(error) => {
                let row = unreadable(head.session, None, &error);
                let parent = head.parent.map(|parent| parent.session);
                let updated_at_ms = head.updated_at_ms;
                self.house.list.put_known(SessionRow { parent, updated_at_ms, ..row });
                tracing::error!(session = %head.session, %error, "cannot be read");
                false
            }
        }
    }

    /// Folds a session for its line, and keeps that for the next start.
    async fn fold_row(&self, id: SessionId) -> Result<KeptRow, LogError> {
        let (state, _) = newest_state(&self.house.log, id).await?;
        let kept = KeptRow::of(id, &state);
        keep_row(self.house.log.as_ref(), id, state.head, &kept).await;
        Ok(kept)
    }
}
