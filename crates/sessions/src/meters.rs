//! What is counted of what happens, for whoever watches the process. Nothing here is ever read by the engine.

use std::time::Duration;

use events::{GoalChange, NewEvent, SessionEvent, ToolOutcome, TurnEnd, TurnEndReason, Usage};
use metrics::{counter, histogram};

/// Counts a batch that was appended, and how long that took until it was durable.
pub(crate) fn appended(events: &[NewEvent], took: Duration) {
    histogram!("waymark_append_seconds").record(took);
    counter!("waymark_events_total").increment(events.len() as u64);
    events.iter().for_each(|new| happened(&new.event));
}

fn happened(event: &SessionEvent) {
    match event {
        SessionEvent::TurnEnd(TurnEnd { reason, .. }) => {
            counter!("waymark_turns_total", "end" => end_of(reason)).increment(1);
        }
        SessionEvent::GoalRound(_) => counter!("waymark_rounds_total").increment(1),
        SessionEvent::GoalChange(GoalChange::Block(_)) => {
            counter!("waymark_goals_blocked_total").increment(1)
        }
        SessionEvent::ToolResult(result) => {
            let outcome = match result.outcome {
                ToolOutcome::Ok => "ok",
                ToolOutcome::Error => "error",
            };
            counter!("waymark_tools_total", "outcome" => outcome).increment(1);
        }
        SessionEvent::StepEnd(step) => step.usage.iter().for_each(used),
        _ => {}
    }
}

fn used(usage: &Usage) {
    let cached = usage.cached_input_tokens.min(usage.input_tokens);
    counter!("waymark_tokens_total", "kind" => "input").increment(usage.input_tokens - cached);
    counter!("waymark_tokens_total", "kind" => "cached").increment(cached);
    counter!("waymark_tokens_total", "kind" => "output").increment(usage.output_tokens);
}

fn end_of(reason: &TurnEndReason) -> &'static str {
    match reason {
        TurnEndReason::Completed => "completed",
        TurnEndReason::Aborted { .. } => "stopped",
        TurnEndReason::Error { .. } => "error",
        TurnEndReason::MaxTokens => "max-tokens",
        TurnEndReason::Interrupted => "interrupted",
        TurnEndReason::Blocked { .. } => "blocked",
        TurnEndReason::StepLimit => "step-limit",
    }
}
