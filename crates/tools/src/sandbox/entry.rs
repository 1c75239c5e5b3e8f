//! The last code of ours before a confined command: it gives up what the command must not have.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, set_parent_process_death_signal, setsid, wait};
use rustix::stdio::dup2_stdin;
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use super::{ARGUMENT, Plan, STARTED, SandboxKind, filter, keeper, paths};

/// Status of a keeper or an entry that could not do its work; what went wrong goes to the host.
const BROKEN: i32 = 125;

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// The arguments are not those of a keeper or an entry.
    #[error("{ARGUMENT} is followed by `keep` or `enter`, a plan and a command; it is not for people")]
    Arguments,
    /// The plan cannot be read.
    #[error("the plan of the sandbox cannot be read: {0}")]
    Plan(#[from] serde_json::Error),
    /// The operating system refused something.
    #[error("the operating system refused: {0}")]
    System(#[from] io::Error),
    /// Landlock refused.
    #[error("landlock refused: {0}")]
    Landlock(#[from] landlock::RulesetError),
    /// The filter is wrong or was refused.
    #[error("the system call filter was refused: {0}")]
    Filter(#[from] seccompiler::Error),
    /// The filter cannot be built.
    #[error("the system call filter cannot be built: {0}")]
    Rule(#[from] seccompiler::BackendError),
}

/// Returns the arguments that start an entry.
pub(super) fn arguments(plan: &Plan, command: &OsStr) -> io::Result<[OsString; 4]> {
    Ok([ARGUMENT.into(), "enter".into(), serde_json::to_string(plan)?.into(), command.to_owned()])
}

/// Works as keeper or entry and returns the status to end with.
pub(super) fn take_over(arguments: impl Iterator<Item = OsString>) -> i32 {
    match close_inherited().map_err(Broken::from).and_then(|()| part(arguments, line()?)) {
        Ok(status) => status,
        Err(broken) => {
            let why = broken.to_string().replace('\n', " ");
            if let Ok(mut host) = line() {
                let _ = writeln!(host, "{why}");
            }
            BROKEN
        }
    }
}

/// Returns the line to the host, which is the standard input.
fn line() -> io::Result<UnixStream> {
    io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from)
}

/// Closes whatever the host's own parent left open: a folder among it would be a way round every rule on paths.
fn close_inherited() -> io::Result<()> {
    let mut open: Vec<i32> = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        open.extend(entry?.file_name().to_str().and_then(|number| number.parse::<i32>().ok()));
    }
    for number in open.into_iter().filter(|number| *number > 2) {
        match nix::unistd::close(number) {
            // The last is the listing's own, which is closed already.
            Ok(()) | Err(nix::errno::Errno::EBADF) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

fn part(arguments: impl Iterator<Item = OsString>, host: UnixStream) -> Result<i32, Broken> {
    let arguments: Vec<OsString> = arguments.collect();
    let [part, plan, command] = arguments.as_slice() else { return Err(Broken::Arguments) };
    let plan: Plan = serde_json::from_slice(plan.as_encoded_bytes())?;
    match part.to_str() {
        Some("keep") => Ok(keeper::keep(plan, command, &host)?),
        Some("enter") => enter(&plan, command, host),
        _ => Err(Broken::Arguments),
    }
}

/// Becomes the command, or under bubblewrap its parent.
fn enter(plan: &Plan, command: &OsStr, mut host: UnixStream) -> Result<i32, Broken> {
    if plan.kind == SandboxKind::Landlock {
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(io::Error::from)?;
        // A session of its own has no terminal to type into, and its group is not the keeper's.
        setsid().map_err(io::Error::from)?;
        paths::confine(plan)?;
    }
    set_no_new_privs(true).map_err(io::Error::from)?;
    let nothing = CapabilitySet::empty();
    let nothing = CapabilitySets { effective: nothing, permitted: nothing, inheritable: nothing };
    set_capabilities(None, nothing).map_err(io::Error::from)?;
    filter::apply(plan)?;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::null());
    writeln!(host, "{STARTED}")?;
    // What can be reached from inside should not lead to the host.
    drop(host);
    match plan.kind {
        SandboxKind::Bubblewrap => Ok(reap(shell)?),
        SandboxKind::Landlock | SandboxKind::None => Err(shell.exec().into()),
    }
}

/// Runs the command as the first process of its namespace, with which all others there end. It is ours, and no
/// longer bubblewrap's, so that the filter holds for it too: a command may write to its memory.
fn reap(mut shell: Command) -> io::Result<i32> {
    dup2_stdin(File::open("/dev/null")?)?;
    let child = Pid::from_child(&shell.spawn()?);
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => {
                let by_signal = || Some(128 + status.terminating_signal()?);
                return Ok(status.exit_status().or_else(by_signal).unwrap_or(BROKEN));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}
