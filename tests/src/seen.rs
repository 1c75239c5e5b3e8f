//! What a tab has been shown so far, and whether it was shown as promised.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::Answer;

/// What a tab knows of its session.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub(crate) cursor: Option<Value>,
    slices: Value,
    events: BTreeMap<u64, Value>,
    pub(crate) answers: HashMap<Uuid, Answer>,
    sessions: Vec<Value>,
    refusals: Vec<Value>,
    hellos: u32,
    snapshots: u32,
    /// The first frame that broke a promise, and which.
    pub(crate) broken: Option<String>,
}

impl Seen {
    /// Returns a value of a slice, e.g. `/plan/active`; null where there is none.
    #[must_use]
    pub fn at(&self, pointer: &str) -> &Value {
        self.slices.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Returns all slices.
    #[must_use]
    pub fn slices(&self) -> &Value {
        &self.slices
    }

    /// Returns all events, oldest first.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.events.values()
    }

    /// Returns the data of all events of one type, oldest first.
    pub fn of_type<'a>(&'a self, kind: &'a str) -> impl DoubleEndedIterator<Item = &'a Value> {
        self.events().filter(move |event| event["type"] == kind).map(|event| &event["data"])
    }

    /// Returns the positions of all events of one type, oldest first.
    #[must_use]
    pub fn seqs_of(&self, kind: &str) -> Vec<u64> {
        let of_kind = self.events.iter().filter(|(_, event)| event["type"] == kind);
        of_kind.map(|(seq, _)| *seq).collect()
    }

    /// Returns the last position of the batch that an event was written in.
    #[must_use]
    pub fn batch_end(&self, seq: u64) -> u64 {
        self.events[&seq]["batch_end"].as_u64().expect("a batch has an end")
    }

