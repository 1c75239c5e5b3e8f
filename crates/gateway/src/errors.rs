//! What a client is told when something is not done: a code for programs, a sentence for people.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use sessions::{LogError, Refusal, SubmitError};

/// A no, or a failure, on its way to a client.
#[derive(Debug, Clone, thiserror::Error, Serialize)]
#[error("{message} ({code})")]
pub(crate) struct Fault {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// The state that refused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) current: Option<Value>,
}

impl Fault {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), current: None }
    }

    /// A frame or a body that is not what it should be.
    pub(crate) fn bad_frame(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BAD_FRAME", message)
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", message)
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        (self.status, Json(self)).into_response()
    }
}

impl From<LogError> for Fault {
    fn from(error: LogError) -> Self {
        let (status, code) = match &error {
            LogError::NotFound { .. } => (StatusCode::NOT_FOUND, "SESSION_NOT_FOUND"),
            LogError::Exists { .. } => (StatusCode::CONFLICT, "SESSION_EXISTS"),
            LogError::Fenced { .. } => (StatusCode::CONFLICT, "SESSION_FENCED"),
            LogError::Held { .. } => (StatusCode::CONFLICT, "SESSION_HELD"),
            LogError::Corrupt { .. } => (StatusCode::CONFLICT, "SESSION_CORRUPT"),
            LogError::Undecodable { .. } => (StatusCode::CONFLICT, "SESSION_NEWER"),
            LogError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE"),
            LogError::Unavailable { .. } | LogError::Poisoned { .. } => {
                (StatusCode::SERVICE_UNAVAILABLE, "STORE_UNAVAILABLE")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL"),
        };
        if code == "INTERNAL" {
            tracing::error!(%error, "a request failed");
        }
        Self::new(status, code, error.to_string())
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::new(StatusCode::CONFLICT, refusal.code.name(), refusal.message)
    }
}

impl From<SubmitError> for Fault {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(refusal) => refusal.into(),
            SubmitError::Log(error) => error.into(),
            SubmitError::Closed => Self::new(StatusCode::CONFLICT, "SESSION_CLOSED", error.to_string()),
        }
    }
}
