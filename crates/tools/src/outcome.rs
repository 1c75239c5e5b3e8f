//! What a body hands back: the text for the model and the facts for the log.

use crate::ToolError;

/// The result of a call whose body ran or was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What the model reads; at most [`crate::OUTPUT_BYTES_MAX`] bytes and a line or two of ours.
    pub text: String,
    /// Whether the call counts as failed.
    pub is_error: bool,
    /// The stable code of the failure, in capitals; none on success.
    pub code: Option<&'static str>,
    /// A unified diff of the file that the call changed, cut at 64 KiB.
    pub diff: Option<String>,
}

impl Outcome {
    pub(crate) fn success(text: String) -> Self {
        Self { text, is_error: false, code: None, diff: None }
    }

    pub(crate) fn failure(code: &'static str, text: String) -> Self {
        Self { text, is_error: true, code: Some(code), diff: None }
    }

    pub(crate) fn with_diff(self, diff: Option<String>) -> Self {
        Self { diff, ..self }
    }
}

impl From<ToolError> for Outcome {
    fn from(error: ToolError) -> Self {
        Self::failure(error.code(), format!("Error: {error}"))
    }
}
