//! The engine as one piece, and the settings it is started with; the binary `waymark` is a thin shell around this.
//!
//! Start reading at [`Engine::start`], then [`run`], then [`log_command`].
//!
//! # Invariants
//!
//! * Each session that this process owns has exactly one agent and one goal driver while it is in memory.
//! * Settings come from the command line, the environment and the user's configuration folder, never from a workspace.
//!
//! # Not here
//!
//! No rules, no page: only what goes where, and `waymark log`, whose exports have the form of `docs/export.md`.

pub mod cli;
mod engine;
mod log_command;
mod provider;
mod readings;
mod run;
mod settings;
mod token_command;

pub use engine::{Engine, Parts};
pub use log_command::{log_command, verify_command};
pub use run::run;
pub use settings::{
    ModelName, ModelSettings, ProviderSettings, RoleSettings, Settings, SettingsError, data_folder,
};
pub use token_command::token_command;
