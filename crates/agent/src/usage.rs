//! What a request used: what the provider says, or a guess by the length of the texts where it says nothing.

use events::Usage;
use model::{Assembly, Message, Request};
use sessions::tokens_of_bytes;

/// The length of everything that a request carries.
pub(crate) fn request_bytes(request: &Request) -> usize {
    let tools = serde_json::to_string(&request.tools).map_or(0, |tools| tools.len());
    request.system.len() + tools + request.messages.iter().map(message_bytes).sum::<usize>()
}

fn message_bytes(message: &Message) -> usize {
    match message {
        Message::User { text } | Message::Tool { text, .. } => text.len(),
        Message::Assistant { text, reasoning, calls, items } => {
            let calls = calls.iter().map(|call| call.name.len() + call.arguments.len());
            let items = items.iter().map(|item| item.json.len());
            text.len() + reasoning.len() + calls.sum::<usize>() + items.sum::<usize>()
        }
    }
}

/// Returns what a request of `asked_bytes` used that was answered with `assembly`.
pub(crate) fn usage_of(assembly: &Assembly, asked_bytes: usize) -> Usage {
    match assembly.usage() {
        Some(usage) => Usage {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_input_tokens: usage.cached_input_tokens,
            reasoning_tokens: usage.reasoning_tokens,
            estimated: false,
        },
        None => Usage {
            input_tokens: tokens_of_bytes(asked_bytes),
            output_tokens: tokens_of_bytes(answer_bytes(assembly)),
            estimated: true,
            ..Usage::default()
        },
    }
}

fn answer_bytes(assembly: &Assembly) -> usize {
    let calls = assembly.calls();
    let calls = calls.iter().map(|call| call.name.len() + call.arguments.len());
    assembly.text().len() + assembly.reasoning().len() + calls.sum::<usize>()
}

/// Returns both together.
pub(crate) fn sum(one: Usage, other: Usage) -> Usage {
    Usage {
        input_tokens: one.input_tokens.saturating_add(other.input_tokens),
        output_tokens: one.output_tokens.saturating_add(other.output_tokens),
        cached_input_tokens: one.cached_input_tokens.saturating_add(other.cached_input_tokens),
        reasoning_tokens: one.reasoning_tokens.saturating_add(other.reasoning_tokens),
        estimated: one.estimated || other.estimated,
    }
}
