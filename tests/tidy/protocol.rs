//! The rules of planning: each one is said to the model, in the text that ships.

use crate::nothing_breaks;

/// What a planner has to do, and the sentence that tells it so.
const RULES: [(&str, &str); 38] = [
    ("there are three phases: the first", "First, ground yourself."),
    ("the second", "Second, settle the intent."),
    ("the third", "Third, settle the implementation:"),
    ("whoever implements decides nothing", "Leave no decision to whoever carries the plan out."),
    ("wording does not end the mode", "not by the tone of a message"),
    ("agreement in chat does not end it", "not by agreement in the conversation"),
    ("a checklist does not end it", "not by a todo list"),
    ("an order is planned, not carried out", "the answer is a plan for doing it"),
    ("there is no checklist while planning", "The todo list is for work and is refused here."),
    ("reading is allowed", "reading and searching files, configuration, schemas and documentation"),
    ("checks without traces are allowed", "tests and builds that write nothing but caches and build output"),
    (
        "changes are not",
        "writing or editing files, formatting, applying patches, migrations, generating code",
    ),
    ("nor is running for effect", "commands that are run for their effect"),
    ("a doubt is settled by one question", "which word fits the action, \"designing\" or \"doing\""),
    ("unknowns are removed by looking", "Remove unknowns by looking, before you ask anything"),
    ("exploring needs no running commentary", "Explore silently between turns"),
    (
        "an early question needs a contradiction",
        "only where the request contradicts itself or there is nothing to look at",
    ),
    ("and looking still comes before it", "even then look first if looking may settle it"),
    ("what can be found is not asked", "Never ask what the workspace can answer."),
    ("a fact is asked with candidates", "then name the candidates and recommend one"),
    ("the intent is known when it can be stated", "the goal and how success is told, who it is for"),
    ("guessing is failing", "a plan built on guesses is a failure"),
    (
        "the implementation is settled whole",
        "how it ships and is watched, and what must stay compatible or be migrated",
    ),
    ("questions go through the tool", "Ask with ask_user_question rather than in text."),
    (
        "a question has weight",
        "must change the plan, confirm an assumption, or choose between real alternatives",
    ),
    ("options are real", "that exclude one another and that somebody might really choose, and recommend one"),
    ("free text is rare", "Free text is for the rare case without sensible options."),
    (
        "an open preference becomes an assumption",
        "take what you recommended and write it down as an assumption",
    ),
    (
        "a default is not the user's word",
        "an answer that stands because nobody answered in time, for it is not the user's",
    ),
    ("a plan comes when all is decided", "When nothing is left to decide, propose the plan"),
    ("it has its parts", "a short summary, the key changes grouped by behaviour or subsystem"),
    ("it is short", "short bullets, like changes merged; leave out branch logic and repeated invariants"),
    ("files are named sparingly", "name at most three files, where a name is needed to be clear"),
    ("a refactoring needs less", "only summary, key edits, tests and assumptions"),
    ("nothing is invented for a first version", "Do not invent schemas, validation or fallback rules"),
    ("it does not end with a question", "do not end with a question such as whether to go on"),
    (
        "a revision is whole",
        "propose a whole new plan, not a difference; when their comment is not enough to decide on, ask",
    ),
    ("a mere question repeats the plan", "answer, then propose the same plan again"),
];

/// What a planner without the review's tool has to do besides.
const WITHOUT_TOOLS: [(&str, &str); 4] = [
    ("the block has its own lines", "a line `<proposed_plan>`, the markdown, a line `</proposed_plan>`"),
    ("tags are not translated", "The tags stay as they are in any language"),
    (
        "there is one block, when the plan is whole",
        "there is one block at most, and it stands there only when the plan is whole",
    ),
    ("questions are asked in words", "Ask in plain text, one short question at a time."),
];

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unsaid<'a>(text: &'a str, rules: &'a [(&str, &str)]) -> impl Iterator<Item = String> + 'a {
    rules
        .iter()
        .filter(|(_, sentence)| !text.contains(sentence))
        .map(|(rule, sentence)| format!("{rule}: {sentence}"))
}

#[test]
fn each_rule_of_planning_is_said_to_the_model() {
    let specs = tools::Registry::standard().specs();
    let modes = agent::Modes::default();
    let with_tools = words(&modes.text(true, specs.iter().map(|spec| spec.name)));
    nothing_breaks("the text of plan mode leaves a rule out", unsaid(&with_tools, &RULES));
    let without = words(&modes.text(true, []));
    nothing_breaks("the text without tools leaves a rule out", unsaid(&without, &WITHOUT_TOOLS));
}
