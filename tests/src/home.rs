//! The folders of a world.

use std::path::PathBuf;

use tempfile::TempDir;

/// A workspace, a data folder and an empty configuration file, deleted in the end.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
}

impl Default for Home {
    fn default() -> Self {
        let folder = tempfile::tempdir().expect("the system has room for temporary folders");
        let home = Self { folder };
        for part in [home.workspace(), home.data(), home.settings()] {
            std::fs::create_dir(part).expect("the folder is ours and empty");
        }
        std::fs::write(home.config(), "").expect("the folder is ours");
        home
    }
}

impl Home {
    /// Returns the folder that sessions work in.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// Returns the folder that sessions are kept in.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the configuration file.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.settings().join("waymark.toml")
    }

    /// Returns the file that a process's standard error goes to.
    #[must_use]
    pub fn complaints(&self) -> PathBuf {
        self.folder.path().join("stderr.txt")
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("settings")
    }

    /// Puts a file into the workspace.
    pub fn has(&self, path: &str, text: &str) {
        let path = self.workspace().join(path);
        let folder = path.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .expect("the folder is ours");
    }

    /// Returns the text of a file in the workspace; none when there is no such file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.workspace().join(path)).ok()
    }
}
