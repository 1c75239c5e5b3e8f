//! Everything that deciding needs and cannot know by itself: who, when, fresh ids, and the limits in force.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use events::{Actor, Epoch};
use uuid::Uuid;

use crate::ModelCatalogue;

/// The circumstances of a decision.
#[derive(Debug)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// The ownership that the decision is made under.
    pub epoch: Epoch,
    /// Who asks.
    pub actor: Actor,
    /// Ids nobody has used.
    pub ids: Ids,
    /// The limits in force.
    pub limits: Limits,
    /// The models that may be chosen.
    pub models: Arc<ModelCatalogue>,
}

/// A supply of fresh ids: the same seed gives the same ids.
#[derive(Debug)]
pub struct Ids {
    seed: u128,
    given: AtomicU64,
}

impl Ids {
    /// Starts a supply at `seed`, a new UUID v7 as a rule.
    #[must_use]
    pub fn new(seed: Uuid) -> Self {
        Self { seed: seed.as_u128(), given: AtomicU64::new(0) }
    }

    /// Returns the next id: the seed's random tail, counted up.
    #[must_use]
    pub fn fresh(&self) -> Uuid {
        let given = self.given.fetch_add(1, Ordering::Relaxed);
        let tail = self.seed.wrapping_add(u128::from(given)) & TAIL;
        Uuid::from_u128((self.seed & !TAIL) | tail)
    }
}

/// The low 62 bits of a UUID v7 are random; the bits above them say time, version and variant.
const TAIL: u128 = (1 << 62) - 1;

/// Limits and policies that decide; all of them can be configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of an input's text.
    pub input_bytes_max: usize,
    /// Inputs that may wait in a session.
    pub inputs_queued_max: usize,
    /// Bytes of an objective.
    pub objective_bytes_max: usize,
    /// Rounds of a goal when its creator names none.
    pub rounds_default: u32,
    /// Rounds that anybody may ask for.
    pub rounds_max: u32,
    /// Tokens of a goal when its creator names none; none is unlimited.
    pub goal_tokens_default: Option<u64>,
    /// Milliseconds of a goal's rounds when its creator names none; none is unlimited.
    pub goal_time_ms_default: Option<u64>,
    /// Rounds in a row that may change nothing when its creator says nothing; none is unlimited.
    pub no_progress_default: Option<u32>,
    /// Whether input that came from the provider's cache is left out of token budgets.
    pub cached_input_free: bool,
    /// How often in a row a goal outlasts an outage of its provider; 0 disarms it at the first.
    pub outage_retries_max: u32,
    /// Whether a claim of completion from a round has to be judged.
    pub judge: bool,
    /// Bytes of the evidence for a completion.
    pub evidence_bytes_max: usize,
    /// Rounds that must have run before a round may report a blocker.
    pub blocked_after_rounds: u32,
    /// Items of a todo list.
    pub todos_max: usize,
    /// Bytes of a todo's content.
    pub todo_bytes_max: usize,
    /// Whether several todos may be in progress.
    pub allow_parallel_in_progress: bool,
    /// Bytes of a plan's markdown.
    pub plan_bytes_max: usize,
    /// Whether the model may ask outside plan mode too.
    pub questions_in_default_mode: bool,
    /// Steps of a turn.
    pub steps_per_turn_max: u32,
    /// Bytes of a title.
    pub title_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes_max: 1 << 20,
            inputs_queued_max: 100,
            objective_bytes_max: 8 << 10,
            rounds_default: 256,
            rounds_max: 10_000,
            goal_tokens_default: None,
            goal_time_ms_default: None,
            no_progress_default: Some(3),
            cached_input_free: false,
            outage_retries_max: 0,
            judge: false,
            evidence_bytes_max: 8 << 10,
            blocked_after_rounds: 3,
            todos_max: 200,
            todo_bytes_max: 1 << 10,
            allow_parallel_in_progress: true,
            plan_bytes_max: 256 << 10,
            questions_in_default_mode: true,
            steps_per_turn_max: 200,
            title_bytes_max: 80,
        }
    }
}
