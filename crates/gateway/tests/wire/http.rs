//! What is asked over plain HTTP.

use events::Block;
use gateway::GatewayLimits;
use serde_json::json;
use sessions::{AgentCommand, ToolAction, sha256};
use uuid::Uuid;

use crate::agent;
use crate::requests::{delete, get, post};
use crate::tab::Tab;
use crate::world::World;

#[tokio::test]
async fn a_session_is_created_once() {
    let world = World::start().await;
    let id = Uuid::now_v7();
    let body = json!({ "session": id, "title": "First" });
    let created = post("/v1/sessions", &body).signed(&world).of(&world).await;
    assert_eq!((created.status, created.json()["session"].clone()), (201, json!(id)));
    let again = post("/v1/sessions", &body).signed(&world).of(&world).await;
    assert_eq!(again.refusal(), (409, "SESSION_EXISTS".to_owned()));
    let rows = get("/v1/sessions").signed(&world).of(&world).await.json();
    assert_eq!(rows["rows"][0]["title"], "First");
    assert_eq!(rows["rows"][0]["workspace"], "/tmp/workspace");
}

#[tokio::test]
async fn a_fork_says_where_it_was_cut() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.done(session.id(), json!({ "type": "slash", "line": "/goal ship it" })).await;
    let head = session.view().state.head.0;
    let child = Uuid::now_v7();
    let body = json!({ "session": child, "at_seq": head - 1 });
    let forked = post(format!("/v1/sessions/{}/fork", session.id()), body).signed(&world).of(&world).await;
    assert_eq!((forked.status, forked.json()), (201, json!({ "session": child, "cut": 2 })));
    let snapshot = tab.open(events::SessionId(child)).await;
    assert_eq!(snapshot["slices"]["session"]["parent"], json!({ "session": session.id(), "fork_seq": 2 }));
}

#[tokio::test]
async fn a_fork_inside_a_turn_is_refused() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.done(session.id(), json!({ "type": "prompt", "text": "go" })).await;
    agent::begins(&session).await;
    let body = json!({ "session": Uuid::now_v7(), "at_seq": session.view().state.head });
    let forked = post(format!("/v1/sessions/{}/fork", session.id()), body).signed(&world).of(&world).await;
    assert_eq!(forked.refusal(), (409, "FORK_OPEN_TURN".to_owned()));
}

#[tokio::test]
async fn a_past_state_is_that_of_the_last_batch_end() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.done(session.id(), json!({ "type": "slash", "line": "/goal ship it" })).await;
    let head = session.view().state.head.0;
    let at =
        |query: String| get(format!("/v1/sessions/{}/state{query}", session.id())).signed(&world).of(&world);
    let now = at(String::new()).await.json();
    assert_eq!((&now["seq"], &now["slices"]["goal"]["activation"]), (&json!(head), &json!("armed")));
    let past = at(format!("?at={}", head - 1)).await.json();
    assert_eq!((&past["seq"], &past["slices"]["goal"]), (&json!(2), &json!(null)));
}

#[tokio::test]
async fn a_plan_is_found_by_its_hash_also_when_it_was_revised() {
    let world = World::start().await;
    let session = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.done(session.id(), json!({ "type": "plan-set", "active": true })).await;
    let texts = ["# One\n\nfirst", "# Two\n\nsecond"];
    for text in texts {
        tab.done(session.id(), json!({ "type": "prompt", "text": "plan" })).await;
        proposes(&session, text).await;
        let slices = session.view().slices();
        let review = slices.plan.review.unwrap();
        let verdict = json!({ "type": "plan-review", "plan_id": review.plan_id, "revision": review.revision,
                              "sha256": review.sha256, "verdict": "keep-planning" });
        tab.done(session.id(), verdict).await;
        agent::records(&session, AgentCommand::EndStep).await;
        agent::ends(&session).await;
    }
    for (text, title) in texts.into_iter().zip(["One", "Two"]) {
        let path = format!("/v1/sessions/{}/plans/{}", session.id(), sha256(text));
        let plan = get(path).signed(&world).of(&world).await.json();
        assert_eq!((&plan["markdown"], &plan["title"]), (&json!(text), &json!(title)));
    }
    let none = get(format!("/v1/sessions/{}/plans/00", session.id())).signed(&world).of(&world).await;
    assert_eq!(none.refusal(), (404, "PLAN_NOT_FOUND".to_owned()));
    let listed = get(format!("/v1/sessions/{}/plans", session.id())).signed(&world).of(&world).await.json();
    let titles: Vec<_> = listed["versions"].as_array().unwrap().iter().map(|it| &it["title"]).collect();
    assert_eq!(titles, ["Two", "One"]);
    assert_eq!(listed["versions"][1]["state"], "kept");
    what_a_version_changed_is_shown(&world, &session, texts).await;
}

