//! Small pieces of language: cutting, quoting, choosing words.

use serde_json::Value;

/// What comes first in the answer to each message.
pub(super) const INTRODUCTION: &str = "*I am the rehearsal model: I follow a fixed script, without any language model behind it. \
     My tool calls are real.*\n\n";

pub(super) fn too_many_steps(steps_max: usize) -> String {
    format!(
        "I stop here: {steps_max} steps for one message are enough for a rehearsal. Send another message to go on."
    )
}

/// Returns `text` on one line of at most `chars_max` characters.
pub(super) fn clip(text: &str, chars_max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars_max) {
        Some((cut, _)) => format!("{}…", line[..cut].trim_end()),
        None => line,
    }
}

/// Returns the beginning of `text` in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    format!("“{}”", clip(text, 200))
}

/// Returns `text` as a block quote.
pub(super) fn block_quote(text: &str) -> String {
    text.trim().lines().map(|line| format!("> {line}\n")).collect()
}

/// Says whether one of `wanted` is a word of `text`, whatever its case.
pub(super) fn has_word(text: &str, wanted: &[&str]) -> bool {
    tokens(text).any(|word| wanted.contains(&word.to_lowercase().as_str()))
}

/// Returns the word of a request that a search is most likely to find something with: the longest, the first
/// of several.
pub(super) fn telling_word(request: &str) -> String {
    let telling = tokens(request).filter(|word| word.chars().count() > 3 && !is_filler(word));
    let longest =
        telling.fold("", |best, word| if word.chars().count() > best.chars().count() { word } else { best });
    if longest.is_empty() { "TODO".to_owned() } else { longest.to_owned() }
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|at: char| !at.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn is_filler(word: &str) -> bool {
    const FILLERS: [&str; 22] = [
        "about", "could", "create", "from", "have", "into", "make", "need", "please", "should", "some",
        "that", "them", "then", "there", "this", "want", "what", "when", "with", "would", "write",
    ];
    FILLERS.contains(&word.to_lowercase().as_str())
}

/// Splits the error of a plan that was not approved into the tool's words and a person's.
///
/// A person's are what stands in `<feedback>`, or else after the first colon behind the words of the tool;
/// single words with a colon in front of them, such as `Error:` or a code, are the tool's too.
pub(super) fn split_feedback(error: &str) -> (&str, Option<&str>) {
    let error = error.trim();
    if let Some((tool, rest)) = error.split_once("<feedback>") {
        return (tool, Some(rest.split("</feedback>").next().unwrap_or(rest).trim()));
    }
    let mut colons = error.match_indices(':').map(|(colon, _)| colon);
    let Some(colon) = colons.find(|colon| has_sentence(&error[..*colon])) else {
        return (error, None);
    };
    let said = error[colon + 1..].trim().trim_matches(['"', '“', '”']);
    (&error[..colon], Some(said).filter(|said| !said.is_empty()))
}

/// Says whether more than single words with colons stands here.
fn has_sentence(head: &str) -> bool {
    head.rsplit(':').next().unwrap_or(head).trim().contains(char::is_whitespace)
}

/// Returns a tool's error without the word that says it is one.
pub(super) fn bare_error(error: &str) -> &str {
    error.strip_prefix("Error:").unwrap_or(error).trim()
}

/// Returns the answers in the result of a question: chosen labels and free text, or else the result itself.
pub(super) fn answers(result: &str) -> String {
    let mut said = Vec::new();
    if let Ok(value) = serde_json::from_str::<Value>(result) {
        collect_answers(&value, false, &mut said);
    }
    if said.is_empty() { clip(result, 400) } else { said.join(", ") }
}

fn collect_answers(value: &Value, is_answer: bool, said: &mut Vec<String>) {
    match value {
        Value::String(text) if is_answer && !text.is_empty() => said.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_answers(item, is_answer, said)),
        Value::Object(fields) => {
            for (name, field) in fields {
                let answers = matches!(name.as_str(), "selected" | "custom" | "answer" | "label");
                collect_answers(field, answers, said);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the first line with text of a file as `read_file` shows it, without its line number.
pub(super) fn first_line(shown: &str) -> Option<String> {
    let bare = |line: &str| {
        let text = line.trim_start().trim_start_matches(|at: char| at.is_ascii_digit());
        text.trim_start_matches(['\t', '|', ':', ' ', '→', '│']).trim().to_owned()
    };
    shown.lines().map(bare).find(|line| !line.is_empty()).map(|line| clip(&line, 80))
}

/// Returns the FNV-1a hash of `bytes`: names that must differ get it, nothing trusts it.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
