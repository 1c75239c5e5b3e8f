//! What a workspace looks like, for telling whether a round of work changed anything.
//!
//! No program runs for it, git neither: what git does in a folder can be set in that folder, and a cloned repository must
//! not bring programs along.

use std::io::Read;

use blake3::Hasher;
use tokio_util::sync::CancellationToken;

use crate::walk::{Entry, Kind, Wanted, walk};
use crate::workspace::{Access, Place};
use crate::{ToolError, Workspace};

/// Bytes of all files together that are looked into; of what comes after, path and size count.
const CONTENT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Bytes of git's own small files that are read.
const GIT_FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// What a workspace looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The commit that is checked out; none without git, or before the first commit.
    pub head: Option<String>,
    /// BLAKE3 over path and content of each file that is not ignored, in hex.
    pub files: String,
}

impl Workspace {
    /// Looks at the whole workspace. Blocks on the file system.
    ///
    /// # Errors
    ///
    /// When the workspace is gone, or `cancel` fires.
    pub fn fingerprint(&self, cancel: &CancellationToken) -> Result<Fingerprint, ToolError> {
        let root = self.locate(".", Access::Read)?;
        let mut look = Look { hasher: Hasher::new(), content_left: CONTENT_BYTES_MAX };
        let complete = walk(self, (&root, &Wanted::default()), cancel, |entry| {
            look.take(self, &entry);
            true
        })?;
        look.hasher.update(&[u8::from(complete)]);
        Ok(Fingerprint { head: self.git_head(), files: look.hasher.finalize().to_hex().to_string() })
    }

    fn git_head(&self) -> Option<String> {
        let head = self.git_file(".git/HEAD")?;
        let Some(name) = head.strip_prefix("ref: ") else { return Some(head) };
        self.git_file(&format!(".git/{name}")).or_else(|| {
            let packed = self.git_file(".git/packed-refs")?;
            let of_name = |line: &str| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned);
            packed.lines().find_map(of_name)
        })
    }

    /// Returns the text of one of git's small files, trimmed.
    fn git_file(&self, path: &str) -> Option<String> {
        let file = self.open_file(&self.locate(path, Access::Read).ok()?).ok()?;
        let mut text = String::new();
        file.take(GIT_FILE_BYTES_MAX).read_to_string(&mut text).ok()?;
        Some(text.trim().to_owned())
    }
}

/// A look under way.
struct Look {
    hasher: Hasher,
    content_left: u64,
}

impl Look {
    fn take(&mut self, workspace: &Workspace, entry: &Entry) {
        let path = entry.path.as_os_str().as_encoded_bytes();
        self.hasher.update(&(path.len() as u64).to_le_bytes()).update(path);
        let opened = (entry.kind == Kind::File).then(|| workspace.open_file(&Place::walked(entry)).ok());
        // A file that cannot be read still counts by its name.
        let Some(file) = opened.flatten() else { return };
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        self.hasher.update(&bytes.to_le_bytes());
        if bytes <= self.content_left {
            self.content_left -= bytes;
            if let Err(error) = self.hasher.update_reader(file.take(bytes)) {
                tracing::debug!(path = %entry.path.display(), %error, "a file was not looked into to its end");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn look(folder: &std::path::Path) -> Fingerprint {
        Workspace::open(folder).unwrap().fingerprint(&CancellationToken::new()).unwrap()
    }

    #[test]
    fn the_same_files_look_the_same() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "one").unwrap();
        let before = look(folder.path());
        fs::write(folder.path().join("a"), "one").unwrap();
        assert_eq!(look(folder.path()), before);
    }

    #[test]
    fn another_content_name_or_absence_looks_different() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut looks = vec![look(folder.path())];
        for content in ["one", "two", "three"] {
            fs::write(&path, content).unwrap();
            looks.push(look(folder.path()));
        }
        fs::rename(&path, folder.path().join("b")).unwrap();
        looks.push(look(folder.path()));
        let distinct: std::collections::HashSet<_> = looks.iter().map(|look| &look.files).collect();
        assert_eq!(distinct.len(), looks.len());
    }

    #[test]
    fn ignored_files_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".gitignore"), "target/\n").unwrap();
        let before = look(folder.path());
        fs::create_dir(folder.path().join("target")).unwrap();
        fs::write(folder.path().join("target/out"), "x").unwrap();
        assert_eq!(look(folder.path()), before);
    }

    #[test]
    fn a_commit_moves_the_head_wherever_git_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(look(folder.path()).head, None);
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(look(folder.path()).head, None);
        fs::write(git.join("packed-refs"), "# pack-refs\n1111 refs/heads/main\n").unwrap();
        assert_eq!(look(folder.path()).head.as_deref(), Some("1111"));
        fs::write(git.join("refs/heads/main"), "2222\n").unwrap();
        assert_eq!(look(folder.path()).head.as_deref(), Some("2222"));
        fs::write(git.join("HEAD"), "3333\n").unwrap();
        assert_eq!(look(folder.path()).head.as_deref(), Some("3333"));
    }

    #[test]
    fn a_link_out_of_the_workspace_is_not_followed() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), "1").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), folder.path().join("link")).unwrap();
        let before = look(folder.path());
        fs::write(outside.path().join("secret"), "2").unwrap();
        assert_eq!(look(folder.path()), before);
    }
}
