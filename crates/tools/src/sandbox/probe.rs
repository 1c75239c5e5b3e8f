//! Trying a sandbox out before anybody relies on it.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Found, Plan, Profile, Programs, SandboxKind, kept, trouble};

/// Returns what a sandbox of `kind` needs, if a command runs in one here.
pub(super) fn try_out(kind: SandboxKind, launcher: PathBuf) -> Option<Found> {
    let bubblewrap = match kind {
        SandboxKind::Bubblewrap => in_path("bwrap")?,
        SandboxKind::Landlock | SandboxKind::None => PathBuf::new(),
    };
    let found = Found { kind, programs: Programs { launcher: launcher.canonicalize().ok()?, bubblewrap } };
    match run_true(&found) {
        Ok(()) => Some(found),
        Err(why) => {
            tracing::info!(kind = kind.name(), why, "this sandbox does not work here");
            None
        }
    }
}

fn run_true(found: &Found) -> Result<(), String> {
    let broken = |error: std::io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(broken)?;
    let plan = Plan {
        kind: found.kind,
        programs: found.programs.clone(),
        profile: Profile::Workspace,
        network: false,
        workspace: folder.path().canonicalize().map_err(broken)?,
        protected: Vec::new(),
        scratch: PathBuf::new(),
    };
    let line = kept(&plan, "true").map_err(broken)?;
    let (mut ours, theirs) = UnixStream::pair().map_err(broken)?;
    let mut keeper = Command::new(&line.program);
    keeper.args(&line.arguments).current_dir(folder.path()).stdin(OwnedFd::from(theirs));
    let output = keeper.stdout(Stdio::null()).stderr(Stdio::piped()).output().map_err(broken)?;
    drop(keeper);
    let mut said = String::new();
    ours.read_to_string(&mut said).map_err(broken)?;
    match (trouble(&said), output.status.success()) {
        (None, true) => Ok(()),
        (why, _) => Err(format!("{}; {}", why.unwrap_or_default(), String::from_utf8_lossy(&output.stderr))),
    }
}

/// Returns the absolute path of a program. A relative entry of `PATH` could lead into a workspace.
fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(AsRef::<OsStr>::as_ref(&path)).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(program)).find(|file| Path::is_file(file))
}
