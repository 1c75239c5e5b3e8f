//! Plan mode: look, read, put a plan forward, and revise it for as long as a person wants.

use std::fmt::Write as _;

use serde_json::json;

use super::script::{Beat, Script};
use super::story::{Attempt, EXIT_PLAN_MODE, Story};
use super::topic::Topic;
use super::{seen, words};

/// The most revisions of a plan in answer to one message.
const REVISIONS_MAX: usize = 5;

/// What a tool says of a review that was put aside so that a person can speak.
const ASIDE: [&str; 2] = ["dismiss", "review aside"];

/// Returns the script of planning.
pub(super) fn script(story: &Story<'_>) -> Script {
    let draft = Draft::of(story);
    let reviews: Vec<_> = story.attempts.iter().filter(|attempt| is_review(attempt)).collect();
    let mut beats = if draft.continues { Vec::new() } else { looking(story) };
    let ended = reviews.last().and_then(|review| ending(review.text));
    let revisions =
        reviews.len().min(REVISIONS_MAX) + usize::from(ended.is_none() && reviews.len() <= REVISIONS_MAX);
    beats.extend((0..revisions).map(|revision| proposal(&draft, revision)));
    let closing = match ended {
        Some(words) => words.to_owned(),
        None if !story.offers(EXIT_PLAN_MODE) => {
            format!("There is no `{EXIT_PLAN_MODE}` tool here, so this is my plan as text:\n\n{}", draft.markdown())
        }
        None => "That makes five revisions of one plan. Tell me in a message what it should say, and I begin anew."
            .to_owned(),
    };
    Script { beats, closing }
}

/// Returns the script of a person who left plan mode during a review: nothing was approved, so nothing is done.
pub(super) fn left() -> Script {
    Script::text(
        "You left plan mode without approving the plan, so I carry nothing out, and nothing was changed. Tell me \
         what to do instead, or send /plan to plan again.",
    )
}

fn is_review(attempt: &Attempt<'_>) -> bool {
    attempt.call.name == EXIT_PLAN_MODE
}

fn looking(story: &Story<'_>) -> Vec<Beat> {
    let word = words::telling_word(story.opening);
    let look = Beat::call(
        "list_files",
        json!({}),
        format!("Plan mode is on: I look before I propose anything, and change nothing. First the files, and where “{word}” appears."),
    )
    .and("search", json!({"pattern": word}))
    .thinking("Plan mode is on, so only tools that read are in place. A listing and a search do not depend on each other: both at once.");
    let listing =
        story.last("list_files").filter(|attempt| !attempt.is_error).map_or("", |attempt| attempt.text);
    let read = seen::telling_file(listing).map(|file| {
        Beat::call(
            "read_file",
            json!({"path": file}),
            format!("Of these files, `{file}` should tell most; I read it."),
        )
    });
    std::iter::once(look).chain(read).collect()
}

fn proposal(draft: &Draft, revision: usize) -> Beat {
    let say = match (revision, draft.comments.last()) {
        (0, None) => {
            "Here is my plan. Nothing has been changed; it is yours to approve, or to send back with a comment."
        }
        _ => {
            "Thank you for the comment. Here is the whole plan again, with what changed in a section of its own."
        }
    };
    Beat::call(EXIT_PLAN_MODE, json!({"plan": draft.markdown()}), say)
        .thinking("Whether this plan is carried out is a person's decision, so it goes through a review.")
}

/// Returns what to say when a review ended in something else than a comment.
fn ending(error: &str) -> Option<&'static str> {
    let (told, _) = words::split_feedback(error);
    let error = told.to_lowercase();
    let says = |marks: &[&str]| marks.iter().any(|mark| error.contains(mark));
    if says(&ASIDE) {
        Some(
            "You put the review aside, so I stop here and plan mode stays on. Tell me what you have in mind; the plan is kept.",
        )
    } else if says(&[
        "only available",
        "left plan mode",
        "not in plan mode",
        "not_in_plan_mode",
        "not active",
    ]) {
        Some(
            "Plan mode was over before the plan was approved, so I carry nothing out. Send /plan to plan again.",
        )
    } else if says(&["withdrawn", "cancel", "abort", "interrupt", "not_started", "outcome_unknown", "reload"])
    {
        Some("The review ended before anybody decided. Send a message, and I put the plan forward again.")
    } else if says(&[
        "invalid",
        "must start",
        "heading",
        "no channel",
        "nobody",
        "no_provider",
        "delegated",
        "no result",
    ]) {
        Some("The plan could not be put forward for a review. You can leave plan mode with /plan off.")
    } else {
        None
    }
}

