//! A shell command as a process group of its own or below a keeper, which ends as a whole.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
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
use crate::sandbox::{ASK_TO_END, Line, trouble};

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

/// A command that is over.
pub(crate) struct Over {
    pub(crate) end: End,
    pub(crate) kept: Kept,
    /// Why the sandbox that was to surround it did not come about.
    pub(crate) trouble: Option<String>,
}

/// A running command; dropping it ends its processes.
pub(crate) struct Running {
    // Dropped before the child, whose own drop may reap the leader and free the group's number.
    reins: Reins,
    child: Child,
    output: Output,
}

impl Running {
    /// Starts a command in `folder` with no input, and with both outputs in one pipe, so that their order is
    /// the order in which they were written.
    pub(crate) fn start(line: &Line, folder: &Path, kept: Kept) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let mut program = Command::new(&line.program);
        program.args(&line.arguments).current_dir(folder).process_group(0);
        program.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        program.env_clear().env("PATH", PATH_DEFAULT).env("TERM", "dumb");
        program.envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        let keeper = line.kept.then(|| keeper_of(&mut program)).transpose()?;
        let child = program.spawn()?;
        let reins = match keeper {
            None => Reins::Group(Group::led_by(&child)?),
            Some(keeper) => Reins::Keeper(keeper),
        };
        // The command holds the writing end as long as it lives, and with it the pipe never ends.
        drop(program);
        let pipe = Receiver::from_owned_fd(reader.into())?;
        Ok(Self { reins, child, output: Output { pipe, kept, open: true } })
    }

    /// Waits for the end, stops what is left of the command's processes, and returns the output.
    pub(crate) async fn finish(mut self, limit: Duration, cancel: &CancellationToken) -> io::Result<Over> {
        let deadline = std::pin::pin!(sleep_until(Instant::now() + limit));
        let end = self.end(deadline, cancel).await?;
        if !matches!(end, End::Exited(_)) {
            self.stop().await;
        }
        // While a member lives, the system gives the number to nobody else; where none does, the numbers
        // would have to come round between the two calls.
        self.reins.end();
        self.child.wait().await?;
        let trouble = self.reins.let_go();
        // A process that left the group may still hold the pipe: it is not waited for.
        let _ = timeout(GRACE, self.output.drain()).await;
        Ok(Over { end, kept: self.output.kept, trouble })
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

    /// Asks the command to end, and waits a little for the shell to go and the pipe to close.
    async fn stop(&mut self) {
        self.reins.ask();
        let Self { child, output, .. } = self;
        let ended = async { tokio::join!(child.wait(), output.drain()) };
        if timeout(GRACE, ended).await.is_err() {
            tracing::debug!("a command ignored the request to end");
        }
    }
}

/// Makes the input of `program` a line to us, and returns our end of it.
fn keeper_of(program: &mut Command) -> io::Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    program.stdin(Stdio::from(OwnedFd::from(theirs)));
    Ok(ours)
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

/// The way to end a command.
enum Reins {
    /// It leads a group.
    Group(Group),
    /// Its keeper listens at the other end: a word asks the command to end, and when this end is closed,
    /// also by our own death, the keeper ends everything.
    Keeper(UnixStream),
}

impl Reins {
    fn ask(&mut self) {
        match self {
            Self::Group(group) => group.signal(Signal::TERM),
            Self::Keeper(keeper) => {
                if let Err(error) = keeper.write_all(ASK_TO_END) {
                    tracing::debug!(%error, "the keeper of a command is gone already");
                }
            }
        }
    }

    fn end(&mut self) {
        match self {
            Self::Group(group) => group.signal(Signal::KILL),
            Self::Keeper(keeper) => {
                if let Err(error) = keeper.shutdown(Shutdown::Write) {
                    tracing::debug!(%error, "the keeper of a command is gone already");
                }
            }
        }
    }

    /// Notes that all is over, and returns why a sandbox did not come about.
    fn let_go(&mut self) -> Option<String> {
        match self {
            Self::Group(group) => {
                group.gone = true;
                None
            }
            Self::Keeper(keeper) => {
                let mut said = Vec::new();
                if let Err(error) = keeper.read_to_end(&mut said) {
                    tracing::debug!(%error, "the keeper of a command left its line open");
                }
                trouble(&String::from_utf8_lossy(&said))
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
