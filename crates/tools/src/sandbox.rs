//! What a command of a model can reach: found out once, then chosen for each call.
//!
//! Start reading at [`Sandbox::probe`], then [`Confinement`], then `keeper`, which is the process between us and
//! a command, then `entry`, the last code of ours that runs before the command does.
//!
//! A command runs as `sh` below two processes of ours that are this same program, started again with
//! [`ARGUMENT`] first: the keeper, which is not confined and ends everything below it when our end of its
//! standard input closes, and the entry, which gives up rights and then becomes `sh`. Between the two, where it
//! works, stands bubblewrap.
//!
//! # Invariants
//!
//! * A command that was promised a sandbox runs in it or not at all.
//! * No process of a confined command outlives its call, whatever session or group it moves to.
//! * Without a network grant a confined command makes no socket that leads anywhere, UNIX sockets included.
//!
//! # Where the two kinds differ
//!
//! Landlock knows no exceptions below a folder. Where a protected folder lies inside a writable workspace, new
//! entries cannot be made directly in the folders that lead to it; git's hooks and configuration are writable
//! under [`Profile::Workspace`], and so are the mode and times of files that the user owns anywhere.
//! Folders that lead to a protected one cannot be listed. It is used only with signal scoping (Linux 6.12), since
//! a command could otherwise kill its keeper.
//!
//! # Under plan mode
//!
//! A command sees a read-only workspace, build folders included: a build or a test that writes there fails.
//!
//! # Not here
//!
//! No decision which profile a call gets, and no network beside none and the host's own. A repository that a
//! command creates has hooks and configuration of its own making: whoever runs git there later must not
//! trust them.

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod entry;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod paths;
#[cfg(target_os = "linux")]
mod probe;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{ToolError, Workspace};

/// First argument of a program that is started as keeper or entry of a sandbox.
pub const ARGUMENT: &str = "__sandbox";

/// Says on the way to the host that the entry has given up its rights and that the command starts.
#[cfg(target_os = "linux")]
const STARTED: &str = "started";
/// Asks the keeper to ask the command to end.
pub(crate) const ASK_TO_END: &[u8] = b"t";

/// By what a command is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxKind {
    /// Namespaces of its own, set up by bubblewrap, and a system call filter.
    Bubblewrap,
    /// Landlock rules and a system call filter.
    Landlock,
    /// Nothing.
    None,
}

impl SandboxKind {
    fn name(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::None => "none",
        }
    }
}

/// What a confined command may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Profile {
    /// Nothing but a temporary folder that is gone afterwards, which holds its `HOME` too.
    ReadOnly,
    /// The workspace, and a temporary folder that is gone afterwards.
    Workspace,
    /// Whatever we may change ourselves.
    Off,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Workspace => "workspace",
            Self::Off => "off",
        }
    }
}

/// What this machine has to confine commands with. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Sandbox {
    found: Option<Arc<Found>>,
}

#[derive(Debug, Clone)]
struct Found {
    kind: SandboxKind,
    programs: Programs,
}

/// The programs that a sandbox is made of, by absolute path.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Programs {
    /// Ours: calls [`take_over_if_asked`] first.
    launcher: PathBuf,
    /// bubblewrap's; empty where it is not used.
    bubblewrap: PathBuf,
}

/// All that keeper and entry need to know.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has sandboxes"))]
struct Plan {
    kind: SandboxKind,
    programs: Programs,
    profile: Profile,
    network: bool,
    workspace: PathBuf,
    protected: Vec<PathBuf>,
    /// The command's temporary folder, once there is one.
    scratch: PathBuf,
}

impl Sandbox {
    /// Finds the strongest sandbox that works here by running a command in it. Blocks for as long as that takes,
    /// some tens of milliseconds.
    ///
    /// `launcher` is a program that calls [`take_over_if_asked`] first, usually this one
    /// ([`std::env::current_exe`]). Without one there is no sandbox.
    #[must_use]
    pub fn probe(launcher: Option<PathBuf>) -> Self {
        let Some(launcher) = launcher else { return Self::none() };
        let kinds = [SandboxKind::Bubblewrap, SandboxKind::Landlock];
        kinds.into_iter().find_map(|kind| Self::of_kind(kind, launcher.clone())).unwrap_or_else(Self::none)
    }

    /// Returns the sandbox of one kind, if it works here. Blocks as [`Sandbox::probe`] does.
    #[must_use]
    pub fn of_kind(kind: SandboxKind, launcher: PathBuf) -> Option<Self> {
        if kind == SandboxKind::None {
            return Some(Self::none());
        }
        #[cfg(target_os = "linux")]
        return probe::try_out(kind, launcher).map(|found| Self { found: Some(Arc::new(found)) });
        #[cfg(not(target_os = "linux"))]
        {
            let _ = launcher;
            None
        }
    }

    /// Returns what a machine without any sandbox has.
    #[must_use]
    pub fn none() -> Self {
        Self { found: None }
    }

