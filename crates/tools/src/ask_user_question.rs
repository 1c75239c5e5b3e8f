//! `ask_user_question`, and its other name `request_user_input`.

use std::collections::BTreeSet;

use events::{QuestionItem, QuestionOption};
use schemars::JsonSchema;
use serde::Deserialize;
use sessions::ToolAction;

use crate::arguments::{Arguments, Wrong};

pub(crate) const NAME: &str = "ask_user_question";
pub(crate) const OTHER_NAME: &str = "request_user_input";
pub(crate) const DESCRIPTION: &str = "Asks the user one to three questions, better one, and waits for the answers. \
    Use it for decisions that are the user's, not for what you can find out or reasonably assume. Each question \
    has two to four options, the recommended one first; the user can always answer in own words, so offer no \
    \"other\".";

const ITEMS_MAX: usize = 3;
const OPTIONS_MIN: usize = 2;
const OPTIONS_MAX: usize = 4;
const HEADER_CHARS_MAX: usize = 12;
/// How some models mark an option that they recommend.
const RECOMMENDED_SUFFIX: &str = "(Recommended)";

/// Arguments of `ask_user_question`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskUserQuestion {
    /// The questions, in the order in which they are asked.
    #[schemars(length(min = 1, max = 3))]
    questions: Vec<Item>,
    /// Seconds after which the recommended options stand, if nobody answers; each question then needs one. Leave it out
    /// to wait for as long as it takes.
    #[schemars(range(min = 30, max = 86_400))]
    answer_within_seconds: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// Names the question in the answer, in snake_case; unique.
    id: String,
    /// A word or two above the question, 12 characters at most.
    #[schemars(length(min = 1, max = 12))]
    header: String,
    /// The question, one sentence.
    question: String,
    /// Longer text that the user needs to decide.
    detail: Option<String>,
    /// The answers to choose from.
    #[schemars(length(min = 2, max = 4))]
    options: Vec<Choice>,
    /// Allows several options to be chosen. Default false.
    multi_select: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Choice {
    /// One to five words; unique within the question.
    label: String,
    /// What choosing it means, one sentence.
    description: Option<String>,
    /// Whether you recommend it. Default false.
    recommended: Option<bool>,
}

impl Arguments for AskUserQuestion {
    fn check(&self) -> Result<(), Wrong> {
        sized("questions", self.questions.len(), (1, ITEMS_MAX))?;
        unique(self.questions.iter().map(|item| item.id.as_str()), |index| format!("questions[{index}].id"))?;
        for (index, item) in self.questions.iter().enumerate() {
            item.check(&format!("questions[{index}]"))?;
        }
        Ok(())
    }
}

impl Item {
    fn check(&self, at: &str) -> Result<(), Wrong> {
        if self.question.trim().is_empty() {
            return Err(Wrong::new(format!("{at}.question"), "must not be blank"));
        }
        let header = self.header.trim().chars().count();
        if header == 0 || header > HEADER_CHARS_MAX {
            let why = format!("has {header} characters, must have 1 to {HEADER_CHARS_MAX}");
            return Err(Wrong::new(format!("{at}.header"), why));
        }
        sized(&format!("{at}.options"), self.options.len(), (OPTIONS_MIN, OPTIONS_MAX))?;
        unique(self.options.iter().map(Choice::bare_label), |index| format!("{at}.options[{index}].label"))
    }
}

impl Choice {
    fn bare_label(&self) -> &str {
        let label = self.label.trim();
        label.strip_suffix(RECOMMENDED_SUFFIX).unwrap_or(label).trim_end()
    }

    fn is_recommended(&self) -> bool {
        self.recommended.unwrap_or_else(|| self.label.trim().ends_with(RECOMMENDED_SUFFIX))
    }
}

fn sized(at: &str, count: usize, (min, max): (usize, usize)) -> Result<(), Wrong> {
    match (min..=max).contains(&count) {
        true => Ok(()),
        false => Err(Wrong::new(at, format!("has {count} entries, must have {min} to {max}"))),
    }
}

fn unique<'a>(names: impl Iterator<Item = &'a str>, at: impl Fn(usize) -> String) -> Result<(), Wrong> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        if name.trim().is_empty() {
            return Err(Wrong::new(at(index), "must not be blank"));
        }
        if !seen.insert(name) {
            return Err(Wrong::new(at(index), format!("{name:?} is there twice")));
        }
    }
    Ok(())
}

impl From<AskUserQuestion> for ToolAction {
    fn from(call: AskUserQuestion) -> Self {
        Self::AskUser {
            items: call.questions.into_iter().map(QuestionItem::from).collect(),
            answer_within_s: call.answer_within_seconds,
        }
    }
}

impl From<Item> for QuestionItem {
    fn from(item: Item) -> Self {
        Self {
            id: item.id,
            header: item.header.trim().to_owned(),
            question: item.question,
            detail: item.detail.filter(|detail| !detail.trim().is_empty()),
            options: item.options.into_iter().map(QuestionOption::from).collect(),
            multi_select: item.multi_select.unwrap_or(false),
        }
    }
}

impl From<Choice> for QuestionOption {
    fn from(choice: Choice) -> Self {
        Self {
            label: choice.bare_label().to_owned(),
            recommended: choice.is_recommended(),
            description: choice.description.unwrap_or_default(),
        }
    }
}
