//! Plan mode: the mode in force, the selection that waits, and the newest proposal.

use events::{Actor, Digest, PlanId, PlanOrigin, PlanProposed, PlanReviewed, PlanSelected, PlanVerdict, Seq};
use serde::{Deserialize, Serialize};

/// Plan mode and its plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The mode in force.
    pub active: bool,
    /// A selection that waits for the next admitted step; never equal to the mode.
    pub pending: Option<Selection>,
    /// The newest proposal; it stays readable after approval.
    pub proposal: Option<Proposal>,
    /// The plans and revisions before [`Plan::proposal`], oldest first, as far as they are kept at hand; the log keeps all.
    pub earlier: Vec<Proposal>,
    /// Whether [`Plan::proposal`] was made during the present stay in plan mode.
    pub proposed_this_stay: bool,
    /// The mode the model was last told: by a request's header, by a notice, or by an approval's tool result.
    pub told: Option<bool>,
    /// Whether a switch since then is to be told; an approval's tool result tells it already.
    pub narrate: bool,
    /// Whether a summary took the place of what the model was told, so that it is told again.
    pub retell: bool,
}

/// Earlier proposals that are kept at hand.
const EARLIER_MAX: usize = 100;

/// A mode that somebody chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// True is plan mode.
    pub active: bool,
    /// Who chose it.
    pub by: Actor,
    /// Whether the model is to be told.
    pub narrate: bool,
}

/// A plan that was put forward.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The plan.
    pub plan_id: PlanId,
    /// From 1 within the plan.
    pub revision: u32,
    /// Text of its first heading.
    pub title: String,
    /// SHA-256 of its markdown.
    pub sha256: Digest,
    /// How it came.
    pub from: PlanOrigin,
    /// The event that holds its markdown.
    pub seq: Seq,
    /// How its review stands.
    pub state: ProposalState,
}

/// How a proposal's review stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProposalState {
    /// Nobody has decided.
    Open,
    /// Approved.
    Approved,
    /// More planning was asked for.
    Kept,
    /// Put aside to talk.
    Dismissed,
    /// It lapsed.
    Withdrawn,
}

impl Plan {
    /// Returns the mode that will be in force at the next admitted step.
    #[must_use]
    pub fn target(&self) -> bool {
        self.pending.as_ref().map_or(self.active, |pending| pending.active)
    }

    /// Says whether the next admitted step has to tell the model that the mode is now `active`.
    #[must_use]
    pub fn owes_notice(&self, active: bool, narrate: bool) -> bool {
        narrate && self.told.is_some_and(|told| told != active)
    }

    pub(crate) fn select(&mut self, data: &PlanSelected) {
        // A silent selection is an approval, and the model reads its tool result whatever becomes of it.
        if !data.narrate && data.active != self.active && self.told.is_some() {
            self.told = Some(data.active);
        }
        let selection = Selection { active: data.active, by: data.by.clone(), narrate: data.narrate };
        self.pending = (data.active != self.active).then_some(selection);
    }

    pub(crate) fn commit(&mut self, active: bool) {
        self.narrate = self.pending.take().is_none_or(|pending| pending.narrate);
        if active && !self.active {
            self.proposed_this_stay = false;
        }
        self.active = active;
    }

    /// Returns every plan and revision at hand, newest first.
    pub fn versions(&self) -> impl Iterator<Item = &Proposal> {
        self.proposal.iter().chain(self.earlier.iter().rev())
    }

    /// Returns the plan that was approved last.
    #[must_use]
    pub fn approved(&self) -> Option<&Proposal> {
        self.versions().find(|version| version.state == ProposalState::Approved)
    }

    pub(crate) fn propose(&mut self, data: &PlanProposed, seq: Seq) {
        self.proposed_this_stay = true;
        // The same text put forward again is the same version.
        let before = self
            .proposal
            .take()
            .filter(|before| (before.plan_id, &before.sha256) != (data.plan_id, &data.sha256));
        self.earlier.extend(before);
        let surplus = self.earlier.len().saturating_sub(EARLIER_MAX);
        self.earlier.drain(..surplus);
        self.proposal = Some(Proposal {
            plan_id: data.plan_id,
            revision: data.revision,
            title: data.title.clone(),
            sha256: data.sha256.clone(),
            from: data.from,
            seq,
            state: ProposalState::Open,
        });
    }

    /// Returns whether the reviewed plan is known.
    pub(crate) fn review(&mut self, data: &PlanReviewed) -> bool {
        let Some(proposal) = &mut self.proposal else { return false };
        if proposal.plan_id != data.plan_id || data.revision > proposal.revision {
            return false;
        }
        if data.revision == proposal.revision {
            proposal.state = match data.verdict {
                PlanVerdict::Approved => ProposalState::Approved,
                PlanVerdict::KeepPlanning => ProposalState::Kept,
                PlanVerdict::Dismissed => ProposalState::Dismissed,
                PlanVerdict::Withdrawn => ProposalState::Withdrawn,
            };
        }
        true
    }
}
