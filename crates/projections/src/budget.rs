//! What a goal has used up, and which of its budgets has no room left.
//!
//! All of it is folded from the log, so a restart, a fork or another host counts on where the log ends.
//!
//! * **Rounds** are counted when their message is admitted, per goal and across its revisions. A round that an outage ended
//!   was admitted, and counts.
//! * **Tokens** are what `step/end` and `goal/judged` say was used in turns that run a round: all of such a turn, a closing
//!   message or a person's word in between included. A provider that says nothing is guessed at, 4 bytes a token, and an
//!   answer that broke off counts what had streamed; both are marked as estimated.
//! * **Time** passes from event to event of such a turn while its host works on it. A clock that is set back takes nothing
//!   away; waiting for a person, the time between two hosts and streamed pieces by themselves count nothing.
//! * **Progress** is a list that differs from the one that a round wrote last, or a workspace that looks different at the end
//!   of a round than at its beginning, so that what a person changes between rounds is not the goal's doing. A round that
//!   did not end by itself says nothing about progress. Taking a goal up again starts the count afresh.

use events::{Budgets, Todo, Usage};
use serde::{Deserialize, Serialize};

use crate::CurrentGoal;
use crate::amounts::{duration_text, tokens_text};

/// What the turns that ran a goal's rounds have used, whatever became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Input tokens, cached ones included.
    pub input_tokens: u64,
    /// The part of the input that was cached.
    pub cached_input_tokens: u64,
    /// Output tokens, reasoning included.
    pub output_tokens: u64,
    /// Whether any of these was guessed, for a provider did not say.
    pub estimated: bool,
    /// Milliseconds in turns that ran a round, without waiting for a person.
    pub time_ms: u64,
}

impl Spent {
    pub(crate) fn add(&mut self, used: &Usage) {
        self.input_tokens = self.input_tokens.saturating_add(used.input_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(used.cached_input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(used.output_tokens);
        self.estimated |= used.estimated;
    }

    /// Returns the tokens that count against `budgets`.
    #[must_use]
    pub fn tokens(&self, budgets: &Budgets) -> u64 {
        let free = if budgets.cached_input_free { self.cached_input_tokens } else { 0 };
        self.input_tokens.saturating_sub(free).saturating_add(self.output_tokens)
    }
}

/// Whether rounds change anything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Finished rounds in a row that changed neither a todo nor a file.
    pub rounds_without: u32,
    /// The list that a round wrote last.
    pub todos: Option<Vec<Todo>>,
    /// Whether the running round has changed the list.
    pub list_moved: bool,
}

impl Progress {
    pub(crate) fn wrote(&mut self, todos: &[Todo]) {
        if self.todos.as_deref() != Some(todos) {
            self.list_moved = true;
            self.todos = Some(todos.to_vec());
        }
    }

    pub(crate) fn round_finished(&mut self, files_moved: bool) {
        let moved = std::mem::take(&mut self.list_moved) || files_moved;
        self.rounds_without = if moved { 0 } else { self.rounds_without.saturating_add(1) };
    }
}

/// A budget without room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// All rounds were admitted.
    Rounds {
        /// How many.
        rounds_max: u32,
    },
    /// The tokens are used.
    Tokens {
        /// How many were.
        used: u64,
        /// How many may be.
        tokens_max: u64,
    },
    /// The time is used.
    Time {
        /// How much was, in milliseconds.
        used_ms: u64,
        /// How much may be, in milliseconds.
        time_ms_max: u64,
    },
    /// Too many rounds in a row changed nothing.
    NoProgress {
        /// How many.
        rounds: u32,
    },
}

impl Exhausted {
    /// Returns the code that a goal is blocked with.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Rounds { .. } => "round-limit",
            Self::Tokens { .. } => "token-limit",
            Self::Time { .. } => "time-limit",
            Self::NoProgress { .. } => "no-progress",
        }
    }

    /// Says for a person which budget it is and what would make room.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Rounds { rounds_max } => {
                format!("all {rounds_max} rounds are used; raise the budget first (/goal budget rounds=N)")
            }
            Self::Tokens { used, tokens_max } => format!(
                "{} of {} tokens are used; raise the budget first (/goal budget tokens=N)",
                tokens_text(used),
                tokens_text(tokens_max)
            ),
            Self::Time { used_ms, time_ms_max } => format!(
                "{} of {} are used; raise the budget first (/goal budget time=2h)",
                duration_text(used_ms),
                duration_text(time_ms_max)
            ),
            Self::NoProgress { rounds } => format!(
                "{rounds} rounds in a row changed neither a todo nor a file; say what to do differently, then resume"
            ),
        }
    }
}

impl CurrentGoal {
    /// Returns the first budget that has no room for another round.
    #[must_use]
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.used_up().or_else(|| {
            let rounds = self.progress.rounds_without;
            let is_stuck = self.goal.budgets.no_progress.is_some_and(|most| rounds >= most);
            is_stuck.then_some(Exhausted::NoProgress { rounds })
        })
    }

    /// Returns the first budget that is used up: rounds, tokens, time. Being stuck is none of these.
    #[must_use]
    pub fn used_up(&self) -> Option<Exhausted> {
        let rounds_max = self.goal.budgets.rounds;
        let rounds = (self.rounds_started >= rounds_max).then_some(Exhausted::Rounds { rounds_max });
        rounds.or_else(|| self.over_for_request())
    }

    /// Returns the first budget that has no room for another request of a round that runs: tokens, time.
    #[must_use]
    pub fn over_for_request(&self) -> Option<Exhausted> {
        let (budgets, spent) = (&self.goal.budgets, &self.spent);
        let used = spent.tokens(budgets);
        let tokens = budgets.tokens.filter(|most| used >= *most);
        let tokens = tokens.map(|tokens_max| Exhausted::Tokens { used, tokens_max });
        tokens.or_else(|| {
            let over = budgets.time_ms.filter(|most| spent.time_ms >= *most);
            over.map(|time_ms_max| Exhausted::Time { used_ms: spent.time_ms, time_ms_max })
        })
    }
}
