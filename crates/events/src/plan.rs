//! Facts about plan mode, plans, and questions to a person.

use serde::{Deserialize, Serialize};

use crate::{Actor, CallId, Digest, PlanId, QuestionId};

/// Somebody chose a mode; it waits for the next admitted step, or was committed in the same batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanSelected {
    /// The mode chosen: true is plan mode.
    pub active: bool,
    /// Who chose it.
    pub by: Actor,
    /// Whether the model is to be told; false after an approval, whose tool result tells it.
    pub narrate: bool,
}

/// The mode in force from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanMode {
    /// True is plan mode.
    pub active: bool,
}

/// A plan was put forward. A new revision withdraws the review of an older one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanProposed {
    /// One id for each stay in plan mode.
    pub plan_id: PlanId,
    /// From 1 within the plan id.
    pub revision: u32,
    /// Text of the first heading.
    pub title: String,
    /// The whole plan, exactly as the model sent it; at most 256 KiB.
    pub markdown: String,
    /// SHA-256 of `markdown`.
    pub sha256: Digest,
    /// How it came.
    pub from: PlanOrigin,
}

/// How a plan came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanOrigin {
    /// Through `exit_plan_mode`.
    Tool,
    /// As a block in the model's text.
    Text,
}

/// A review ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanReviewed {
    /// The plan.
    pub plan_id: PlanId,
    /// The revision that was reviewed.
    pub revision: u32,
    /// How it ended.
    pub verdict: PlanVerdict,
    /// What the person wrote with *Keep planning*.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanVerdict {
    /// The person approved this very text.
    Approved,
    /// The person wants more planning.
    KeepPlanning,
    /// The person put the review aside to talk.
    Dismissed,
    /// It lapsed: its turn ended, or plan mode was left another way.
    Withdrawn,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionAsked {
    /// The question.
    pub question_id: QuestionId,
    /// From 1; an answer names it.
    pub revision: u32,
    /// The tool call that waits for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// What the answer decides.
    pub intent: QuestionIntent,
    /// One to three items.
    pub items: Vec<QuestionItem>,
    /// The answers that stand when the deadline passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<Answer>>,
    /// Milliseconds since 1970 after which the default stands; runs only while a host is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
}

/// What an answer decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum QuestionIntent {
    /// The model wants to know something.
    AskUser,
    /// A plan waits for approval.
    PlanReview {
        /// The plan.
        plan_id: PlanId,
        /// The revision shown.
        revision: u32,
        /// SHA-256 of the text shown.
        sha256: Digest,
    },
    /// A call waits for permission.
    Permission,
}

/// One item of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionItem {
    /// Stable within the question.
    pub id: String,
    /// A few words.
    pub header: String,
    /// One sentence.
    pub question: String,
    /// Longer text to decide on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Two to four options.
    pub options: Vec<QuestionOption>,
    /// Whether several options may be chosen.
    #[serde(default)]
    pub multi_select: bool,
}

/// One option of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionOption {
    /// One to five words.
    pub label: String,
    /// What choosing it means.
    #[serde(default)]
    pub description: String,
    /// Whether the asker recommends it.
    #[serde(default)]
    pub recommended: bool,
}

/// The answer to one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The item's id.
    pub id: String,
    /// The chosen labels.
    pub selected: Vec<String>,
    /// Free text; never blank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<String>,
}

/// A question has its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionAnswered {
    /// The question.
    pub question_id: QuestionId,
    /// The revision that was answered.
    pub revision: u32,
    /// One for each item, in order.
    pub answers: Vec<Answer>,
    /// A person, or the host when the deadline passed.
    pub by: Actor,
}

/// A question is gone without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionWithdrawn {
    /// The question.
    pub question_id: QuestionId,
    /// Why, e.g. `dismissed`, `turn-ended`, `forked`.
    pub why: String,
}
