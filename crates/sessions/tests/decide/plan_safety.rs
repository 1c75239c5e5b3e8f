//! The proof that plan mode kept the workspace: it holds of what is decided, and fails of logs that were tampered with.

use events::{CallId, HookRan, SandboxProfile, SessionEvent, ToolClass, ToolSandbox, ToolStarted};
use projections::{OutsideKind, PlanSafety, PlanWatch};

use crate::given::{Session, Steps, given};
use crate::wishes::*;

/// Returns what the log of a session proves.
pub(crate) fn proof(session: &Session) -> PlanSafety {
    let mut watch = PlanWatch::default();
    session.log.iter().for_each(|envelope| watch.look(envelope));
    watch.finish()
}

fn sandbox(by: &str, profile: SandboxProfile) -> Option<ToolSandbox> {
    Some(ToolSandbox { by: by.to_owned(), profile, network: false })
}

/// A start that nobody decided on.
fn forged(call_id: &str, class: ToolClass, sandbox: Option<ToolSandbox>) -> Steps {
    fact(ToolStarted { call_id: CallId(call_id.to_owned()), class, sandbox })
}

fn planning() -> Session {
    given([plan_on(), asked("hi"), calls([("c1", "write_file"), ("c2", "run_command")])])
}

#[test]
fn what_plan_mode_lets_through_is_proven_safe() {
    let session = planning().and([
        start("c1", ToolClass::Read),
        forged("c2", ToolClass::Exec, sandbox("bubblewrap", SandboxProfile::ReadOnly)),
    ]);
    let found = proof(&session);
    assert!(found.holds(), "{found:?}");
    assert_eq!((found.calls, found.programs, found.head), (2, 1, session.state.head));
}

#[test]
fn a_forged_start_is_named_with_its_place() {
    for (class, by) in [
        (ToolClass::Write, None),
        (ToolClass::Exec, None),
        (ToolClass::Exec, sandbox("bubblewrap", SandboxProfile::Workspace)),
        (ToolClass::Exec, sandbox("none", SandboxProfile::Off)),
        (ToolClass::Exec, sandbox("none", SandboxProfile::ReadOnly)),
    ] {
        let session = planning().and([forged("c1", class, by.clone())]);
        let found = proof(&session);
        assert!(!found.holds());
        let [breach] = found.breaches.as_slice() else { panic!("one breach: {found:?}") };
        assert_eq!(
            (breach.seq, breach.tool.as_str(), breach.class),
            (session.state.head, "write_file", class)
        );
        assert_eq!(breach.sandbox, by);
    }
}

#[test]
fn a_selection_alone_is_plan_mode_for_the_proof() {
    let entering = given([asked("hi"), calls([("c1", "write_file")]), plan_on()]);
    assert!(!proof(&entering.and([forged("c1", ToolClass::Write, None)])).holds());
    let leaving = planning().and([plan_off()]);
    assert!(!proof(&leaving.and([forged("c1", ToolClass::Write, None)])).holds());
}

#[test]
fn writing_before_and_after_plan_mode_is_nobodys_breach() {
    let writes = |id: &'static str| {
        all([
            asked("go"),
            calls([(id, "write_file")]),
            start(id, ToolClass::Write),
            finish(id),
            end_step(),
            admit(),
            concludes(),
        ])
    };
    let found = proof(&given([writes("c1"), plan_on(), plan_off(), writes("c2")]));
    assert!(found.holds() && found.calls == 0, "{found:?}");
}

#[test]
fn hooks_and_what_ran_before_are_named_as_outside_the_proof() {
    let hook = HookRan {
        point: "pre-step".to_owned(),
        decision: "allow".to_owned(),
        hook: "notify".to_owned(),
        message: None,
    };
    let session = given([
        asked("hi"),
        calls([("c1", "write_file"), ("c2", "read_file")]),
        fact(hook.clone()),
        start("c1", ToolClass::Write),
        plan_on(),
        fact(hook),
    ]);
    let found = proof(&session);
    assert!(found.holds());
    let outside: Vec<_> = found.outside.iter().map(|it| (it.kind, it.name.as_str())).collect();
    assert_eq!(outside, [(OutsideKind::StartedBefore, "write_file"), (OutsideKind::Hook, "notify")]);
}

#[test]
fn a_damaged_log_proves_nothing() {
    let mut session = planning();
    session.record(
        &events::Actor::HOST,
        vec![SessionEvent::from(ToolStarted {
            call_id: CallId("nobody".to_owned()),
            class: ToolClass::Read,
            sandbox: None,
        })],
    );
    let found = proof(&session);
    assert!(found.breaches.is_empty() && found.damage.is_some() && !found.holds(), "{found:?}");
}
