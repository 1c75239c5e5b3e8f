mod goals;
mod planning;

use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Assembly, Call, Chunk, Finish, Message, ToolSpec};

const TOOLS: [&str; 12] = [
    "list_files",
    "read_file",
    "search",
    "write_file",
    "edit_file",
    "run_command",
    "todo_write",
    "exit_plan_mode",
    "get_goal",
    "update_goal",
    "create_goal",
    "ask_user_question",
];

const LISTING: &str = "docs/\ndocs/guide.md\nREADME.md\nsrc/\nsrc/main.rs";

/// A conversation whose host is the test: it says what each tool answers.
struct Play {
    request: Request,
}

/// What a tool answers: its text, and whether that is an error.
type Told = (String, bool);

impl Play {
    fn new(message: &str) -> Self {
        let tools = TOOLS.map(|name| ToolSpec {
            name: name.into(),
            description: String::new(),
            parameters: json!({}),
        });
        let request = Request {
            model: "rehearsal".into(),
            system: "You are an agent.".into(),
            messages: Vec::new(),
            tools: tools.into(),
            effort: None,
            max_output_tokens: None,
        };
        Self { request }.then(message)
    }

    fn planning(message: &str) -> Self {
        let mut play = Self::new(message);
        play.request.system.push_str("\n<mode name=\"plan\">look only</mode>");
        play
    }

    fn then(mut self, message: &str) -> Self {
        self.request.messages.push(Message::User { text: message.into() });
        self
    }

    fn without(mut self, tool: &str) -> Self {
        self.request.tools.retain(|spec| spec.name != tool);
        self
    }

    fn ask(&self) -> Assembly {
        let mut assembly = Assembly::new();
        for chunk in Rehearsal::new(Duration::ZERO)
            .stream(self.request.clone())
            .collect::<Vec<_>>()
            .now_or_never()
            .unwrap()
        {
            assembly.push(&chunk.unwrap());
        }
        assembly
    }

    /// Plays one answer and its tools; returns the calls.
    fn step(&mut self, host: &dyn Fn(&Call) -> Told) -> (String, Vec<Call>) {
        let answer = self.ask();
        let (text, calls) = (answer.text().to_owned(), answer.calls());
        let reasoning = answer.reasoning().to_owned();
        self.request.messages.push(Message::Assistant {
            text: text.clone(),
            reasoning,
            calls: calls.clone(),
            items: Vec::new(),
        });
        for call in &calls {
            let (text, is_error) = host(call);
            self.request.messages.push(Message::Tool { call_id: call.call_id.clone(), text, is_error });
        }
        (text, calls)
    }

    /// Plays to the end of the turn; returns each step as `tool+tool`, and the closing words.
    fn turn(&mut self, host: &dyn Fn(&Call) -> Told) -> (Vec<String>, String) {
        let mut steps = Vec::new();
        loop {
            let (text, calls) = self.step(host);
            if calls.is_empty() {
                return (steps, text);
            }
            steps.push(calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>().join("+"));
            assert!(steps.len() <= 30, "no end: {steps:?}");
        }
    }

    /// Returns the arguments of every call of this tool so far.
    fn calls_of(&self, tool: &str) -> Vec<Value> {
        let calls = self.request.messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            Message::User { .. } | Message::Tool { .. } => &[],
        });
        calls
            .filter(|call| call.name == tool)
            .map(|call| serde_json::from_str(&call.arguments).unwrap())
            .collect()
    }
}

/// A host on which everything works.
fn works(call: &Call) -> Told {
    let text = match call.name.as_str() {
        "list_files" => LISTING,
        "search" => "src/main.rs:3:fn parser() {}",
        "read_file" => "     1\t# Ferry\n     2\tA small thing.",
        "get_goal" => {
            r#"{"goal":{"id":"g-7","revision":4,"objective":"x","phase":"active"},"activation":"armed"}"#
        }
        "ask_user_question" => r#"{"answers":[{"id":"way","selected":["Thorough"]}]}"#,
        _ => "ok",
    };
    (text.into(), false)
}

/// A host that works, except that one tool answers this error.
fn fails(tool: &'static str, error: &'static str) -> impl Fn(&Call) -> Told {
    move |call| if call.name == tool { (error.into(), true) } else { works(call) }
}

fn plan_of(play: &Play) -> String {
    play.calls_of("exit_plan_mode").last().unwrap()["plan"].as_str().unwrap().to_owned()
}

const WORK: [&str; 6] = ["todo_write", "write_file", "todo_write", "edit_file", "read_file", "todo_write"];

#[test]
fn todos_follow_what_really_happened() {
    let statuses = |play: &Play| -> Vec<Vec<String>> {
        let lists = play.calls_of("todo_write").into_iter();
        lists
            .map(|list| {
                list["todos"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|todo| todo["status"].as_str().unwrap().into())
                    .collect()
            })
            .collect()
    };
    let mut play = Play::new("create a changelog");
    play.turn(&works);
    let expected =
        [["in_progress", "pending", "pending"], ["completed", "in_progress", "pending"], ["completed"; 3]];
    assert_eq!(statuses(&play), expected);
    let mut play = Play::new("create a changelog");
    let (steps, closing) = play.turn(&fails("write_file", "PERMISSION_DENIED: no writing here"));
    assert_eq!(steps, ["todo_write", "write_file"]);
    assert!(closing.contains("Nothing was written"), "{closing}");
    let mut play = Play::new("create a changelog");
    let (_, closing) = play.turn(&fails("edit_file", "EDIT_NO_MATCH"));
    assert_eq!(statuses(&play)[2], ["completed", "in_progress", "completed"]);
    assert!(closing.contains("without the section"), "{closing}");
}

