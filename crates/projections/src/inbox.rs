//! What waits to be claimed, in two lists.

use std::sync::Arc;

use events::{Block, Epoch, InputId, InputMoved, InputQueued, Source, Target};
use serde::{Deserialize, Serialize};

/// The two lists.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Inbox {
    /// Each opens a turn of its own, first come first served.
    pub next_turn: Vec<Input>,
    /// All join the next step.
    pub next_step: Vec<Input>,
}

/// One waiting input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The input.
    pub input_id: InputId,
    /// Its list.
    pub target: Target,
    /// Where it came from.
    pub source: Source,
    /// What it says.
    pub content: Arc<Vec<Block>>,
    /// The epoch it was queued or sent in: it runs unasked in this one only.
    pub epoch: Epoch,
    /// Whether it opens a turn.
    pub wakes: bool,
}

impl Input {
    /// Says whether a host in `epoch` may run it without being asked again.
    #[must_use]
    pub fn runs_in(&self, epoch: Epoch) -> bool {
        self.epoch == epoch
    }

    /// Says whether the goal driver reserved it.
    #[must_use]
    pub fn is_round(&self) -> bool {
        matches!(self.source, Source::Goal { .. })
    }

    /// Says whether a person wrote it.
    #[must_use]
    pub fn is_from_person(&self) -> bool {
        matches!(self.source, Source::User)
    }
}

impl Inbox {
    /// Iterates over both lists, the next step's first.
    pub fn iter(&self) -> impl Iterator<Item = &Input> {
        self.next_step.iter().chain(&self.next_turn)
    }

    /// Returns how many inputs wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.next_turn.len() + self.next_step.len()
    }

    /// Says whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a waiting input.
    #[must_use]
    pub fn find(&self, id: InputId) -> Option<&Input> {
        self.iter().find(|input| input.input_id == id)
    }

    pub(crate) fn queue(&mut self, data: &InputQueued, epoch: Epoch) {
        let input = Input {
            input_id: data.input_id,
            target: data.target,
            source: data.source.clone(),
            content: Arc::new(data.content.clone()),
            epoch,
            wakes: data.wakes,
        };
        self.list(data.target).push(input);
    }

    /// Returns whether the input waits.
    pub(crate) fn edit(&mut self, id: InputId, content: &[Block]) -> bool {
        let found = self.next_step.iter_mut().chain(&mut self.next_turn).find(|input| input.input_id == id);
        let Some(input) = found else { return false };
        input.content = Arc::new(content.to_vec());
        true
    }

    /// Returns whether the input waited.
    pub(crate) fn shift(&mut self, data: &InputMoved, epoch: Epoch) -> bool {
        let Some(input) = self.take(data.input_id) else { return false };
        let list = self.list(data.target);
        let position = usize::try_from(data.position).map_or(list.len(), |position| position.min(list.len()));
        list.insert(position, Input { target: data.target, epoch, ..input });
        true
    }

    /// Takes an input out.
    pub(crate) fn take(&mut self, id: InputId) -> Option<Input> {
        for list in [&mut self.next_step, &mut self.next_turn] {
            if let Some(index) = list.iter().position(|input| input.input_id == id) {
                return Some(list.remove(index));
            }
        }
        None
    }

    /// Puts inputs back at the head of their lists, in order.
    pub(crate) fn put_back(&mut self, inputs: Vec<Input>) {
        for input in inputs.into_iter().rev() {
            self.list(input.target).insert(0, input);
        }
    }

    fn list(&mut self, target: Target) -> &mut Vec<Input> {
        match target {
            Target::NextTurn => &mut self.next_turn,
            Target::NextStep => &mut self.next_step,
        }
    }
}
