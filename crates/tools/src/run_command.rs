//! `run_command`: runs a shell command in the workspace.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::arguments::{Arguments, Wrong};
use crate::kept::Kept;
use crate::process::{End, Running};
use crate::sandbox::Confinement;
use crate::workspace::Workspace;
use crate::{OUTPUT_BYTES_MAX, Outcome, ToolError};

pub(crate) const NAME: &str = "run_command";
pub(crate) const DESCRIPTION: &str = "Runs a command with sh -c in the workspace root and returns its exit status \
    and its output, stdout and stderr together. It has no input and few environment variables (PATH, HOME, \
    LANG, TERM). Stops it after 120000 ms unless timeout_ms says otherwise, 600000 ms at most. Background \
    processes end with the command. It usually runs in a sandbox, which the first line of the result names: \
    no network, nothing but the workspace and TMPDIR writable, or under plan mode TMPDIR alone. Of a long output the first and the last 128 KiB are kept.";

const TIMEOUT_MS: u64 = 120_000;
const TIMEOUT_MS_MAX: u64 = 600_000;

/// Arguments of `run_command`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct RunCommand {
    /// Command line for `sh -c`.
    command: String,
    /// After how many milliseconds to stop it, 600000 at most. Default 120000.
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
}

impl Arguments for RunCommand {
    fn check(&self) -> Result<(), Wrong> {
        if self.command.trim().is_empty() || self.command.contains('\0') {
            return Err(Wrong::new("command", "must be a command line without NUL characters"));
        }
        match self.timeout_ms.is_none_or(|wanted| (1..=TIMEOUT_MS_MAX).contains(&wanted)) {
            true => Ok(()),
            false => Err(Wrong::new("timeout_ms", format!("must be from 1 to {TIMEOUT_MS_MAX}"))),
        }
    }
}

impl RunCommand {
    pub(crate) async fn run(
        &self,
        workspace: &Workspace,
        confinement: &Confinement,
        cancel: &CancellationToken,
    ) -> Result<Outcome, ToolError> {
        let failed = |error| ToolError::from_io(workspace.root(), error);
        let line = confinement.line(workspace, &self.command)?;
        let running = Running::start(&line, workspace.root(), Kept::new(OUTPUT_BYTES_MAX));
        let limit = Duration::from_millis(self.timeout_ms());
        let over = running.map_err(failed)?.finish(limit, cancel).await.map_err(failed)?;
        let output = over.kept.text();
        if let (End::Exited(_), Some(why)) = (over.end, over.trouble) {
            return Err(ToolError::SandboxFailed { why: format!("{why} {output}").trim().to_owned() });
        }
        Ok(self.outcome(over.end, &surroundings(confinement), &output))
    }

    fn timeout_ms(&self) -> u64 {
        self.timeout_ms.unwrap_or(TIMEOUT_MS)
    }

    fn outcome(&self, end: End, surroundings: &str, output: &str) -> Outcome {
        let (code, headline) = match end {
            End::Exited(status) => exit(status),
            End::TimedOut => (Some("TIMED_OUT"), format!("stopped after {} ms", self.timeout_ms())),
            End::Cancelled => (Some("ABORTED"), "stopped because the call was cancelled".to_owned()),
        };
        let text = match output.is_empty() {
            true => format!("({headline}, {surroundings}, no output)"),
            false => format!("({headline}, {surroundings})\n{output}"),
        };
        match code {
            None => Outcome::success(text),
            Some(code) => Outcome::failure(code, text),
        }
    }
}

fn surroundings(confinement: &Confinement) -> String {
    match confinement.is_confined() {
        true => format!("sandbox {}", confinement.name()),
        false => "WITHOUT A SANDBOX".to_owned(),
    }
}

fn exit(status: ExitStatus) -> (Option<&'static str>, String) {
    match (status.code(), status.signal()) {
        (Some(0), _) => (None, "exit status 0".to_owned()),
        (Some(code), _) => (Some("EXIT_STATUS"), format!("exit status {code}")),
        (None, Some(signal)) => (Some("EXIT_SIGNAL"), format!("ended by signal {signal}")),
        (None, None) => (Some("EXIT_STATUS"), "ended without a status".to_owned()),
    }
}
