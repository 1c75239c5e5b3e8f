//! The proof, from a log alone, that plan mode kept a session's workspace as it was.
//!
//! It judges what was started by class and sandbox as the log has them, by rules of its own: what a session was allowed
//! is no argument here.

use events::{CallId, Envelope, SandboxProfile, Seq, SessionEvent, ToolClass, ToolSandbox, ToolStarted};
use serde::Serialize;

use crate::{CallStage, Damage, State, fold};

/// What a log says of the times in which plan mode was on or selected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PlanSafety {
    /// The last position that was looked at.
    pub head: Seq,
    /// Calls that were started under plan mode.
    pub calls: u64,
    /// Programs among them.
    pub programs: u64,
    /// Calls that could change the workspace, and should not have been started.
    pub breaches: Vec<Breach>,
    /// What ran at such times without being part of the proof.
    pub outside: Vec<Outside>,
    /// The first fact that cannot have happened; with one, nothing is proven.
    pub damage: Option<Damage>,
}

/// A call that breaks the proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Breach {
    /// Where it was started.
    pub seq: Seq,
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub tool: String,
    /// What it could do.
    pub class: ToolClass,
    /// What confined it.
    pub sandbox: Option<ToolSandbox>,
}

/// Something that the proof does not cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outside {
    /// Where it is in the log.
    pub seq: Seq,
    /// What it is.
    pub kind: OutsideKind,
    /// Its name: of the hook or of the call's tool.
    pub name: String,
}

/// Why something is outside the proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutsideKind {
    /// A hook is a program of the person's own.
    Hook,
    /// A call that could change the workspace was running already when plan mode was selected.
    StartedBefore,
}

impl PlanSafety {
    /// Says whether nothing that could change the workspace was started under plan mode.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.breaches.is_empty() && self.damage.is_none()
    }
}

/// Goes through a log, oldest event first, and collects what there is to say.
#[derive(Debug, Clone, Default)]
pub struct PlanWatch {
    state: State,
    found: PlanSafety,
}

impl PlanWatch {
    /// Takes the next event.
    pub fn look(&mut self, recorded: &Envelope) {
        let was_planning = self.state.is_planning();
        if was_planning {
            self.look_under_plan(recorded);
        }
        fold(&mut self.state, recorded);
        if !was_planning && self.state.is_planning() {
            self.running_before(recorded.seq);
        }
        self.found.head = recorded.seq;
        self.found.damage = self.state.damage;
    }

    /// Returns what was found.
    #[must_use]
    pub fn finish(self) -> PlanSafety {
        self.found
    }

    fn look_under_plan(&mut self, recorded: &Envelope) {
        if let SessionEvent::ToolStarted(started) = &recorded.event {
            self.started(recorded.seq, started);
        }
        if let SessionEvent::HookRan(hook) = &recorded.event {
            let (seq, name) = (recorded.seq, hook.hook.clone());
            self.found.outside.push(Outside { seq, kind: OutsideKind::Hook, name });
        }
    }

    fn started(&mut self, seq: Seq, started: &ToolStarted) {
        self.found.calls += 1;
        self.found.programs += u64::from(started.class == ToolClass::Exec);
        if may_change(started.class, started.sandbox.as_ref()) {
            self.found.breaches.push(Breach {
                seq,
                call_id: started.call_id.clone(),
                tool: self.tool(&started.call_id),
                class: started.class,
                sandbox: started.sandbox.clone(),
            });
        }
    }

    fn running_before(&mut self, seq: Seq) {
        let calls = self.state.turn.step().into_iter().flat_map(|step| &step.calls);
        let may_write = |stage| matches!(stage, CallStage::Started(ToolClass::Write | ToolClass::Exec));
        let running = calls.filter(|call| may_write(call.stage)).map(|call| call.name.clone());
        let outside = running.map(|name| Outside { seq, kind: OutsideKind::StartedBefore, name });
        self.found.outside.extend(outside);
    }

    fn tool(&self, call_id: &CallId) -> String {
        let call = self.state.turn.step().and_then(|step| step.call(call_id));
        call.map_or_else(String::new, |call| call.name.clone())
    }
}

/// Says whether such a call can change the workspace.
fn may_change(class: ToolClass, sandbox: Option<&ToolSandbox>) -> bool {
    match class {
        ToolClass::Read | ToolClass::Session | ToolClass::Ask => false,
        ToolClass::Write => true,
        ToolClass::Exec => {
            !sandbox.is_some_and(|by| by.profile == SandboxProfile::ReadOnly && by.by != "none")
        }
    }
}
