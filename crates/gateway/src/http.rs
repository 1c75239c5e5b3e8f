//! The routes, and everything that is asked over plain HTTP.

use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{DefaultBodyLimit, Extension, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router, middleware};
use events::SessionId;
use projections::Slices;
use serde_json::{Value, json};
use sessions::{NewSession, Session};

use crate::commands::{Asked, carry_out};
use crate::errors::Fault;
use crate::frames::PROTOCOL;
use crate::guard::{Caller, guard};
use crate::history::{PageLimit, page_before};
use crate::list::filter;
use crate::page;
use crate::plans;
use crate::requests::{
    Body, CreateSession, ForkSession, PageWanted, RowsWanted, SendCommand, SocketWanted, StateWanted, Wanted,
    body, client_id, query, session_id,
};
use crate::serve::Front;
use crate::socket::serve_socket;
use crate::stream;

type Shared = State<Arc<Front>>;
type Answer = Result<Json<Value>, Fault>;

/// How much more than a frame the socket itself takes, so that a frame that is too large gets its close code.
const FRAME_SLACK: usize = 4;

/// Returns everything that is served, behind its guard.
pub(crate) fn routes(front: Arc<Front>) -> Router {
    let body_bytes_max = front.gateway.limits.body_bytes_max;
    Router::new()
        .route("/", get(page::index))
        .route("/{name}", get(page::beside))
        .route("/assets/{*path}", get(page::asset))
        .route("/v1/health", get(health))
        .route("/v1/metrics", get(readings))
        .route("/v1/ws", get(upgrade))
        .route("/v1/sessions", get(rows).post(create))
        .route("/v1/sessions/{id}", delete(remove))
        .route("/v1/sessions/{id}/fork", post(fork))
        .route("/v1/sessions/{id}/events", get(events))
        .route("/v1/sessions/{id}/state", get(state))
        .route("/v1/sessions/{id}/plans", get(plans::versions))
        .route("/v1/sessions/{id}/plans/{sha256}", get(plans::text))
        .route("/v1/sessions/{id}/plans/{sha256}/diff", get(plans::difference))
        .route("/v1/sessions/{id}/commands", post(command))
        .fallback(async || Fault::not_found("there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            let message = "this address does not take that method";
            Fault::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", message)
        })
        .layer(DefaultBodyLimit::max(body_bytes_max))
        .layer(middleware::from_fn_with_state(Arc::clone(&front), guard))
        .with_state(front)
}

async fn health(State(front): Shared) -> Json<Value> {
    Json(json!({ "status": "ok", "version": front.gateway.about.version }))
}

/// Answers what is counted, in the text form of Prometheus (version 0.0.4).
async fn readings(State(front): Shared) -> Result<Response, Fault> {
    let off = || Fault::new(StatusCode::NOT_FOUND, "METRICS_OFF", "nothing is counted in this process");
    let readings = front.gateway.readings.as_ref().ok_or_else(off)?;
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4")], readings()).into_response())
}

