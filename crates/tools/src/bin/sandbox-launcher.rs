//! A program that only confines commands: what the server's own program does when it is started as one.

use std::process::ExitCode;

fn main() -> ExitCode {
    tools::sandbox::take_over_if_asked();
    eprintln!("sandbox-launcher: this program is started by a sandbox, not by people");
    ExitCode::FAILURE
}
