//! `waymark token …`: tokens for scripts and guests, made and taken away beside a running server.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use gateway::{Access, KeptToken, Role, Tokens};
use serde_json::json;
use sessions::{Clock, SystemClock};

use crate::cli::TokenCommand;

/// Carries a command out on the tokens in `folder`; what it prints goes to `out`.
///
/// # Errors
///
/// When the tokens cannot be read or written, and when there is no such token; each says what to do.
pub fn token_command(folder: &Path, command: &TokenCommand, out: &mut dyn Write) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let tokens = Tokens::open(folder)?;
    match command {
        TokenCommand::New(asked) => {
            let role = if asked.viewer { Role::Viewer } else { Role::Owner };
            let made = tokens.make(&asked.name, role, SystemClock.now_ms())?;
            writeln!(out, "{}", made.secret)?;
            eprintln!(
                "waymark: token {} ({}) is not shown again; `waymark token revoke {}` ends it",
                made.kept.id,
                word(role),
                made.kept.id
            );
        }
        TokenCommand::List(asked) => {
            for token in tokens.all()? {
                writeln!(out, "{}", line(&token, asked.json))?;
            }
        }
        TokenCommand::Revoke(asked) => {
            if !tokens.revoke(&asked.id)? {
                return Err(anyhow!("there is no token {}; `waymark token list` shows them", asked.id));
            }
            writeln!(out, "token {} is good for nothing any more", asked.id)?;
        }
        TokenCommand::Rotate => {
            Access::rotate(folder)?;
            writeln!(out, "every browser is signed out; open the address that a server prints to sign in")?;
        }
    }
    Ok(())
}

fn line(token: &KeptToken, as_json: bool) -> String {
    let (id, role, name) = (&token.id, word(token.role), &token.name);
    match as_json {
        true => {
            json!({ "id": id, "role": token.role, "name": name, "made_at_ms": token.made_at_ms }).to_string()
        }
        false => format!("{id}  {role:6}  {name}"),
    }
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Owner => "owner",
        Role::Viewer => "viewer",
    }
}
