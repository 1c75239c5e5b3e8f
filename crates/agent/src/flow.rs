//! Streamed text on its way into the log: gathered for a moment, apart by channel.

use std::time::Duration;

use events::{AssistantDelta, Channel};
use model::Chunk;
use projections::OpenStep;
use sessions::View;
use tokio::time::Instant;

use crate::proposed_plan::{ProposedPlanParser, Segment};

/// How long streamed text gathers before it is appended.
const DELTA_EVERY: Duration = Duration::from_millis(50);

/// The streamed text of one request.
pub(crate) struct Flow {
    turn: u32,
    step: u32,
    attempt: u32,
    reasoning: Gathered,
    text: Gathered,
    plan: Gathered,
    /// Tells plan text from other text; in plan mode only, for tags are text elsewhere.
    parser: Option<ProposedPlanParser>,
    flushed: Instant,
}

/// The text of one channel.
struct Gathered {
    channel: Channel,
    text: String,
    /// Bytes of the channel before this text.
    offset: u64,
}

impl Flow {
    /// Returns the flow of the step that is open in `view`.
    pub(crate) fn new(view: &View) -> Self {
        let gathered = |channel| Gathered { channel, text: String::new(), offset: 0 };
        Self {
            turn: view.state.turn.number,
            step: view.state.turn.open.as_ref().map_or(0, |open| open.steps),
            attempt: view.state.turn.step().map_or(1, OpenStep::attempt),
            reasoning: gathered(Channel::Reasoning),
            text: gathered(Channel::Text),
            plan: gathered(Channel::Plan),
            parser: view.state.plan.active.then(ProposedPlanParser::default),
            flushed: Instant::now(),
        }
    }

    /// Takes what the provider sent.
    pub(crate) fn take(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Reasoning(text) => self.reasoning.text.push_str(text),
            Chunk::Text(text) => match &mut self.parser {
                None => self.text.text.push_str(text),
                Some(parser) => {
                    let segments = parser.push(text);
                    self.sort(segments);
                }
            },
            Chunk::CallDelta { .. } | Chunk::Item(_) | Chunk::Usage(_) | Chunk::Finish(_) => {}
        }
    }

    /// Lets go of text that was held back because it may have been a tag.
    pub(crate) fn end(&mut self) {
        let held = self.parser.as_mut().map(ProposedPlanParser::finish);
        self.sort(held.unwrap_or_default());
    }

    fn sort(&mut self, segments: Vec<Segment>) {
        for segment in segments {
            match segment {
                Segment::Text(text) => self.text.text.push_str(&text),
                Segment::Plan(text) => self.plan.text.push_str(&text),
                Segment::PlanStart | Segment::PlanEnd => {}
            }
        }
    }

    /// Says whether there is anything to append.
    pub(crate) fn waits(&self) -> bool {
        [&self.reasoning, &self.text, &self.plan].iter().any(|gathered| !gathered.text.is_empty())
    }

    /// Returns when it is to be appended.
    pub(crate) fn flush_at(&self) -> Instant {
        self.flushed + DELTA_EVERY
    }

    /// Returns what there is to append, and begins to gather anew.
    pub(crate) fn deltas(&mut self) -> Vec<AssistantDelta> {
        self.flushed = Instant::now();
        let (turn, step, attempt) = (self.turn, self.step, self.attempt);
        let channels = [&mut self.reasoning, &mut self.text, &mut self.plan];
        let waiting = channels.into_iter().filter(|gathered| !gathered.text.is_empty());
        waiting
            .map(|gathered| {
                let (text, offset) = (std::mem::take(&mut gathered.text), gathered.offset);
                gathered.offset += text.len() as u64;
                AssistantDelta { turn, step, attempt, offset, channel: gathered.channel, text }
            })
            .collect()
    }
}
