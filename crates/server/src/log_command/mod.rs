//! `waymark log …`: looks after the log that sessions are kept in.
//!
//! `stat`, `verify` and `show` read the segments alone, so that they work beside a running server. The others are
//! errands for whoever has the log open: the running server, which is asked at a socket in the data folder, or this
//! process.

mod ask;
mod bar;
mod errand;
mod export;
mod find;
mod form;
mod import;
mod plan_safety;
mod send;
mod show;
mod socket;
mod stat;
mod told;
mod verify;

use std::io::Write;
use std::path::Path;

use anyhow::{Result, anyhow};
use store::Survey;

use crate::cli::{LogCommand, VerifyCommand};

pub(crate) use socket::{Socket, open_socket};

/// Carries a command out on the log in `folder`; what it prints goes to `out`, progress to standard error.
///
/// # Errors
///
/// When it cannot be carried out, and when something is wrong with the log that it looked at; each says what to do.
pub fn log_command(folder: &Path, command: &LogCommand, out: &mut dyn Write) -> Result<()> {
    match command {
        LogCommand::Stat(asked) => stat::stat(&survey(folder)?, asked, out),
        LogCommand::Verify(asked) => verify::verify(&survey(folder)?, asked, out),
        LogCommand::Show(asked) => show::show(&survey(folder)?, asked, out),
        LogCommand::Export(asked) => send::export(folder, asked, out),
        LogCommand::Import(asked) => send::import(folder, asked, out),
        LogCommand::Backup(asked) => send::backup(folder, asked, out),
        LogCommand::Reindex => send::reindex(folder, out),
        LogCommand::Reclaim => send::reclaim(folder, out),
    }
}

/// Proves something from the log in `folder` and prints what was found to `out`.
///
/// # Errors
///
/// When it is not proven, or the log cannot be read; each says what to do.
pub fn verify_command(folder: &Path, command: &VerifyCommand, out: &mut dyn Write) -> Result<()> {
    match command {
        VerifyCommand::PlanSafety(asked) => plan_safety::plan_safety(&survey(folder)?, asked, out),
    }
}

fn survey(folder: &Path) -> Result<Survey> {
    let bar = bar::bytes("reading the log");
    let survey = Survey::of(folder, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    survey?.ok_or_else(|| no_log(folder))
}

fn no_log(folder: &Path) -> anyhow::Error {
    anyhow!("there is no log in {}; name its folder with --data", folder.display())
}
