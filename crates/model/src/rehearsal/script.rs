//! Scripts, and finding the place in them.

use serde_json::Value;

use super::story::{Attempt, EXIT_PLAN_MODE, Story};
use super::words;

/// The most answers to one message or approval of a person, the closing one included.
const STEPS_MAX: usize = 12;

/// A list of steps, and what is said after the last.
///
/// A script is written anew for each request, from the same story that it is matched against; so it may leave
/// out what no longer makes sense, as long as it keeps what has already happened.
pub(super) struct Script {
    pub(super) beats: Vec<Beat>,
    pub(super) closing: String,
}

/// One answer: what is thought and said, and the tools that are called with it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Beat {
    pub(super) reasoning: String,
    pub(super) say: String,
    pub(super) wishes: Vec<Wish>,
}

/// A call that a script wants.
#[derive(Debug, PartialEq)]
pub(super) struct Wish {
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
}

impl Beat {
    /// Returns an answer that calls one tool.
    pub(super) fn call(tool: &'static str, arguments: Value, say: impl Into<String>) -> Self {
        Self { reasoning: String::new(), say: say.into(), wishes: vec![Wish { tool, arguments }] }
    }

    /// Adds a thought in front.
    pub(super) fn thinking(mut self, reasoning: impl Into<String>) -> Self {
        self.reasoning = reasoning.into();
        self
    }

    /// Adds another call to the same answer.
    pub(super) fn and(mut self, tool: &'static str, arguments: Value) -> Self {
        self.wishes.push(Wish { tool, arguments });
        self
    }

    fn text(say: String) -> Self {
        Self { say, ..Self::default() }
    }
}

impl Script {
    /// Returns a script that only speaks.
    pub(super) fn text(closing: impl Into<String>) -> Self {
        Self { beats: Vec::new(), closing: closing.into() }
    }

    /// Returns the first step that has not happened yet, or the closing words.
    ///
    /// Steps that only call tools which the request lacks are left out.
    pub(super) fn next(self, story: &Story<'_>) -> Beat {
        let trouble = trouble(story);
        if story.steps + 1 >= STEPS_MAX {
            return Beat::text(format!("{trouble}{}", words::too_many_steps(STEPS_MAX)));
        }
        let mut attempts = story.attempts.as_slice();
        for mut beat in self.beats {
            beat.wishes.retain(|wish| story.offers(wish.tool));
            let Some(wish) = beat.wishes.first() else {
                continue;
            };
            match attempts.iter().position(|attempt| attempt.call.name == wish.tool) {
                Some(place) => attempts = &attempts[place + 1..],
                None => return Beat { say: format!("{trouble}{}", beat.say), ..beat },
            }
        }
        Beat::text(format!("{trouble}{}", self.closing))
    }
}

/// Says which calls of the last answer went wrong. A plan that was not approved is no trouble; the planning
/// script answers it itself.
fn trouble(story: &Story<'_>) -> String {
    let errors = story.fresh_errors().filter(|attempt| attempt.call.name != EXIT_PLAN_MODE);
    errors.map(|error| sentence(error)).collect()
}

fn sentence(error: &Attempt<'_>) -> String {
    format!("`{}` did not work: {} ", error.call.name, words::quoted(words::bare_error(error.text)))
}
