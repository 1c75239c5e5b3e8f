//! The session as a whole: its title, putting it away, and what a fork begins with.

use events::{
    Actor, InputWithdrawn, PermissionRevoked, PlanSelected, PlanVerdict, QuestionAsked, SessionArchived,
    SessionDeleted, SessionEvent, SessionTitled,
};
use projections::State;

use super::{Decision, question, stop};
use crate::{Code, Moment, Refusal};

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
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Makes a title from the first thing a person asks for, unless there is one.
pub(super) fn first_title(state: &State, text: &str, at: &Moment) -> Option<SessionEvent> {
    if state.session.title.is_some() {
        return None;
    }
    let bytes_max = MADE_TITLE_BYTES_MAX.min(at.limits.title_bytes_max);
    let title = made_title(&one_line(text), bytes_max);
    (!title.is_empty()).then(|| SessionTitled { title, by: Actor::HOST }.into())
}

/// Takes as many whole words as fit; an ellipsis says that more followed.
fn made_title(line: &str, bytes_max: usize) -> String {
    const ELLIPSIS: char = '…';
    if line.len() <= bytes_max {
        return line.to_owned();
    }
    let fits = &line[..line.floor_char_boundary(bytes_max - ELLIPSIS.len_utf8())];
    // A text without spaces, such as Chinese, is cut at a character.
    let words = fits.rfind(' ').map_or(fits, |space| &fits[..space]);
    let told = words.trim_end_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
    format!("{told}{ELLIPSIS}")
}

pub(super) fn archive(state: &State, archived: bool, at: &Moment) -> Vec<SessionEvent> {
    if state.session.archived == archived {
        return Vec::new();
    }
    vec![SessionArchived { archived, by: at.actor.clone() }.into()]
}

/// Stops what runs and drops what waits, then deletes. A session that is damaged or deleted already records nothing more.
pub(super) fn delete(state: &State, at: &Moment) -> Decision {
    if state.damage.is_some() || state.session.deleted {
        return Ok(Vec::new());
    }
    let mut events = match state.turn.open {
        Some(_) => stop::decide(state, state.turn.number, false, at)?,
        None => Vec::new(),
    };
    events.push(SessionDeleted { by: at.actor.clone() }.into());
    Ok(events)
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
