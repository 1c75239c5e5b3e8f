//! `/model`: another model for a session, from its next request on.

use serde_json::json;
use tests::{Seen, Tab, World};

in_both_places! {
    a_model_that_is_chosen_is_asked_from_the_next_request_on_after_a_restart_and_in_a_fork
    a_model_a_role_or_an_effort_that_nobody_knows_is_refused
}

/// Types a prompt and waits until its turn, the session's `turn`th, is over.
async fn runs(tab: &Tab, turn: u64) -> Seen {
    tab.types("go on").await.accepted();
    let is_over = move |seen: &Seen| {
        let last = seen.of_type("turn/end").next_back().map(|data| data["turn"].clone());
        last == Some(json!(turn)) && seen.at("/turn/phase") == "idle"
    };
    tab.until("the turn is over", is_over).await
}

/// Returns the model and the effort of the newest request.
fn asked(seen: &Seen) -> (serde_json::Value, serde_json::Value) {
    let header = seen.of_type("request/header").next_back().cloned().unwrap_or_default();
    (header["model"].clone(), header["effort"].clone())
}

async fn a_model_that_is_chosen_is_asked_from_the_next_request_on_after_a_restart_and_in_a_fork(
    mut world: World,
) {
    let tab = world.tab("a").await;
    let first = runs(&tab, 1).await;
    let (before, _) = asked(&first);
    let provider = first.of_type("request/header").next().map(|data| data["provider"].clone());
    let provider = provider.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
    tab.types(&format!("/model {provider}/other effort=high")).await.accepted();
    assert_eq!(asked(&runs(&tab, 2).await), (json!("other"), json!("high")));
    assert_eq!(world.model.requests().last().map(|request| request.model.clone()).as_deref(), Some("other"));
    world.crash().await;
    world.restart().await;
    tab.until("the tab is back", |seen| seen.connections() == 2 && seen.at("/turn/phase") == "idle").await;
    let seen = runs(&tab, 3).await;
    assert_eq!(asked(&seen).0, json!("other"), "was {before}");
    let (_, child) = world.fork(seen.head()).await;
    let fork = world.tab_on(child, "fork").await;
    runs(&fork, 4).await;
    assert_eq!(world.model.requests().last().map(|request| request.model.clone()).as_deref(), Some("other"));
}

async fn a_model_a_role_or_an_effort_that_nobody_knows_is_refused(world: World) {
    let tab = world.tab("a").await;
    for (line, code) in [
        ("/model nobody/has-it", "MODEL_UNKNOWN"),
        ("/model has-it", "MODEL_UNKNOWN"),
        ("/model role cook x", "ROLE_UNKNOWN"),
        ("/model role plan effort=huge", "EFFORT_UNKNOWN"),
        ("/model a b", "COMMAND_INVALID"),
    ] {
        assert_eq!(tab.types(line).await.code(), code, "{line}");
    }
    assert_eq!(tab.seen().of_type("model/selected").count(), 0);
    tab.types("/model").await.accepted();
    let replied = |seen: &Seen| seen.of_type("command/done").next().is_some();
    let seen = tab.until("the reply", replied).await;
    let reply = seen.of_type("command/done").next().map(|data| data["text"].clone()).unwrap_or_default();
    let reply = reply.as_str().unwrap_or_default();
    assert!(reply.starts_with("main: as configured\nplan: as configured\n"), "{reply}");
}
