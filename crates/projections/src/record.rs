//! The smaller folds: the session's own record, permissions, requests, usage and the surface.

use std::collections::BTreeMap;

use events::{Digest, RequestHeader, Seq, SessionCreated, SessionId};
use serde::{Deserialize, Serialize};

/// Where the session lives and what it is called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// Whether `session/created` was seen.
    pub created: bool,
    /// Absolute path of the folder it works in.
    pub workspace: String,
    /// The session it was forked from, and the last event shared with it.
    pub parent: Option<(SessionId, Seq)>,
    /// The title.
    pub title: Option<String>,
    /// Whether a person chose the title.
    pub titled_by_person: bool,
    /// Whether it is put away.
    pub archived: bool,
    /// Whether it is deleted.
    pub deleted: bool,
}

impl SessionRecord {
    pub(crate) fn create(&mut self, data: &SessionCreated) {
        self.created = true;
        self.workspace.clone_from(&data.workspace);
        self.parent = data.parent.zip(data.fork_seq);
        self.archived = false;
        if data.title.is_some() {
            self.title.clone_from(&data.title);
        }
    }
}

/// What is allowed ahead of time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permissions {
    /// The preset in force; none means the configured default.
    pub preset: Option<String>,
    /// Patterns granted for the session.
    pub grants: Vec<String>,
}

/// What requests were made with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// The header in force, without its texts.
    pub header: Option<RequestHeader>,
    /// Where each text that a header names by hash stands in the log.
    pub texts: BTreeMap<Digest, Seq>,
}

impl Requests {
    pub(crate) fn record(&mut self, data: &RequestHeader, seq: Seq) {
        if data.system.is_some() {
            self.texts.insert(data.system_hash.clone(), seq);
        }
        if data.tools.is_some() {
            self.texts.insert(data.tools_hash.clone(), seq);
        }
        self.header = Some(RequestHeader { system: None, tools: None, ..data.clone() });
    }
}

/// Tokens used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, cached ones included.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// The part of the input that was cached.
    pub cached_input_tokens: u64,
    /// Requests that reached an answer.
    pub requests: u64,
}

impl Usage {
    pub(crate) fn add(&mut self, used: &events::Usage) {
        self.input_tokens = self.input_tokens.saturating_add(used.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(used.output_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(used.cached_input_tokens);
    }
}

/// What the model sees: the surface events within these ranges of the log, in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    /// Summaries that stand for everything up to a position, oldest first.
    pub summaries: Vec<Seq>,
    /// The last position that a summary covers; the surface goes on after it.
    pub summarised_up_to: Seq,
}

impl Surface {
    pub(crate) fn summarise(&mut self, last: Seq, summary: Seq) {
        self.summaries = vec![summary];
        self.summarised_up_to = last;
    }
}

/// The model that a person chose for a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenModel {
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The effort; none leaves it as it is configured.
    pub effort: Option<String>,
}

impl ChosenModel {
    pub(crate) fn of(data: &events::ModelSelected) -> Self {
        let (provider, model) = (data.provider.clone(), data.model.clone());
        Self { provider, model, effort: data.effort.clone() }
    }
}
