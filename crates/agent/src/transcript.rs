//! What the model sees of the log, kept up to date.

use std::collections::{HashSet, VecDeque};

use events::{
    AssistantMessage, Block, Envelope, GoalChange, ProviderItem, Seq, SessionEvent, Source, ToolOutcome,
    ToolResult, UserMessage, plain_text,
};
use model::{Call, Message};
use sessions::{LogError, ReadLimit, Session};

use crate::tags::escaped;

/// The surface of a session as messages for a provider.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    head: Seq,
    messages: Vec<(Seq, Message)>,
    /// What the file tools changed since the goal began, oldest first.
    diffs: VecDeque<String>,
}

/// Bytes of all diffs together that are kept; the oldest go first.
const DIFF_BYTES_MAX: usize = 64 * 1024;

impl Transcript {
    /// Reads on to the session's head.
    pub(crate) async fn catch_up(&mut self, session: &Session, head: Seq) -> Result<(), LogError> {
        while self.head < head {
            let batches = session.read(self.head, ReadLimit::default()).await?;
            if batches.is_empty() {
                return Ok(());
            }
            for batch in batches {
                self.head = batch.last();
                batch.envelopes()?.iter().for_each(|envelope| self.take(envelope));
            }
        }
        Ok(())
    }

    /// Takes the next event.
    pub(crate) fn take(&mut self, envelope: &Envelope) {
        self.messages.extend(message_of(envelope));
        self.summarise(envelope);
        self.keep_diff(&envelope.event);
    }

    /// Returns the conversation, oldest first.
    pub(crate) fn messages(&self) -> Vec<Message> {
        self.messages.iter().map(|(_, message)| message.clone()).collect()
    }

    /// Returns every call id that the conversation has.
    pub(crate) fn call_ids(&self) -> HashSet<&str> {
        let calls = self.messages.iter().filter_map(|(_, message)| match message {
            Message::Assistant { calls, .. } => Some(calls),
            Message::User { .. } | Message::Tool { .. } => None,
        });
        calls.flatten().map(|call| call.call_id.as_str()).collect()
    }

    /// Returns what the file tools changed since the goal began, oldest first.
    pub(crate) fn diffs(&self) -> String {
        self.diffs.iter().map(|diff| format!("{}\n", diff.trim_end())).collect()
    }

    fn keep_diff(&mut self, event: &SessionEvent) {
        match event {
            SessionEvent::GoalChange(GoalChange::Create(_)) => self.diffs.clear(),
            SessionEvent::ToolResult(ToolResult { diff: Some(diff), .. }) => {
                let end = diff.floor_char_boundary(DIFF_BYTES_MAX);
                self.diffs.push_back(diff[..end].to_owned());
                while self.diffs.iter().map(String::len).sum::<usize>() > DIFF_BYTES_MAX {
                    self.diffs.pop_front();
                }
            }
            _ => {}
        }
    }

    /// A summary takes the place of what it sums up.
    fn summarise(&mut self, envelope: &Envelope) {
        if let SessionEvent::CompactionSummary(summary) = &envelope.event {
            let text = format!("<conversation_summary>\n{}\n</conversation_summary>", summary.text);
            self.messages.retain(|(seq, _)| *seq > summary.last_seq);
            self.messages.insert(0, (envelope.seq, Message::User { text }));
        }
    }
}

fn message_of(envelope: &Envelope) -> Option<(Seq, Message)> {
    let message = match &envelope.event {
        SessionEvent::UserMessage(data) => Message::User { text: said(data) },
        SessionEvent::AssistantMessage(data) => answer_of(data)?,
        SessionEvent::ToolResult(data) => Message::Tool {
            call_id: data.call_id.0.clone(),
            text: plain_text(&data.content),
            is_error: data.outcome == ToolOutcome::Error,
        },
        _ => return None,
    };
    Some((envelope.seq, message))
}

/// What a person says speaks for a person only: a tag of the engine in it is text.
fn said(data: &UserMessage) -> String {
    let text = plain_text(&data.content);
    if data.source == Source::User { escaped(&text) } else { text }
}

/// An answer that says and calls nothing shows the model nothing.
fn answer_of(data: &AssistantMessage) -> Option<Message> {
    let mut reasoning = String::new();
    let mut calls = Vec::new();
    for block in &data.content {
        match block {
            Block::Reasoning { text } => reasoning.push_str(text),
            Block::ToolCall { call_id, name, arguments } => calls.push(Call {
                call_id: call_id.0.clone(),
                name: name.clone(),
                arguments: arguments.clone(),
            }),
            Block::Text { .. } | Block::Image { .. } => {}
        }
    }
    let text = plain_text(&data.content);
    let item = |item: &ProviderItem| model::Item {
        provider: item.provider.clone(),
        model: item.model.clone(),
        before_call: item.before_call,
        json: item.json.clone(),
    };
    let items = data.items.iter().map(item).collect();
    (!text.is_empty() || !calls.is_empty()).then_some(Message::Assistant { text, reasoning, calls, items })
}
