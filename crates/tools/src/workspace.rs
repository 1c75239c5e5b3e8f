//! The folder that tools work in, and the only way to a path in it.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, open};

use crate::ToolError;
use crate::error::shown;
use crate::walk::Entry;

/// An opened folder that tools are confined to.
///
/// Cloning is cheap and shares the open folder.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: Arc<Root>,
}

#[derive(Debug)]
struct Root {
    /// Absolute and free of symbolic links.
    path: PathBuf,
    /// The same folder as it was named at opening, absolute; a model may use that spelling.
    alias: PathBuf,
    folder: OwnedFd,
    protected: Vec<PathBuf>,
}

/// What is about to be done at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A checked position in the workspace: relative to the root, without `..` and, when it was checked,
/// without symbolic links. The root itself is the empty path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place(PathBuf);

impl Place {
    /// Takes an entry that a walk of the workspace found; opening it still follows no link.
    pub(crate) fn walked(entry: &Entry) -> Self {
        Self(entry.path.clone())
    }

    pub(crate) fn relative(&self) -> &Path {
        &self.0
    }
}

impl Workspace {
    /// Opens an existing folder as a workspace.
    ///
    /// Errs with `NOT_FOUND`, `NOT_A_FOLDER` or `PERMISSION_DENIED`. Blocks on the file system.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ToolError> {
        let given = path.as_ref();
        let failed = |error| ToolError::from_io(given, error);
        let real = given.canonicalize().map_err(failed)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open(&real, flags, Mode::empty()).map_err(|errno| failed(errno.into()))?;
        let alias = normalised(&std::path::absolute(given).map_err(failed)?);
        Ok(Self { root: Arc::new(Root { path: real, alias, folder, protected: Vec::new() }) })
    }

    /// Returns the workspace with further folders that no tool may read, list or write.
    ///
    /// A folder need not exist yet. Errs with `PROTECTED_PATH` when the whole workspace lies in one.
    pub fn protecting<P: AsRef<Path>>(self, folders: impl IntoIterator<Item = P>) -> Result<Self, ToolError> {
        let mut protected = self.root.protected.clone();
        for folder in folders {
            let folder = folder.as_ref();
            let failed = |error| ToolError::from_io(folder, error);
            let real =
                real_path(&normalised(&std::path::absolute(folder).map_err(failed)?)).map_err(failed)?;
            if self.root.path.starts_with(&real) {
                return Err(ToolError::protected(&self.root.path));
            }
            protected.push(real);
        }
        let folder = self.root.folder.try_clone().map_err(|e| ToolError::from_io(&self.root.path, e))?;
        let (path, alias) = (self.root.path.clone(), self.root.alias.clone());
        Ok(Self { root: Arc::new(Root { path, alias, folder, protected }) })
    }

    /// Returns the root: absolute, without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root.path
    }

    /// Returns the protected folders: absolute, without symbolic links; some may not exist.
    pub(crate) fn protected(&self) -> &[PathBuf] {
        &self.root.protected
    }

    pub(crate) fn folder(&self) -> impl AsFd + '_ {
        self.root.folder.as_fd()
    }

    /// Returns where `asked` leads, or refuses to go there. Nothing outside the root is looked at
    /// unless a symbolic link of the workspace leads there.
    pub(crate) fn locate(&self, asked: &str, access: Access) -> Result<Place, ToolError> {
        let named = Path::new(asked);
        let lexical = self.lexical(named).ok_or_else(|| ToolError::outside(named))?;
        let real = match real_path(&lexical) {
            Ok(real) => real,
            Err(error) if leads_out(&lexical, &self.root.path) => {
                tracing::debug!(path = asked, %error, "a broken link leads out of the workspace");
                return Err(ToolError::outside(named));
            }
            Err(error) => return Err(ToolError::from_io(named, error)),
        };
        let relative = real.strip_prefix(&self.root.path).map_err(|_| ToolError::outside(named))?;
        if self.is_protected(&real) || (access == Access::Write && is_git(relative)) {
            return Err(ToolError::protected(named));
        }
        Ok(Place(relative.to_owned()))
    }

    /// Says whether an absolute path without symbolic links is in a protected folder.
    pub(crate) fn is_protected(&self, real: &Path) -> bool {
        self.root.protected.iter().any(|folder| real.starts_with(folder))
    }

    /// Joins `named` to the root by its letters alone; none if that leaves the root.
    fn lexical(&self, named: &Path) -> Option<PathBuf> {
        let Root { path, alias, .. } = &*self.root;
        let joined = normalised(&path.join(named));
        let relative = joined.strip_prefix(path).or_else(|_| joined.strip_prefix(alias)).ok()?;
        Some(path.join(relative))
    }
}

/// Says whether any part of a relative path is a folder of git's own data: writing there can plant
/// hooks that a later git command runs.
fn is_git(relative: &Path) -> bool {
    relative.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

/// Returns `path` without `.` and `..`, by its letters; `..` stops at the top.
fn normalised(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(part),
        }
    }
    normal
}

/// Returns `path` with the links of its deepest existing ancestor resolved and the rest appended.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let (existing, missing) = split_existing(path)?;
    let mut real = existing.canonicalize()?;
    real.extend(missing.iter().rev());
    Ok(real)
}

/// Splits `path` into its deepest existing ancestor and the missing names, the last one first.
fn split_existing(path: &Path) -> io::Result<(&Path, Vec<OsString>)> {
    let mut missing = Vec::new();
    let mut here = path;
    loop {
        let error = match here.symlink_metadata() {
            Ok(_) => return Ok((here, missing)),
            Err(error) => error,
        };
        match (error.kind(), here.file_name(), here.parent()) {
            (io::ErrorKind::NotFound, Some(name), Some(parent)) => {
                missing.push(name.to_owned());
                here = parent;
            }
            _ => return Err(error),
        }
    }
}

/// Says whether `path` ends at a link that cannot be followed and that points out of `root`.
fn leads_out(path: &Path, root: &Path) -> bool {
    let Ok((link, _)) = split_existing(path) else { return false };
    let (Ok(target), Some(Ok(parent))) = (link.read_link(), link.parent().map(Path::canonicalize)) else {
        return false;
    };
    !normalised(&parent.join(target)).starts_with(root)
}

/// Refuses a file over `bytes_max`.
pub(crate) fn within(path: &Path, bytes: u64, bytes_max: u64) -> Result<(), ToolError> {
    match bytes > bytes_max {
        true => Err(ToolError::TooLarge { path: shown(path), bytes, bytes_max }),
        false => Ok(()),
    }
}
