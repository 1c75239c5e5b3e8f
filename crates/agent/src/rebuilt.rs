//! Every request that the log tells of, rebuilt from the log alone.

use std::collections::HashMap;

use events::{Digest, Envelope, RequestHeader, SessionEvent};
use model::{Effort, Request, ToolSpec};

use crate::transcript::Transcript;

/// Returns the requests of `log`, oldest first, as they were made: one for each answer, and one for each attempt that
/// failed and was followed by another. A request whose texts the log no longer has is left out.
#[must_use]
pub fn rebuilt_requests<'a>(log: impl IntoIterator<Item = &'a Envelope>) -> Vec<Request> {
    let mut rebuild = Rebuild::default();
    let mut requests = Vec::new();
    for envelope in log {
        let ends_a_request = match &envelope.event {
            SessionEvent::AssistantMessage(message) => !message.interrupted,
            SessionEvent::RequestAttempt(_) => true,
            _ => false,
        };
        if ends_a_request {
            requests.extend(rebuild.request());
        }
        rebuild.take(envelope);
    }
    requests
}

#[derive(Default)]
struct Rebuild {
    transcript: Transcript,
    header: Option<RequestHeader>,
    texts: HashMap<Digest, String>,
}

impl Rebuild {
    fn take(&mut self, envelope: &Envelope) {
        if let SessionEvent::RequestHeader(header) = &envelope.event {
            let (system, tools) = (header.system.clone(), header.tools.clone());
            self.texts.extend(system.map(|text| (header.system_hash.clone(), text)));
            self.texts.extend(tools.map(|text| (header.tools_hash.clone(), text)));
            self.header = Some(header.clone());
        }
        self.transcript.take(envelope);
    }

    fn request(&self) -> Option<Request> {
        let header = self.header.as_ref()?;
        let tools: Vec<ToolSpec> = serde_json::from_str(self.texts.get(&header.tools_hash)?).ok()?;
        Some(Request {
            model: header.model.clone(),
            system: self.texts.get(&header.system_hash)?.clone(),
            messages: self.transcript.messages(),
            tools,
            effort: header.effort.as_deref().and_then(Effort::of_name),
            max_output_tokens: header.max_output_tokens,
        })
    }
}
