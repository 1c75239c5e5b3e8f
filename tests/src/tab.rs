//! A browser tab on a session.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use crate::Seen;
use crate::story::story;

/// How long a fact may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a command is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It is carried out.
    Receipt {
        /// The head after it.
        seq: u64,
    },
    /// It is not.
    Refused {
        /// The stable code.
        code: String,
        /// The sentence.
        message: String,
        /// The state that refused it, where the code has one.
        current: Value,
    },
}

impl Answer {
    pub(crate) fn of(frame: &Value) -> Self {
        if frame["type"] == "receipt" {
            return Self::Receipt { seq: frame["seq"].as_u64().expect("a receipt has a seq") };
        }
        let text = |name: &str| frame[name].as_str().unwrap_or_default().to_owned();
        Self::Refused { code: text("code"), message: text("message"), current: frame["current"].clone() }
    }

    /// Returns the head after the command, which has to be carried out.
    pub fn accepted(&self) -> u64 {
        match self {
            Self::Receipt { seq } => *seq,
            Self::Refused { code, message, .. } => panic!("refused: {message} ({code})"),
        }
    }

    /// Returns the code of a refusal; empty for a receipt.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Receipt { .. } => "",
            Self::Refused { code, .. } => code,
        }
    }
}

/// A browser tab on a session. It follows the session until it is dropped.
#[derive(Debug)]
pub struct Tab {
    pub(crate) name: String,
    /// The session that it shows.
    pub session: Uuid,
    pub(crate) seen: watch::Receiver<Seen>,
    pub(crate) orders: mpsc::UnboundedSender<(Option<Uuid>, Value)>,
    pub(crate) keeping: JoinHandle<()>,
}

impl Tab {
    /// Types a line into the composer and sends it: a command when it begins with a slash, else a prompt.
    pub async fn types(&self, text: &str) -> Answer {
        match text.starts_with('/') {
            true => self.presses(json!({"type": "slash", "line": text})).await,
            false => self.presses(json!({"type": "prompt", "text": text})).await,
        }
    }

    /// Sends a command and waits for its answer, over a lost connection too.
    pub async fn presses(&self, command: Value) -> Answer {
        self.presses_on(self.session, command).await
    }

    /// Sends a command to whatever session.
    pub async fn presses_on(&self, session: Uuid, command: Value) -> Answer {
        let what = format!("an answer to {command}");
        let id = Uuid::now_v7();
        self.order(Some(id), json!({"type": "command", "id": id, "session": session, "command": command}));
        self.notices(&what, |seen| seen.answers.contains_key(&id)).await;
        self.seen.borrow().answers[&id].clone()
    }

    /// Sends a frame as it is.
    pub fn sends(&self, frame: Value) {
        self.order(None, frame);
    }

    fn order(&self, id: Option<Uuid>, frame: Value) {
        self.orders.send((id, frame)).expect("the line of an open tab is kept");
    }

    /// Returns what the tab shows now.
    #[must_use]
    pub fn seen(&self) -> Seen {
        let seen = self.seen.borrow().clone();
        self.check(&seen);
        seen
    }

    /// Waits until the tab shows something, and returns all that it shows then.
    pub async fn until(&self, what: &str, is: impl Fn(&Seen) -> bool) -> Seen {
        let mut seen = self.seen.clone();
        let shown = self.wait(&mut seen, (what, is)).await;
        shown.clone()
    }

    /// Waits until the tab shows something; cheaper than [`Self::until`].
    pub async fn notices(&self, what: &str, is: impl Fn(&Seen) -> bool) {
        let mut seen = self.seen.clone();
        drop(self.wait(&mut seen, (what, is)).await);
    }

    async fn wait<'a>(
        &self,
        seen: &'a mut watch::Receiver<Seen>,
        (what, is): (&str, impl Fn(&Seen) -> bool),
    ) -> watch::Ref<'a, Seen> {
        let waited = timeout(PATIENCE, seen.wait_for(|seen| seen.broken.is_some() || is(seen)));
        let Ok(shown) = waited.await else {
            panic!("tab {} waited in vain for {what}\n{}", self.name, self.seen.borrow().account());
        };
        let shown = shown.expect("the line of an open tab is kept");
        self.check(&shown);
        shown
    }

    /// Compares what a person would tell of the session with `expected`, line by line.
    pub fn sees(&self, expected: &str) {
        let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let story = story(self.seen().events());
        let actual: Vec<&str> = story.lines().collect();
        assert_eq!(actual, expected, "tab {} sees another story:\n{story}\n", self.name);
    }

    fn check(&self, seen: &Seen) {
        if let Some(broken) = &seen.broken {
            panic!("tab {} was shown a frame that breaks a promise: {broken}\n{}", self.name, seen.account());
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.keeping.abort();
        if !std::thread::panicking() {
            self.check(&self.seen.borrow());
        }
    }
}
