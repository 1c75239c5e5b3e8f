//! A damaged data folder: it says which session and where, and the others go on.

use std::fs;

use serde_json::json;
use tests::{Answer, Seen, World};
use uuid::Uuid;

in_both_places! {
    a_damaged_session_is_named_with_its_seq_and_the_others_work
}

/// A title without repeated letters in a row, which stands in the log as it is, compressed or not.
const VICTIM: &str = "Quox vz 8314 by jwmk";

/// Changes one byte of the record that holds the title, wherever it lies.
fn damage(world: &World) {
    let segments = fs::read_dir(world.home.data().join("log")).expect("the log has its folder");
    let mut hits = 0;
    for segment in segments.flatten().map(|entry| entry.path()) {
        let mut bytes = fs::read(&segment).expect("a segment can be read");
        let found = bytes.windows(VICTIM.len()).enumerate().filter(|(_, at)| *at == VICTIM.as_bytes());
        let places: Vec<usize> = found.map(|(place, _)| place).collect();
        hits += places.len();
        for place in places {
            bytes[place] ^= 1;
            fs::write(&segment, &bytes).expect("a segment can be written");
        }
    }
    assert_eq!(hits, 1, "the title stands in the log once");
}

async fn a_damaged_session_is_named_with_its_seq_and_the_others_work(mut world: World) {
    let (tab, victim) = (world.tab("a").await, Uuid::now_v7());
    let created = world.door().post("/v1/sessions", &json!({"session": victim})).await;
    assert_eq!(created.status, 201);
    let title = json!({"type": "set-title", "title": VICTIM});
    let seq = tab.presses_on(victim, title).await.accepted();
    tab.types("hello").await.accepted();
    tab.until("the turn is over", |seen| seen.at("/turn/last_end/kind") == "completed").await;
    world.crash().await;
    damage(&world);
    world.restart().await;

    // After a clean stop nobody reads a session until somebody asks for it.
    let answer = tab.presses_on(victim, json!({"type": "set-title", "title": "mended?"})).await;
    let Answer::Refused { code, message, .. } = answer else { panic!("a damaged session takes no commands") };
    assert_eq!(code, "SESSION_CORRUPT");
    assert!(message.contains(&victim.to_string()) && message.contains(&format!("seq {seq}")), "{message}");
    let is_shown = |seen: &Seen| seen.row(victim)["status"] == "damaged";
    let seen = tab.until("the list shows the damage", is_shown).await;
    let problem = seen.row(victim)["problem"].as_str().unwrap_or_default();
    assert!(problem.contains(&victim.to_string()), "{problem}");
    assert!(problem.contains(&format!("seq {seq}")), "{problem}");
    assert_eq!(seen.row(world.session)["status"], "idle");

    tab.sends(json!({"type": "open", "session": victim}));
    let seen = tab.until("the refusal", |seen| !seen.refusals().is_empty()).await;
    assert_eq!(seen.refusals()[0]["code"], "SESSION_CORRUPT");

    tab.types("go on").await.accepted();
    let is_over = |seen: &Seen| seen.at("/turn/number") == 2 && seen.at("/turn/phase") == "idle";
    tab.until("the next turn is over", is_over).await;
}
