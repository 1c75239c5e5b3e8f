//! The one gate in front of everything: where a request comes from, who sends it, and what every answer carries.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use events::ClientId;

use crate::access::{Pass, TokenRefused};
use crate::errors::Fault;
use crate::origin::Foreign;
use crate::page;
use crate::serve::Front;
use crate::tokens::Role;

const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Whoever sent a request that was let in.
#[derive(Clone)]
pub(crate) struct Caller {
    /// Names it, when it does not name itself: the same browser, the same name, so that a command sent again after a
    /// lost connection finds its receipt.
    pub(crate) client: ClientId,
    /// By what it was let in.
    pub(crate) pass: Pass,
    /// What it may do.
    pub(crate) role: Role,
}

/// Lets a request in or answers it, and dresses every answer.
pub(crate) async fn guard(State(front): State<Arc<Front>>, mut request: Request, next: Next) -> Response {
    let mut response = match admit(&front, &request) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(answer) => *answer,
    };
    dress(response.headers_mut());
    response
}

fn admit(front: &Front, request: &Request) -> Result<Caller, Box<Response>> {
    let headers = request.headers();
    if let Err(foreign) = front.hosts.check(text(headers, HOST), text(headers, ORIGIN)) {
        return Err(Box::new(refuse_foreign(foreign).into_response()));
    }
    if request.uri().path() == page::SIGN_IN_STYLE {
        return Err(Box::new(page::sign_in_style()));
    }
    let wants_page = text(headers, ACCEPT).is_some_and(|accept| accept.contains("text/html"));
    let turned_away = |refused| Box::new(page::sign_in(refuse_token(refused), wants_page));
    if request.uri().path() == "/"
        && let Some(token) = token_of(request.uri().query())
    {
        let pass = check_token(front, token).map_err(turned_away)?;
        return Err(Box::new(signed_in(front, &pass)));
    }
    let (client, pass) = match text(headers, AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")) {
        Some(token) => (name_of("script", token), check_token(front, token).map_err(turned_away)?),
        None => cookie_of(front, headers).ok_or_else(|| turned_away(TokenRefused::Wrong))?,
    };
    let role = front.role(&pass).ok_or_else(|| turned_away(TokenRefused::Wrong))?;
    if role == Role::Viewer && !request.method().is_safe() {
        return Err(Box::new(viewer_only().into_response()));
    }
    Ok(Caller { client, pass, role })
}

/// Refuses what only an owner may do.
pub(crate) fn viewer_only() -> Fault {
    let message = "you were let in to look, not to act; ask for a token that is not a viewer's";
    Fault::new(StatusCode::FORBIDDEN, "VIEWER_ONLY", message)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn token_of(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn cookie_of(front: &Front, headers: &HeaderMap) -> Option<(ClientId, Pass)> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pass = cookies.into_iter().find_map(|cookies| front.gateway.access.signed_in(cookies, now_ms()))?;
    let Pass::Cookie(value) = &pass else { return None };
    Some((name_of("browser", value), pass))
}

fn check_token(front: &Front, token: &str) -> Result<Pass, TokenRefused> {
    front.gateway.access.check_token(token, Instant::now(), front.gateway.limits.wrong_tokens_max)
}

/// Exchanges the token in the address for a cookie, and takes it out of the address bar.
fn signed_in(front: &Front, pass: &Pass) -> Response {
    let Some(cookie) = front.gateway.access.set_cookie(pass, now_ms()) else {
        let message = "the key in the data folder is damaged; delete gateway.key, then start again";
        return Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "KEY_DAMAGED", message).into_response();
    };
    (StatusCode::SEE_OTHER, [(LOCATION, "/".to_owned()), (SET_COOKIE, cookie)]).into_response()
}

/// Names a caller after a hash of its proof: nothing leads back from the name to the proof.
fn name_of(kind: &str, proof: &str) -> ClientId {
    let hash = blake3::derive_key("waymark gateway client name", proof.as_bytes());
    ClientId(format!("{kind}-{}", hex::encode(&hash[..6])))
}

fn refuse_foreign(foreign: Foreign) -> Fault {
    match foreign {
        Foreign::Host => Fault::new(
            StatusCode::FORBIDDEN,
            "HOST_REFUSED",
            "this server does not answer under that name; use the address that waymark printed",
        ),
        Foreign::Origin => Fault::new(
            StatusCode::FORBIDDEN,
            "ORIGIN_REFUSED",
            "another site's page may not use this server; open the address that waymark printed",
        ),
    }
}

fn refuse_token(refused: TokenRefused) -> Fault {
    match refused {
        TokenRefused::Wrong => Fault::new(
            StatusCode::UNAUTHORIZED,
            "UNAUTHORIZED",
            "Open the address that waymark printed when it started: it signs this browser in.",
        ),
        TokenRefused::TooMany => Fault::new(
            StatusCode::TOO_MANY_REQUESTS,
            "TOO_MANY_TOKENS",
            "Too many wrong tokens came in; wait a minute, then open the address that waymark printed.",
        ),
    }
}

fn dress(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
