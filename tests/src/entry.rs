//! What is thrown at every decoder and grammar: one function each, for fuzzing and for the kept corpus alike.
//!
//! Each takes any bytes, and panics only when something that always has to hold does not.

use agent::proposed_plan::{self, ProposedPlanParser, Segment};
use events::{Actor, ClientId, Envelope, Epoch, NewEvent, Placement, Seq, SessionCreated, SessionOpened};
use events::{SCHEMA_VERSION, SessionEvent};
use model::remote::{Api, decode_recorded};
use model::{Assembly, Chunk};
use projections::{Slices, State, fold};
use sessions::{ClientCommand, Command, Ids, Limits, Moment, decide};
use uuid::Uuid;

/// A function that takes any bytes.
pub type Entry = fn(&[u8]);

/// All of them, with the name of each one's corpus.
pub const ENTRIES: [(&str, Entry); 7] = [
    ("plan-parser", plan_parser),
    ("slash-line", slash_line),
    ("wire-frame", wire_frame),
    ("event-line", event_line),
    ("model-chat", model_chat),
    ("model-responses", model_responses),
    ("model-messages", model_messages),
];

/// A plan in a model's text: the first byte says into how long pieces the text is cut.
///
/// # Panics
///
/// When a cut changes something, a plan is left open, or the stream and the whole text disagree.
pub fn plan_parser(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let whole = joined([&*text]);
    let chars: Vec<char> = text.chars().collect();
    let pieces = chars.chunks(1 + usize::from(*first)).map(|piece| piece.iter().collect::<String>());
    assert_eq!(joined(pieces), whole, "a cut changes what is read");
    let visible: String = whole
        .iter()
        .map(|segment| match segment {
            Segment::Text(text) => text.as_str(),
            Segment::PlanStart | Segment::Plan(_) | Segment::PlanEnd => "",
        })
        .collect();
    assert_eq!(proposed_plan::strip(&text), visible);
    let plans = whole.iter().filter(|segment| matches!(segment, Segment::PlanStart)).count();
    let ends = whole.iter().filter(|segment| matches!(segment, Segment::PlanEnd)).count();
    assert_eq!(plans, ends, "a plan is left open");
    assert!(plans == 0 || proposed_plan::extract(&text).is_some(), "a plan that streamed is lost");
}

/// Returns what a stream of `chunks` brings, neighbours of one kind joined.
fn joined(chunks: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Segment> {
    let mut parser = ProposedPlanParser::default();
    let mut segments: Vec<Segment> = Vec::new();
    for chunk in chunks {
        parser.push(chunk.as_ref()).into_iter().for_each(|segment| join(&mut segments, segment));
    }
    parser.finish().into_iter().for_each(|segment| join(&mut segments, segment));
    segments
}

fn join(segments: &mut Vec<Segment>, next: Segment) {
    match (segments.last_mut(), next) {
        (Some(Segment::Text(text)), Segment::Text(more)) => text.push_str(&more),
        (Some(Segment::Plan(text)), Segment::Plan(more)) => text.push_str(&more),
        (_, next) => segments.push(next),
    }
}

/// A slash line, typed in a new session, in plan mode, beside a goal, and beside a goal that is over.
///
/// # Panics
///
/// When what is recorded does not fold, or does not say verbatim what was typed.
pub fn slash_line(bytes: &[u8]) {
    let line = String::from_utf8_lossy(bytes);
    for before in [&[][..], &["/plan"], &["/goal ship it"], &["/goal ship it", "/goal pause"]] {
        let mut session = Desk::new();
        for typed in before {
            assert!(session.types(typed).is_some(), "{typed} is accepted");
        }
        let Some(facts) = session.types(&line) else { continue };
        let (Some(SessionEvent::CommandRun(run)), Some(SessionEvent::CommandDone(done))) =
            (facts.first(), facts.last())
        else {
            panic!("a line is recorded as run and done: {facts:?}");
        };
        assert_eq!(run.command_id, done.command_id);
        assert_eq!(format!("/{}{}", run.name, run.args), line);
    }
}

/// A session in memory with somebody who types into it.
struct Desk {
    state: State,
    moments: u128,
}

impl Desk {
    fn new() -> Self {
        let created = SessionCreated {
            title: None,
            workspace: "/w".to_owned(),
            parent: None,
            fork_seq: None,
            preset: None,
        };
        let opened = SessionOpened { epoch: Epoch(1), host: "host".to_owned() };
        let mut desk = Self { state: State::default(), moments: 0 };
        desk.record(&[created.into(), opened.into()]);
        desk
    }

    /// Types a line and returns what is recorded; none when it is refused.
    fn types(&mut self, line: &str) -> Option<Vec<SessionEvent>> {
        self.moments += 1;
        let at = Moment {
            models: Default::default(),
            at_ms: 1,
            epoch: Epoch(1),
            actor: Actor::user(ClientId::from("tab")),
            ids: Ids::new(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + (self.moments << 16))),
            limits: Limits::default(),
        };
        let before = self.state.clone();
        let command = Command::Client(ClientCommand::Slash { line: line.to_owned() });
        let facts = decide(&self.state, &command, &at).ok()?;
        assert_eq!(self.state, before);
        self.record(&facts);
        Some(facts)
    }

    fn record(&mut self, facts: &[SessionEvent]) {
        let batch_end = self.state.head.plus(facts.len() as u64);
        for event in facts {
            let seq = self.state.head.next();
            let event = event.clone();
            fold(
                &mut self.state,
                &Envelope {
                    seq,
                    batch_end,
                    epoch: Epoch(1),
                    at_ms: 1,
                    cause: None,
                    actor: Actor::HOST,
                    event,
                },
            );
        }
        assert_eq!(self.state.damage, None, "what was decided does not fold: {facts:?}");
    }
}

