//! The session as a whole: its title, putting it away, and what a fork begins with.

use events::{
    Actor, InputWithdrawn, PermissionRevoked, PlanSelected, PlanVerdict, QuestionAsked, SessionArchived,
    SessionEvent, SessionTitled,
};
use projections::State;

use super::{Decision, question};
use crate::{Code, Moment, Refusal};

/// Words of a made title.
const TITLE_WORDS_MAX: usize = 6;
/// Bytes of a made title.
const MADE_TITLE_BYTES_MAX: usize = 48;

pub(super) fn title(title: &str, at: &Moment) -> Decision {
    let title = one_line(title);
    if title.is_empty() || title.len() > at.limits.title_bytes_max {
        let message = format!("a title has 1 to {} bytes on one line", at.limits.title_bytes_max);
        return Refusal::err(Code::TitleInvalid, message);
    }
    Ok(vec![SessionTitled { title, by: at.actor.clone() }.into()])
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().filter(|c| !c.is_control()).collect()
}

/// Makes a title from the first thing a person asks for, unless there is one.
pub(super) fn first_title(state: &State, text: &str, at: &Moment) -> Option<SessionEvent> {
    if state.session.title.is_some() {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().take(TITLE_WORDS_MAX).collect();
    let line = one_line(&words.join(" "));
    let bytes_max = MADE_TITLE_BYTES_MAX.min(at.limits.title_bytes_max);
    let title = line[..line.floor_char_boundary(bytes_max)].trim().to_owned();
    (!title.is_empty()).then(|| SessionTitled { title, by: Actor::HOST }.into())
}

pub(super) fn archive(state: &State, archived: bool, at: &Moment) -> Vec<SessionEvent> {
    if state.session.archived == archived {
        return Vec::new();
    }
    vec![SessionArchived { archived, by: at.actor.clone() }.into()]
}

/// Returns what a fork writes after `session/created` and `session/opened`: nothing that waited in the parent waits
/// in the child, and nothing that was allowed ahead of time is allowed there.
#[must_use]
pub fn fork_batch(parent: &State) -> Vec<SessionEvent> {
    let why = || "forked".to_owned();
    let inputs =
        parent.inbox.iter().map(|input| InputWithdrawn { input_id: input.input_id, why: why() }.into());
    let mut events: Vec<SessionEvent> = inputs.collect();
    let lapse = |asked: &QuestionAsked| question::withdraw(asked, "forked", PlanVerdict::Withdrawn);
    events.extend(parent.questions.open.iter().flat_map(|question| lapse(&question.asked)));
    if parent.plan.pending.is_some() {
        events.push(PlanSelected { active: parent.plan.active, by: Actor::HOST, narrate: false }.into());
    }
    let revoke = |pattern: &String| PermissionRevoked { pattern: pattern.clone() }.into();
    events.extend(parent.permissions.grants.iter().map(revoke));
    events
}
