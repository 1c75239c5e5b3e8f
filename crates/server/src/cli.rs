//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs coding agents whose sessions survive anything: plans, goals and todos as durable events, in every tab at once.
///
/// Without a provider a built-in rehearsal model answers, which needs no key and no network. With `OPENAI_BASE_URL`
/// and/or `OPENAI_API_KEY` set, any OpenAI-compatible server does, and with `ANTHROPIC_API_KEY` Anthropic's.
///
/// Settings are looked for here first, then in the environment, then in `waymark.toml` in your configuration folder.
#[derive(Debug, Clone, Default, Parser)]
#[command(
    name = "waymark",
    version,
    max_term_width = 100,
    override_usage = "waymark [OPTIONS]\n       waymark [OPTIONS] <COMMAND>"
)]
pub struct Cli {
    /// Folder that new sessions work in [default: the current folder]
    #[arg(long, value_name = "FOLDER", env = "WAYMARK_WORKSPACE")]
    pub workspace: Option<PathBuf>,

    /// Folder that sessions are kept in; must lie outside the workspace [default: waymark in your data folder]
    #[arg(long, global = true, value_name = "FOLDER", env = "WAYMARK_DATA")]
    pub data: Option<PathBuf>,

    /// Address and port to listen on; one beyond loopback needs a secret in `WAYMARK_TOKEN` [default: 127.0.0.1:7420]
    #[arg(long, value_name = "ADDRESS", env = "WAYMARK_LISTEN")]
    pub listen: Option<SocketAddr>,

    /// Port to listen on, in place of the one in the address; 0 takes any free one
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,

    /// Model to ask: `rehearsal`, `PROVIDER/MODEL`, or a model of the provider that is set up
    #[arg(long, value_name = "NAME", env = "WAYMARK_MODEL")]
    pub model: Option<String>,

    /// Configuration file to read in place of `waymark.toml` in your configuration folder
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// How log lines on standard error are written; `WAYMARK_LOG` chooses which, e.g. `info` or `store=debug`
    #[arg(long, global = true, value_name = "FORM", default_value = "text")]
    pub log: LogForm,

    /// What to do in place of serving
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do in place of serving.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Look after the log that sessions are kept in
    #[command(subcommand)]
    Log(LogCommand),
    /// Make and take away tokens for scripts and guests; also while a server runs
    #[command(subcommand)]
    Token(TokenCommand),
    /// Prove from the log that a promise was kept; also while a server runs
    #[command(subcommand)]
    Verify(VerifyCommand),
}

/// What to do with tokens.
#[derive(Debug, Clone, Subcommand)]
pub enum TokenCommand {
    /// Make a token and print it: it is shown this once
    New(NewToken),
    /// List the tokens that are kept
    List(ListTokens),
    /// Take a token away from whoever has it
    Revoke(RevokeToken),
    /// Sign every browser out
    Rotate,
}

/// What `waymark token new` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct NewToken {
    /// What it is for
    #[arg(default_value = "script")]
    pub name: String,
    /// Its bearer sees everything and changes nothing
    #[arg(long)]
    pub viewer: bool,
}

/// What `waymark token list` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct ListTokens {
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// What `waymark token revoke` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct RevokeToken {
    /// Its id, as `waymark token list` shows it
    pub id: String,
}

/// What to prove.
#[derive(Debug, Clone, Subcommand)]
pub enum VerifyCommand {
    /// That nothing was started under plan mode that could change the workspace
    PlanSafety(PlanSafetyProof),
}

/// What `waymark verify plan-safety` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct PlanSafetyProof {
    /// The session, or the beginning of its id
    pub session: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What to do with the log.
#[derive(Debug, Clone, Subcommand)]
pub enum LogCommand {
    /// Say what the log holds and takes; also while a server runs
    Stat(Stat),
    /// Check every record, object and fold, and name each fault; also while a server runs
    Verify(Verify),
    /// Print a session's events; also while a server runs
    Show(Show),
    /// Write sessions to a file of JSON lines, with the objects that they name
    Export(Export),
    /// Bring in the sessions of an export, each whole or not at all
    Import(Import),
    /// Copy the log into another folder, as it is at one moment
    Backup(Backup),
    /// Make the index again from the segments
    Reindex,
    /// Give back space: of deleted sessions, of streamed pieces that an answer replaced, of contents that nothing names
    Reclaim,
}

/// What `waymark log stat` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct Stat {
    /// List all sessions, not only the largest
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What `waymark log verify` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct Verify {
    /// The one session to check, or the beginning of its id [default: all]
    pub session: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What `waymark log show` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct Show {
    /// The session, or the beginning of its id
    pub session: String,
    /// First position to print
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    pub from: u64,
    /// Last position to print [default: the newest]
    #[arg(long, value_name = "SEQ")]
    pub to: Option<u64>,
    /// Type of event to print, e.g. `goal/change`, or the part before the slash; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Print one JSON object a line, with all of each event
    #[arg(long)]
    pub json: bool,
}

/// What `waymark log export` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct Export {
    /// Sessions, or the beginnings of their ids
    #[arg(required_unless_present = "all")]
    pub sessions: Vec<String>,
    /// Write all sessions
    #[arg(long, conflicts_with = "sessions")]
    pub all: bool,
    /// File to write, which must not be there yet; `-` writes to standard output
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
}

/// What `waymark log import` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct Import {
    /// File that an export wrote; `-` reads standard input
    pub file: PathBuf,
}

/// What `waymark log backup` is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct Backup {
    /// Folder to copy into: empty, or not there yet
    pub folder: PathBuf,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LogForm {
    /// For people.
    #[default]
    Text,
    /// For programs, one JSON object a line.
    Json,
}