async fn what_a_version_changed_is_shown(world: &World, session: &sessions::Session, [one, two]: [&str; 2]) {
    let (one, two) = (sha256(one), sha256(two));
    let diff = async |path: String| {
        get(format!("/v1/sessions/{}/plans/{path}", session.id())).signed(world).of(world).await
    };
    let since_the_one_before = diff(format!("{two}/diff")).await.json();
    assert_eq!((&since_the_one_before["from"], &since_the_one_before["to"]), (&json!(one), &json!(two)));
    let text = since_the_one_before["diff"].as_str().unwrap();
    assert!(text.contains("-# One\n+# Two\n") && text.contains("+second"), "{text}");
    let back = diff(format!("{one}/diff?from={two}")).await.json();
    assert!(back["diff"].as_str().unwrap().contains("+# One"), "{back}");
    let same = diff(format!("{one}/diff?from={one}")).await.json();
    assert_eq!(same["diff"], "");
    for path in [format!("{one}/diff"), format!("{two}/diff?from=00"), "00/diff".to_owned()] {
        assert_eq!(diff(path).await.refusal(), (404, "PLAN_NOT_FOUND".to_owned()));
    }
}

async fn proposes(session: &sessions::Session, text: &str) {
    agent::begins(session).await;
    let call_id = events::CallId(Uuid::now_v7().to_string());
    let (name, arguments) = ("exit_plan_mode".to_owned(), "{}".to_owned());
    agent::answers(session, vec![Block::ToolCall { call_id: call_id.clone(), name, arguments }]).await;
    let action = ToolAction::ExitPlanMode { plan: text.to_owned() };
    agent::records(session, AgentCommand::Act { call_id, action }).await;
}

#[tokio::test]
async fn a_command_is_answered_with_its_receipt_or_its_refusal() {
    let world = World::start().await;
    let session = world.session().await;
    let send = |body| post(format!("/v1/sessions/{}/commands", session.id()), body).signed(&world).of(&world);
    let body =
        json!({ "id": Uuid::now_v7(), "client": "script", "command": { "type": "prompt", "text": "hi" } });
    let receipt = send(body.clone()).await;
    assert_eq!((receipt.status, receipt.json()["seq"].clone()), (200, json!(3)));
    assert_eq!(send(body).await.json()["seq"], 3, "the same command again");
    let pause = json!({ "type": "goal-pause", "goal": { "id": "goal-1", "revision": 1 } });
    let refused = send(json!({ "id": Uuid::now_v7(), "command": pause })).await;
    assert_eq!(refused.refusal(), (409, "GOAL_NOT_FOUND".to_owned()));
    let unknown = send(json!({ "id": Uuid::now_v7(), "command": { "type": "fly" } })).await;
    assert_eq!(unknown.refusal(), (400, "BAD_FRAME".to_owned()));
}