/// A text that a client sends.
///
/// # Panics
///
/// When it is refused without a word.
pub fn wire_frame(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(words) = gateway::check_frame(&text) {
        assert!(!words.is_empty());
    }
}

/// The line that a record keeps of an event.
///
/// # Panics
///
/// When an event that was read is written as another one, or cannot be folded and shown.
pub fn event_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let at = Placement { seq: Seq(1), batch_end: Seq(1), epoch: Epoch(1), at_ms: 1, schema: SCHEMA_VERSION };
    let Ok(read) = Envelope::from_line(&text, &at) else { return };
    let Envelope { cause, actor, event, .. } = read.clone();
    let line = NewEvent { cause, actor, event }.to_line().expect("what was read can be written");
    assert_eq!(Envelope::from_line(&line, &at).expect("what was written can be read"), read);
    let mut state = State::default();
    fold(&mut state, &read);
    let shown = Slices::of(&state, Some(Epoch(1)));
    shown.changed_since(&shown).expect("slices can be written");
}

/// The bytes of an answer by chat completions: the first byte says into how long pieces they are cut.
///
/// # Panics
///
/// When a cut changes something, or a call has no name.
pub fn model_chat(bytes: &[u8]) {
    model_answer(Api::Chat, bytes);
}

/// The same by responses.
///
/// # Panics
///
/// As [`model_chat`] does.
pub fn model_responses(bytes: &[u8]) {
    model_answer(Api::Responses, bytes);
}

/// The same by messages.
///
/// # Panics
///
/// As [`model_chat`] does.
pub fn model_messages(bytes: &[u8]) {
    model_answer(Api::Messages, bytes);
}

fn model_answer(api: Api, bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let (chunks, finish) = decode_recorded(api, [rest.to_vec()]);
    let pieces = rest.chunks(1 + usize::from(*first)).map(<[u8]>::to_vec);
    assert_eq!(decode_recorded(api, pieces), (chunks.clone(), finish.clone()), "a cut changes what is read");
    let mut assembly = Assembly::new();
    chunks.iter().for_each(|chunk| assembly.push(chunk));
    finish.into_iter().for_each(|finish| assembly.push(&Chunk::Finish(finish)));
    assert!(assembly.calls().iter().all(|call| !call.name.is_empty()));
    let items = assembly.items().iter();
    let is_json = |json: &String| serde_json::from_str::<serde_json::Value>(json).is_ok();
    assert!(items.map(|(_, json)| json).all(is_json), "what goes back is JSON");
}
