//! The typed no.

use serde::Serialize;

/// Why a command is refused. Told to its sender, never recorded; nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct Refusal {
    /// What is wrong, for programs.
    pub code: Code,
    /// What is wrong and what to do, for people.
    pub message: String,
}

impl Refusal {
    /// Returns a refusal.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub(crate) fn err<T>(code: Code, message: impl Into<String>) -> Result<T, Self> {
        Err(Self::new(code, message))
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The stable codes of refusals and of tool failures that deciding gives.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl std::fmt::Display for Code {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl Code {
            /// Returns the code as written on the wire.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

codes! {
    /// The session's log holds a fact that cannot have happened.
    SessionDamaged = "SESSION_DAMAGED",
    /// The session is deleted.
    SessionDeleted = "SESSION_DELETED",
    /// The same command id was used with another body.
    CommandIdReused = "COMMAND_ID_REUSED",
    /// No slash command has this name.
    UnknownCommand = "UNKNOWN_COMMAND",
    /// A slash line does not follow its command's grammar.
    CommandInvalid = "COMMAND_INVALID",
    /// An input is blank.
    InputEmpty = "INPUT_EMPTY",
    /// An input is larger than the limit.
    InputTooLarge = "INPUT_TOO_LARGE",
    /// The inbox is full.
    InboxFull = "INBOX_FULL",
    /// The input is claimed, withdrawn or was never queued.
    InputGone = "INPUT_GONE",
    /// Nobody edits, moves or drops a queued round.
    InputIsRound = "INPUT_IS_ROUND",
    /// The named turn is over, or has not begun.
    TurnOver = "TURN_OVER",
    /// The turn is being stopped.
    TurnCancelled = "TURN_CANCELLED",
    /// The step or call that this belongs to is not open.
    StepNotOpen = "STEP_NOT_OPEN",
    /// Nothing waits that may run.
    NothingToClaim = "NOTHING_TO_CLAIM",
    /// No goal stands.
    GoalNotFound = "GOAL_NOT_FOUND",
    /// A goal stands that is not complete.
    GoalAlreadyExists = "GOAL_ALREADY_EXISTS",
    /// The named goal or revision is not the current one.
    GoalStaleRevision = "GOAL_STALE_REVISION",
    /// The objective is blank or too long.
    GoalInvalidObjective = "GOAL_INVALID_OBJECTIVE",
    /// The round budget is out of range.
    GoalInvalidMaxRounds = "GOAL_INVALID_MAX_ROUNDS",
    /// Another budget is out of range.
    GoalInvalidBudget = "GOAL_INVALID_BUDGET",
    /// The blocked reason is malformed.
    GoalInvalidBlockReason = "GOAL_INVALID_BLOCK_REASON",
    /// The edit changes nothing.
    GoalInvalidEdit = "GOAL_INVALID_EDIT",
    /// The goal's phase does not allow this.
    GoalInvalidTransition = "GOAL_INVALID_TRANSITION",
    /// No round of this goal is due.
    RoundNotDue = "ROUND_NOT_DUE",
    /// A goal tool was called outside a running turn.
    GoalToolDriverRequired = "GOAL_TOOL_DRIVER_REQUIRED",
    /// The turn's messages give no authority for this.
    GoalToolAuthorityRequired = "GOAL_TOOL_AUTHORITY_REQUIRED",
    /// The arguments of `update_goal` do not go together.
    GoalToolInvalidUpdate = "GOAL_TOOL_INVALID_UPDATE",
    /// Too few rounds have run to report a blocker.
    GoalToolBlockThreshold = "GOAL_TOOL_BLOCK_THRESHOLD",
    /// A round completes a goal only with evidence.
    GoalToolEvidenceRequired = "GOAL_TOOL_EVIDENCE_REQUIRED",
    /// A judge did not see that the objective is met.
    GoalToolCompletionRefused = "GOAL_TOOL_COMPLETION_REFUSED",
    /// Completion has to be judged first.
    GoalToolNotJudged = "GOAL_TOOL_NOT_JUDGED",
    /// The todo list is malformed.
    TodoInvalid = "TODO_INVALID",
    /// No todo list is written in plan mode.
    PlanModeNoTodos = "PLAN_MODE_NO_TODOS",
    /// Plan mode refuses to change anything.
    PlanModeRefused = "PLAN_MODE_REFUSED",
    /// The tool works in plan mode only.
    PlanModeRequired = "PLAN_MODE_REQUIRED",
    /// No provider that is set up is known to have the model.
    ModelUnknown = "MODEL_UNKNOWN",
    /// No role has this name.
    RoleUnknown = "ROLE_UNKNOWN",
    /// No effort has this name.
    EffortUnknown = "EFFORT_UNKNOWN",
    /// No mode has this name.
    ModeUnknown = "MODE_UNKNOWN",
    /// The plan has no heading, or is too large.
    PlanInvalid = "PLAN_INVALID",
    /// The plan on review is another text.
    PlanStale = "PLAN_STALE",
    /// No plan waits for review.
    PlanReviewGone = "PLAN_REVIEW_GONE",
    /// The person wants more planning.
    PlanKeepPlanning = "PLAN_KEEP_PLANNING",
    /// The person put the review aside.
    PlanReviewDismissed = "PLAN_REVIEW_DISMISSED",
    /// The question is answered, withdrawn or was never asked.
    QuestionGone = "QUESTION_GONE",
    /// Questions are asked in plan mode only.
    QuestionUnavailable = "QUESTION_UNAVAILABLE",
    /// The time of the question is not over.
    QuestionNotDue = "QUESTION_NOT_DUE",
    /// The question was asked anew.
    QuestionStale = "QUESTION_STALE",
    /// The answers do not fit the question.
    AnswerInvalid = "ANSWER_INVALID",
    /// The person put the question aside.
    AskCancelled = "ASK_CANCELLED",
    /// The questions are malformed.
    QuestionInvalid = "QUESTION_INVALID",
    /// The call was not started when its turn was stopped.
    AbortedBeforeDispatch = "ABORTED_BEFORE_DISPATCH",
    /// The call was running when its turn was stopped.
    Aborted = "ABORTED",
    /// The host died before the call started.
    ToolNotStarted = "TOOL_NOT_STARTED",
    /// The host died while the call ran.
    ToolOutcomeUnknown = "TOOL_OUTCOME_UNKNOWN",
    /// The title is blank or too long.
    TitleInvalid = "TITLE_INVALID",
    /// The fork point lies inside an open turn.
    ForkOpenTurn = "FORK_OPEN_TURN",
}