#[tokio::test]
async fn what_is_not_there_is_said_to_be_not_there() {
    let world = World::start().await;
    let session = world.session().await;
    let nobody = Uuid::now_v7();
    let asks = [
        (get("/v1/nothing"), (404, "NOT_FOUND")),
        (get("/v1/sessions/x/y/z"), (404, "NOT_FOUND")),
        (get("/robots.txt"), (404, "NOT_FOUND")),
        (get("/v1/sessions/x/events"), (400, "SESSION_ID_INVALID")),
        (get(format!("/v1/sessions/{nobody}/events")), (404, "SESSION_NOT_FOUND")),
        (get(format!("/v1/sessions/{nobody}/state")), (404, "SESSION_NOT_FOUND")),
        (get(format!("/v1/sessions/{}/events?before=x", session.id())), (400, "BAD_REQUEST")),
        (get(format!("/v1/sessions/{}/fork", session.id())), (405, "METHOD_NOT_ALLOWED")),
        (get("/v1/ws"), (426, "UPGRADE_REQUIRED")),
        (post("/v1/sessions", "{"), (400, "BAD_REQUEST")),
        (post("/v1/sessions", "{\"session\":1}"), (400, "BAD_REQUEST")),
        (post("/v1/sessions", json!({ "session": nobody, "x": 1 })), (400, "BAD_REQUEST")),
    ];
    for (ask, (status, code)) in asks {
        let answer = ask.signed(&world).of(&world).await;
        assert_eq!(answer.refusal(), (status, code.to_owned()));
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let world = World::with(GatewayLimits { body_bytes_max: 1000, ..GatewayLimits::default() }).await;
    let body = json!({ "session": Uuid::now_v7(), "title": "x".repeat(1000) });
    let answer = post("/v1/sessions", body).signed(&world).of(&world).await;
    assert_eq!(answer.refusal(), (413, "BODY_TOO_LARGE".to_owned()));
}

#[tokio::test]
async fn the_list_is_paged_and_searched() {
    let world = World::start().await;
    for title in ["fix login", "write docs", "fix logout"] {
        world.session_named(title).await;
        world.clock_ticks();
    }
    let list = |query: String| get(format!("/v1/sessions{query}")).signed(&world).of(&world);
    let first = list("?limit=2".to_owned()).await.json();
    let titles = |page: &serde_json::Value| {
        page["rows"].as_array().unwrap().iter().map(|row| row["title"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(titles(&first), ["fix logout", "write docs"]);
    let second = list(format!("?limit=2&after={}", first["next"].as_str().unwrap())).await.json();
    assert_eq!((titles(&second), &second["next"]), (vec![json!("fix login")], &json!(null)));
    assert_eq!(titles(&list("?query=LOG%20fix".to_owned()).await.json()), ["fix logout", "fix login"]);
    for query in ["?after=now", "?limit=many", "?archived=maybe"] {
        assert_eq!(list(query.to_owned()).await.refusal(), (400, "BAD_REQUEST".to_owned()), "{query}");
    }
    let endless = list(format!("?query={}", "x".repeat(300))).await;
    assert_eq!(endless.refusal(), (400, "QUERY_TOO_LONG".to_owned()));
}

#[tokio::test]
async fn a_deleted_session_is_gone_for_everybody_and_its_id_stays_used() {
    let world = World::start().await;
    let session = world.session().await.id();
    let mut tab = Tab::of(&world).await;
    tab.open(session).await;
    let remove = || delete(format!("/v1/sessions/{session}")).signed(&world).of(&world);
    let removed = remove().await;
    assert_eq!((removed.status, removed.json()), (200, json!({ "session": session })));
    let closed = tab.until("closed").await;
    assert_eq!((&closed["session"], &closed["code"]), (&json!(session), &json!("SESSION_DELETED")));
    assert_eq!(remove().await.refusal(), (404, "SESSION_NOT_FOUND".to_owned()));
    let again = post("/v1/sessions", json!({ "session": session })).signed(&world).of(&world).await;
    assert_eq!(again.refusal(), (409, "SESSION_EXISTS".to_owned()));
    assert_eq!(get("/v1/sessions").signed(&world).of(&world).await.json()["rows"], json!([]));
    tab.send(json!({ "type": "open", "session": session })).await;
    assert_eq!(tab.until("refused").await["code"], "SESSION_NOT_FOUND");
    let nobody = delete("/v1/sessions/nobody").signed(&world).of(&world).await;
    assert_eq!(nobody.refusal(), (400, "SESSION_ID_INVALID".to_owned()));
    assert_eq!(delete(format!("/v1/sessions/{session}")).of(&world).await.status, 401);
}

#[tokio::test]
async fn a_fork_outlives_its_parent() {
    let world = World::start().await;
    let parent = world.session().await;
    let mut tab = Tab::of(&world).await;
    tab.done(parent.id(), json!({ "type": "slash", "line": "/goal ship it" })).await;
    let child = Uuid::now_v7();
    let body = json!({ "session": child, "at_seq": parent.view().state.head });
    post(format!("/v1/sessions/{}/fork", parent.id()), body).signed(&world).of(&world).await;
    delete(format!("/v1/sessions/{}", parent.id())).signed(&world).of(&world).await;
    let snapshot = tab.open(events::SessionId(child)).await;
    assert_eq!(snapshot["slices"]["goal"]["objective"], "ship it");
    assert_eq!(snapshot["history"]["events"][0]["type"], "session/created");
}

#[tokio::test]
async fn a_process_that_counts_nothing_says_so() {
    let world = World::start().await;
    let answer = get("/v1/metrics").signed(&world).of(&world).await;
    assert_eq!(answer.refusal(), (404, "METRICS_OFF".to_owned()));
}
