//! Why a call has no result: one variant a reason, one stable code a variant.

use std::io;
use std::path::Path;

use rustix::io::Errno;

/// A call that was refused or that broke; its text is written for the model that made the call.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The argument text does not fit the tool's schema or limits.
    #[error("invalid arguments for {tool} at {at}: {why}; correct them and call again")]
    InvalidArgs {
        /// Name of the tool as it was called.
        tool: String,
        /// Where in the arguments, as in `edits[0].old`; `arguments` for the whole.
        at: String,
        /// What is wrong there.
        why: String,
    },
    /// No tool has this name.
    #[error("there is no tool {name}; the tools are {known}")]
    UnknownTool {
        /// The name that was called.
        name: String,
        /// The names that exist, separated by commas.
        known: String,
    },
    /// The path leads out of the workspace.
    #[error("{path} is outside the workspace; use a path inside it")]
    OutsideWorkspace {
        /// The path as it was asked for.
        path: String,
    },
    /// The path is inside a folder that tools must leave alone.
    #[error("{path} is in a protected folder; choose another path")]
    ProtectedPath {
        /// The path as it was asked for.
        path: String,
    },
    /// Nothing is at the path.
    #[error("{path} does not exist; look for it with list_files")]
    NotFound {
        /// The path as it was asked for.
        path: String,
    },
    /// The path is a folder or a special file.
    #[error("{path} is not a regular file; name a file")]
    NotAFile {
        /// The path as it was asked for.
        path: String,
    },
    /// A folder is needed at the path, or above it, and something else is there.
    #[error("{path} is not a folder, or a part of it is not; name a folder")]
    NotAFolder {
        /// The path as it was asked for.
        path: String,
    },
    /// The file is no text.
    #[error("{path} is {kind}, which this tool cannot show or edit as text")]
    BinaryFile {
        /// The path as it was asked for.
        path: String,
        /// What it is instead, with its article, as in `a PNG image`.
        kind: &'static str,
    },
    /// The file or the text is over a limit.
    #[error(
        "{path} has {bytes} bytes, over the limit of {bytes_max}; use search or run_command for a part of it"
    )]
    TooLarge {
        /// The path as it was asked for.
        path: String,
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        bytes_max: u64,
    },
    /// The first wanted line is behind the last one.
    #[error("{path} has {lines} lines, and start_line {start_line} is past its end")]
    PastEnd {
        /// The path as it was asked for.
        path: String,
        /// How many lines the file has.
        lines: usize,
        /// The line that was asked for, from 1.
        start_line: u32,
    },
    /// The text to be replaced is not in the file.
    #[error("edit {edit} of {path}: old has 0 matches, nothing was written; read the file again")]
    EditNoMatch {
        /// The path as it was asked for.
        path: String,
        /// Which edit, from 1.
        edit: usize,
    },
    /// The text to be replaced is there more than once.
    #[error(
        "edit {edit} of {path}: old has {matches} matches, nothing was written; make it longer or set all"
    )]
    EditNotUnique {
        /// The path as it was asked for.
        path: String,
        /// Which edit, from 1.
        edit: usize,
        /// How often the text occurs.
        matches: usize,
    },
    /// The operating system does not allow it.
    #[error("the operating system denies access to {path}")]
    PermissionDenied {
        /// The path as it was asked for.
        path: String,
    },
    /// The command must change nothing, and nothing here could see to that.
    #[error(
        "this machine has no sandbox that keeps a command from changing files, so it was not run; use read_file, \
        list_files and search instead, or ask the user to install bubblewrap"
    )]
    NoSandbox,
    /// The sandbox did not come about, and the command was not started.
    #[error("the sandbox could not be set up, so the command was not run: {why}; tell the user")]
    SandboxFailed {
        /// What went wrong.
        why: String,
    },
    /// The call was cancelled before it had a result.
    #[error("the call was cancelled")]
    Aborted,
    /// The world broke.
    #[error("{path}: {source}")]
    Io {
        /// What was being used.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl ToolError {
    /// Returns the stable code of this kind of failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidArgs { .. } => "INVALID_ARGS",
            Self::UnknownTool { .. } => "UNKNOWN_TOOL",
            Self::OutsideWorkspace { .. } => "OUTSIDE_WORKSPACE",
            Self::ProtectedPath { .. } => "PROTECTED_PATH",
            Self::NotFound { .. } => "NOT_FOUND",
            Self::NotAFile { .. } => "NOT_A_FILE",
            Self::NotAFolder { .. } => "NOT_A_FOLDER",
            Self::BinaryFile { .. } => "BINARY_FILE",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::PastEnd { .. } => "PAST_END",
            Self::EditNoMatch { .. } => "EDIT_NO_MATCH",
            Self::EditNotUnique { .. } => "EDIT_NOT_UNIQUE",
            Self::PermissionDenied { .. } => "PERMISSION_DENIED",
            Self::NoSandbox => "NO_SANDBOX",
            Self::SandboxFailed { .. } => "SANDBOX_FAILED",
            Self::Aborted => "ABORTED",
            Self::Io { .. } => "IO_ERROR",
        }
    }

    pub(crate) fn outside(path: &Path) -> Self {
        Self::OutsideWorkspace { path: shown(path) }
    }

    pub(crate) fn protected(path: &Path) -> Self {
        Self::ProtectedPath { path: shown(path) }
    }

    pub(crate) fn not_a_file(path: &Path) -> Self {
        Self::NotAFile { path: shown(path) }
    }

    /// Sorts what the operating system said about `path` into the kinds above.
    ///
    /// A path handed to the system has no symbolic link left in it, so meeting one means that it was
    /// put there after the check: that is an attempt to leave the workspace.
    pub(crate) fn from_io(path: &Path, source: io::Error) -> Self {
        let path = shown(path);
        match source.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOENT) => Self::NotFound { path },
            Some(Errno::NOTDIR) => Self::NotAFolder { path },
            Some(Errno::ISDIR) => Self::NotAFile { path },
            Some(Errno::ACCESS | Errno::PERM) => Self::PermissionDenied { path },
            Some(Errno::LOOP | Errno::XDEV) => Self::OutsideWorkspace { path },
            _ => Self::Io { path, source },
        }
    }

    pub(crate) fn from_errno(path: &Path, errno: Errno) -> Self {
        Self::from_io(path, errno.into())
    }
}

/// Returns a path as text for a message; the root itself is `.`.
pub(crate) fn shown(path: &Path) -> String {
    match path.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => path.to_string_lossy().into_owned(),
    }
}
