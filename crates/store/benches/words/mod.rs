//! What is written: events of about 300 bytes, of words in an order that no other has.

use events::NewEvent;
use rand::Rng;
use store::contract::titled;

/// Returns a text of `count` words.
pub(crate) fn text(count: usize) -> String {
    const WORDS: [&str; 16] = [
        "the", "file", "returns", "when", "session", "a", "test", "fails", "because", "seq", "and", "then",
        "model", "reads", "plan", "goal",
    ];
    let mut random = rand::rng();
    let words: Vec<&str> = (0..count).map(|_| WORDS[random.random_range(0..WORDS.len())]).collect();
    words.join(" ")
}

/// Returns `count` events.
pub(crate) fn events(count: usize) -> Vec<NewEvent> {
    (0..count).map(|_| titled(&text(40))).collect()
}
