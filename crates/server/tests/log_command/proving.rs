//! `waymark verify plan-safety`: what a log proves of plan mode.

use clap::Parser;
use events::{
    Actor, AssistantMessage, Block, CallId, MessageId, NewEvent, PlanMode, Seq, SessionEvent, StepStart,
    ToolCall, ToolClass, ToolStarted, TurnStart,
};
use serde_json::Value;
use server::cli::{Cli, Command};
use server::verify_command;
use store::{Append, Log, Options, ReadLimit, SegmentLog};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::world::{Said, World};

fn verify(world: &World, words: &[&str]) -> Said {
    let cli = Cli::try_parse_from([&["waymark", "verify", "plan-safety"], words].concat()).unwrap();
    let Some(Command::Verify(command)) = cli.command else { panic!("nothing to prove") };
    let mut printed = Vec::new();
    let complaint =
        verify_command(world.path(), &command, &mut printed).err().map(|error| format!("{error:#}"));
    Said { printed: String::from_utf8(printed).unwrap(), complaint }
}

/// A write that was started under plan mode although nobody decided so.
fn forged() -> Vec<SessionEvent> {
    let (call_id, name, arguments) = (CallId("c1".to_owned()), "write_file".to_owned(), "{}".to_owned());
    let call = Block::ToolCall { call_id: call_id.clone(), name: name.clone(), arguments: arguments.clone() };
    let message = AssistantMessage {
        message_id: MessageId(Uuid::now_v7()),
        turn: 1,
        step: 1,
        content: vec![call],
        usage: None,
        interrupted: false,
        items: Vec::new(),
    };
    vec![
        PlanMode { active: true }.into(),
        TurnStart { turn: 1, workspace_head: None, dirty_hash: None }.into(),
        StepStart { turn: 1, step: 1, wraps_up: false }.into(),
        message.into(),
        ToolCall { turn: 1, step: 1, call_id: call_id.clone(), name, arguments }.into(),
        ToolStarted { call_id, class: ToolClass::Write, sandbox: None }.into(),
    ]
}

/// Puts events into the second session behind the engine's back; returns where the last one stands.
async fn tamper(world: &World, events: Vec<SessionEvent>) -> Seq {
    let log = SegmentLog::open(world.path(), Options::default()).unwrap();
    let session = world.sessions[1];
    let lease = log.acquire(session, "somebody else", 0).await.unwrap();
    let all = ReadLimit { events: usize::MAX, bytes: usize::MAX };
    let expected = log.read(session, Seq::ZERO, all).await.unwrap().last().unwrap().last();
    let new = |event| NewEvent { cause: None, actor: Actor::HOST, event };
    let events = events.into_iter().map(new).collect();
    let append = Append { session, expected, epoch: lease.epoch, at_ms: 0, operation: None, events };
    log.append(append).await.unwrap().last
}

#[test]
fn a_session_without_a_breach_is_proven_safe() {
    let world = World::new("the needle");
    let said = verify(&world, &[&world.sessions[0].to_string()]);
    assert_eq!(said.complaint, None);
    assert!(
        said.printed.ends_with("0 calls started under plan mode, 0 of them programs\n"),
        "{}",
        said.printed
    );
}

#[test]
fn a_breach_is_named_with_its_place_and_fails_the_command() {
    let world = World::new("the needle");
    let seq = Runtime::new().unwrap().block_on(tamper(&world, forged()));
    let session = world.sessions[1].to_string();
    let said = verify(&world, &[&session]);
    assert!(
        said.printed.starts_with(&format!("seq {seq}: write_file (c1) of class write was started")),
        "{}",
        said.printed
    );
    assert!(said.complaint.unwrap().contains(&session));
    let said = verify(&world, &[&session, "--json"]);
    let proof: Value = serde_json::from_str(&said.printed).unwrap();
    assert_eq!((&proof["holds"], &proof["breaches"][0]["seq"]), (&Value::from(false), &Value::from(seq.0)));
    assert!(said.complaint.is_some());
}
