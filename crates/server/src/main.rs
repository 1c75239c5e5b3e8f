//! The binary `waymark`.

use std::process::ExitCode;

use clap::Parser;
use server::cli::{Cli, Command, LogForm};
use server::{Settings, data_folder, log_command, token_command, verify_command};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    tools::sandbox::take_over_if_asked();
    let cli = Cli::parse();
    write_log(cli.log);
    match perform(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("waymark: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(cli: &Cli) -> anyhow::Result<()> {
    match &cli.command {
        None => serve(cli),
        Some(Command::Log(command)) => log_command(&data_folder(cli)?, command, &mut std::io::stdout()),
        Some(Command::Token(command)) => token_command(&data_folder(cli)?, command, &mut std::io::stdout()),
        Some(Command::Verify(command)) => verify_command(&data_folder(cli)?, command, &mut std::io::stdout()),
    }
}

fn serve(cli: &Cli) -> anyhow::Result<()> {
    let settings = Settings::resolve(cli, |name| std::env::var(name).ok())?;
    tokio::runtime::Runtime::new()?.block_on(server::run(settings))
}

fn write_log(form: LogForm) {
    let filter = EnvFilter::try_from_env("WAYMARK_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match form {
        LogForm::Text => lines.init(),
        LogForm::Json => lines.json().init(),
    }
}
