//! A shell command as a process group of its own, which ends as a whole.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::kept::Kept;

/// Variables that a command inherits. Everything else stays with us, so that no key or token of ours
/// is a command's to read.
const INHERITED: [&str; 3] = ["PATH", "HOME", "LANG"];
/// Where programs are when we ourselves were started without a `PATH`.
const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";
/// Time between the polite and the certain end of a group, and for reading what it left in the pipe.
const GRACE: Duration = Duration::from_millis(500);

/// Why a command is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
}

/// A running command; dropping it kills its group.
pub(crate) struct Running {
    // Dropped before the child, whose own drop may reap the leader and free the group's number.
    group: Group,
    child: Child,
    output: Output,
}

impl Running {
    /// Starts `sh -c command` in `folder` with no input, and with both outputs in one pipe, so that
    /// their order is the order in which they were written.
    pub(crate) fn start(command: &str, folder: &Path, kept: Kept) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).current_dir(folder).process_group(0);
        shell.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        shell.env_clear().env("PATH", PATH_DEFAULT).env("TERM", "dumb");
        shell.envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        let child = shell.spawn()?;
        // The command holds the writing end as long as it lives, and with it the pipe never ends.
        drop(shell);
        let group = Group::led_by(&child)?;
        let pipe = Receiver::from_owned_fd(reader.into())?;
        Ok(Self { group, child, output: Output { pipe, kept, open: true } })
    }

    /// Waits for the end, stops what is left of the group, and returns the output.
    pub(crate) async fn finish(
        mut self,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> io::Result<(End, Kept)> {
        let deadline = std::pin::pin!(sleep_until(Instant::now() + limit));
        let end = self.end(deadline, cancel).await?;
        if !matches!(end, End::Exited(_)) {
            self.stop().await;
        }
        // While a member lives, the system gives the number to nobody else; where none does, the numbers
        // would have to come round between the two calls.
        self.group.signal(Signal::KILL);
        self.child.wait().await?;
        self.group.gone = true;
        // A process that left the group may still hold the pipe: it is not waited for.
        let _ = timeout(GRACE, self.output.drain()).await;
        Ok((end, self.output.kept))
    }

    async fn end(&mut self, mut deadline: Pin<&mut Sleep>, cancel: &CancellationToken) -> io::Result<End> {
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Ok(End::Cancelled),
                () = &mut deadline => return Ok(End::TimedOut),
                status = self.child.wait() => return Ok(End::Exited(status?)),
                () = self.output.read(), if self.output.open => {}
            }
        }
    }

    /// Asks the group to end, and waits a little for the shell to go and the pipe to close.
    async fn stop(&mut self) {
        self.group.signal(Signal::TERM);
        let Self { child, output, .. } = self;
        let ended = async { tokio::join!(child.wait(), output.drain()) };
        if timeout(GRACE, ended).await.is_err() {
            tracing::debug!("a command ignored the request to end");
        }
    }
}

/// The one pipe for both outputs, and what is kept of it.
struct Output {
    pipe: Receiver,
    kept: Kept,
    open: bool,
}

impl Output {
    async fn drain(&mut self) {
        while self.open {
            self.read().await;
        }
    }

    async fn read(&mut self) {
        let mut bytes = [0; 8 * 1024];
        match self.pipe.read(&mut bytes).await {
            Ok(0) => self.open = false,
            Ok(count) => self.kept.push(&bytes[..count]),
            Err(error) => {
                tracing::warn!(%error, "the output of a command cannot be read");
                self.open = false;
            }
        }
    }
}

/// The process group that a command leads.
struct Group {
    id: Pid,
    /// Set when it was killed and its leader waited for: the number may soon be another group's.
    gone: bool,
}

impl Group {
    fn led_by(child: &Child) -> io::Result<Self> {
        let id = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
        Ok(Self { id: id.ok_or_else(|| io::Error::other("the command has no process id"))?, gone: false })
    }

    fn signal(&self, signal: Signal) {
        match kill_process_group(self.id, signal) {
            // Nobody is left to hear it.
            Ok(()) | Err(Errno::SRCH) => {}
            // On macOS also the answer for a group of which only the unreaped leader is left.
            Err(errno) => tracing::warn!(%errno, group = ?self.id, "a process group cannot be signalled"),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.gone {
            self.signal(Signal::KILL);
        }
    }
}
