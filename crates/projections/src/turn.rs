//! The newest turn: its step, its calls, and the text that streams.

use events::{
    Actor, AssistantDelta, AssistantMessage, Block, CallId, Channel, Digest, Epoch, GoalId, InputId,
    RequestAttempt, Source, StepEnd, StepFinish, StepStart, ToolCall, ToolClass, TurnEndReason, TurnStart,
    Usage,
};
use serde::{Deserialize, Serialize};

use crate::Input;

/// The newest turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Its number; 0 before the first.
    pub number: u32,
    /// What is going on in it, until it ends.
    pub open: Option<OpenTurn>,
    /// How the newest finished turn ended.
    pub last_end: Option<TurnEndReason>,
}

/// A turn that has not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// The epoch it was started or taken up in: only that host works on it.
    pub epoch: Epoch,
    /// What the workspace looked like when it began.
    pub workspace: WorkspaceMark,
    /// Set once it is being stopped.
    pub cancelled: Option<Cancelled>,
    /// Claimed inputs that no message shows yet.
    pub claimed: Vec<Input>,
    /// Whether a person's message is part of it.
    pub has_person: bool,
    /// The goal round it runs: goal, revision, round.
    pub round: Option<(GoalId, u64, u32)>,
    /// Steps started so far.
    pub steps: u32,
    /// The step that runs.
    pub step: Option<OpenStep>,
    /// What the newest finished step came to.
    pub last: Option<LastStep>,
    /// Whether any step hit the output limit.
    pub hit_output_limit: bool,
    /// Whether the fallback model is asked, for the other one did not answer.
    #[serde(default)]
    pub falls_back: bool,
}

/// What a workspace looks like, for comparing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceMark {
    /// The commit that is checked out, where there is git.
    pub head: Option<String>,
    /// A hash over the files that are not ignored.
    pub dirty_hash: Option<Digest>,
}

/// Who stopped a turn, and whether its inbox stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancelled {
    /// Who.
    pub by: Actor,
    /// Whether waiting inputs stay.
    pub keep_inbox: bool,
}

/// What a finished step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastStep {
    /// How its answer ended.
    pub finish: StepFinish,
    /// Whether tools answered, so that the model has to be asked again.
    pub had_calls: bool,
}

/// A step that has not ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenStep {
    /// What streamed so far.
    pub stream: Stream,
    /// Whether the model gets no tools and only has to close.
    pub wraps_up: bool,
    /// Whether the whole answer is recorded.
    pub answered: bool,
    /// What the recorded answer used; the step's end counts it.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// The calls of the recorded answer, in order.
    pub calls: Vec<Call>,
    /// Why and when the request is made again; none while its first attempt is under way.
    #[serde(default)]
    pub retry: Option<Retry>,
}

/// Another attempt of a step's request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// The attempt, from 2.
    pub attempt: u32,
    /// How often in a row the model that is asked has failed in this step.
    pub failures: u32,
    /// The class of the failure before it.
    pub class: String,
    /// It is not made before, in milliseconds since 1970.
    pub not_before_ms: u64,
}

impl OpenStep {
    /// Returns the attempt that is under way or due, from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.retry.as_ref().map_or(1, |retry| retry.attempt)
    }

    /// Returns what the attempt under way has streamed, as the content of a message.
    #[must_use]
    pub fn streamed_now(&self) -> Vec<Block> {
        if self.stream.attempt == self.attempt() { self.stream.content() } else { Vec::new() }
    }

    /// Returns the call with this id.
    #[must_use]
    pub fn call(&self, id: &CallId) -> Option<&Call> {
        self.calls.iter().find(|call| &call.call_id == id)
    }
}

/// The text of an answer that is still coming, of the newest attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// The attempt, from 1; 0 before the first text.
    pub attempt: u32,
    /// The answer so far.
    pub text: String,
    /// The reasoning so far.
    pub reasoning: String,
    /// The plan text so far.
    pub plan: String,
}

