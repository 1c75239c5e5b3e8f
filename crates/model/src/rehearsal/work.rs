//! Carrying something out: write a file, edit it, read it back, and keep the todo list true.

use serde_json::{Value, json};

use super::script::{Beat, Script};
use super::story::Story;
use super::topic::Topic;
use super::words;

/// The last line of the file; it occurs once, so that an exact edit can put something in front of it.
const LAST_LINE: &str = "_Written by the rehearsal model of waymark._";

/// Returns the script of carrying out a plan, or a request without one.
pub(super) fn script(story: &Story<'_>, topic: &Topic, plan: Option<&str>) -> Script {
    let path = topic.path.as_str();
    let todo = |states: [&str; 3], say: String| Beat::call("todo_write", todos(path, states), say);
    let begin = if plan.is_some() { "The plan is approved, so I carry it out." } else { "I set about it." };
    let content = content(story, topic, plan);
    let mut beats = vec![
        todo(
            ["in_progress", "pending", "pending"],
            format!("{begin} First the list of what there is to do."),
        ),
        Beat::call("write_file", json!({"path": path, "content": content}), format!("Now I write `{path}`.")),
    ];
    if !story.is_out("write_file") {
        beats.push(todo(
            ["completed", "in_progress", "pending"],
            "The file is there; one item is done.".to_owned(),
        ));
        beats.push(Beat::call(
            "edit_file",
            edit(path),
            "Now one exact edit: a section “Verification” before the last line.",
        ));
        beats.push(Beat::call(
            "read_file",
            json!({"path": path}),
            "I read the file back, rather than trust my own words.",
        ));
        beats.push(todo(last_states(story), "The list as it stands now.".to_owned()));
    }
    Script { beats, closing: closing(story, path) }
}

/// Returns how the list ends: what went wrong is still open, and the first of that still in progress.
fn last_states(story: &Story<'_>) -> [&'static str; 3] {
    let mut open = "in_progress";
    ["write_file", "edit_file", "read_file"]
        .map(|tool| if story.worked(tool) { "completed" } else { std::mem::replace(&mut open, "pending") })
}

fn todos(path: &str, states: [&str; 3]) -> Value {
    let contents =
        [format!("Write {path}"), "Add the section Verification".to_owned(), "Read the file back".to_owned()];
    let items: Vec<_> = contents
        .iter()
        .zip(states)
        .map(|(content, status)| json!({"content": content, "status": status}))
        .collect();
    json!({"todos": items})
}

fn content(story: &Story<'_>, topic: &Topic, plan: Option<&str>) -> String {
    let request = format!("# {}\n\nYou asked: “{}”.", topic.title, words::clip(story.opening, 300));
    let body = plan.map_or(request, |plan| plan.trim().to_owned()) + "\n\n## Sample\n\n" + &sample(topic);
    // The last line has to be the only one of its kind, or the edit would not know which one is meant.
    format!("{}\n\n{LAST_LINE}\n", body.replace(LAST_LINE, ""))
}

/// Returns a small piece in the form of what titles like this ask for.
fn sample(topic: &Topic) -> String {
    let title = &topic.title;
    if words::has_word(title, &["test", "tests", "testing"]) {
        format!(
            "| given | when | then |\n|---|---|---|\n| the workspace as it is | {title} | the result can be checked |"
        )
    } else if words::has_word(title, &["readme", "docs", "documentation", "guide", "changelog"]) {
        format!(
            "> **{title}.** What it is, how to start it, where to ask: three sentences are enough to begin with."
        )
    } else {
        format!(
            "```text\ngoal:  {title}\nfirst: the smallest change that can be shown\nthen:  a check that fails without it\n```"
        )
    }
}

fn edit(path: &str) -> Value {
    let section = "## Verification\n\n- [x] The file was written by `write_file`.\n- [x] This section came in by `edit_file`.";
    json!({"path": path, "edits": [{"old": LAST_LINE, "new": format!("{section}\n\n{LAST_LINE}")}]})
}

fn closing(story: &Story<'_>, path: &str) -> String {
    if !story.worked("write_file") {
        return format!(
            "Nothing was written: `{path}` would have been the only file. If tools may not write here, that is a \
             setting of this session (its permissions, or plan mode); change it and ask me again."
        );
    }
    let edited = if story.worked("edit_file") {
        "with its section “Verification”"
    } else {
        "without the section “Verification”"
    };
    let read =
        if story.worked("read_file") { "I read it back to be sure" } else { "I could not read it back" };
    format!(
        "Done: `{path}` is in your workspace, {edited}; {read}. It is a sample, not the real thing: a configured \
         provider does the same steps with judgement. You may delete the folder at any time."
    )
}