    /// Says by what commands are confined.
    #[must_use]
    pub fn kind(&self) -> SandboxKind {
        self.found.as_ref().map_or(SandboxKind::None, |found| found.kind)
    }

    /// Returns what is recorded of a command that runs under `profile`: `bubblewrap:read-only`, or `none`.
    #[must_use]
    pub fn name(&self, profile: Profile) -> String {
        match (self.kind(), profile) {
            (SandboxKind::None, _) | (_, Profile::Off) => SandboxKind::None.name().to_owned(),
            (kind, profile) => format!("{}:{}", kind.name(), profile.name()),
        }
    }

    /// Returns the profile of a call that may change the workspace: the sandboxed one where there is a sandbox.
    #[must_use]
    pub fn default_profile(&self) -> Profile {
        match self.kind() {
            SandboxKind::None => Profile::Off,
            SandboxKind::Bubblewrap | SandboxKind::Landlock => Profile::Workspace,
        }
    }
}

/// How the command of one call is confined.
#[derive(Debug, Clone)]
pub struct Confinement {
    /// What there is to confine it with.
    pub sandbox: Sandbox,
    /// What it may change.
    pub profile: Profile,
    /// Whether it has the host's network.
    pub network: bool,
}

/// A program to start for a command.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// Whether the program is a keeper, which listens on its standard input.
    pub(crate) kept: bool,
}

impl Confinement {
    /// Returns the default of `sandbox`, without network.
    #[must_use]
    pub fn default_of(sandbox: &Sandbox) -> Self {
        Self { sandbox: sandbox.clone(), profile: sandbox.default_profile(), network: false }
    }

    /// Returns what is recorded: [`Sandbox::name`], with `+network` where that was granted.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.sandbox.name(self.profile);
        match self.network && self.is_confined() {
            true => format!("{name}+network"),
            false => name,
        }
    }

    /// Returns what the log keeps of it: what confines the command really, not what was wished for.
    #[must_use]
    pub fn recorded(&self) -> events::ToolSandbox {
        let (kind, profile) = match self.is_confined() {
            true => (self.sandbox.kind(), self.profile),
            false => (SandboxKind::None, Profile::Off),
        };
        let profile = match profile {
            Profile::ReadOnly => events::SandboxProfile::ReadOnly,
            Profile::Workspace => events::SandboxProfile::Workspace,
            Profile::Off => events::SandboxProfile::Off,
        };
        events::ToolSandbox { by: kind.name().to_owned(), profile, network: self.network }
    }

    pub(crate) fn is_confined(&self) -> bool {
        self.sandbox.kind() != SandboxKind::None && self.profile != Profile::Off
    }

    /// Returns how to start `command`. Errs with `NO_SANDBOX` where a read-only one is asked for and missing.
    pub(crate) fn line(&self, workspace: &Workspace, command: &str) -> Result<Line, ToolError> {
        match (&self.sandbox.found, self.profile) {
            (None, Profile::ReadOnly) => Err(ToolError::NoSandbox),
            (None, Profile::Workspace | Profile::Off) | (Some(_), Profile::Off) => Ok(free(command)),
            (Some(found), profile @ (Profile::ReadOnly | Profile::Workspace)) => {
                let plan = Plan {
                    kind: found.kind,
                    programs: found.programs.clone(),
                    profile,
                    network: self.network,
                    workspace: workspace.root().to_owned(),
                    protected: workspace.protected().to_vec(),
                    scratch: PathBuf::new(),
                };
                kept(&plan, command).map_err(|error| ToolError::SandboxFailed { why: error.to_string() })
            }
        }
    }
}

fn free(command: &str) -> Line {
    Line { program: "sh".into(), arguments: vec!["-c".into(), command.into()], kept: false }
}

fn kept(plan: &Plan, command: &str) -> io::Result<Line> {
    let text = serde_json::to_string(plan)?;
    let arguments = vec![ARGUMENT.into(), "keep".into(), text.into(), command.into()];
    Ok(Line { program: plan.programs.launcher.clone(), arguments, kept: true })
}

/// Does the work of a sandbox's keeper or entry and ends the process, if the program was started as one;
/// returns otherwise. To be called first in `main`, while there is one thread.
pub fn take_over_if_asked() {
    #[cfg(target_os = "linux")]
    {
        let mut arguments = std::env::args_os().skip(1);
        if arguments.next().is_some_and(|first| first == ARGUMENT) {
            std::process::exit(entry::take_over(arguments));
        }
    }
}

/// Returns why a sandbox did not come about, from what its keeper and entry said; none if it did.
#[cfg(target_os = "linux")]
pub(crate) fn trouble(said: &str) -> Option<String> {
    let failed = said.lines().find(|line| *line != STARTED);
    match said.lines().any(|line| line == STARTED) {
        true => None,
        false => Some(failed.unwrap_or("it ended before the command started").to_owned()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn trouble(_said: &str) -> Option<String> {
    None
}
