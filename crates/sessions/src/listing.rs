//! The session list in memory: kept in order as rows change, so that a page and the news since cost what they show.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Bound;
use std::str::FromStr;

use events::SessionId;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::SessionRow;

/// A place in the list, right behind one of its rows. The newest come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ListCursor {
    updated_at_ms: Reverse<u64>,
    session: SessionId,
}

/// A text that is no [`ListCursor`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no place in the session list; use the `next` of the page before")]
pub struct NoListCursor(String);

/// Which sessions are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListFilter {
    /// Words, in any order: each stands somewhere in the title, whatever its case. None ask for every session.
    pub query: String,
    /// Whether sessions that are put away are wanted, too.
    pub archived: bool,
}

/// A part of the list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListPage {
    /// Newest first.
    pub rows: Vec<SessionRow>,
    /// Where the next page begins; none at the end.
    pub next: Option<ListCursor>,
    /// Sessions that are put away, whatever the filter.
    pub archived_total: usize,
    /// The list's version that this shows.
    #[serde(skip)]
    pub version: u64,
}

/// What is different since a version of the list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListNews {
    /// Rows that changed or are new.
    pub rows: Vec<SessionRow>,
    /// Sessions that are deleted, or that the filter hides by now.
    pub gone: Vec<SessionId>,
    /// Sessions that are put away, whatever the filter.
    pub archived_total: usize,
    /// The list's version that this leads to.
    #[serde(skip)]
    pub version: u64,
}

impl ListCursor {
    fn of(row: &SessionRow) -> Self {
        Self { updated_at_ms: Reverse(row.updated_at_ms), session: row.session }
    }
}

impl fmt::Display for ListCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.updated_at_ms.0, self.session)
    }
}

impl FromStr for ListCursor {
    type Err = NoListCursor;

    fn from_str(text: &str) -> Result<Self, NoListCursor> {
        let parts = || {
            let (updated_at_ms, session) = text.split_once('.')?;
            let (updated_at_ms, session) = (updated_at_ms.parse().ok()?, session.parse().ok()?);
            Some(Self { updated_at_ms: Reverse(updated_at_ms), session })
        };
        parts().ok_or_else(|| NoListCursor(text.to_owned()))
    }
}

impl From<ListCursor> for String {
    fn from(cursor: ListCursor) -> Self {
        cursor.to_string()
    }
}

impl TryFrom<String> for ListCursor {
    type Error = NoListCursor;

    fn try_from(text: String) -> Result<Self, NoListCursor> {
        text.parse()
    }
}

/// The list, and who waits for news of it.
pub(crate) struct Listing {
    index: Mutex<Index>,
    version: watch::Sender<u64>,
}

#[derive(Default)]
struct Index {
    version: u64,
    entries: HashMap<SessionId, Entry>,
    order: BTreeSet<ListCursor>,
    /// The version that each entry changed with last.
    changed: BTreeMap<u64, SessionId>,
    archived_total: usize,
}

/// A session's row; none once it is deleted.
struct Entry {
    shown: Option<Shown>,
    changed_with: u64,
}

struct Shown {
    row: SessionRow,
    /// The title in lower case.
    title: String,
}

impl Listing {
    pub(crate) fn new() -> Self {
        Self { index: Mutex::default(), version: watch::Sender::new(0) }
    }

