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
         <title>Waymark: not signed in</title></head><body><h1>Not signed in</h1><p>{text}</p></body></html>"
    );
    (status, Html(page)).into_response()
}
