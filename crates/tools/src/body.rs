//! Running the body of a call on the workspace.

use tokio_util::sync::CancellationToken;

use crate::edit_file::EditFile;
use crate::list_files::ListFiles;
use crate::read_file::ReadFile;
use crate::run_command::RunCommand;
use crate::sandbox::Confinement;
use crate::search::Search;
use crate::workspace::Workspace;
use crate::write_file::WriteFile;
use crate::{Outcome, ToolError};

/// A call of a workspace tool with checked arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyCall(Body);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    ReadFile(ReadFile),
    ListFiles(ListFiles),
    Search(Search),
    WriteFile(WriteFile),
    EditFile(EditFile),
    RunCommand(RunCommand),
}

impl BodyCall {
    pub(crate) fn new(body: Body) -> Self {
        Self(body)
    }

    /// Carries the call out and returns when it is over, refused or stopped.
    ///
    /// `cancel` stops a command, a listing or a search; a write that has begun is finished. Dropping
    /// the future kills a command's processes; file work that has begun goes on in the background.
    /// `confinement` is for commands alone: one without a read-only sandbox that was asked for does not run.
    /// Must be called within a tokio runtime with time and I/O.
    pub async fn run(
        self,
        workspace: &Workspace,
        confinement: &Confinement,
        cancel: CancellationToken,
    ) -> Outcome {
        if cancel.is_cancelled() {
            return ToolError::Aborted.into();
        }
        let (files, stop) = (workspace.clone(), cancel.clone());
        let result = match self.0 {
            Body::ReadFile(call) => blocking(move || call.run(&files)).await,
            Body::ListFiles(call) => blocking(move || call.run(&files, &stop)).await,
            Body::Search(call) => blocking(move || call.run(&files, &stop)).await,
            Body::WriteFile(call) => blocking(move || call.run(&files)).await,
            Body::EditFile(call) => blocking(move || call.run(&files)).await,
            Body::RunCommand(call) => call.run(workspace, confinement, &cancel).await,
        };
        result.unwrap_or_else(Outcome::from)
    }
}

/// Does file work on a thread that may block.
async fn blocking<F>(work: F) -> Result<Outcome, ToolError>
where
    F: FnOnce() -> Result<Outcome, ToolError> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime is shutting down.
        Err(_) => Err(ToolError::Aborted),
    }
}
