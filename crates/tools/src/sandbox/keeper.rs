//! The process between us and a confined command: it lives as long as the command does, and sees to it that
//! nothing below it lives longer.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, wait,
};

use super::{ASK_TO_END, Plan, Profile, SandboxKind, bubblewrap, entry};

/// Runs `command` as `plan` says and returns the status to end with: the command's own, or 128 and the number of
/// the signal that ended it.
pub(super) fn keep(mut plan: Plan, command: &OsStr, host: &UnixStream) -> io::Result<i32> {
    // Whatever loses its parent below us becomes our child, so that it can be found and ended.
    set_child_subreaper(Some(getpid()))?;
    let scratch = match plan.kind {
        SandboxKind::Landlock => Some(tempfile::Builder::new().prefix("waymark-").tempdir()?),
        SandboxKind::Bubblewrap | SandboxKind::None => None,
    };
    if let Some(folder) = &scratch {
        plan.scratch = folder.path().canonicalize()?;
    }
    let child = program(&plan, command)?.stdin(host.as_fd().try_clone_to_owned()?).spawn()?;
    let status = watch(child, &plan, host);
    end_descendants();
    Ok(code(status?))
}

fn program(plan: &Plan, command: &OsStr) -> io::Result<Command> {
    match plan.kind {
        SandboxKind::Bubblewrap => bubblewrap::program(plan, command),
        SandboxKind::Landlock => landlocked(plan, command),
        SandboxKind::None => Err(io::Error::other("there is nothing to confine the command with")),
    }
}

fn landlocked(plan: &Plan, command: &OsStr) -> io::Result<Command> {
    let mut program = Command::new(&plan.programs.launcher);
    program.args(entry::arguments(plan, command)?);
    program.env("TMPDIR", &plan.scratch).env("XDG_CACHE_HOME", plan.scratch.join("cache"));
    if plan.profile == Profile::ReadOnly {
        let home = plan.scratch.join("home");
        std::fs::create_dir(&home)?;
        program.env("HOME", home);
    }
    Ok(program)
}

/// Waits for the child. On the way it passes on the host's request to end, and kills when the host is gone.
fn watch(mut child: Child, plan: &Plan, mut host: &UnixStream) -> io::Result<ExitStatus> {
    let pid = Pid::from_child(&child);
    let ended = pidfd_open(pid, PidfdFlags::empty())?;
    let mut listening = true;
    loop {
        let mut fds = vec![PollFd::new(&ended, PollFlags::IN)];
        if listening {
            fds.push(PollFd::new(host, PollFlags::IN));
        }
        match poll(&mut fds, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        if !fds[0].revents().is_empty() {
            return child.wait();
        }
        if fds.get(1).is_some_and(|fd| !fd.revents().is_empty()) {
            let mut asked = [0; 16];
            match host.read(&mut asked) {
                Ok(count) if count > 0 && asked[..count].starts_with(ASK_TO_END) => ask(plan, pid),
                _ => {
                    listening = false;
                    child.kill()?;
                }
            }
        }
    }
}

/// Asks the command's group to end. Under bubblewrap the leader is the only child of its outer process, which
/// must not hear of it: it would be the first to go, and the command with it.
fn ask(plan: &Plan, child: Pid) {
    let leader = match plan.kind {
        SandboxKind::Bubblewrap => children_of(child).into_iter().next(),
        SandboxKind::Landlock | SandboxKind::None => Some(child),
    };
    if let Some(leader) = leader {
        let _ = kill_process_group(leader, Signal::TERM);
    }
}

/// Kills what is left below this process, until nothing is. Each death hands us the children of the dead.
fn end_descendants() {
    loop {
        for child in children_of(getpid()) {
            let _ = kill_process(child, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

fn children_of(parent: Pid) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(Pid::from_raw).filter(|pid| parent_of(*pid) == Some(parent)).collect()
}

fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    // The name before it is the process's own choice, brackets and blanks included.
    let (_, after_name) = stat.rsplit_once(')')?;
    Pid::from_raw(after_name.split_whitespace().nth(1)?.parse().ok()?)
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1)
}
