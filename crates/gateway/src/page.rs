//! The web page as it is built into this program, and the one shown to who is not signed in.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::RustEmbed;

use crate::errors::Fault;

/// Every file of the page.
#[derive(RustEmbed)]
#[folder = "dist"]
struct Files;

/// The folder whose files carry a hash of their content in their name.
const HASHED: &str = "assets/";

pub(crate) async fn index() -> Response {
    file("index.html")
}

pub(crate) async fn asset(Path(path): Path<String>) -> Response {
    file(&format!("{HASHED}{path}"))
}

/// Serves the files beside the index, e.g. its icon.
pub(crate) async fn beside(Path(name): Path<String>) -> Response {
    file(&name)
}

fn file(path: &str) -> Response {
    let Some(file) = Files::get(path) else {
        return Fault::not_found(format!("there is nothing at /{path}")).into_response();
    };
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let kind = if kind.type_() == "text" { format!("{kind}; charset=utf-8") } else { kind.to_string() };
    let mut response = file.data.into_owned().into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(&kind).expect("a media type is plain ASCII"));
    if path.starts_with(HASHED) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    }
    response
}

/// Where the looks of the sign-in page are, for everybody.
pub(crate) const SIGN_IN_STYLE: &str = "/sign-in.css";

/// Returns the looks of the sign-in page.
pub(crate) fn sign_in_style() -> Response {
    const STYLE: &str = "html{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}\
        body{margin:0;min-height:100vh;display:grid;place-items:center}\
        main{max-width:26rem;padding:2rem}h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:0;opacity:.8}";
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

/// Tells who is not signed in what to do; a page for people, else JSON.
pub(crate) fn sign_in(fault: Fault, wants_page: bool) -> Response {
    if !wants_page {
        return fault.into_response();
    }
    let status: StatusCode = fault.status;
    let text = fault.message;
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>Waymark: not signed in</title><link rel=\"stylesheet\" href=\"{SIGN_IN_STYLE}\"></head>\
         <body><main><h1>Not signed in</h1><p>{text}</p></main></body></html>"
    );
    (status, Html(page)).into_response()
}
