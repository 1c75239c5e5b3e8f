//! The one enum of all events, and its durable encoding.

use serde::de::MapAccess;
use serde_json::value::RawValue;

use crate::*;

/// Declares [`SessionEvent`] and everything that follows from the list of its types.
macro_rules! session_events {
    ($($(#[$doc:meta])* $variant:ident($data:ty) = $name:literal,)*) => {
        /// A recorded fact.
        #[derive(Debug, Clone, PartialEq)]
        pub enum SessionEvent {
            $($(#[$doc])* $variant($data),)*
            /// A type that this reader does not know and that its writer marked as ignorable.
            Skipped(Skipped),
        }

        /// Every type of schema version 1, in the order of the design's table.
        pub const EVENT_TYPES: &[&str] = &[$($name,)*];

        impl SessionEvent {
            /// Returns the type's name in the log and on the wire.
            #[must_use]
            pub fn type_name(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Skipped(skipped) => &skipped.type_name,
                }
            }

            /// Returns the `data` member.
            ///
            /// # Errors
            ///
            /// When a value cannot be written as JSON; no event type has such a value.
            pub fn encode(&self) -> Result<Box<RawValue>, serde_json::Error> {
                match self {
                    $(Self::$variant(data) => serde_json::value::to_raw_value(data),)*
                    Self::Skipped(skipped) => Ok(skipped.data.clone().0),
                }
            }

            /// Reads the next value of a map as the data of an event of `type_name`; nothing when there is no such type.
            pub(crate) fn next_data<'de, A: MapAccess<'de>>(
                type_name: &str,
                map: &mut A,
            ) -> Result<Option<Self>, A::Error> {
                match type_name {
                    $($name => map.next_value().map(Self::$variant).map(Some),)*
                    _ => Ok(None),
                }
            }

            fn decode_known(type_name: &str, data: &RawValue) -> Option<Result<Self, serde_json::Error>> {
                match type_name {
                    $($name => Some(serde_json::from_str(data.get()).map(Self::$variant)),)*
                    _ => None,
                }
            }
        }

        $(impl From<$data> for SessionEvent {
            fn from(data: $data) -> Self {
                Self::$variant(data)
            }
        })*
    };
}

session_events! {
    /// A session begins.
    SessionCreated(SessionCreated) = "session/created",
    /// A host took it over.
    SessionOpened(SessionOpened) = "session/opened",
    /// It has a title.
    SessionTitled(SessionTitled) = "session/titled",
    /// It is put away or taken out.
    SessionArchived(SessionArchived) = "session/archived",
    /// It is deleted.
    SessionDeleted(SessionDeleted) = "session/deleted",
    /// An input waits.
    InputQueued(InputQueued) = "input/queued",
    /// A waiting input was edited.
    InputEdited(InputEdited) = "input/edited",
    /// A waiting input was moved or sent.
    InputMoved(InputMoved) = "input/moved",
    /// A turn took inputs.
    InputClaimed(InputClaimed) = "input/claimed",
    /// Claimed inputs went back.
    InputReturned(InputReturned) = "input/returned",
    /// An input is gone.
    InputWithdrawn(InputWithdrawn) = "input/withdrawn",
    /// A turn begins.
    TurnStart(TurnStart) = "turn/start",
    /// A turn is being stopped.
    TurnCancelled(TurnCancelled) = "turn/cancelled",
    /// A turn is over.
    TurnEnd(TurnEnd) = "turn/end",
    /// A step begins.
    StepStart(StepStart) = "step/start",
    /// A step is over.
    StepEnd(StepEnd) = "step/end",
    /// What requests are made with from here on.
    RequestHeader(RequestHeader) = "request/header",
    /// A request is made again.
    RequestAttempt(RequestAttempt) = "request/attempt",
    /// A message of the user role; surface.
    UserMessage(UserMessage) = "user/message",
    /// A streamed piece of the answer; ignorable.
    AssistantDelta(AssistantDelta) = "assistant/delta",
    /// The model's answer; surface.
    AssistantMessage(AssistantMessage) = "assistant/message",
    /// The model asks for a tool.
    ToolCall(ToolCall) = "tool/call",
    /// A tool's body may run.
    ToolStarted(ToolStarted) = "tool/started",
    /// A call has its result; surface.
    ToolResult(ToolResult) = "tool/result",
    /// A mode was chosen.
    PlanSelected(PlanSelected) = "plan/selected",
    /// The mode in force.
    PlanMode(PlanMode) = "plan/mode",
    /// A plan was put forward.
    PlanProposed(PlanProposed) = "plan/proposed",
    /// A review ended.
    PlanReviewed(PlanReviewed) = "plan/reviewed",
    /// The goal changed.
    GoalChange(GoalChange) = "goal/change",
    /// A round is reserved.
    GoalRound(GoalRound) = "goal/round",
    /// A judge looked at a completion.
    GoalJudged(GoalJudged) = "goal/judged",
    /// The todo list was replaced.
    TodoWrite(TodoWrite) = "todo/write",
    /// A person is asked.
    QuestionAsked(QuestionAsked) = "question/asked",
    /// A question has its answer.
    QuestionAnswered(QuestionAnswered) = "question/answered",
    /// A question is gone.
    QuestionWithdrawn(QuestionWithdrawn) = "question/withdrawn",
    /// Calls are allowed ahead of time.
    PermissionGranted(PermissionGranted) = "permission/granted",
    /// A grant is taken back.
    PermissionRevoked(PermissionRevoked) = "permission/revoked",
    /// Another permission preset.
    PermissionPreset(PermissionPreset) = "permission/preset",
    /// A role is served by another model.
    ModelSelected(ModelSelected) = "model/selected",
    /// A hook was asked.
    HookRan(HookRan) = "hook/ran",
    /// A child session works for this one.
    AgentSpawned(AgentSpawned) = "agent/spawned",
    /// A child session is done.
    AgentEnded(AgentEnded) = "agent/ended",
    /// A program runs in the background.
    CommandBackground(CommandBackground) = "command/background",
    /// A slash line is carried out.
    CommandRun(CommandRun) = "command/run",
    /// What came of it.
    CommandDone(CommandDone) = "command/done",
    /// The surface is about to be shortened.
    CompactionStart(CompactionStart) = "compaction/start",
    /// A summary stands for a range of the surface.
    CompactionSummary(CompactionSummary) = "compaction/summary",
    /// The shortening is over.
    CompactionEnd(CompactionEnd) = "compaction/end",
}

/// An event of an unknown, ignorable type, kept as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Skipped {
    /// The type's name.
    pub type_name: String,
    /// The data, verbatim.
    pub data: RawData,
}

/// JSON text kept verbatim; equal when the text is.
#[derive(Debug, Clone)]
pub struct RawData(pub Box<RawValue>);

impl PartialEq for RawData {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// Why an event could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The type is unknown and not ignorable.
    #[error(
        "event type {type_name} is not known to this waymark; a newer one is needed to open this session"
    )]
    UnknownType {
        /// The type.
        type_name: String,
    },
    /// A newer writer put in fields that this reader would lose.
    #[error(
        "{type_name} was written by a newer waymark (schema version {schema}) and has the unknown field {field}"
    )]
    Newer {
        /// The type.
        type_name: String,
        /// The writer's schema version.
        schema: u32,
        /// The first unknown field, as a path.
        field: String,
    },
    /// The data does not have the type's shape.
    #[error("{type_name} is malformed: {source}")]
    Malformed {
        /// The type.
        type_name: String,
        /// What is wrong.
        source: serde_json::Error,
    },
}

