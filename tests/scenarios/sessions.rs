//! The session list, and sessions that are put away and deleted.

use model::Finish;
use model::scripted::{Gate, Reply};
use serde_json::json;
use tests::{Seen, World};

in_both_places! {
    the_list_says_what_a_session_is_doing
    deleting_a_session_stops_its_round_and_tells_every_tab
    what_was_deleted_and_put_away_stays_so_over_a_crash
}

async fn the_list_says_what_a_session_is_doing(world: World) {
    let (tab, gate) = (world.tab("a").await, Gate::new());
    let status = |wanted: &'static str| {
        let session = world.session;
        move |seen: &Seen| seen.row(session)["status"] == wanted
    };
    tab.until("it is idle", status("idle")).await;
    world.model.push(Reply::new().says("Well").holds(&gate).ends(Finish::Stop));
    tab.types("Fix the login flow").await.accepted();
    let seen = tab.until("it runs", status("running")).await;
    assert_eq!(seen.row(world.session)["title"], "Fix the login flow");
    gate.release();
    tab.until("it is idle again", status("idle")).await;
    let question = r#"{"questions":[{"id":"way","header":"Which way","question":"Which way shall it go?",
        "options":[{"label":"Left","description":"a"},{"label":"Right","description":"b"}]}]}"#;
    world.model.push(Reply::call("c1", "ask_user_question", question));
    tab.types("ask me").await.accepted();
    tab.until("it waits for a person", status("waiting")).await;
    tab.presses(json!({"type": "archive", "archived": true})).await.accepted();
    tab.until("it is put away", |seen| seen.row(world.session).is_null()).await;
}

async fn deleting_a_session_stops_its_round_and_tells_every_tab(world: World) {
    let (a, b, gate) = (world.tab("a").await, world.tab("b").await, Gate::new());
    world.model.push(Reply::new().says("One").holds(&gate).ends(Finish::Stop));
    a.types("/goal ship it").await.accepted();
    a.until("round 1 streams", |seen| seen.streamed() == "One").await;
    let path = format!("/v1/sessions/{}", world.session);
    assert_eq!(world.door().delete(&path).await.status, 200);
    for tab in [&a, &b] {
        let closed = |seen: &Seen| seen.refusals().iter().any(|frame| frame["code"] == "SESSION_DELETED");
        tab.until("it is told", closed).await;
    }
    assert_eq!(a.types("still there?").await.code(), "SESSION_NOT_FOUND");
    assert_eq!(world.door().delete(&path).await.code(), "SESSION_NOT_FOUND");
    gate.release();
}

async fn what_was_deleted_and_put_away_stays_so_over_a_crash(mut world: World) {
    let (put_away, deleted) = (world.session, uuid::Uuid::now_v7());
    world.door().post("/v1/sessions", &json!({"session": deleted, "title": "gone"})).await;
    {
        let tab = world.tab("a").await;
        tab.types("/goal later").await.accepted();
        tab.presses(json!({"type": "archive", "archived": true})).await.accepted();
    }
    assert_eq!(world.door().delete(&format!("/v1/sessions/{deleted}")).await.status, 200);
    world.crash().await;
    world.restart().await;
    assert_eq!(world.door().get("/v1/sessions").await.body["rows"], json!([]));
    let all = world.door().get("/v1/sessions?archived=true").await.body;
    assert_eq!(all["rows"].as_array().map(Vec::len), Some(1), "{all}");
    assert_eq!((&all["rows"][0]["session"], &all["archived_total"]), (&json!(put_away), &json!(1)));
    let again = world.door().post("/v1/sessions", &json!({"session": deleted})).await;
    assert_eq!((again.status, again.code()), (409, "SESSION_EXISTS"));
}