impl Stream {
    /// Returns what a person saw, as the content of a message.
    #[must_use]
    pub fn content(&self) -> Vec<Block> {
        let mut content = Vec::new();
        if !self.reasoning.is_empty() {
            content.push(Block::Reasoning { text: self.reasoning.clone() });
        }
        let text = self.whole_text();
        if !text.is_empty() {
            content.push(Block::Text { text });
        }
        content
    }

    /// A plan stands in its block again, behind the text; tags were not streamed.
    fn whole_text(&self) -> String {
        if self.plan.is_empty() {
            return self.text.clone();
        }
        let on_new_line = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let (text, plan) = (&self.text, &self.plan);
        let (before, after) = (on_new_line(text), on_new_line(plan));
        format!("{text}{before}<proposed_plan>\n{plan}{after}</proposed_plan>\n")
    }

    fn push(&mut self, delta: &AssistantDelta) {
        if delta.attempt > self.attempt {
            *self = Self { attempt: delta.attempt, ..Self::default() };
        }
        let channel = match delta.channel {
            Channel::Text => &mut self.text,
            Channel::Reasoning => &mut self.reasoning,
            Channel::Plan => &mut self.plan,
        };
        channel.push_str(&delta.text);
    }
}

/// A call of the open step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// Verbatim JSON text.
    pub arguments: String,
    /// How far it is.
    pub stage: CallStage,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallStage {
    /// Recorded, not started.
    Called,
    /// Its body may be running.
    Started(ToolClass),
    /// It has its result.
    Done,
}

impl Turn {
    /// Returns the open step.
    #[must_use]
    pub fn step(&self) -> Option<&OpenStep> {
        self.open.as_ref()?.step.as_ref()
    }

    fn step_mut(&mut self) -> Option<&mut OpenStep> {
        self.open.as_mut()?.step.as_mut()
    }

    /// Returns whether the turn may start.
    pub(crate) fn start(&mut self, data: &TurnStart, epoch: Epoch) -> bool {
        let in_order = self.open.is_none() && data.turn == self.number + 1;
        self.number = data.turn;
        let (head, dirty_hash) = (data.workspace_head.clone(), data.dirty_hash.clone());
        self.open = Some(OpenTurn {
            epoch,
            workspace: WorkspaceMark { head, dirty_hash },
            cancelled: None,
            claimed: Vec::new(),
            has_person: false,
            round: None,
            steps: 0,
            step: None,
            last: None,
            hit_output_limit: false,
            falls_back: false,
        });
        in_order
    }

    /// Returns whether `turn` is open; its unseen inputs come back with it.
    pub(crate) fn end(&mut self, turn: u32, reason: &TurnEndReason) -> bool {
        let open = self.open.take();
        self.last_end = Some(reason.clone());
        open.is_some_and(|open| open.step.is_none()) && turn == self.number
    }

    /// Returns whether `turn` is open.
    pub(crate) fn cancel(&mut self, turn: u32, cancelled: Cancelled) -> bool {
        match &mut self.open {
            Some(open) if turn == self.number => {
                open.cancelled.get_or_insert(cancelled);
                true
            }
            _ => false,
        }
    }

    /// Returns whether the step may start.
    pub(crate) fn start_step(&mut self, data: &StepStart) -> bool {
        let number = self.number;
        let Some(open) = &mut self.open else { return false };
        let in_order = data.turn == number && open.step.is_none() && data.step == open.steps + 1;
        open.steps = data.step;
        open.step = Some(OpenStep { wraps_up: data.wraps_up, ..OpenStep::default() });
        in_order
    }

    /// Returns whether the step was open.
    pub(crate) fn end_step(&mut self, data: &StepEnd) -> bool {
        let number = self.number;
        let Some(open) = &mut self.open else { return false };
        let Some(step) = open.step.take() else { return false };
        open.hit_output_limit |= data.finish == StepFinish::MaxTokens;
        open.last = Some(LastStep { finish: data.finish, had_calls: !step.calls.is_empty() });
        data.turn == number && data.step == open.steps
    }

