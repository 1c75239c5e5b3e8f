//! An ordinary message in default mode: ask, carry out, run, or look around.

use serde_json::json;

use super::script::{Beat, Script};
use super::story::{EXIT_PLAN_MODE, Story};
use super::topic::Topic;
use super::{seen, words, work};

const HINT: &str = "Try /plan followed by a wish to see a plan and its review, or /goal followed by an objective to \
                    see rounds that go on by themselves.";

/// Chooses by the words of the message.
pub(super) fn script(story: &Story<'_>) -> Script {
    let message = story.opening;
    if is_go_ahead(message) {
        let plan = story
            .earlier()
            .iter()
            .rfind(|attempt| attempt.call.name == EXIT_PLAN_MODE)
            .and_then(|plan| plan.argument("plan"));
        let topic = plan.as_deref().map_or_else(|| Topic::of(message), Topic::of_plan);
        return work::script(story, &topic, plan.as_deref());
    }
    if message.to_lowercase().contains("ask me") {
        return ask(story);
    }
    if words::has_word(message, &["write", "create", "add", "fix", "make", "implement"]) {
        return work::script(story, &Topic::of(message), None);
    }
    if words::has_word(message, &["run"]) {
        return run(story);
    }
    look(story)
}

/// Says whether a message asks to carry out a plan that was approved.
fn is_go_ahead(message: &str) -> bool {
    words::has_word(message, &["plan"]) && words::has_word(message, &["approved", "implement"])
}

fn ask(story: &Story<'_>) -> Script {
    let question = json!({"questions": [{
        "id": "way",
        "header": "Which way",
        "question": format!("You wanted to be asked about “{}”. Which way shall it go?", words::clip(story.opening, 120)),
        "options": [
            {"label": "Small step", "description": "The least that can be shown, today."},
            {"label": "Thorough", "description": "All of it, with tests and a note for others."},
            {"label": "Not now", "description": "Leave everything as it is."},
        ],
    }]});
    let beats = vec![Beat::call("ask_user_question", question, "Here is my question.")];
    let closing = match story.last("ask_user_question") {
        None => "I cannot ask here: this session has no tool for questions.".to_owned(),
        Some(asked) if asked.is_error => {
            format!("So the question stays open, and nothing depends on it. {HINT}")
        }
        Some(asked) => format!(
            "Your answer: **{}**. A configured provider would go on from here; the script ends with repeating it.",
            words::answers(asked.text)
        ),
    };
    Script { beats, closing }
}

fn run(story: &Story<'_>) -> Script {
    let say = "The script knows one command, and it changes nothing: `ls`.";
    let beats = vec![Beat::call("run_command", json!({"command": "ls"}), say)];
    let closing = match story.last("run_command") {
        None => "There is no tool for commands in this session, so nothing was run.".to_owned(),
        Some(ran) if ran.is_error => {
            "So the command did not run to a good end, and I leave it at that.".to_owned()
        }
        Some(ran) => {
            // A line in parentheses is the tool's own, about how the command ended.
            let is_output = |line: &&str| !line.trim().is_empty() && !line.starts_with('(');
            let lines: Vec<_> = ran.text.lines().filter(is_output).collect();
            match lines.first() {
                None => "`ls` ran and had nothing to show: the folder is empty.".to_owned(),
                Some(_) => format!(
                    "`ls` ran and showed {} names: {}.",
                    lines.len(),
                    words::quoted(&lines.join(", "))
                ),
            }
        }
    };
    Script { beats, closing }
}

fn look(story: &Story<'_>) -> Script {
    let beats = vec![Beat::call("list_files", json!({}), "I look at what is in the workspace.")];
    let closing = match story.last("list_files") {
        None => format!("I cannot look at files in this session. {HINT}"),
        Some(listed) if listed.is_error => format!("So I cannot say what is in this workspace. {HINT}"),
        Some(listed) => format!("{} {HINT}", summary(listed.text)),
    };
    Script { beats, closing }
}

fn summary(listing: &str) -> String {
    let files = seen::listed(listing);
    let Some(telling) = seen::telling_file(listing) else {
        return "The workspace shows no files of its own yet.".to_owned();
    };
    let others = files.iter().filter(|file| **file != telling).take(3).map(|file| format!("`{file}`"));
    let others = others.collect::<Vec<_>>().join(", ");
    let beside = if others.is_empty() { String::new() } else { format!(", beside {others}") };
    format!("I see {} files. `{telling}` is the one to read first{beside}.", files.len())
}
