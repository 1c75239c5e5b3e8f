//! A goal round, and the last word after a goal.

use serde_json::{Value, json};

use super::script::{Beat, Script};
use super::story::Story;
use super::topic::FOLDER;
use super::words;

/// How many rounds an objective takes that names no number.
const ROUNDS_DEFAULT: u32 = 3;

/// What the goal driver's message says about its round.
pub(super) struct Round {
    objective: String,
    number: u32,
    rounds_max: u32,
}

impl Round {
    /// Reads the lines `Objective: "<JSON string>"` and `Round: k/N` of a `<goal_round>` message.
    pub(super) fn of(opening: &str) -> Option<Self> {
        if !opening.contains("<goal_round>") {
            return None;
        }
        let (number, rounds_max) =
            line(opening, "Round:").and_then(|line| line.split_once('/')).unwrap_or(("1", "1"));
        let number = number.trim().parse().unwrap_or(1);
        Some(Self {
            objective: objective(opening),
            number,
            rounds_max: rounds_max.trim().parse().unwrap_or(number),
        })
    }

    /// Returns how many rounds the objective takes: what `rounds=<n>` in it says, none for `rounds=never`.
    fn rounds_wanted(&self) -> Option<u32> {
        let Some((_, said)) = self.objective.split_once("rounds=") else {
            return Some(ROUNDS_DEFAULT);
        };
        if said.starts_with("never") {
            return None;
        }
        let digits = said.split(|at: char| !at.is_ascii_digit()).next().unwrap_or_default();
        Some(digits.parse().unwrap_or(ROUNDS_DEFAULT))
    }

    fn is_last(&self) -> bool {
        self.rounds_wanted().is_some_and(|wanted| self.number >= wanted)
    }

    fn path(&self) -> String {
        format!("{FOLDER}/goal-round-{}.md", self.number)
    }
}

fn line<'a>(message: &'a str, head: &str) -> Option<&'a str> {
    message.lines().find_map(|line| line.trim().strip_prefix(head)).map(str::trim)
}

fn objective(message: &str) -> String {
    let written = line(message, "Objective:").unwrap_or_default();
    serde_json::from_str(written).unwrap_or_else(|_| written.to_owned())
}

/// Returns the script of one round.
pub(super) fn script(story: &Story<'_>, round: &Round) -> Script {
    let (number, rounds_max, path) = (round.number, round.rounds_max, round.path());
    let shown = words::clip(&round.objective, 120);
    let mut beats = vec![
        Beat::call(
            "get_goal",
            json!({}),
            format!(
                "Round {number} of at most {rounds_max} for the goal “{shown}”. I read the goal as it stands now."
            ),
        ),
        Beat::call("todo_write", todos(round, ["in_progress", "pending"]), "This round's list."),
        Beat::call(
            "write_file",
            json!({"path": path, "content": content(story, round)}),
            format!("The work of this round goes into `{path}`."),
        ),
    ];
    let written = story.worked("write_file");
    if !story.is_out("write_file") {
        let judged = if round.is_last() { "in_progress" } else { "completed" };
        beats.push(Beat::call(
            "todo_write",
            todos(round, ["completed", judged]),
            "The list as it stands after this round.",
        ));
    }
    if let Some(goal) = story.last("get_goal").and_then(|attempt| goal_named(attempt.text))
        && written
        && round.is_last()
    {
        beats.push(completion(story, round, &goal));
    }
    Script { beats, closing: last_words(story, round) }
}

fn todos(round: &Round, [write, judge]: [&str; 2]) -> Value {
    json!({"todos": [
        {"content": format!("Round {}: write {}", round.number, round.path()), "status": write},
        {"content": "Judge whether the objective is met", "status": judge},
    ]})
}

fn content(story: &Story<'_>, round: &Round) -> String {
    let earlier: String = written_files(story, round).iter().map(|path| format!("- `{path}`\n")).collect();
    let earlier = if earlier.is_empty() { "- none\n".to_owned() } else { earlier };
    format!(
        "# Goal, round {} of at most {}\n\nObjective:\n\n{}\nFiles of earlier rounds:\n\n{earlier}\n\
         _Written by the rehearsal model of waymark._\n",
        round.number,
        round.rounds_max,
        words::block_quote(&round.objective)
    )
}

/// Returns the round files that the conversation shows as written, this round's left out.
fn written_files(story: &Story<'_>, round: &Round) -> Vec<String> {
    written(story).into_iter().filter(|path| *path != round.path()).collect()
}