    pub(crate) fn stream(&mut self, delta: &AssistantDelta) {
        if let Some(step) = self.step_mut() {
            step.stream.push(delta);
        }
    }

    /// Returns whether a step waits for an answer, and this is the attempt after the one before.
    pub(crate) fn retry(&mut self, data: &RequestAttempt, at_ms: u64) -> bool {
        let number = self.number;
        let Some(open) = &mut self.open else { return false };
        open.falls_back |= data.fallback.is_some();
        let steps = open.steps;
        let Some(step) = &mut open.step else { return false };
        let before = step.attempt();
        let failures = step.retry.as_ref().map_or(0, |retry| retry.failures);
        step.retry = Some(Retry {
            attempt: data.attempt,
            failures: if data.fallback.is_some() { 0 } else { failures.saturating_add(1) },
            class: data.class.clone(),
            not_before_ms: at_ms.saturating_add(data.delay_ms),
        });
        let follows = data.attempt == before.saturating_add(1);
        follows && !step.answered && data.turn == number && data.step == steps
    }

    /// Returns whether a step waits for an answer.
    pub(crate) fn answer(&mut self, data: &AssistantMessage) -> bool {
        let number = self.number;
        let Some(open) = &mut self.open else { return false };
        let steps = open.steps;
        let Some(step) = &mut open.step else { return false };
        let in_order = !step.answered && data.turn == number && data.step == steps;
        step.answered = true;
        step.usage = data.usage;
        step.stream = Stream::default();
        step.retry = None;
        in_order
    }

    /// Returns whether a step is open for the call.
    pub(crate) fn call(&mut self, data: &ToolCall) -> bool {
        let Some(step) = self.step_mut() else { return false };
        let is_new = step.call(&data.call_id).is_none();
        step.calls.push(Call {
            call_id: data.call_id.clone(),
            name: data.name.clone(),
            arguments: data.arguments.clone(),
            stage: CallStage::Called,
        });
        is_new
    }

    /// Returns whether the call was waiting to start.
    pub(crate) fn start_call(&mut self, id: &CallId, class: ToolClass) -> bool {
        self.shift_call(id, CallStage::Started(class), |stage| stage == CallStage::Called)
    }

    /// Returns whether the call was without a result.
    pub(crate) fn finish_call(&mut self, id: &CallId) -> bool {
        self.shift_call(id, CallStage::Done, |stage| stage != CallStage::Done)
    }

    fn shift_call(&mut self, id: &CallId, to: CallStage, may: impl Fn(CallStage) -> bool) -> bool {
        let Some(step) = self.step_mut() else { return false };
        let found = step.calls.iter_mut().find(|call| &call.call_id == id && may(call.stage));
        let Some(call) = found else { return false };
        call.stage = to;
        true
    }

    pub(crate) fn claim(&mut self, inputs: Vec<Input>) -> bool {
        let Some(open) = &mut self.open else { return false };
        open.claimed.extend(inputs);
        true
    }

    /// Takes claimed inputs back out of the turn.
    pub(crate) fn unclaim(&mut self, ids: &[InputId]) -> Vec<Input> {
        let Some(open) = &mut self.open else { return Vec::new() };
        let (back, kept) =
            std::mem::take(&mut open.claimed).into_iter().partition(|input| ids.contains(&input.input_id));
        open.claimed = kept;
        back
    }

    pub(crate) fn admit(&mut self, input: Option<InputId>, source: &Source) {
        let Some(open) = &mut self.open else { return };
        open.claimed.retain(|claimed| Some(claimed.input_id) != input);
        match source {
            Source::User => open.has_person = true,
            Source::Goal { goal_id, revision, round } => {
                open.round = Some((goal_id.clone(), *revision, *round));
            }
            Source::Notice { .. } | Source::Plan { .. } => {}
        }
    }
}
