//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Runs coding agents whose sessions survive anything: plans, goals and todos as durable events, in every tab at once.
///
/// Without a provider a built-in rehearsal model answers, which needs no key and no network. With `OPENAI_BASE_URL`
/// and/or `OPENAI_API_KEY` set, any OpenAI-compatible server does.
///
/// Settings are looked for here first, then in the environment, then in `waymark.toml` in your configuration folder.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "waymark", version, max_term_width = 100)]
pub struct Cli {
    /// Folder that new sessions work in [default: the current folder]
    #[arg(long, value_name = "FOLDER", env = "WAYMARK_WORKSPACE")]
    pub workspace: Option<PathBuf>,

    /// Folder that sessions are kept in; must lie outside the workspace [default: waymark in your data folder]
    #[arg(long, value_name = "FOLDER", env = "WAYMARK_DATA")]
    pub data: Option<PathBuf>,

    /// Loopback address and port to listen on [default: 127.0.0.1:7420]
    #[arg(long, value_name = "ADDRESS", env = "WAYMARK_LISTEN")]
    pub listen: Option<SocketAddr>,

    /// Port to listen on, in place of the one in the address; 0 takes any free one
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,

    /// Model to ask: `rehearsal`, or a model of the OpenAI-compatible server
    #[arg(long, value_name = "NAME", env = "WAYMARK_MODEL")]
    pub model: Option<String>,

    /// Configuration file to read in place of `waymark.toml` in your configuration folder
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// How log lines on standard error are written; `WAYMARK_LOG` chooses which, e.g. `info` or `store=debug`
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub log: LogForm,
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
