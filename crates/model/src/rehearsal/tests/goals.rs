//! Goal rounds and the last word after a goal.

use super::*;

pub(super) fn round(number: u32, objective: &str) -> String {
    let objective = serde_json::to_string(objective).unwrap();
    format!("<goal_round>\nObjective: {objective}\nRound: {number}/5\nCarry on.\n</goal_round>")
}

#[test]
fn the_third_round_completes_the_goal_and_earlier_ones_do_not() {
    let usual = ["get_goal", "todo_write", "write_file", "todo_write"];
    let mut play = Play::new(&round(1, "ship\nit"));
    let (steps, closing) = play.turn(&works);
    assert_eq!(steps, usual);
    assert!(closing.contains("goal-round-1.md"), "{closing}");
    let mut play = play.then(&round(3, "ship\nit"));
    let (steps, closing) = play.turn(&works);
    assert_eq!(steps[..4], usual);
    assert_eq!(steps[4..], ["update_goal"]);
    let update = &play.calls_of("update_goal")[0];
    assert_eq!(
        (&update["goal_id"], &update["revision"], &update["action"]),
        (&json!("g-7"), &json!(4), &json!("complete"))
    );
    assert!(update["evidence"].as_str().unwrap().contains("goal-round-1.md"));
    assert!(closing.ends_with("The goal is complete."), "{closing}");
    let content = play.calls_of("write_file")[1]["content"].as_str().unwrap().to_owned();
    assert!(
        content.contains("> ship\n> it") && content.contains("- `waymark-rehearsal/goal-round-1.md`"),
        "{content}"
    );
}

#[test]
fn an_objective_says_how_many_rounds_it_takes() {
    let completes = |number, objective: &str| {
        let mut play = Play::new(&round(number, objective));
        play.turn(&works);
        !play.calls_of("update_goal").is_empty()
    };
    assert!(completes(1, "x rounds=1"));
    assert!(!completes(4, "x rounds=5") && completes(5, "rounds=5, x"));
    assert!(!completes(5, "x rounds=never"));
}

#[test]
fn a_round_without_its_file_completes_nothing() {
    let mut play = Play::new(&round(3, "x"));
    let (steps, closing) = play.turn(&fails("write_file", "disk full"));
    assert_eq!(steps, ["get_goal", "todo_write", "write_file"]);
    assert!(closing.contains("got nothing done"), "{closing}");
}

#[test]
fn a_wrap_up_is_words_alone() {
    for tag in ["goal_complete", "goal_blocked"] {
        let mut play = Play::new(&round(3, "x"));
        play.turn(&works);
        let mut play =
            play.then(&format!("<{tag}>\nObjective: \"x\"\nBlocked: \"no disk\"\nSay it.\n</{tag}>"));
        let (steps, closing) = play.turn(&works);
        assert!(steps.is_empty());
        assert!(closing.contains("goal-round-3.md"), "{closing}");
    }
}

#[test]
fn a_claim_is_judged_by_whether_its_evidence_names_a_file() {
    let claim = |objective: &str, evidence: &str| {
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let (objective, evidence) = (quoted(objective), quoted(evidence));
        let case = format!("<goal_claim>\nObjective: {objective}\nEvidence: {evidence}\n</goal_claim>");
        let (steps, said) = Play::new(&case).turn(&works);
        assert!(steps.is_empty());
        said
    };
    assert!(claim("x", "wrote waymark-rehearsal/goal-round-1.md").starts_with("ACCEPTED\n"));
    assert!(claim("x", "trust me").starts_with("REFUSED\n"));
    assert!(claim("x judge=never", "waymark-rehearsal/goal-round-1.md").starts_with("REFUSED\n"));
}
