//! What a session tool asks for: these tools have no body, their call is decided.

use events::{QuestionItem, Todo};

/// The meaning of a call to a session tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolAction {
    /// Replaces the whole todo list.
    TodoWrite {
        /// The items as the model sent them.
        todos: Vec<Todo>,
        /// Why, where the model says so (`update_plan`); kept on the result.
        explanation: Option<String>,
    },
    /// Puts a plan forward for review.
    ExitPlanMode {
        /// The markdown as the model sent it.
        plan: String,
    },
    /// Reads the goal.
    GetGoal,
    /// Creates a goal.
    CreateGoal {
        /// What is to be reached.
        objective: String,
        /// Rounds; none means the configured default.
        max_goal_rounds: Option<u32>,
    },
    /// Changes the goal.
    UpdateGoal(UpdateGoal),
    /// Asks the person.
    AskUser {
        /// One to three items.
        items: Vec<QuestionItem>,
        /// Seconds after which the recommended options stand; none waits for as long as it takes.
        answer_within_s: Option<u64>,
    },
}

/// The arguments of `update_goal`; empty texts and a zero count as left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateGoal {
    /// The goal.
    pub goal_id: String,
    /// Its revision.
    pub revision: u64,
    /// What to do.
    pub action: UpdateAction,
    /// For `edit`.
    pub objective: Option<String>,
    /// For `edit`.
    pub max_goal_rounds: Option<u32>,
    /// For `blocked`.
    pub blocked_reason: Option<String>,
    /// For `complete`: what was checked and its outcome.
    pub evidence: Option<String>,
}

/// What `update_goal` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateAction {
    /// Changes objective or rounds.
    Edit,
    /// Pauses.
    Pause,
    /// Takes up again.
    Resume,
    /// Declares the objective met.
    Complete,
    /// Declares that it cannot go on.
    Blocked,
}
