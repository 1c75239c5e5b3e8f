use super::*;
use serde_json::json;
use uuid::Uuid;

fn session() -> SessionId {
    SessionId(Uuid::from_u128(7))
}

#[test]
fn each_frame_of_the_protocol_is_read() {
    let (session, log) = (session(), LogId(Uuid::from_u128(9)));
    let cursor = json!({ "log": log, "seq": 4 });
    let frame = |value: Value| parse(&value.to_string()).unwrap();
    assert_eq!(
        frame(json!({ "type": "open", "session": session })),
        ClientFrame::Open { session, cursor: None }
    );
    assert_eq!(
        frame(json!({ "type": "open", "session": session, "cursor": cursor })),
        ClientFrame::Open { session, cursor: Some(Cursor { log, seq: Seq(4) }) }
    );
    assert_eq!(frame(json!({ "type": "close", "session": session })), ClientFrame::Close { session });
    assert_eq!(
        frame(json!({ "type": "watch-sessions" })),
        ClientFrame::WatchSessions { query: String::new(), archived: false }
    );
    let after = format!("17.{}", session.0);
    assert_eq!(
        frame(json!({ "type": "more-sessions", "after": after })),
        ClientFrame::MoreSessions { after: after.parse().unwrap() }
    );
    assert_eq!(frame(json!({ "type": "ping", "n": 1 })), ClientFrame::Ping { n: 1 });
}

#[test]
fn a_frame_that_cannot_be_read_is_refused_under_its_own_numbers() {
    let refused = parse(r#"{"type":"command","id":"not a uuid","session":5,"command":{}}"#).unwrap_err();
    assert_eq!((refused.id.clone(), refused.session.clone()), (Some(json!("not a uuid")), None));
    let text: Value = serde_json::from_str(&refused.text()).unwrap();
    assert_eq!(text["type"], "refused");
    assert_eq!(text["code"], "BAD_FRAME");
    assert_eq!(text["current"], Value::Null);
}

#[test]
fn a_deeply_nested_frame_is_refused() {
    let refused = parse(&"[".repeat(100_000)).unwrap_err();
    assert!(refused.fault.message.contains("not JSON"));
}

#[test]
fn a_receipt_has_a_reply_also_when_there_is_none() {
    let id = CommandId(Uuid::from_u128(3));
    let text = ServerFrame::Receipt { id, session: session(), seq: Seq(5), reply: None }.text();
    let frame: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(frame, json!({ "type": "receipt", "id": id, "session": session(), "seq": 5, "reply": null }));
}
