//! Where settings come from: command line, environment, configuration file, defaults, in this order.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use agent::{ModeTexts, RetryPolicy};
use secrecy::SecretString;
use serde::Deserialize;
use sessions::{Limits, Residency};

use crate::cli::Cli;

mod goal;
mod listening;
mod models;
mod retry;

pub use models::{ModelName, ModelSettings, ProviderSettings, RoleSettings};

use goal::GoalFile;
use listening::{LAUNCH_TOKEN_CHARS_MIN, PORT, launch_token, listen};
use models::{ProviderFile, RoleFile};
use retry::RetryFile;

/// Everything that a server is started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Absolute, existing folder that new sessions work in.
    pub workspace: PathBuf,
    /// Absolute folder that sessions are kept in.
    pub data: PathBuf,
    /// The folder of the configuration file, if there is one: tools do not reach it.
    pub config_folder: Option<PathBuf>,
    /// What to listen on.
    pub listen: SocketAddr,
    /// The token that signs browsers in, if somebody chose it; else each start draws one.
    pub launch_token: Option<SecretString>,
    /// Names under which the server is reached beside its address, as `host:port`.
    pub hosts: Vec<String>,
    /// Who can be asked, and who is asked.
    pub models: ModelSettings,
    /// What comes of a request that failed.
    pub retry: RetryPolicy,
    /// The limits in force.
    pub limits: Limits,
    /// Texts that replace our rules of the modes.
    pub mode_texts: ModeTexts,
    /// The same for single models, by name; they come first.
    pub model_mode_texts: BTreeMap<String, ModeTexts>,
    /// How much may stay in memory.
    pub residency: Residency,
}

/// What is wrong with the settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The configuration file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The configuration file has something that is not a setting.
    #[error("{} is not understood: {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        source: Box<toml::de::Error>,
    },
    /// The workspace is not a folder that can be opened.
    #[error("cannot use {} as the workspace: {source}; name an existing folder with --workspace", path.display())]
    Workspace {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The data folder cannot be made.
    #[error("cannot use {} as the data folder: {source}; name another with --data", path.display())]
    Data {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Tools would reach the data.
    #[error("the data folder {} lies in the workspace, where tools could change it; name another with --data", .0.display())]
    DataInWorkspace(PathBuf),
    /// The system names no data folder for this user.
    #[error("your system names no data folder for you; name one with --data")]
    NoDataFolder,
    /// The address can be reached from other machines, and nobody chose a secret.
    #[error(
        "{0} can be reached from other machines; set WAYMARK_TOKEN to a secret of {LAUNCH_TOKEN_CHARS_MIN} or more \
         characters, or listen on a loopback address such as 127.0.0.1:{PORT}"
    )]
    NotLoopback(SocketAddr),
    /// A secret that is guessed too easily.
    #[error(
        "WAYMARK_TOKEN has to be {LAUNCH_TOKEN_CHARS_MIN} or more printable characters, none of them a space or one of `&#%+`"
    )]
    WeakToken,
    /// A provider is not set up whole.
    #[error("providers.{name} is not set up: {why}")]
    Provider {
        /// The provider.
        name: String,
        /// What is missing.
        why: String,
    },
    /// Nobody is set up who could have the model.
    #[error(
        "{setting} is {name:?}, but no provider is set up that could have it; set OPENAI_API_KEY, ANTHROPIC_API_KEY or [providers.NAME]"
    )]
    ModelUnknown {
        /// The setting.
        setting: &'static str,
        /// The model's name.
        name: String,
    },
    /// Nothing is asked of a model in this role.
    #[error("roles.{0} is no role; there are main, plan, summary, judge and title")]
    RoleUnknown(String),
    /// A setting is out of range.
    #[error("{name} is {value}, but it has to be {range}")]
    OutOfRange {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        range: &'static str,
    },
}

