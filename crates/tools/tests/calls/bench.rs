//! A folder to work in, and a way to call tools there.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tools::{Confinement, Invocation, Outcome, Registry, Sandbox, Workspace};

pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) workspace: Workspace,
}

impl Bench {
    /// A workspace in a folder of its own: `outside()` is beside it and not in it.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        fs::write(folder.path().join("outside/secret"), "secret\n").unwrap();
        let workspace = Workspace::open(folder.path().join("root")).unwrap();
        Self { folder, workspace }
    }

    pub(crate) fn with(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("root").join(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, path: &str) {
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    pub(crate) fn protect(self, path: &str) -> Self {
        let Self { folder, workspace } = self;
        let workspace = workspace.protecting([folder.path().join("root").join(path)]).unwrap();
        Self { folder, workspace }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.call_until(tool, arguments, CancellationToken::new()).await
    }

    pub(crate) async fn call_until(
        &self,
        tool: &str,
        arguments: Value,
        cancel: CancellationToken,
    ) -> Outcome {
        match Registry::standard().parse(tool, &arguments.to_string()) {
            Ok(Invocation::Body(call)) => {
                call.run(&self.workspace, &Confinement::default_of(&Sandbox::none()), cancel).await
            }
            other => panic!("no body: {other:?}"),
        }
    }

    /// The text of a call that must succeed.
    pub(crate) async fn does(&self, tool: &str, arguments: Value) -> String {
        let outcome = self.call(tool, arguments).await;
        assert!(!outcome.is_error && outcome.code.is_none(), "{outcome:?}");
        outcome.text
    }

    /// The code and the text of a call that must fail.
    pub(crate) async fn fails(&self, tool: &str, arguments: Value) -> (&'static str, String) {
        let outcome = self.call(tool, arguments).await;
        assert!(outcome.is_error && outcome.diff.is_none(), "{outcome:?}");
        (outcome.code.unwrap(), outcome.text)
    }
}