/// A plan in the making.
struct Draft {
    topic: Topic,
    request: String,
    files: Vec<String>,
    first_line: Option<String>,
    comments: Vec<String>,
    /// Whether it goes on with the plan of an earlier message, whose review was put aside to talk.
    continues: bool,
}

impl Draft {
    fn of(story: &Story<'_>) -> Self {
        let earlier = story.earlier();
        let put_aside = earlier.last().filter(|attempt| is_review(attempt) && is_dismissed(attempt));
        let plan = put_aside.and_then(|attempt| attempt.argument("plan"));
        let attempts = if plan.is_some() { story.all() } else { story.attempts.clone() };
        let read = attempts.iter().rfind(|attempt| attempt.call.name == "read_file" && !attempt.is_error);
        let said = plan.as_ref().map(|_| story.opening.to_owned());
        Self {
            topic: plan.as_deref().map_or_else(|| Topic::of(story.opening), Topic::of_plan),
            request: words::clip(story.opening, 300),
            files: seen::files(&attempts),
            first_line: read.and_then(|attempt| words::first_line(attempt.text)),
            comments: said.into_iter().chain(comments(&story.attempts)).collect(),
            continues: plan.is_some(),
        }
    }

    fn markdown(&self) -> String {
        let Topic { title, path } = &self.topic;
        let mut plan = format!("# {title}\n\n## Summary\n\n{}\n\n## Key changes\n\n", self.summary());
        let _ = write!(
            plan,
            "1. Write `{path}`: this plan, and a small sample of what you asked for.\n\
             2. Add a section “Verification” to it with one exact edit.\n\
             3. Read it back.\n\n{}\n\n## Test plan\n\n\
             - The file read back holds the plan, the sample and the section “Verification”.\n\
             - No other file differs: `git status` names `{path}` alone.\n\n\
             ## Assumptions\n\n\
             - Tools may write inside this workspace once you approve.\n\
             - You want to see how planning, review and carrying out go; a fixed script cannot solve the task itself.\n",
            self.untouched()
        );
        plan.push_str(&self.changes());
        plan
    }

    fn summary(&self) -> String {
        let seen = match (self.files.first(), &self.first_line) {
            (Some(file), Some(line)) => format!(" I read `{file}`, which begins with “{line}”."),
            (Some(file), None) => format!(" I saw `{file}` in the workspace."),
            (None, _) => " The workspace showed me no file.".to_owned(),
        };
        format!(
            "You asked: “{}”.{seen} The result will be one new file that you can look at and delete.",
            self.request
        )
    }

    fn untouched(&self) -> String {
        let names: Vec<_> = self.files.iter().map(|file| format!("`{file}`")).collect();
        if names.is_empty() {
            "Every other file stays as it is.".to_owned()
        } else {
            format!("{} and every other file stay as they are.", names.join(", "))
        }
    }

    fn changes(&self) -> String {
        if self.comments.is_empty() {
            return String::new();
        }
        let quotes: Vec<_> = self.comments.iter().map(|comment| words::block_quote(comment)).collect();
        format!(
            "\n## Changed after your comment\n\n{}\nA fixed script cannot weigh this, but it does not lose it: your \
             words are now part of the plan, and go into `{}` with it.\n",
            quotes.join("\n"),
            self.topic.path
        )
    }
}

fn is_dismissed(attempt: &Attempt<'_>) -> bool {
    let told = words::split_feedback(attempt.text).0.to_lowercase();
    attempt.is_error && ASIDE.iter().any(|mark| told.contains(mark))
}

/// Returns what a person wrote with each review that ended in more planning.
fn comments(attempts: &[Attempt<'_>]) -> Vec<String> {
    let sent_back = attempts.iter().filter(|attempt| is_review(attempt) && ending(attempt.text).is_none());
    sent_back
        .map(|attempt| {
            words::split_feedback(attempt.text).1.unwrap_or("(more planning, without a word)").to_owned()
        })
        .collect()
}