/// The configuration file; a missing member leaves the default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    workspace: Option<PathBuf>,
    data: Option<PathBuf>,
    listen: Option<SocketAddr>,
    #[serde(default)]
    hosts: Vec<String>,
    model: Option<String>,
    fallback: Option<String>,
    roles: BTreeMap<String, RoleFile>,
    providers: BTreeMap<String, ProviderFile>,
    openai: OpenAiFile,
    rehearsal: RehearsalFile,
    goal: GoalFile,
    retry: RetryFile,
    todo: TodoFile,
    modes: ModesFile,
    models: BTreeMap<String, ModelFile>,
    sessions: SessionsFile,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OpenAiFile {
    base_url: Option<String>,
    /// The environment variable that holds the key: keys do not stand in files.
    key_env: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RehearsalFile {
    pace_ms: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TodoFile {
    allow_parallel_in_progress: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ModesFile {
    plan_text: Option<String>,
    default_text: Option<String>,
    questions_in_default: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ModelFile {
    plan_text: Option<String>,
    default_text: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SessionsFile {
    in_memory: Option<usize>,
    idle_minutes: Option<u64>,
}

impl Settings {
    /// Puts the settings together. `environment` looks a variable up.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] says which setting is wrong and what to do.
    pub fn resolve(cli: &Cli, environment: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let (path, file) = File::of(cli)?;
        let workspace = workspace(cli.workspace.clone().or(file.workspace.clone()))?;
        let data = data(cli.data.clone().or(file.data.clone()), &workspace)?;
        let launch_token = launch_token(&environment)?;
        Ok(Self {
            listen: listen(cli, &file, launch_token.is_some())?,
            launch_token,
            hosts: file.hosts.clone(),
            models: models::resolve(cli, &file, &environment)?,
            retry: file.retry.policy()?,
            limits: limits(&file)?,
            mode_texts: ModeTexts {
                plan: file.modes.plan_text.clone(),
                default: file.modes.default_text.clone(),
            },
            model_mode_texts: model_mode_texts(&file),
            residency: residency(&file)?,
            config_folder: path
                .filter(|path| path.exists())
                .and_then(|path| path.parent().map(Path::to_path_buf)),
            workspace,
            data,
        })
    }
}

/// Returns the folder that sessions are kept in, whatever the workspace; it need not exist.
///
/// # Errors
///
/// [`SettingsError`] says what is wrong with the configuration file, or that there is no such folder for this user.
pub fn data_folder(cli: &Cli) -> Result<PathBuf, SettingsError> {
    let (_, file) = File::of(cli)?;
    let path = named_data(cli.data.clone().or(file.data))?;
    std::path::absolute(&path).map_err(|source| SettingsError::Data { path, source })
}

impl File {
    /// Reads the configuration file that is meant; returns where it is, or would be.
    fn of(cli: &Cli) -> Result<(Option<PathBuf>, Self), SettingsError> {
        let path = cli.config.clone().or_else(|| Some(dirs::config_dir()?.join("waymark.toml")));
        let file = match &path {
            Some(path) => Self::read(path, cli.config.is_some())?,
            None => Self::default(),
        };
        Ok((path, file))
    }

    fn read(path: &Path, is_asked_for: bool) -> Result<Self, SettingsError> {
        match std::fs::read_to_string(path) {
            Ok(text) => toml::from_str(&text).map_err(|source| SettingsError::Malformed {
                path: path.to_owned(),
                source: Box::new(source),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_asked_for => {
                Ok(Self::default())
            }
            Err(source) => Err(SettingsError::Unreadable { path: path.to_owned(), source }),
        }
    }
}

fn workspace(asked: Option<PathBuf>) -> Result<PathBuf, SettingsError> {
    let path = asked.unwrap_or_else(|| PathBuf::from("."));
    let canonical = path.canonicalize().and_then(|folder| std::fs::read_dir(&folder).map(|_| folder));
    canonical.map_err(|source| SettingsError::Workspace { path, source })
}

fn data(asked: Option<PathBuf>, workspace: &Path) -> Result<PathBuf, SettingsError> {
    let path = named_data(asked)?;
    let absolute = std::path::absolute(&path).map_err(|source| SettingsError::Data { path, source })?;
    if is_below(&absolute, workspace) {
        return Err(SettingsError::DataInWorkspace(absolute));
    }
    std::fs::create_dir_all(&absolute)
        .and_then(|()| absolute.canonicalize())
        .map_err(|source| SettingsError::Data { path: absolute, source })
}

fn named_data(asked: Option<PathBuf>) -> Result<PathBuf, SettingsError> {
    match asked {
        Some(path) => Ok(path),
        None => Ok(dirs::data_dir().ok_or(SettingsError::NoDataFolder)?.join("waymark")),
    }
}

/// Says whether `path` lies in `folder` once links are followed as far as it exists.
fn is_below(path: &Path, folder: &Path) -> bool {
    let existing = path.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    match existing {
        Some((ancestor, canonical)) => {
            let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
            canonical.join(rest).starts_with(folder)
        }
        None => path.starts_with(folder),
    }
}

fn model_mode_texts(file: &File) -> BTreeMap<String, ModeTexts> {
    let texts =
        |model: &ModelFile| ModeTexts { plan: model.plan_text.clone(), default: model.default_text.clone() };
    file.models.iter().map(|(name, model)| (name.clone(), texts(model))).collect()
}

fn limits(file: &File) -> Result<Limits, SettingsError> {
    let limits = file.goal.over(Limits::default())?;
    let allow_parallel_in_progress =
        file.todo.allow_parallel_in_progress.unwrap_or(limits.allow_parallel_in_progress);
    let questions_in_default_mode =
        file.modes.questions_in_default.unwrap_or(limits.questions_in_default_mode);
    Ok(Limits { allow_parallel_in_progress, questions_in_default_mode, ..limits })
}

fn residency(file: &File) -> Result<Residency, SettingsError> {
    let standard = Residency::default();
    let sessions_max = file.sessions.in_memory.unwrap_or(standard.sessions_max);
    if sessions_max == 0 {
        let (name, value) = ("sessions.in_memory", "0".to_owned());
        return Err(SettingsError::OutOfRange { name, value, range: "1 or more" });
    }
    let idle_ms = |minutes: u64| minutes.saturating_mul(60_000);
    let idle_ms_max = file.sessions.idle_minutes.map_or(standard.idle_ms_max, idle_ms);
    Ok(Residency { sessions_max, idle_ms_max })
}

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
