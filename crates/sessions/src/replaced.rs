//! What a recorded answer replaced: the pieces in which it streamed. The log may give them up.

use projections::{State, fold_all, pass_over};
use serde::Deserialize;
use store::{Batch, LogError, Part};

/// Brings `state` up to date with a batch, also with one whose events were replaced and are gone.
///
/// # Errors
///
/// `Undecodable` names the first event that this build cannot read.
pub fn fold_batch(state: &mut State, batch: &Batch) -> Result<(), LogError> {
    if batch.is_elided() {
        pass_over(state, (batch.first(), batch.last()));
    } else {
        fold_all(state, &batch.envelopes()?);
    }
    Ok(())
}

/// Says what an event's line is to the others of its session: the streamed pieces of a step are replaced by its answer.
/// A line that cannot be read stands alone.
#[must_use]
pub fn part_of(line: &str) -> Part {
    if !line.starts_with(ANSWERING) {
        return Part::Alone;
    }
    match serde_json::from_str(line) {
        Ok(Answering { type_name: "assistant/delta", data }) => Part::Piece(data.name()),
        Ok(Answering { type_name: "assistant/message", data }) => Part::Whole(data.name()),
        _ => Part::Alone,
    }
}

/// How the lines begin that are looked at more closely.
const ANSWERING: &str = "{\"type\":\"assistant/";

#[derive(Deserialize)]
struct Answering<'a> {
    #[serde(rename = "type")]
    type_name: &'a str,
    data: StepOf,
}

#[derive(Deserialize)]
struct StepOf {
    turn: u32,
    step: u32,
}

impl StepOf {
    fn name(&self) -> u64 {
        u64::from(self.turn) << 32 | u64::from(self.step)
    }
}

#[cfg(test)]
mod tests {
    use events::{
        Actor, AssistantDelta, AssistantMessage, Channel, MessageId, NewEvent, SessionEvent, TurnStart,
    };

    use super::*;

    fn line(event: impl Into<SessionEvent>) -> String {
        NewEvent { cause: None, actor: Actor::MODEL, event: event.into() }.to_line().unwrap()
    }

    fn delta(turn: u32, step: u32, attempt: u32) -> String {
        let text = "\"assistant/message\"".to_owned();
        line(AssistantDelta { turn, step, attempt, offset: 0, channel: Channel::Text, text })
    }

    #[test]
    fn a_delta_is_a_piece_of_its_steps_message_whatever_the_attempt() {
        let message_id = MessageId(uuid::Uuid::nil());
        let message = AssistantMessage {
            message_id,
            turn: 2,
            step: 3,
            content: vec![],
            usage: None,
            interrupted: false,
            items: Vec::new(),
        };
        let Part::Whole(name) = part_of(&line(message)) else { panic!("a message is whole") };
        assert_eq!(part_of(&delta(2, 3, 1)), Part::Piece(name));
        assert_eq!(part_of(&delta(2, 3, 2)), Part::Piece(name));
        assert_ne!(part_of(&delta(3, 2, 1)), Part::Piece(name));
    }

    #[test]
    fn everything_else_stands_alone() {
        let start = TurnStart { turn: 1, workspace_head: None, dirty_hash: None };
        for line in [line(start), "{\"type\":\"assistant/delta\"}".to_owned(), String::new()] {
            assert_eq!(part_of(&line), Part::Alone);
        }
    }
}
