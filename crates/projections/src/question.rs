//! What waits for a person.

use events::{CallId, Epoch, QuestionAsked, QuestionId, QuestionIntent};
use serde::{Deserialize, Serialize};

/// The open questions, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Questions {
    /// Open questions.
    pub open: Vec<OpenQuestion>,
}

/// A question without an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// What is asked.
    pub asked: QuestionAsked,
    /// The epoch it was asked in.
    pub epoch: Epoch,
}

impl OpenQuestion {
    /// Returns when the declared default stands, milliseconds since 1970: while the host that asked is open.
    #[must_use]
    pub fn runs_out_at(&self, host_epoch: Option<Epoch>) -> Option<u64> {
        self.asked.deadline.filter(|_| Some(self.epoch) == host_epoch)
    }
}

impl Questions {
    /// Returns an open question.
    #[must_use]
    pub fn find(&self, id: QuestionId) -> Option<&OpenQuestion> {
        self.open.iter().find(|question| question.asked.question_id == id)
    }

    /// Returns the open review of a plan.
    #[must_use]
    pub fn review(&self) -> Option<&OpenQuestion> {
        self.open.iter().find(|question| matches!(question.asked.intent, QuestionIntent::PlanReview { .. }))
    }

    /// Says whether a call of the open turn waits for an answer; the review of a text plan holds nothing up.
    #[must_use]
    pub fn hold_turn(&self) -> bool {
        self.open.iter().any(|question| question.asked.call_id.is_some())
    }

    /// Says whether an open question holds this call up.
    #[must_use]
    pub fn holds(&self, call_id: &CallId) -> bool {
        self.open.iter().any(|question| question.asked.call_id.as_ref() == Some(call_id))
    }

    pub(crate) fn ask(&mut self, asked: &QuestionAsked, epoch: Epoch) {
        self.open.push(OpenQuestion { asked: asked.clone(), epoch });
    }

    /// Returns whether the question was open.
    pub(crate) fn close(&mut self, id: QuestionId) -> bool {
        let before = self.open.len();
        self.open.retain(|question| question.asked.question_id != id);
        self.open.len() < before
    }
}
