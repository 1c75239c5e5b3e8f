//! What HTTP requests carry, read with an answer in so many words when it is not what it should be.

use std::str::FromStr;

use axum::body::Bytes;
use axum::extract::Query;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use events::{ClientId, CommandId, Seq, SessionId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sessions::ListCursor;

use crate::errors::Fault;

/// Bytes of the name that a client gives itself.
const CLIENT_BYTES_MAX: usize = 64;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateSession {
    pub(crate) session: SessionId,
    #[serde(default)]
    pub(crate) title: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForkSession {
    /// The child's id.
    pub(crate) session: SessionId,
    pub(crate) at_seq: Seq,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendCommand {
    pub(crate) id: CommandId,
    #[serde(default)]
    pub(crate) client: Option<String>,
    pub(crate) command: Value,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct RowsWanted {
    #[serde(default)]
    pub(crate) query: String,
    #[serde(default)]
    pub(crate) archived: bool,
    pub(crate) after: Option<ListCursor>,
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct PageWanted {
    pub(crate) before: Option<Seq>,
    pub(crate) limit: Option<usize>,
    /// Where a stream goes on, for whoever cannot send `Last-Event-ID`.
    pub(crate) cursor: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct StateWanted {
    pub(crate) at: Option<Seq>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct DiffWanted {
    /// The hash of the version to compare with.
    pub(crate) from: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct SocketWanted {
    pub(crate) client: Option<String>,
}

pub(crate) type Body = Result<Bytes, BytesRejection>;
pub(crate) type Wanted<T> = Result<Query<T>, QueryRejection>;

/// Reads a JSON body.
pub(crate) fn body<T: DeserializeOwned>(body: Body) -> Result<T, Fault> {
    let bytes = body.map_err(|rejection| match rejection.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let message = "the body is larger than this server takes; send less at a time";
            Fault::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_TOO_LARGE", message)
        }
        _ => Fault::bad_request("the body could not be read to its end"),
    })?;
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| Fault::bad_request(format!("the body is not what it should be: {error}")))?;
    json.end().map_err(|error| Fault::bad_request(format!("the body is not one JSON value: {error}")))?;
    Ok(value)
}

/// Reads what stands behind the question mark.
pub(crate) fn query<T>(query: Wanted<T>) -> Result<T, Fault> {
    query.map(|Query(wanted)| wanted).map_err(|rejection| Fault::bad_request(rejection.body_text()))
}

/// Reads a session's id in a path.
pub(crate) fn session_id(text: &str) -> Result<SessionId, Fault> {
    SessionId::from_str(text).map_err(|_| {
        let message = format!("`{text}` is no session id: an id is a UUID, as the session list shows it");
        Fault::new(StatusCode::BAD_REQUEST, "SESSION_ID_INVALID", message)
    })
}

/// Reads the name that a client gives itself.
pub(crate) fn client_id(text: String) -> Result<ClientId, Fault> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    if text.is_empty() || text.len() > CLIENT_BYTES_MAX || !is_plain {
        let message = format!("a client's name is 1 to {CLIENT_BYTES_MAX} printable ASCII characters");
        return Err(Fault::new(StatusCode::BAD_REQUEST, "CLIENT_INVALID", message));
    }
    Ok(ClientId(text))
}
