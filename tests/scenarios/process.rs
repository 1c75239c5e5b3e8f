//! The binary from start to stop.

use model::Finish;
use model::scripted::{Gate, Reply, Scripted};
use tests::{Home, ModelServer, Place, Process, World};

/// Asserts that a process ended at once with one line, and returns it without its beginning.
fn one_line(ended: &tests::Ended) -> &str {
    assert_eq!(ended.code, Some(1), "{}", ended.complaint);
    let line = ended.complaint.strip_suffix('\n').unwrap_or(&ended.complaint);
    assert!(!line.contains('\n'), "more than one line: {line}");
    line.strip_prefix("waymark: ").unwrap_or_else(|| panic!("who speaks? {line}"))
}

#[tokio::test]
async fn it_prints_one_line_with_address_token_workspace_and_model() {
    let home = Home::default();
    let mut process = Process::start(&home, &[]).await;
    let (address, token) = (process.door.address, process.door.token.clone());
    let workspace = home.workspace().canonicalize().expect("the workspace is there");
    let workspace = workspace.display();
    let expected =
        format!("waymark: http://{address}/?token={token}  (workspace: {workspace}, model: rehearsal)");
    assert_eq!(process.printed, expected);
    assert_eq!(process.door.get("/v1/health").await.status, 200);
    assert_eq!(process.ctrl_c().await, Some(0));
    let complaints = std::fs::read_to_string(home.complaints()).expect("the file is ours");
    assert_eq!(complaints, "");
}

#[tokio::test]
async fn a_second_process_on_the_same_data_names_the_first() {
    let home = Home::default();
    let process = Process::start(&home, &[]).await;
    let ended = Process::refused(&home, &home.data(), 0).await;
    let line = one_line(&ended);
    assert!(line.contains(&process.id().to_string()), "{line}");
    assert_eq!(process.door.get("/v1/health").await.status, 200);
}

#[tokio::test]
async fn a_port_in_use_is_said_with_what_to_do() {
    let (home, other) = (Home::default(), Home::default());
    let process = Process::start(&home, &[]).await;
    let port = process.door.address.port();
    let ended = Process::refused(&other, &other.data(), port).await;
    let expected = format!("cannot listen on 127.0.0.1:{port}: address in use; choose another with --port");
    assert_eq!(one_line(&ended), expected);
}

#[tokio::test]
async fn data_inside_the_workspace_are_refused() {
    let home = Home::default();
    let data = home.workspace().join("sub/data");
    let ended = Process::refused(&home, &data, 0).await;
    assert!(one_line(&ended).contains("lies in the workspace"), "{}", ended.complaint);
    assert!(!data.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ctrl_c_in_the_middle_of_a_turn_ends_it_cleanly() {
    let (home, model, gate) = (Home::default(), Scripted::default(), Gate::new());
    model.push(Reply::new().says("Half a sent").holds(&gate).ends(Finish::Stop));
    let server = ModelServer::start(model).await;
    let environment = [("OPENAI_BASE_URL", server.base_url())];
    let environment = environment.each_ref().map(|(name, value)| (*name, value.as_str()));
    let mut process = Process::start(&home, &environment).await;
    assert!(process.printed.ends_with("model: scripted)"), "the only model that is listed is taken");
    let session = uuid::Uuid::now_v7();
    let path = format!("/v1/sessions/{session}");
    process.door.post("/v1/sessions", &serde_json::json!({"session": session})).await;
    let prompt = serde_json::json!({
        "id": uuid::Uuid::now_v7(), "command": {"type": "prompt", "text": "hello"},
    });
    assert_eq!(process.door.post(&format!("{path}/commands"), &prompt).await.status, 200);
    gate.reached().await;
    assert_eq!(process.ctrl_c().await, Some(0));
    process.start_again(&home).await;
    let state = process.door.get(&format!("{path}/state")).await.body;
    assert_eq!(state["slices"]["turn"]["last_end"]["kind"], "interrupted", "{state}");
}

/// Plays a whole plan with the built-in model, which writes real files.
async fn rehearse(world: World) {
    world.home.has("README.md", "# A tool\n");
    let tab = world.tab("a").await;
    tab.types("/plan add a --json flag to this tool").await.accepted();
    let seen = tab.until("the review card", |seen| seen.at("/plan/review").is_object()).await;
    let review = seen.at("/plan/review");
    let approve = serde_json::json!({
        "type": "plan-review", "plan_id": review["plan_id"], "revision": review["revision"],
        "sha256": review["sha256"], "verdict": "approve",
    });
    tab.presses(approve).await.accepted();
    let seen = tab.until("the turn is over", |seen| seen.at("/turn/phase") == "idle").await;
    assert_eq!(seen.at("/turn/last_end/kind"), "completed");
    assert!(seen.of_type("todo/write").count() > 0, "{}", seen.account());
    assert!(world.home.workspace().join("waymark-rehearsal").is_dir());
    tab.types("/goal write a haiku rounds=2").await.accepted();
    let seen = tab.until("the goal is met", |seen| seen.at("/goal/phase") == "complete").await;
    assert_eq!(seen.at("/goal/rounds_started"), 2, "{}", seen.account());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_built_in_model_plans_and_reaches_a_goal_in_one_process() {
    rehearse(World::at(Place::InsideRehearsing).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_built_in_model_plans_and_reaches_a_goal_with_the_binary() {
    rehearse(World::at(Place::BinaryRehearsing).await).await;
}
