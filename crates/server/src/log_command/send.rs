//! Sends an errand to whoever owns the log: a running server, or else this process for as long as it takes.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use indicatif::ProgressBar;
use store::{LogError, Options, SegmentLog};
use tempfile::NamedTempFile;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::ask::{ask, connect};
use super::errand::{Errand, Owner};
use super::told::{Teller, Told, telling};
use super::{bar, no_log};
use crate::cli::{Backup, Export, Import};

/// Stands for standard input or output where a file is named.
const STANDARD: &str = "-";

/// Writes the sessions that are asked for to a file, whole or not at all, or to `out`.
pub(super) fn export(folder: &Path, asked: &Export, out: &mut dyn Write) -> Result<()> {
    let errand = Errand::Export((!asked.all).then(|| asked.sessions.clone()));
    let bar = bar::things("exporting events");
    if asked.to.as_os_str() == STANDARD {
        let mut page = Page { bar, lines: out };
        return send(folder, (errand, None), &mut page).map(|done| eprintln!("waymark: {done}"));
    }
    let path = std::path::absolute(&asked.to)?;
    if path.exists() {
        bail!("{} is there already; choose another name", path.display());
    }
    let parent = path.parent().context("that is no file")?;
    let mut file =
        NamedTempFile::new_in(parent).with_context(|| format!("cannot write in {}", parent.display()))?;
    let mut lines = io::BufWriter::new(file.as_file_mut());
    let done = send(folder, (errand, None), &mut Page { bar, lines: &mut lines })?;
    lines.flush().and_then(|()| lines.get_ref().sync_all()).context("writing the export")?;
    drop(lines);
    file.persist_noclobber(&path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(writeln!(out, "{done} to {}", path.display())?)
}

/// Brings in the sessions of a file, or of standard input.
pub(super) fn import(folder: &Path, asked: &Import, out: &mut dyn Write) -> Result<()> {
    let input = if asked.file.as_os_str() == STANDARD {
        let mut spooled = tempfile::tempfile()?;
        io::copy(&mut io::stdin().lock(), &mut spooled).context("reading standard input")?;
        spooled.rewind()?;
        spooled
    } else {
        File::open(&asked.file).with_context(|| format!("cannot read {}", asked.file.display()))?
    };
    let mut page = Page { bar: bar::bytes("importing"), lines: out };
    let done = send(folder, (Errand::Import, Some(input)), &mut page)?;
    Ok(writeln!(out, "{done}")?)
}

/// Copies the log.
pub(super) fn backup(folder: &Path, asked: &Backup, out: &mut dyn Write) -> Result<()> {
    let errand = Errand::Backup(std::path::absolute(&asked.folder)?);
    plain(folder, errand, ("copying", out))
}

/// Makes the index again.
pub(super) fn reindex(folder: &Path, out: &mut dyn Write) -> Result<()> {
    plain(folder, Errand::Reindex, ("making the index", out))
}

/// Gives space back.
pub(super) fn reclaim(folder: &Path, out: &mut dyn Write) -> Result<()> {
    let done =
        send(folder, (Errand::Reclaim, None), &mut Page { bar: bar::bytes("looking through"), lines: out })?;
    Ok(writeln!(out, "{done}")?)
}

fn plain(folder: &Path, errand: Errand, (doing, out): (&'static str, &mut dyn Write)) -> Result<()> {
    let done = send(folder, (errand, None), &mut Page { bar: bar::things(doing), lines: out })?;
    Ok(writeln!(out, "{done}")?)
}

/// Where what is told goes.
struct Page<'a> {
    bar: ProgressBar,
    /// Lines of an export, or notes.
    lines: &'a mut dyn Write,
}

/// Sends an errand, and returns what came of it. Ctrl-C stops it, and waits until nothing is left half done.
fn send(folder: &Path, (errand, input): (Errand, Option<File>), page: &mut Page<'_>) -> Result<String> {
    let runtime = Runtime::new()?;
    runtime.block_on(async {
        let (teller, mut told) = telling();
        let work = tokio::spawn(deliver(folder.to_owned(), (errand, input), teller));
        let outcome = tokio::select! {
            outcome = page.listen(&mut told) => outcome,
            _ = tokio::signal::ctrl_c() => Err(anyhow!("stopped before it was done")),
        };
        page.bar.finish_and_clear();
        drop(told);
        let delivered = work.await?;
        match outcome {
            Ok(Some(done)) => Ok(done),
            Ok(None) => {
                delivered?;
                bail!("it ended without a word")
            }
            Err(error) => Err(error),
        }
    })
}

/// Has the errand done by the server that has the folder open, or here.
async fn deliver(folder: PathBuf, (errand, input): (Errand, Option<File>), teller: Teller) -> Result<()> {
    if let Some(stream) = connect(&folder).await? {
        return ask(stream, (errand, input), &teller).await;
    }
    let runtime = Handle::current();
    spawn_blocking(move || {
        let log = open(&folder, &errand)?;
        Owner { log: Arc::new(log), runtime }.run(&errand, input, &teller);
        Ok(())
    })
    .await?
}

/// Opens the log; one is begun only where something is brought in.
fn open(folder: &Path, errand: &Errand) -> Result<SegmentLog> {
    if !folder.join("FORMAT").exists() && !matches!(errand, Errand::Import) {
        return Err(no_log(folder));
    }
    SegmentLog::open(folder, Options::default()).map_err(|error| match error {
        LogError::Busy { pid } => {
            anyhow!("the log is in use by process {pid}, which does not answer at its socket; stop it first")
        }
        error => error.into(),
    })
}

impl Page<'_> {
    /// Takes notice of all that is told; returns what came of it, none when nobody says.
    async fn listen(&mut self, told: &mut mpsc::Receiver<Told>) -> Result<Option<String>> {
        while let Some(told) = told.recv().await {
            match told {
                Told::Progress { done, total } => {
                    self.bar.set_length(total);
                    self.bar.set_position(done);
                }
                Told::Line(line) => writeln!(self.lines, "{}", line.get())?,
                Told::Note(note) => self.bar.suspend(|| writeln!(self.lines, "{note}"))?,
                Told::Done(done) => return Ok(Some(done)),
                Told::Failed(why) => bail!("{why}"),
            }
        }
        Ok(None)
    }
}
