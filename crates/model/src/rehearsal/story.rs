//! What has happened since the last word of a person, read out of a request.

use serde_json::Value;

use crate::{Call, Message, Request};

/// The tool that puts a plan before a person.
pub(super) const EXIT_PLAN_MODE: &str = "exit_plan_mode";

/// A request, read as the story of one piece of work.
pub(super) struct Story<'a> {
    request: &'a Request,
    /// The message that this work is about: a person's, or the goal driver's.
    pub(super) opening: &'a str,
    /// What came before the opening.
    pub(super) before: &'a [Message],
    /// Calls since the opening, or since a person approved a plan after it; in order.
    pub(super) attempts: Vec<Attempt<'a>>,
    /// The plan that a person approved since the opening.
    pub(super) approved_plan: Option<String>,
    /// Answers since the opening or the approval.
    pub(super) steps: usize,
    /// The place of the last answer among them.
    last_step: usize,
}

/// One call and what came of it.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    step: usize,
    pub(super) call: &'a Call,
    /// What the tool said.
    pub(super) text: &'a str,
    /// Whether it was refused or went wrong.
    pub(super) is_error: bool,
}

impl Attempt<'_> {
    /// Returns a text argument of the call.
    pub(super) fn argument(&self, name: &str) -> Option<String> {
        let arguments: Value = serde_json::from_str(&self.call.arguments).ok()?;
        arguments.get(name)?.as_str().map(str::to_owned)
    }
}

impl<'a> Story<'a> {
    pub(super) fn of(request: &'a Request) -> Self {
        let opened_at = opened_at(&request.messages);
        let (before, after) = request.messages.split_at(opened_at.unwrap_or_default());
        let opening = after.first().and_then(user_text).unwrap_or_default();
        let attempts = attempts(after);
        let steps = after.iter().filter(|message| matches!(message, Message::Assistant { .. })).count();
        let mut story =
            Self { request, opening, before, attempts, approved_plan: None, steps, last_step: steps };
        story.begin_anew_at_approval();
        story
    }

    /// An approval is a person's word as much as a message is: the work after it counts from there.
    fn begin_anew_at_approval(&mut self) {
        let approval = |attempt: &Attempt<'_>| attempt.call.name == EXIT_PLAN_MODE && !attempt.is_error;
        let Some(place) = self.attempts.iter().rposition(approval) else {
            return;
        };
        let approved = self.attempts[place];
        self.approved_plan = Some(approved.argument("plan").unwrap_or_default());
        self.attempts.drain(..=place);
        self.steps -= approved.step;
    }

    /// Says whether plan mode is on.
    pub(super) fn is_planning(&self) -> bool {
        self.request.system.contains("<mode name=\"plan\">")
    }

    /// Says whether the host asks for a last word and no more tools.
    pub(super) fn asks_for_closing(&self) -> bool {
        ["<goal_complete>", "<goal_blocked>"].iter().any(|tag| self.opening.contains(tag))
    }

    /// Says whether the request has this tool.
    pub(super) fn offers(&self, tool: &str) -> bool {
        self.request.tools.iter().any(|spec| spec.name == tool)
    }

    /// Returns the last call of this tool.
    pub(super) fn last(&self, tool: &str) -> Option<&Attempt<'a>> {
        self.attempts.iter().rfind(|attempt| attempt.call.name == tool)
    }

    /// Says whether the last call of this tool worked.
    pub(super) fn worked(&self, tool: &str) -> bool {
        self.last(tool).is_some_and(|attempt| !attempt.is_error)
    }

    /// Says whether this tool is missing, or its last call went wrong: what builds on it makes no sense then.
    pub(super) fn is_out(&self, tool: &str) -> bool {
        !self.offers(tool) || self.last(tool).is_some_and(|attempt| attempt.is_error)
    }

    /// Returns the calls of the last answer that went wrong.
    pub(super) fn fresh_errors(&self) -> impl Iterator<Item = &Attempt<'a>> {
        self.attempts.iter().filter(|attempt| attempt.is_error && attempt.step == self.last_step)
    }

    /// Returns every call of the conversation before the opening, with its result.
    pub(super) fn earlier(&self) -> Vec<Attempt<'a>> {
        attempts(self.before)
    }

    /// Returns every call of the whole conversation, with its result.
    pub(super) fn all(&self) -> Vec<Attempt<'a>> {
        attempts(&self.request.messages)
    }
}

/// Returns the place of the last message that is no mere notice.
fn opened_at(messages: &[Message]) -> Option<usize> {
    let opens = |message: &Message| user_text(message).is_some_and(|text| !is_notice(text));
    messages
        .iter()
        .rposition(opens)
        .or_else(|| messages.iter().position(|message| user_text(message).is_some()))
}

fn user_text(message: &Message) -> Option<&str> {
    match message {
        Message::User { text } => Some(text),
        Message::Assistant { .. } | Message::Tool { .. } => None,
    }
}

/// Says whether a message is wrapped in a tag as a whole, as the host's notices are, and is no goal message.
fn is_notice(text: &str) -> bool {
    let text = text.trim();
    let is_name = |at: char| at.is_ascii_alphanumeric() || at == '_' || at == '-';
    let name =
        text.strip_prefix('<').and_then(|rest| rest.split(|at| !is_name(at)).next()).unwrap_or_default();
    // The engine's tags have an underscore; a line of HTML that a person sends has none.
    let is_goal = matches!(name, "goal_round" | "goal_complete" | "goal_blocked");
    name.contains('_') && !is_goal && text.ends_with(&format!("</{name}>"))
}

fn attempts(messages: &[Message]) -> Vec<Attempt<'_>> {
    let mut step = 0;
    let mut attempts = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        if let Message::Assistant { calls, .. } = message {
            step += 1;
            attempts.extend(calls.iter().map(|call| attempt(call, step, &messages[place..])));
        }
    }
    attempts
}

fn attempt<'a>(call: &'a Call, step: usize, after: &'a [Message]) -> Attempt<'a> {
    let result = after.iter().find_map(|message| match message {
        Message::Tool { call_id, text, is_error } if *call_id == call.call_id => {
            Some((text.as_str(), *is_error))
        }
        Message::Tool { .. } | Message::User { .. } | Message::Assistant { .. } => None,
    });
    let (text, is_error) = result.unwrap_or(("there is no result", true));
    Attempt { step, call, text, is_error }
}