    /// Returns the list's version as it moves.
    pub(crate) fn version(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Shows a session as it is now.
    pub(crate) fn put(&self, row: SessionRow) {
        self.change(|index| index.put(row));
    }

    /// Shows a session as it was last known, unless more is known of it.
    pub(crate) fn put_known(&self, row: SessionRow) {
        self.change(|index| !index.entries.contains_key(&row.session) && index.put(row));
    }

    /// Says in the session's row why it cannot be used.
    pub(crate) fn mark(&self, session: SessionId, damaged: impl FnOnce(Option<&SessionRow>) -> SessionRow) {
        self.change(|index| {
            let known = index.entries.get(&session).and_then(|entry| entry.shown.as_ref());
            let row = damaged(known.map(|shown| &shown.row));
            index.put(row)
        });
    }

    /// Shows a session no longer; it is deleted.
    pub(crate) fn remove(&self, session: SessionId) {
        self.change(|index| index.set(session, None));
    }

    fn change(&self, change: impl FnOnce(&mut Index) -> bool) {
        let mut index = self.index.lock();
        if change(&mut index) {
            // Under the lock, so that versions are told in order.
            self.version.send_replace(index.version);
        }
    }

    pub(crate) fn contains(&self, session: SessionId) -> bool {
        self.index.lock().entries.contains_key(&session)
    }

    pub(crate) fn page(&self, filter: &ListFilter, after: Option<ListCursor>, rows_max: usize) -> ListPage {
        let (index, wanted) = (self.index.lock(), Wanted::of(filter));
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut all = index.order.range((start, Bound::Unbounded));
        let mut rows = Vec::new();
        let mut next = None;
        for place in &mut all {
            let Some(shown) = index.shown(place.session).filter(|shown| wanted.fits(shown)) else { continue };
            if rows.len() == rows_max {
                next = rows.last().map(ListCursor::of);
                break;
            }
            rows.push(shown.row.clone());
        }
        ListPage { rows, next, archived_total: index.archived_total, version: index.version }
    }

    pub(crate) fn news(&self, filter: &ListFilter, since: u64) -> ListNews {
        let (index, wanted) = (self.index.lock(), Wanted::of(filter));
        let (mut rows, mut gone) = (Vec::new(), Vec::new());
        for session in index.changed.range((Bound::Excluded(since), Bound::Unbounded)).map(|(_, id)| *id) {
            match index.shown(session).filter(|shown| wanted.fits(shown)) {
                Some(shown) => rows.push(shown.row.clone()),
                None => gone.push(session),
            }
        }
        ListNews { rows, gone, archived_total: index.archived_total, version: index.version }
    }
}

impl Index {
    fn shown(&self, session: SessionId) -> Option<&Shown> {
        self.entries.get(&session)?.shown.as_ref()
    }

    fn put(&mut self, row: SessionRow) -> bool {
        let title = row.title.as_deref().unwrap_or_default().to_lowercase();
        self.set(row.session, Some(Shown { row, title }))
    }

    /// Returns whether that changed anything. What is deleted stays so.
    fn set(&mut self, session: SessionId, shown: Option<Shown>) -> bool {
        let before = self.entries.get(&session);
        let known = before.map(|entry| entry.shown.as_ref().map(|shown| &shown.row));
        if known == Some(None) || known == Some(shown.as_ref().map(|shown| &shown.row)) {
            return false;
        }
        if let Some(entry) = self.entries.remove(&session) {
            self.changed.remove(&entry.changed_with);
            self.count(entry.shown.as_ref(), false);
        }
        self.version += 1;
        self.changed.insert(self.version, session);
        self.count(shown.as_ref(), true);
        self.entries.insert(session, Entry { shown, changed_with: self.version });
        true
    }

    fn count(&mut self, shown: Option<&Shown>, is_in: bool) {
        let Some(Shown { row, .. }) = shown else { return };
        let archived = usize::from(row.archived);
        if is_in {
            self.order.insert(ListCursor::of(row));
            self.archived_total += archived;
        } else {
            self.order.remove(&ListCursor::of(row));
            self.archived_total -= archived;
        }
    }
}

/// A filter, ready to be held against titles.
struct Wanted {
    words: Vec<String>,
    archived: bool,
}

impl Wanted {
    fn of(filter: &ListFilter) -> Self {
        let words = filter.query.to_lowercase().split_whitespace().map(str::to_owned).collect();
        Self { words, archived: filter.archived }
    }

    fn fits(&self, shown: &Shown) -> bool {
        (self.archived || !shown.row.archived) && self.words.iter().all(|word| shown.title.contains(word))
    }
}

#[cfg(test)]
#[path = "listing/tests.rs"]
mod tests;
