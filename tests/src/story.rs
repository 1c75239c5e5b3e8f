//! A log as people read it: one event a line.

use std::collections::HashMap;

use serde_json::Value;

/// Characters of an event's data that a full account shows.
const SHOWN_CHARS: usize = 300;

/// Returns every event with its data, one a line.
#[must_use]
pub fn told<'a>(events: impl IntoIterator<Item = &'a Value>) -> String {
    let line = |event: &Value| {
        let data: String = event["data"].to_string().chars().take(SHOWN_CHARS).collect();
        let (seq, end, kind) = (&event["seq"], &event["batch_end"], event["type"].as_str().unwrap_or("?"));
        format!("{seq:>4} (to {end}) {kind} {data}")
    };
    events.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns what a person would tell of the events, one a line; streamed pieces and bookkeeping are left out.
pub(crate) fn story<'a>(events: impl IntoIterator<Item = &'a Value>) -> String {
    let mut names = HashMap::new();
    let lines = events.into_iter().filter_map(|event| line(event, &mut names));
    lines.collect::<Vec<_>>().join("\n")
}

/// Inputs are called by what they say, since their ids differ each time.
type Names = HashMap<String, String>;

fn line(event: &Value, names: &mut Names) -> Option<String> {
    let (kind, data) = (event["type"].as_str()?, &event["data"]);
    let detail = match kind {
        "assistant/delta" | "request/header" | "session/created" | "session/titled" | "tool/call" => {
            return None;
        }
        "session/opened" => format!("epoch {}", data["epoch"]),
        "input/queued" => {
            let said = said(&data["content"]);
            names.insert(data["input_id"].to_string(), said.clone());
            said
        }
        "input/claimed" | "input/returned" => {
            let ids = data["input_ids"].as_array().into_iter().flatten();
            ids.map(|id| named(id, names)).collect::<Vec<_>>().join(", ")
        }
        "input/withdrawn" => format!("{} ({})", named(&data["input_id"], names), word(&data["why"])),
        "input/edited" | "input/moved" => named(&data["input_id"], names),
        "user/message" => format!("{}: {}", word(&data["source"]["kind"]), said(&data["content"])),
        "assistant/message" => {
            let cut = if data["interrupted"] == true { " (interrupted)" } else { "" };
            format!("{}{cut}", said(&data["content"]))
        }
        "tool/result" => {
            let code = data["error"]["code"].as_str().map(|code| format!(" {code}")).unwrap_or_default();
            format!("{} {}{code}", word(&data["call_id"]), word(&data["outcome"]))
        }
        "tool/started" => word(&data["call_id"]),
        "turn/start" | "turn/cancelled" => data["turn"].to_string(),
        "turn/end" => format!("{} {}", data["turn"], word(&data["reason"]["kind"])),
        "step/start" | "step/end" => format!("{}.{}", data["turn"], data["step"]),
        "plan/selected" | "plan/mode" => if data["active"] == true { "on" } else { "off" }.to_owned(),
        "plan/proposed" => format!("r{} {}", data["revision"], word(&data["title"])),
        "plan/reviewed" => format!("r{} {}", data["revision"], word(&data["verdict"])),
        "goal/change" => goal(data),
        "goal/round" => format!("{} of r{}", data["round"], data["revision"]),
        "todo/write" => format!("{} items", data["todos"].as_array().map_or(0, Vec::len)),
        "command/run" => format!("/{} {}", word(&data["name"]), word(&data["args"]).trim()),
        "command/done" => word(&data["kind"]),
        _ => String::new(),
    };
    Some(format!("{kind} {detail}").trim_end().to_owned())
}

fn goal(data: &Value) -> String {
    let (operation, goal) = (word(&data["operation"]), &data["goal"]);
    match goal["revision"].as_u64() {
        Some(revision) => format!("{operation} r{revision} {}", word(&goal["phase"])),
        None => operation,
    }
}

fn named(id: &Value, names: &Names) -> String {
    names.get(&id.to_string()).cloned().unwrap_or_else(|| "something older".to_owned())
}

/// Returns the texts and the calls of a message; only the first line of a text that has several.
fn said(content: &Value) -> String {
    let block = |block: &Value| match block["type"].as_str() {
        Some("text") => block["text"].as_str()?.lines().next().map(str::to_owned),
        Some("tool-call") => Some(format!("[{} {}]", word(&block["call_id"]), word(&block["name"]))),
        _ => None,
    };
    content.as_array().into_iter().flatten().filter_map(block).collect::<Vec<_>>().join(" ")
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