async fn upgrade(
    State(front): Shared,
    Extension(caller): Extension<Caller>,
    wanted: Wanted<SocketWanted>,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Fault> {
    let client = query(wanted)?.client.map_or(Ok(caller.client.clone()), client_id)?;
    let caller = Caller { client, ..caller };
    let socket = socket.map_err(|rejection| {
        Fault::new(StatusCode::UPGRADE_REQUIRED, "UPGRADE_REQUIRED", rejection.body_text())
    })?;
    if !socket.requested_protocols().any(|protocol| protocol == PROTOCOL) {
        let message = format!("this server speaks the subprotocol {PROTOCOL}");
        return Err(Fault::new(StatusCode::BAD_REQUEST, "SUBPROTOCOL_REFUSED", message));
    }
    let permit = front.admit()?;
    let bytes_max = front.gateway.limits.frame_bytes_max * FRAME_SLACK;
    let socket = socket.protocols([PROTOCOL]).max_message_size(bytes_max).max_frame_size(bytes_max);
    Ok(socket.on_upgrade(async move |socket| {
        serve_socket(socket, front, caller).await;
        drop(permit);
    }))
}

async fn rows(State(front): Shared, wanted: Wanted<RowsWanted>) -> Answer {
    let limits = &front.gateway.limits;
    let RowsWanted { query: words, archived, after, limit } = query(wanted)?;
    let filter = filter((words, archived), limits)?;
    let rows_max = limit.map_or(limits.list_rows_max, |limit| limit.clamp(1, limits.list_rows_max));
    let page = front.gateway.sessions.page(&filter, after, rows_max).await?;
    Ok(Json(json!(page)))
}

async fn remove(
    State(front): Shared,
    Extension(Caller { client, .. }): Extension<Caller>,
    Path(id): Path<String>,
) -> Answer {
    let session = session_id(&id)?;
    front.gateway.sessions.delete(session, client).await?;
    Ok(Json(json!({ "session": session })))
}

async fn create(
    State(front): Shared,
    Extension(Caller { client, .. }): Extension<Caller>,
    sent: Body,
) -> Result<Response, Fault> {
    let CreateSession { session, title } = body(sent)?;
    let workspace = front.gateway.about.workspace.clone();
    front.gateway.sessions.create(NewSession { session, title, workspace, client }).await?;
    Ok((StatusCode::CREATED, Json(json!({ "session": session }))).into_response())
}

async fn fork(
    State(front): Shared,
    Extension(Caller { client, .. }): Extension<Caller>,
    Path(id): Path<String>,
    sent: Body,
) -> Result<Response, Fault> {
    let parent = session_id(&id)?;
    let ForkSession { session, at_seq } = body(sent)?;
    let (_, cut) = front.gateway.sessions.fork(parent, at_seq, (session, client)).await?;
    Ok((StatusCode::CREATED, Json(json!({ "session": session, "cut": cut }))).into_response())
}

/// Answers a page of the past or, to whoever accepts `text/event-stream`, everything from a cursor on.
async fn events(
    State(front): Shared,
    (Extension(caller), headers): (Extension<Caller>, HeaderMap),
    Path(id): Path<String>,
    wanted: Wanted<PageWanted>,
) -> Result<Response, Fault> {
    let session = opened(&front, &id).await?;
    if stream::is_wanted(&headers) {
        let cursor = stream::cursor(&headers, query(wanted)?.cursor.as_deref())?;
        return stream::stream(front, (session, cursor), caller.pass);
    }
    let PageWanted { before, limit, .. } = query(wanted)?;
    let page_limit = PageLimit::of(&front.gateway.limits);
    let events = limit.map_or(page_limit.events, |limit| limit.clamp(1, page_limit.events));
    let end = session.view().state.head.next();
    let before = before.map_or(end, |before| before.min(end));
    let page = page_before(&session, before, PageLimit { events, ..page_limit }).await?;
    Ok(Json(page).into_response())
}

/// Answers what was true at a position, rounded down to a batch end. Only the newest state has a host.
async fn state(State(front): Shared, Path(id): Path<String>, wanted: Wanted<StateWanted>) -> Answer {
    let session = opened(&front, &id).await?;
    let view = session.view();
    let at = query(wanted)?.at.unwrap_or(view.state.head);
    if at >= view.state.head {
        return Ok(Json(json!({ "seq": view.state.head, "slices": view.slices() })));
    }
    let (state, _) = front.gateway.sessions.state_at(session.id(), at).await?;
    Ok(Json(json!({ "seq": state.head, "slices": Slices::of(&state, None) })))
}

async fn command(
    State(front): Shared,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    sent: Body,
) -> Answer {
    let session: SessionId = session_id(&id)?;
    let SendCommand { id, client, command } = body(sent)?;
    let client = client.map_or(Ok(caller.client), client_id)?;
    let receipt = carry_out(&front.gateway.sessions, Asked { client, id, session, command }).await?;
    Ok(Json(json!({ "id": id, "session": session, "seq": receipt.seq, "reply": null })))
}

pub(crate) async fn opened(front: &Front, id: &str) -> Result<Session, Fault> {
    Ok(front.gateway.sessions.open(session_id(id)?).await?)
}