#[test]
fn a_refusal_is_told_in_the_next_answer() {
    let mut play = Play::new("run the tests");
    let (steps, closing) = play.turn(&fails("run_command", "PLAN_MODE: commands are refused"));
    assert_eq!(steps, ["run_command"]);
    assert!(
        closing.starts_with("`run_command` did not work: “PLAN_MODE: commands are refused”"),
        "{closing}"
    );
}

#[test]
fn an_answer_is_repeated() {
    let mut play = Play::new("Ask me what to do");
    let (steps, closing) = play.turn(&works);
    assert_eq!(steps, ["ask_user_question"]);
    assert!(closing.contains("**Thorough**"), "{closing}");
    let question = &play.calls_of("ask_user_question")[0]["questions"][0];
    assert_eq!(question["options"].as_array().unwrap().len(), 3);
}

#[test]
fn any_other_message_is_a_look_around() {
    let mut play = Play::new("hello");
    let (first, _) = play.step(&works);
    assert!(first.contains("fixed script"), "{first}");
    let (steps, closing) = play.turn(&works);
    assert!(steps.is_empty());
    assert!(
        closing.contains("`README.md`") && closing.contains("/plan") && closing.contains("/goal"),
        "{closing}"
    );
}

#[test]
fn a_notice_of_the_host_is_no_new_message() {
    let mut play = Play::new("create a changelog");
    play.step(&works);
    let mut play = play.then("<mode_change>\nThe user left plan mode.\n</mode_change>");
    assert_eq!(play.step(&works).1[0].name, "write_file");
}

#[test]
fn a_tool_that_is_not_there_is_never_called() {
    let messages = ["run it", "ask me", "create x", "hello", &goals::round(3, "x")];
    for message in messages {
        let mut play = Play::new(message);
        play.request.tools.clear();
        assert_eq!(play.turn(&works).0.len(), 0);
    }
    let mut play = Play::planning("write docs").without("exit_plan_mode").without("search");
    let (steps, closing) = play.turn(&works);
    assert_eq!(steps, ["list_files", "read_file"]);
    assert!(closing.contains("# Write docs"), "{closing}");
}

#[test]
fn call_ids_never_repeat() {
    let mut play = Play::planning("write docs");
    play.turn(&works);
    let mut play = play.then("write docs");
    play.turn(&works);
    let mut ids: Vec<_> = play
        .request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { call_id, .. } => Some(call_id.clone()),
            Message::User { .. } | Message::Assistant { .. } => None,
        })
        .collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[tokio::test(start_paused = true)]
async fn an_answer_keeps_its_pace_and_splits_its_arguments() {
    let play = Play::planning("write docs");
    let started = tokio::time::Instant::now();
    let chunks: Vec<_> = Rehearsal::default().stream(play.request.clone()).collect().await;
    let chunks_count = u32::try_from(chunks.len()).unwrap();
    assert_eq!(started.elapsed(), Duration::from_millis(12) * chunks_count);
    assert!(matches!(chunks[0], Ok(Chunk::Reasoning(_))));
    assert!(matches!(chunks.last(), Some(Ok(Chunk::Finish(Finish::ToolCalls)))));
    let deltas = chunks.iter().filter(|chunk| matches!(chunk, Ok(Chunk::CallDelta { .. }))).count();
    assert!(deltas >= 4, "{deltas}");
}

#[test]
fn the_output_limit_of_the_request_is_kept() {
    let mut play = Play::new("hello");
    play.request.max_output_tokens = Some(5);
    let answer = play.ask();
    assert_eq!(answer.finish(), Some(Finish::MaxTokens));
    assert!(answer.usage().unwrap().output_tokens <= 5);
    assert_eq!(answer.calls(), []);
}

proptest! {
    #[test]
    fn whatever_happens_a_turn_ends_within_twelve_steps(
        message in ".{0,40}|please (write|run|create|ask me).{0,10}|<goal_round>\nObjective: \"x\"\nRound: [0-9]/3",
        planning: bool,
        results in prop::collection::vec((".{0,60}|[A-Z_]{3,8}: .{0,20}|[a-z./:0-9\n]{0,40}", any::<bool>()), 40),
        offered in prop::sample::subsequence(TOOLS.to_vec(), 0..=12),
    ) {
        let mut play = if planning { Play::planning(&message) } else { Play::new(&message) };
        play.request.tools.retain(|spec| offered.contains(&spec.name.as_str()));
        let mut results = results.into_iter().cycle();
        let mut since_word_of_a_person = 0;
        loop {
            let again = play.ask();
            let told = results.next().unwrap();
            let (_, calls) = play.step(&|_| told.clone());
            prop_assert_eq!(again.calls(), calls.clone());
            prop_assert!(calls.iter().all(|call| offered.contains(&call.name.as_str())));
            since_word_of_a_person += 1;
            if calls.is_empty() { break; }
            if calls[0].name == "exit_plan_mode" && !told.1 { since_word_of_a_person = 0; }
            prop_assert!(since_word_of_a_person < 12);
        }
    }
}
