//! A root of its own for a command, as arguments of bubblewrap.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::paths::{RUN_KEPT, RUN_RESOLVER};
use super::{Plan, Profile, entry};

/// Where a command's root has our own program, wherever that lies outside.
const LAUNCHER: &str = "/run/waymark-sandbox";
/// What of `/proc` is about the machine; root may write there even without any privilege.
const PROC_SETTINGS: [&str; 4] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];
/// The `HOME` of a command that may change nothing.
const HOME: &str = "/tmp/home";

/// Arguments in the order in which bubblewrap carries them out: a later one covers an earlier one.
#[derive(Default)]
struct Mounts(Vec<OsString>);

impl Mounts {
    fn words(mut self, words: &[&str]) -> Self {
        self.0.extend(words.iter().map(OsString::from));
        self
    }

    /// Shows `path` in its own place; `how` is `--bind` and its likes.
    fn shown(mut self, how: &str, path: &Path) -> Self {
        self.0.extend([how.into(), path.into(), path.into()]);
        self
    }

    /// Covers `folder` with an empty one that cannot be written to. Makes it first if it is missing.
    fn hidden(mut self, folder: &Path) -> Self {
        self.0.extend(["--tmpfs".into(), folder.into(), "--remount-ro".into(), folder.into()]);
        self
    }
}

/// Returns bubblewrap with everything that confines `command` as `plan` says.
pub(super) fn program(plan: &Plan, command: &OsStr) -> io::Result<Command> {
    let hidden = protected(plan)?;
    let mounts = match plan.profile {
        Profile::ReadOnly => root(plan).shown("--ro-bind", &plan.workspace),
        Profile::Workspace | Profile::Off => writable(root(plan), &hidden, plan),
    };
    let mounts = hidden.into_iter().fold(mounts, Mounts::hidden);
    let mut program = Command::new(&plan.programs.bubblewrap);
    program.args(namespaces(plan)).args(mounts.0);
    program.arg("--ro-bind").arg(&plan.programs.launcher).arg(LAUNCHER);
    program.args(["--setenv", "TMPDIR", "/tmp", "--setenv", "XDG_CACHE_HOME", "/tmp/cache"]);
    if plan.profile == Profile::ReadOnly {
        program.args(["--dir", HOME, "--setenv", "HOME", HOME]);
    }
    program.arg("--chdir").arg(&plan.workspace).args(["--", LAUNCHER]);
    program.args(entry::arguments(plan, command)?);
    Ok(program)
}

fn namespaces(plan: &Plan) -> Vec<&'static str> {
    let mut words = vec!["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
    words.extend(["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]);
    if !plan.network {
        words.push("--unshare-net");
    }
    words
}

fn root(plan: &Plan) -> Mounts {
    let empty = ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"];
    let mut mounts = Mounts::default().shown("--ro-bind", Path::new("/")).words(&empty);
    for settings in PROC_SETTINGS {
        mounts = mounts.shown("--ro-bind-try", Path::new(settings));
    }
    for kept in RUN_KEPT {
        mounts = mounts.shown("--ro-bind-try", Path::new(kept));
    }
    match plan.network {
        true => mounts.shown("--ro-bind-try", Path::new(RUN_RESOLVER)),
        false => mounts,
    }
}

/// Shows the workspace for writing. The folders that lead to a hidden one become mount points, which nobody can
/// move out of the way.
fn writable(mounts: Mounts, hidden: &[&Path], plan: &Plan) -> Mounts {
    let shown = |mounts: Mounts, folder: &Path| mounts.shown("--bind", folder);
    let mounts = leading_to(hidden, plan).into_iter().fold(shown(mounts, &plan.workspace), shown);
    repository(mounts, plan)
}

/// Keeps a command from planting what a later git would run. The folder itself becomes a mount point, since
/// one that is none could be moved away and another put in its place.
fn repository(mounts: Mounts, plan: &Plan) -> Mounts {
    let git = plan.workspace.join(".git");
    match std::fs::symlink_metadata(&git) {
        Ok(found) if found.is_dir() => {}
        // Names the folder of a repository that lies elsewhere.
        Ok(found) if found.is_file() => return mounts.shown("--ro-bind", &git),
        _ => return mounts,
    }
    let mounts = mounts.shown("--bind", &git);
    let mounts = match git.join("hooks").is_dir() {
        true => mounts.shown("--ro-bind", &git.join("hooks")),
        false => mounts.hidden(&git.join("hooks")),
    };
    let frozen = ["config", "modules"].map(|name| git.join(name));
    frozen.iter().fold(mounts, |mounts, path| mounts.shown("--ro-bind-try", path))
}

/// Returns the protected folders to cover, each of which is in no other. Makes those that a command could make.
fn protected(plan: &Plan) -> io::Result<Vec<&Path>> {
    let outermost =
        |folder: &&PathBuf| !plan.protected.iter().any(|other| *folder != other && folder.starts_with(other));
    let mut folders = Vec::new();
    for folder in plan.protected.iter().filter(outermost) {
        let inside = folder.starts_with(&plan.workspace);
        if inside && plan.profile != Profile::ReadOnly {
            std::fs::create_dir_all(folder)?;
        }
        // Elsewhere an empty folder stands over it already, or there is nothing to read and no way to make it.
        let covered = ["/tmp", "/run"].iter().any(|empty| folder.starts_with(empty));
        if folder.exists() && (inside || !covered) {
            folders.push(folder.as_path());
        }
    }
    folders.sort_unstable();
    folders.dedup();
    Ok(folders)
}

/// Returns the folders of the workspace that lead to `folders`, the outer before the inner.
fn leading_to<'a>(folders: &[&'a Path], plan: &Plan) -> Vec<&'a Path> {
    let above = folders.iter().flat_map(|folder| folder.ancestors().skip(1));
    let mut above: Vec<&Path> =
        above.filter(|part| part.starts_with(&plan.workspace) && *part != plan.workspace).collect();
    above.sort_unstable();
    above.dedup();
    above
}
