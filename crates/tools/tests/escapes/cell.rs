//! A workspace with something beside it, and commands that run in a sandbox there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tools::{Confinement, Invocation, Outcome, Profile, Registry, Sandbox, SandboxKind, Workspace};

pub(crate) const BOTH: [Profile; 2] = [Profile::ReadOnly, Profile::Workspace];
/// What a command prints when it got where it must not get.
pub(crate) const ESCAPED: &str = "ESCAPED";
/// What is in each file that no command may read.
pub(crate) const SECRET: &str = "hunter2";

/// `base/root` is the workspace, `base/outside` is beside it, `base/data` is protected, and so are
/// `base/root/inside/config`, `base/root/inside/more` and `base/root/later/config`, of which the last does
/// not exist.
pub(crate) struct Cell {
    base: TempDir,
    workspace: Workspace,
    pub(crate) confinement: Confinement,
}

fn sandboxes() -> &'static [Sandbox] {
    static FOUND: OnceLock<Vec<Sandbox>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let of_kind = |kind| {
            let found = Sandbox::of_kind(kind, launcher());
            if found.is_none() {
                println!("left out: {kind:?} does not work on this machine");
            }
            found
        };
        [SandboxKind::Bubblewrap, SandboxKind::Landlock].into_iter().filter_map(of_kind).collect()
    })
}

pub(crate) fn launcher() -> PathBuf {
    env!("CARGO_BIN_EXE_sandbox-launcher").into()
}

/// One cell for each kind of sandbox and each profile.
pub(crate) fn cells(profiles: impl IntoIterator<Item = Profile>) -> Vec<Cell> {
    let confined = |profile| sandboxes().iter().map(move |sandbox| Cell::new(sandbox.clone(), profile));
    profiles.into_iter().flat_map(confined).collect()
}

impl Cell {
    /// Not below `/tmp`, which no sandbox shows: what lies there would be safe by accident.
    fn new(sandbox: Sandbox, profile: Profile) -> Self {
        Self::in_folder("/var/tmp", Confinement { sandbox, profile, network: false })
    }

    /// Without a sandbox: shows that an attempt is one.
    pub(crate) fn free() -> Self {
        Self::new(Sandbox::none(), Profile::Off)
    }

    pub(crate) fn in_folder(folder: &str, confinement: Confinement) -> Self {
        let base = tempfile::tempdir_in(folder).unwrap();
        let path = base.path().canonicalize().unwrap();
        for folder in ["root/inside/config", "root/inside/more", "outside", "data"] {
            fs::create_dir_all(path.join(folder)).unwrap();
            fs::write(path.join(folder).join("secret"), SECRET).unwrap();
        }
        fs::write(path.join("root/file"), "old\n").unwrap();
        let protected = ["data", "root/inside/config", "root/inside/more", "root/later/config"];
        let protected = protected.map(|name| path.join(name));
        let workspace = Workspace::open(path.join("root")).unwrap().protecting(protected).unwrap();
        Self { base, workspace, confinement }
    }

    /// Without protected folders in the workspace, as workspaces usually are.
    pub(crate) fn ordinary(self) -> Self {
        fs::remove_dir_all(self.path("inside")).unwrap();
        let workspace = Workspace::open(self.path("")).unwrap().protecting([self.beside("data")]).unwrap();
        Self { workspace, ..self }
    }

    pub(crate) fn with_network(mut self) -> Self {
        self.confinement.network = true;
        self
    }

    pub(crate) fn name(&self) -> String {
        self.confinement.name()
    }

    pub(crate) fn is(&self, kind: SandboxKind) -> bool {
        self.confinement.sandbox.kind() == kind
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.workspace.root().join(path)
    }

    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.base.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Runs a command that finds the folder beside the workspace, and all else there, in `$BASE`.
    pub(crate) async fn run(&self, command: &str) -> Outcome {
        self.run_until(command, 60_000, CancellationToken::new()).await
    }

    pub(crate) async fn run_until(
        &self,
        command: &str,
        timeout_ms: u64,
        cancel: CancellationToken,
    ) -> Outcome {
        let command = format!("BASE={}\n{command}", self.beside("").display());
        let arguments = json!({"command": command, "timeout_ms": timeout_ms}).to_string();
        match Registry::standard().parse("run_command", &arguments) {
            Ok(Invocation::Body(call)) => call.run(&self.workspace, &self.confinement, cancel).await,
            other => panic!("no body: {other:?}"),
        }
    }

    /// Runs a command whose failure is no matter, and returns what it printed.
    pub(crate) async fn prints(&self, command: &str) -> String {
        let outcome = self.run(command).await;
        let ran = matches!(outcome.code, None | Some("EXIT_STATUS"));
        assert!(ran, "{}: {outcome:?}", self.name());
        outcome.text
    }

    /// Runs a command that must succeed.
    pub(crate) async fn does(&self, command: &str) -> String {
        let outcome = self.run(command).await;
        assert!(!outcome.is_error, "{}: {outcome:?}", self.name());
        outcome.text
    }

    /// Runs a command of ours, without a sandbox, that must succeed.
    pub(crate) fn freely(&self, command: &str) {
        let status = Command::new("sh").args(["-c", command]).current_dir(self.path("")).status();
        assert!(status.unwrap().success(), "{command}");
    }

    /// Runs an attempt that prints [`ESCAPED`] or a secret where it succeeds.
    pub(crate) async fn holds(&self, attempt: &str) {
        let text = self.prints(attempt).await;
        assert!(!text.contains(ESCAPED) && !text.contains(SECRET), "{}: {text}", self.name());
    }
}

/// Every path below `folder` with what is in it.
pub(crate) fn contents(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.symlink_metadata().unwrap().is_dir() {
            true => found.extend(contents(&path)),
            false => found.push((path.clone(), fs::read_to_string(&path).unwrap_or_default())),
        }
    }
    found.sort();
    found
}