fn written(story: &Story<'_>) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for attempt in story.all().iter().filter(|attempt| attempt.call.name == "write_file" && !attempt.is_error)
    {
        let path =
            attempt.argument("path").filter(|path| path.starts_with(FOLDER) && path.contains("/goal-round-"));
        if let Some(path) = path.filter(|path| !paths.contains(path)) {
            paths.push(path);
        }
    }
    paths
}

/// A goal as `get_goal` names it.
struct GoalNamed {
    goal_id: String,
    revision: u64,
}

fn goal_named(result: &str) -> Option<GoalNamed> {
    let (from, to) = (result.find('{')?, result.rfind('}')?);
    let value: Value = serde_json::from_str(result.get(from..=to)?).ok()?;
    let goal = value.get("goal").unwrap_or(&value);
    let goal_id = goal.get("id").or_else(|| goal.get("goal_id"))?.as_str()?.to_owned();
    Some(GoalNamed { goal_id, revision: goal.get("revision")?.as_u64()? })
}

fn completion(story: &Story<'_>, round: &Round, goal: &GoalNamed) -> Beat {
    let files = written(story).join(", ");
    let evidence = format!("round {} wrote {}; files of all rounds: {files}", round.number, round.path());
    let arguments = json!({
        "goal_id": goal.goal_id, "revision": goal.revision, "action": "complete", "evidence": evidence,
    });
    Beat::call("update_goal", arguments, "By the script this was the last round: I mark the goal as complete, with what there is to show.")
        .thinking("The goal's id and revision come from get_goal, so that a goal that changed meanwhile is not completed by mistake.")
}

fn last_words(story: &Story<'_>, round: &Round) -> String {
    let (number, path) = (round.number, round.path());
    if !story.worked("write_file") {
        return format!(
            "Round {number} got nothing done: `{path}` was not written. The goal stays as it is."
        );
    }
    let done = format!("Round {number} is over: it wrote `{path}`.");
    if story.worked("update_goal") {
        return format!("{done} The goal is complete.");
    }
    match round.rounds_wanted() {
        Some(wanted) if number < wanted => {
            format!("{done} By the script the goal takes {wanted} rounds, so it stays active.")
        }
        Some(_) => format!(
            "{done} I could not mark the goal as complete, so it stays active; you can end it with /goal clear."
        ),
        None => format!(
            "{done} This objective says `rounds=never`, so it stays active until its budget or you end it."
        ),
    }
}

/// Says whether the host asks to judge a claim that a goal is met.
pub(super) fn is_claim(story: &Story<'_>) -> bool {
    story.opening.contains("<goal_claim>")
}

/// Judges a claim: evidence that names a file of the rounds is enough, as long as the objective does not say `judge=never`.
pub(super) fn verdict(story: &Story<'_>) -> Script {
    let names_a_file = line(story.opening, "Evidence:").is_some_and(|evidence| evidence.contains(FOLDER));
    if names_a_file && !objective(story.opening).contains("judge=never") {
        return Script::text("ACCEPTED\nThe evidence names the files that the rounds wrote.");
    }
    Script::text(
        "REFUSED\nThe evidence names no file of a round that the script would take for the whole objective.",
    )
}

/// Returns the last word that the host asks for after a goal is complete or blocked.
pub(super) fn closing(story: &Story<'_>) -> Script {
    let shown = words::clip(&objective(story.opening), 200);
    let files: Vec<_> = written(story).iter().map(|path| format!("`{path}`")).collect();
    let files = if files.is_empty() { "no file that I know of".to_owned() } else { files.join(", ") };
    let text = if let Some(blocked) = line(story.opening, "Blocked:") {
        let why: String = serde_json::from_str(blocked).unwrap_or_else(|_| blocked.to_owned());
        format!(
            "The goal “{shown}” is blocked: {}. So far there is {files}. Once the obstacle is gone, /goal resume goes on.",
            words::clip(&why, 400)
        )
    } else if story.opening.contains("<goal_blocked>") {
        format!(
            "The goal “{shown}” is blocked. So far there is {files}. Once the obstacle is gone, /goal resume goes on."
        )
    } else {
        format!(
            "The goal “{shown}” is complete. What there is to look at: {files}. I am the rehearsal model, so these are \
             notes about the rounds, not the work itself; nothing else in the workspace was changed by me."
        )
    };
    Script::text(text)
}
