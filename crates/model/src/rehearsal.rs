//! A built-in model that needs no key and no network: it follows a fixed script, and says so.
//!
//! Start reading at [`Rehearsal`]. `story` reads what has happened since the last word of a person, `plan`,
//! `work`, `goal` and `prompt` each hold one script, `script` finds the place in it, and `pace` lets the
//! answer stream. Nothing is remembered between requests: the same request gets the same answer, so a
//! session that is replayed, forked or taken up after a crash goes on where its log ends.
//!
//! The tools it calls are those of the request and nothing else; their results are real, and the script takes
//! refusals and errors into account. It stops after 12 steps for one message or one approval of a person.

mod goal;
mod pace;
mod plan;
mod prompt;
mod script;
mod seen;
mod story;
mod topic;
mod words;
mod work;

use std::time::Duration;

use crate::{ChunkStream, Provider, Request};
use script::{Beat, Script};
use story::Story;
use topic::Topic;

/// The name of the built-in model, and of its provider.
pub const REHEARSAL: &str = "rehearsal";

/// The built-in model.
#[derive(Debug, Clone, Copy)]
pub struct Rehearsal {
    pace: Duration,
}

impl Rehearsal {
    /// Returns a model that waits for `pace` before each chunk; zero answers as fast as it is read.
    #[must_use]
    pub fn new(pace: Duration) -> Self {
        Self { pace }
    }
}

impl Default for Rehearsal {
    /// Returns a model with a pace of 12 ms, about that of a person who reads along.
    fn default() -> Self {
        Self::new(Duration::from_millis(12))
    }
}

impl Provider for Rehearsal {
    fn name(&self) -> &'static str {
        REHEARSAL
    }

    fn stream(&self, request: Request) -> ChunkStream {
        pace::stream(pace::chunks(&request, answer(&request)), self.pace)
    }
}

/// Returns the next step of the script that fits the request.
fn answer(request: &Request) -> Beat {
    let story = Story::of(request);
    let mut beat = script(&story).next(&story);
    let speaks_to_a_person = !story.asks_for_closing() && !goal::is_claim(&story);
    if story.steps == 0 && story.approved_plan.is_none() && speaks_to_a_person {
        beat.say = format!("{}{}", words::INTRODUCTION, beat.say);
    }
    beat
}

/// Chooses the script. The first line that fits decides, so the order is the order of precedence.
fn script(story: &Story<'_>) -> Script {
    if goal::is_claim(story) {
        return goal::verdict(story);
    }
    if story.asks_for_closing() {
        return goal::closing(story);
    }
    if let Some(round) = goal::Round::of(story.opening) {
        return goal::script(story, &round);
    }
    if let Some(plan) = &story.approved_plan {
        return work::script(story, &Topic::of_plan(plan), Some(plan));
    }
    if story.is_planning() {
        return plan::script(story);
    }
    if story.last(story::EXIT_PLAN_MODE).is_some() {
        return plan::left();
    }
    prompt::script(story)
}

#[cfg(test)]
mod tests;
