//! The modes by name, and the words that clients and models use for them.

use crate::{Code, Refusal};

/// Words of other programs for the default mode.
const OTHER_WORDS_FOR_DEFAULT: [&str; 4] = ["code", "pair_programming", "execute", "custom"];

/// A way to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Carry out.
    Default,
    /// Plan and change nothing.
    Plan,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 2] = [Self::Default, Self::Plan];

    /// Returns the mode that is in force when plan mode is on, or is not.
    #[must_use]
    pub fn of(planning: bool) -> Self {
        if planning { Self::Plan } else { Self::Default }
    }

    /// Returns the one name that it is told by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Plan => "plan",
        }
    }

    /// Reads a mode's name, or another program's word for one; case and blanks count.
    ///
    /// # Errors
    ///
    /// `MODE_UNKNOWN` for any other word: no mode is guessed.
    pub fn read(word: &str) -> Result<Self, Refusal> {
        if OTHER_WORDS_FOR_DEFAULT.contains(&word) {
            return Ok(Self::Default);
        }
        let named = Self::ALL.into_iter().find(|mode| mode.name() == word);
        named.ok_or_else(|| {
            let word: String = word.chars().take(40).collect();
            let message = format!("there is no mode {word:?}; write \"plan\" or \"default\"");
            Refusal::new(Code::ModeUnknown, message)
        })
    }
}
