//! What a provider's no means: its class and its own words.

use serde_json::Value;

use crate::{Failure, FailureClass};

/// Classifies an HTTP answer that is no success. The message is as long as the server made it.
pub(super) fn of_status(status: u16, body: &str) -> Failure {
    let message = match words(body) {
        // A server that says "Not Found" and no more leaves a person alone with it.
        Some(words) if status == 404 => words + advice(status),
        Some(words) => words,
        None => bare(status, body),
    };
    let mut failure = Failure::uncut(class(status, body), message);
    failure.status = Some(status);
    failure
}

/// Classifies an error object that came where an answer was expected.
pub(super) fn within_stream(error: &Value) -> Failure {
    let text = error.to_string();
    let message = words_in(error).unwrap_or_else(|| text.clone());
    let status = ["code", "status", "status_code"].iter().find_map(|name| status_in(error.get(name)?));
    let class = status.map_or_else(|| class_in_words(&text), |status| class(status, &text));
    let mut failure = Failure::uncut(class, message);
    failure.status = status;
    failure
}

fn class(status: u16, body: &str) -> FailureClass {
    match status {
        401 | 403 => FailureClass::Auth,
        // An account that is used up does not fill again by waiting.
        429 if body.contains("insufficient_quota") => FailureClass::Auth,
        429 => FailureClass::RateLimit,
        400 | 413 | 422 if speaks_of_context(body) => FailureClass::ContextOverflow,
        400 | 422 => FailureClass::BadRequest,
        // 520 to 524 and 529 are what content networks and busy providers answer beside the standard ones.
        408 | 500 | 502..=504 | 520..=524 | 529 => FailureClass::Overloaded,
        _ => FailureClass::Unknown,
    }
}

/// Within a stream many servers give a word instead of a number.
fn class_in_words(error: &str) -> FailureClass {
    let error = error.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| error.contains(word));
    if speaks_of_context(&error) {
        FailureClass::ContextOverflow
    } else if says(&["rate_limit", "rate limit", "too many requests"]) {
        FailureClass::RateLimit
    } else if says(&["overloaded", "server_error", "api_error", "unavailable", "internal error"]) {
        FailureClass::Overloaded
    } else if says(&["invalid_api_key", "authentication", "permission"]) {
        FailureClass::Auth
    } else if says(&["invalid_request"]) {
        FailureClass::BadRequest
    } else {
        FailureClass::Unknown
    }
}

/// The words that OpenAI, Anthropic, vLLM, llama.cpp, DeepSeek, OpenRouter and Mistral use for a conversation too long.
const CONTEXT_WORDS: [&str; 10] = [
    "context_length_exceeded",
    "context length",
    "context limit",
    "context window",
    "context size",
    "context_size",
    "maximum context",
    "too many tokens",
    "prompt is too long",
    "input is too long",
];

fn speaks_of_context(body: &str) -> bool {
    let body = body.to_lowercase();
    CONTEXT_WORDS.iter().any(|words| body.contains(words))
}

/// Data that end in the middle are what a broken connection leaves behind; the rest is garbage.
pub(super) fn unreadable(error: &serde_json::Error, data: &str) -> Failure {
    if error.is_eof() {
        return Failure::new(
            FailureClass::StreamCut,
            "the provider's answer broke off in the middle of an event",
        );
    }
    Failure::uncut(
        FailureClass::Unknown,
        format!("the provider sent an event that is no answer ({error}): {data}"),
    )
}

/// Returns the message of a body: `error.message` as a rule, or where else servers put it.
fn words(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    body.get("error").and_then(words_in).or_else(|| words_in(&body))
}

fn words_in(error: &Value) -> Option<String> {
    let message = error.get("message").or_else(|| error.get("detail")).unwrap_or(error);
    message.as_str().map(str::trim).filter(|words| !words.is_empty()).map(str::to_owned)
}

fn status_in(value: &Value) -> Option<u16> {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

/// Returns words for a body without a message. A page of HTML comes from a proxy or a wrong address, and
/// tells nobody anything.
fn bare(status: u16, body: &str) -> String {
    let name = reqwest::StatusCode::from_u16(status)
        .ok()
        .and_then(|code| code.canonical_reason())
        .map_or_else(String::new, |reason| format!(" ({reason})"));
    let advice = advice(status);
    let body = body.trim();
    let told = if body.is_empty() || body.starts_with('<') { String::new() } else { format!(": {body}") };
    format!("the provider answers {status}{name}{advice}{told}")
}

fn advice(status: u16) -> &'static str {
    match status {
        300..=399 => ": the server moved; put its new address in the configuration",
        404 | 405 => ": check the base address, which usually ends in /v1, and the model's name",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
