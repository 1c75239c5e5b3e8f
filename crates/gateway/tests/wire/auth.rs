//! Who is let in.

use serde_json::json;
use tokio_tungstenite::tungstenite::http::HeaderValue;

use crate::requests::{Answer, get, post};
use crate::tab::{refused_with, upgrade};
use crate::world::World;

async fn sign_in(world: &World) -> Answer {
    get(format!("/?token={}", world.token())).of(world).await
}

/// Returns the `Cookie` header of a browser that opened the launch address.
async fn cookie(world: &World) -> String {
    let answer = sign_in(world).await;
    answer.header("set-cookie").split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn nothing_is_served_to_who_is_not_signed_in() {
    let world = World::start().await;
    for path in ["/", "/index.html", "/assets/x.js", "/v1/health", "/v1/sessions", "/v1/ws", "/nowhere"] {
        let answer = get(path).of(&world).await;
        assert_eq!(answer.refusal(), (401, "UNAUTHORIZED".to_owned()), "{path}");
    }
    let answer = post("/v1/sessions", json!({})).of(&world).await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn a_person_who_is_not_signed_in_sees_a_page_that_says_what_to_do() {
    let world = World::start().await;
    let answer = get("/?token=0123wrong").with("Accept", "text/html,*/*").of(&world).await;
    assert_eq!(answer.status, 401);
    assert!(answer.header("content-type").starts_with("text/html"));
    assert!(answer.body.contains("the address that waymark printed"));
    assert!(!answer.body.contains("0123wrong"));
}

#[tokio::test]
async fn the_launch_address_signs_a_browser_in() {
    let world = World::start().await;
    let answer = sign_in(&world).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    let set = answer.header("set-cookie").to_owned();
    assert!(set.starts_with(&format!("waymark_{}=", &world.log_id()[..8])), "{set}");
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"] {
        assert!(set.contains(attribute), "{set}");
    }
    assert!(!set.contains(world.token()));
    let cookie = set.split(';').next().unwrap();
    let page = get("/").with("Cookie", format!("other=1; {cookie}")).of(&world).await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"));
}

#[tokio::test]
async fn a_token_in_an_address_counts_for_the_page_alone() {
    let world = World::start().await;
    let answer = get(format!("/v1/health?token={}", world.token())).of(&world).await;
    assert_eq!(answer.status, 401);
    let answer = get("/v1/health").signed(&world).of(&world).await;
    assert_eq!((answer.status, answer.json()["status"].clone()), (200, json!("ok")));
}

#[tokio::test]
async fn a_cookie_outlives_a_restart_and_a_launch_token_does_not() {
    let mut world = World::start().await;
    let (cookie, token) = (cookie(&world).await, world.token().to_owned());
    world.restart().await;
    assert_eq!(get("/v1/health").with("Cookie", cookie).of(&world).await.status, 200);
    assert_eq!(get(format!("/?token={token}")).of(&world).await.status, 401);
}

#[tokio::test]
async fn another_name_for_this_machine_is_refused_whatever_the_token() {
    let world = World::start().await;
    let port = world.address().port();
    for host in [format!("evil.example:{port}"), "localhost:1".to_owned(), "localhost".to_owned()] {
        let answer = get("/v1/health").signed(&world).with("Host", host.clone()).of(&world).await;
        assert_eq!(answer.refusal(), (403, "HOST_REFUSED".to_owned()), "{host}");
    }
    let host = format!("localhost:{port}");
    assert_eq!(get("/v1/health").signed(&world).with("Host", host).of(&world).await.status, 200);
}

#[tokio::test]
async fn another_sites_page_is_refused_whatever_the_cookie() {
    let world = World::start().await;
    let cookie = cookie(&world).await;
    let ask =
        |origin: String| get("/v1/health").with("Cookie", cookie.clone()).with("Origin", origin).of(&world);
    let own = format!("http://{}", world.address());
    assert_eq!(ask(own).await.status, 200);
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        assert_eq!(ask(origin.to_owned()).await.refusal(), (403, "ORIGIN_REFUSED".to_owned()), "{origin}");
    }
}

#[tokio::test]
async fn a_socket_takes_the_same_papers_as_everything_else() {
    let world = World::start().await;
    let mut stranger = upgrade(&world, "");
    stranger.headers_mut().remove("authorization");
    assert_eq!(refused_with(&world, stranger).await, 401);
    let mut foreign = upgrade(&world, "");
    foreign.headers_mut().insert("origin", HeaderValue::from_static("http://evil.example"));
    assert_eq!(refused_with(&world, foreign).await, 403);
    let mut renamed = upgrade(&world, "");
    renamed.headers_mut().insert("host", HeaderValue::from_static("evil.example"));
    assert_eq!(refused_with(&world, renamed).await, 403);
}

#[tokio::test]
async fn after_twenty_wrong_tokens_no_token_is_looked_at_and_cookies_go_on() {
    let world = World::start().await;
    let cookie = cookie(&world).await;
    for _ in 0..20 {
        let answer = get("/v1/health").with("Authorization", "Bearer wrong").of(&world).await;
        assert_eq!(answer.status, 401);
    }
    assert_eq!(sign_in(&world).await.refusal(), (429, "TOO_MANY_TOKENS".to_owned()));
    assert_eq!(get("/v1/health").with("Cookie", cookie).of(&world).await.status, 200);
}

#[tokio::test]
async fn every_answer_carries_the_same_protection() {
    let world = World::start().await;
    let asks = [
        get("/").signed(&world),
        get("/").with("Accept", "text/html"),
        get("/v1/health").signed(&world),
        get("/nowhere").signed(&world),
        get("/").with("Host", "evil.example"),
    ];
    for ask in asks {
        let answer = ask.of(&world).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'self'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn what_the_page_loads_is_kept_by_its_hash() {
    let world = World::start().await;
    let page = get("/").signed(&world).of(&world).await;
    let (_, rest) = page.body.split_once("src=\"/assets/").expect("the page loads a script");
    let script = rest.split('"').next().unwrap();
    let answer = get(format!("/assets/{script}")).signed(&world).of(&world).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("cache-control").contains("immutable"));
    assert!(answer.header("content-type").starts_with("text/javascript"));
    let missing = get("/assets/none.js").signed(&world).of(&world).await;
    assert_eq!(missing.refusal(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(missing.header("cache-control"), "no-store");
}