impl SessionEvent {
    /// Says whether a reader that does not know the type may skip it.
    #[must_use]
    pub fn is_ignorable(&self) -> bool {
        matches!(self, Self::AssistantDelta(_) | Self::Skipped(_))
    }

    /// Says whether the model sees it.
    #[must_use]
    pub fn is_surface(&self) -> bool {
        matches!(self, Self::UserMessage(_) | Self::AssistantMessage(_) | Self::ToolResult(_))
    }

    /// Reads an event of `type_name`, written under `schema`.
    ///
    /// # Errors
    ///
    /// When the type is unknown and not `ignorable`, when the data is malformed, and when a newer schema's
    /// data has fields that this reader would lose.
    pub fn decode(raw: &RawEvent<'_>) -> Result<Self, DecodeError> {
        let type_name = raw.type_name;
        let event = match Self::decode_known(type_name, raw.data) {
            Some(decoded) => decoded
                .map_err(|source| DecodeError::Malformed { type_name: type_name.to_owned(), source })?,
            None if raw.ignorable => {
                let data = RawData(raw.data.to_owned());
                return Ok(Self::Skipped(Skipped { type_name: type_name.to_owned(), data }));
            }
            None => return Err(DecodeError::UnknownType { type_name: type_name.to_owned() }),
        };
        if raw.schema > SCHEMA_VERSION {
            event.refuse_lost_fields(raw)?;
        }
        Ok(event)
    }

    fn refuse_lost_fields(&self, raw: &RawEvent<'_>) -> Result<(), DecodeError> {
        let malformed = |source| DecodeError::Malformed { type_name: raw.type_name.to_owned(), source };
        let written = serde_json::from_str(raw.data.get()).map_err(malformed)?;
        let kept = self.encode().and_then(|data| serde_json::from_str(data.get())).map_err(malformed)?;
        match lost_field(&written, &kept) {
            None => Ok(()),
            Some(field) => {
                Err(DecodeError::Newer { type_name: raw.type_name.to_owned(), schema: raw.schema, field })
            }
        }
    }
}

/// An event as it stands in a record, before its data is looked at.
#[derive(Debug, Clone, Copy)]
pub struct RawEvent<'a> {
    /// The type's name.
    pub type_name: &'a str,
    /// The `data` member.
    pub data: &'a RawValue,
    /// Whether its writer lets old readers skip it.
    pub ignorable: bool,
    /// The writer's schema version.
    pub schema: u32,
}

/// Returns the path of the first member of `written` that `kept` lacks; an explicit null counts as absent.
pub(crate) fn lost_field(written: &serde_json::Value, kept: &serde_json::Value) -> Option<String> {
    use serde_json::Value::{Array, Object};
    match (written, kept) {
        (Object(written), Object(kept)) => written.iter().find_map(|(name, value)| match kept.get(name) {
            Some(kept) => lost_field(value, kept).map(|rest| join(name, &rest)),
            None if value.is_null() => None,
            None => Some(name.clone()),
        }),
        (Array(written), Array(kept)) => {
            written.iter().zip(kept).enumerate().find_map(|(index, (written, kept))| {
                lost_field(written, kept).map(|rest| join(&index.to_string(), &rest))
            })
        }
        _ => None,
    }
}

fn join(head: &str, rest: &str) -> String {
    format!("{head}.{rest}")
}
