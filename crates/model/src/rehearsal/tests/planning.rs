//! Planning, its review, and the work after it.

use super::*;

#[test]
fn planning_looks_reads_proposes_and_works_after_the_approval() {
    let mut play = Play::planning("please add a parser for config files");
    let (steps, closing) = play.turn(&works);
    assert_eq!(steps[..3], ["list_files+search", "read_file", "exit_plan_mode"]);
    assert_eq!(steps[3..], WORK);
    assert_eq!(play.calls_of("read_file")[0], json!({"path": "README.md"}));
    let plan = plan_of(&play);
    assert!(plan.starts_with("# Add a parser for config files\n"), "{plan}");
    let path = "waymark-rehearsal/add-a-parser-for-config-files.md";
    let parts = [
        "## Summary",
        "## Key changes",
        "## Test plan",
        "## Assumptions",
        "`README.md`",
        "`src/main.rs`",
        path,
    ];
    assert!(parts.iter().all(|part| plan.contains(part)), "{plan}");
    assert!(closing.contains(path), "{closing}");
}

#[test]
fn the_edit_fits_exactly_once_into_what_was_written() {
    let mut play = Play::planning("add _Written by the rehearsal model of waymark._");
    play.turn(&works);
    let content = play.calls_of("write_file")[0]["content"].as_str().unwrap().to_owned();
    let edit = play.calls_of("edit_file")[0]["edits"][0].clone();
    assert_eq!(content.matches(edit["old"].as_str().unwrap()).count(), 1);
    assert!(edit["new"].as_str().unwrap().contains("## Verification"));
    assert!(content.contains("## Sample") && content.contains("## Key changes"));
}

#[test]
fn a_comment_makes_a_new_whole_plan_that_quotes_it() {
    for error in [
        "the user chose to keep planning: cancel the second step: it is invalid",
        "KEEP_PLANNING: the user chose to keep planning with feedback: \"cancel the second step: it is invalid\"",
        "Error: the user wants to keep planning and says: cancel the second step: it is invalid",
        "keep planning\n<feedback>cancel the second step: it is invalid</feedback>",
    ] {
        let mut play = Play::planning("write docs");
        for _ in 0..3 {
            play.step(&fails("exit_plan_mode", error));
        }
        let (text, calls) = play.step(&works);
        assert_eq!(calls[0].name, "exit_plan_mode");
        assert!(text.starts_with("Thank you"), "{text}");
        let plan = plan_of(&play);
        let said = "## Changed after your comment\n\n> cancel the second step: it is invalid\n";
        assert!(
            plan.starts_with("# Write docs\n") && plan.contains("## Test plan") && plan.contains(said),
            "{plan}"
        );
        assert_eq!(play.turn(&works).0, WORK);
    }
}

#[test]
fn a_review_without_a_comment_is_revised_too_but_not_for_ever() {
    let mut play = Play::planning("write docs");
    let (steps, closing) = play.turn(&fails(
        "exit_plan_mode",
        "Error: the user wants to keep planning; revise the plan and present it again",
    ));
    assert_eq!(steps.iter().filter(|step| *step == "exit_plan_mode").count(), 6);
    assert!(closing.contains("five revisions"), "{closing}");
}

#[test]
fn a_dismissed_review_stops_and_the_next_message_goes_into_the_plan() {
    for aside in [
        "the user dismissed the review in order to speak",
        "Error: the user put the review aside to speak; plan mode stays on, stop here and wait for their message",
    ] {
        check_put_aside(aside);
    }
}

fn check_put_aside(dismissed: &'static str) {
    let mut play = Play::planning("write docs");
    let (steps, closing) = play.turn(&fails("exit_plan_mode", dismissed));
    assert_eq!(steps.last().unwrap(), "exit_plan_mode");
    assert!(closing.starts_with("You put the review aside"), "{closing}");
    let mut play = play.then("in Dutch, please");
    let (_, calls) = play.step(&works);
    assert_eq!(calls[0].name, "exit_plan_mode");
    let plan = plan_of(&play);
    assert!(plan.starts_with("# Write docs\n") && plan.contains("> in Dutch, please"), "{plan}");
}

#[test]
fn leaving_plan_mode_during_a_review_carries_nothing_out() {
    let mut play = Play::planning("write docs");
    let left = "Error: the user left plan mode without approving this plan; ask what to do before you change anything";
    for _ in 0..3 {
        play.step(&fails("exit_plan_mode", left));
    }
    play.request.system = "You are an agent.".into();
    let mut play = play.then("<mode_change>\nThe user switched this session back.\n</mode_change>");
    let (steps, closing) = play.turn(&works);
    assert!(steps.is_empty());
    assert!(closing.starts_with("You left plan mode without approving"), "{closing}");
}

#[test]
fn a_plan_that_cannot_be_reviewed_is_not_sent_again() {
    let mut play = Play::planning("write docs");
    let (steps, _) = play.turn(&fails("exit_plan_mode", "exit_plan_mode is only available in plan mode"));
    assert_eq!(steps.iter().filter(|step| *step == "exit_plan_mode").count(), 1);
}

#[test]
fn an_empty_workspace_gives_an_honest_plan() {
    let mut play = Play::planning("write docs");
    let empty = |call: &Call| {
        if call.name == "list_files" || call.name == "search" { (String::new(), false) } else { works(call) }
    };
    let (steps, _) = play.turn(&empty);
    assert_eq!(steps[..2], ["list_files+search", "exit_plan_mode"]);
    assert!(plan_of(&play).contains("showed me no file"));
}

#[test]
fn an_approved_plan_from_before_is_carried_out_when_asked_for() {
    let mut play = Play::planning("write docs");
    for _ in 0..3 {
        play.step(&works);
    }
    play.request.system = "You are an agent.".into();
    let mut play = play.then("Implement the approved plan.");
    let (steps, _) = play.turn(&works);
    assert_eq!(steps, WORK);
    assert_eq!(play.calls_of("write_file")[0]["path"], "waymark-rehearsal/write-docs.md");
}