    /// Returns the session's end as far as it is known.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.cursor.as_ref().and_then(|cursor| cursor["seq"].as_u64()).unwrap_or_default()
    }

    /// Returns the text that streamed in the newest step.
    #[must_use]
    pub fn streamed(&self) -> String {
        let after_step = self.events().rev().take_while(|event| event["type"] != "step/start");
        let mut pieces: Vec<_> = after_step.filter(|event| event["type"] == "assistant/delta").collect();
        pieces.reverse();
        pieces.iter().filter_map(|piece| piece["data"]["text"].as_str()).collect()
    }

    /// Returns the goal's identity, as commands name it.
    #[must_use]
    pub fn goal(&self) -> Value {
        json!({"id": self.at("/goal/id"), "revision": self.at("/goal/revision")})
    }

    /// Returns the session list's row of a session; null before it is known.
    #[must_use]
    pub fn row(&self, session: Uuid) -> &Value {
        let is_it = |row: &&Value| row["session"] == session.to_string();
        self.sessions.iter().find(is_it).unwrap_or(&Value::Null)
    }

    /// Returns what answered no command: refusals, and sessions that are followed no longer.
    #[must_use]
    pub fn refusals(&self) -> &[Value] {
        &self.refusals
    }

    /// Returns how often the tab has been connected.
    #[must_use]
    pub fn connections(&self) -> u32 {
        self.hellos
    }

    /// Returns how often the session was shown as a whole.
    #[must_use]
    pub fn snapshots(&self) -> u32 {
        self.snapshots
    }

    /// Takes a frame in.
    pub(crate) fn take(&mut self, frame: &Value) {
        let taken = match frame["type"].as_str() {
            Some("hello") => {
                self.hellos += 1;
                Ok(())
            }
            Some("snapshot") => self.snapshot(frame),
            Some("update") => self.update(frame),
            Some("receipt" | "refused") => self.answer(frame),
            Some("sessions") => {
                self.sessions = frame["rows"].as_array().cloned().unwrap_or_default();
                Ok(())
            }
            Some("sessions-changed") => {
                self.list(frame);
                Ok(())
            }
            Some("closed") => {
                self.refusals.push(frame.clone());
                Ok(())
            }
            kind => Err(format!("nobody expected a frame of type {kind:?}")),
        };
        if let Err(why) = taken {
            let shown: String = frame.to_string().chars().take(1000).collect();
            self.broken.get_or_insert(format!("{why}; the frame is {shown}"));
        }
    }

    /// Takes changes of the session list in.
    fn list(&mut self, frame: &Value) {
        let rows = frame["rows"].as_array().cloned().unwrap_or_default();
        let is_told = |row: &Value| {
            let gone = frame["gone"].as_array().is_some_and(|gone| gone.contains(&row["session"]));
            gone || rows.iter().any(|told| told["session"] == row["session"])
        };
        self.sessions.retain(|row| !is_told(row));
        self.sessions.extend(rows);
    }

    fn snapshot(&mut self, frame: &Value) -> Result<(), String> {
        let (history, head) = (&frame["history"], end(frame)?);
        let events = history["events"].as_array().ok_or("a snapshot has a history")?;
        if history["follows"] == true {
            self.follow(events, head)?;
        } else {
            self.events.clear();
            self.page(events, head)?;
        }
        self.slices = frame["slices"].clone();
        self.cursor = Some(frame["cursor"].clone());
        self.snapshots += 1;
        Ok(())
    }

    /// Takes the newest page: older events, and streamed pieces of answered steps, may be left out of it.
    fn page(&mut self, events: &[Value], head: u64) -> Result<(), String> {
        let mut last = 0;
        for event in events {
            let seq = event["seq"].as_u64().ok_or("an event has a seq")?;
            if seq <= last || seq > head {
                return Err(format!("event {seq} comes after event {last} in a page that ends at {head}"));
            }
            last = seq;
            self.events.insert(seq, event.clone());
        }
        Ok(())
    }

    fn update(&mut self, frame: &Value) -> Result<(), String> {
        let (events, end) = (frame["events"].as_array().ok_or("an update has events")?, end(frame)?);
        if self.cursor.is_none() {
            return Err("an update came before the snapshot".to_owned());
        }
        let in_batch = |event: &&Value| event["batch_end"].as_u64() == Some(end);
        if let Some(stray) = events.iter().find(|event| !in_batch(event)) {
            return Err(format!("event {} is of another batch than {end}", stray["seq"]));
        }
        self.follow(events, end)?;
        let (Value::Object(slices), Some(changed)) = (&mut self.slices, frame["slices"].as_object()) else {
            return Err("slices are an object".to_owned());
        };
        slices.extend(changed.iter().map(|(name, slice)| (name.clone(), slice.clone())));
        self.cursor = Some(frame["cursor"].clone());
        Ok(())
    }

    /// Takes events that go on exactly where the ones before ended.
    fn follow(&mut self, events: &[Value], end: u64) -> Result<(), String> {
        let mut last = self.head();
        for event in events {
            if event["seq"].as_u64() != Some(last + 1) {
                return Err(format!("event {} comes after event {last}", event["seq"]));
            }
            last += 1;
            if self.events.insert(last, event.clone()).is_some() {
                return Err(format!("event {last} came twice"));
            }
        }
        if last == end { Ok(()) } else { Err(format!("the cursor is at {end} after event {last}")) }
    }

    fn answer(&mut self, frame: &Value) -> Result<(), String> {
        let Some(id) = frame["id"].as_str() else {
            self.refusals.push(frame.clone());
            return Ok(());
        };
        let id: Uuid = id.parse().map_err(|_| "a command's id is a uuid")?;
        match self.answers.insert(id, Answer::of(frame)) {
            None => Ok(()),
            Some(_) => Err("a command was answered twice".to_owned()),
        }
    }

    /// Returns everything there is to tell when something did not come about.
    #[must_use]
    pub fn account(&self) -> String {
        let slices = self.slices.as_object().unwrap_or(&NOTHING);
        let slices = slices.iter().map(|(name, slice)| format!("  {name}: {slice}"));
        format!("{}\nslices:\n{}", crate::told(self.events()), slices.collect::<Vec<_>>().join("\n"))
    }
}

static NOTHING: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

fn end(frame: &Value) -> Result<u64, String> {
    frame["cursor"]["seq"].as_u64().ok_or_else(|| "a frame has a cursor".to_owned())
}
