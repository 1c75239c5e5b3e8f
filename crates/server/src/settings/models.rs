//! The settings of providers and models: who can be asked, and who is asked for what.

use std::collections::BTreeMap;
use std::path::PathBuf;

use model::Effort;
use model::rehearsal::REHEARSAL;
use model::remote::Api;
use model::replay::REPLAY;
use secrecy::SecretString;
use serde::Deserialize;
use sessions::Role;

use super::{File, OpenAiFile, SettingsError};
use crate::cli::Cli;

/// Milliseconds between two words of the rehearsal model.
pub(super) const REHEARSAL_PACE_MS: u64 = 12;
/// What a recording's name begins with where a model is named.
const REPLAY_PREFIX: &str = "replay:";

/// Who can be asked, and who is asked.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// Who can be asked, by name.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// The model that works.
    pub main: ModelName,
    /// The model that takes over when the other one has an outage.
    pub fallback: Option<ModelName>,
    /// What is set for single roles.
    pub roles: BTreeMap<Role, RoleSettings>,
}

/// What is set for a role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleSettings {
    /// Its model; none is the main one.
    pub model: Option<ModelName>,
    /// How hard it thinks; none is as its model does.
    pub effort: Option<Effort>,
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName {
    /// The provider.
    pub provider: String,
    /// The model; none means the only one that the provider has.
    pub model: Option<String>,
    /// How hard it should think; none leaves it to the provider.
    pub effort: Option<Effort>,
}

/// Who answers.
#[derive(Debug, Clone)]
pub enum ProviderSettings {
    /// The built-in model.
    Rehearsal {
        /// Milliseconds between two words.
        pace_ms: u64,
    },
    /// A recording.
    Replay {
        /// A file, or a folder of files.
        path: PathBuf,
    },
    /// A server.
    Remote {
        /// What it speaks.
        api: Api,
        /// Its address, up to and including the version.
        base_url: String,
        /// The key, if it wants one.
        key: Option<SecretString>,
    },
}

/// One member of `providers` in the configuration file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ProviderFile {
    api: Option<Api>,
    base_url: Option<String>,
    /// The environment variable that holds the key: keys do not stand in files.
    api_key_env: Option<String>,
}

/// One member of `roles` in the configuration file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RoleFile {
    model: Option<String>,
    effort: Option<Effort>,
}

/// What is known of a provider without any configuration.
struct Known {
    name: &'static str,
    api: Api,
    base_url: &'static str,
    /// What its environment variables begin with.
    variables: &'static str,
}

/// Providers that need no more than a key; the first one that is set up is asked unless somebody says otherwise.
const KNOWN: [Known; 2] = [
    Known { name: "openai", api: Api::Chat, base_url: "https://api.openai.com/v1", variables: "OPENAI" },
    Known {
        name: "anthropic",
        api: Api::Messages,
        base_url: "https://api.anthropic.com/v1",
        variables: "ANTHROPIC",
    },
];

/// Puts the settings together. A provider that somebody set up is asked; `rehearsal` can still be asked for by name.
pub(super) fn resolve(
    cli: &Cli,
    file: &File,
    environment: &impl Fn(&str) -> Option<String>,
) -> Result<ModelSettings, SettingsError> {
    let set = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let pace_ms = file.rehearsal.pace_ms.unwrap_or(REHEARSAL_PACE_MS);
    let mut providers = BTreeMap::from([(REHEARSAL.to_owned(), ProviderSettings::Rehearsal { pace_ms })]);
    for known in &KNOWN {
        providers.extend(known_provider(known, file, &set).map(|provider| (known.name.to_owned(), provider)));
    }
    for (name, given) in
        file.providers.iter().filter(|(name, _)| !KNOWN.iter().any(|known| known.name == **name))
    {
        providers.insert(name.clone(), other_provider(name, given, &set)?);
    }
    let mut naming = Naming { default: default_provider(file, &providers), providers };
    let mut roles = BTreeMap::new();
    for (name, given) in &file.roles {
        let role = Role::of_name(name).ok_or_else(|| SettingsError::RoleUnknown(name.clone()))?;
        let model = given.model.as_ref().map(|model| naming.read("a role's model", model)).transpose()?;
        roles.insert(role, RoleSettings { model, effort: given.effort });
    }
    let mut main = match cli.model.as_ref().or(file.model.as_ref()) {
        Some(name) => naming.read("model", name)?,
        None => naming.unnamed(&set),
    };
    main.effort = roles.get(&Role::Main).and_then(|main| main.effort);
    let fallback = file.fallback.as_ref().map(|name| naming.read("fallback", name)).transpose()?;
    Ok(ModelSettings { providers: naming.providers, main, fallback, roles })
}

/// Returns a provider that is known by name; none when nobody set it up.
fn known_provider(
    known: &Known,
    file: &File,
    set: &impl Fn(&str) -> Option<String>,
) -> Option<ProviderSettings> {
    let given = file.providers.get(known.name).cloned().unwrap_or_default();
    let older = if known.name == "openai" { file.openai.clone() } else { OpenAiFile::default() };
    let variable = |name: &str| format!("{}_{name}", known.variables);
    let key_env = given.api_key_env.or(older.key_env).unwrap_or_else(|| variable("API_KEY"));
    let base_url = set(&variable("BASE_URL")).or(given.base_url).or(older.base_url);
    let key = set(&key_env);
    let is_set_up = base_url.is_some() || key.is_some();
    is_set_up.then(|| ProviderSettings::Remote {
        api: given.api.unwrap_or(known.api),
        base_url: base_url.unwrap_or_else(|| known.base_url.to_owned()),
        key: key.map(SecretString::from),
    })
}

fn other_provider(
    name: &str,
    given: &ProviderFile,
    set: &impl Fn(&str) -> Option<String>,
) -> Result<ProviderSettings, SettingsError> {
    let wrong = |why: &str| SettingsError::Provider { name: name.to_owned(), why: why.to_owned() };
    if name == REHEARSAL || name == REPLAY || name.is_empty() || name.contains('/') {
        return Err(wrong("choose another name, without a slash"));
    }
    let base_url = given.base_url.clone().ok_or_else(|| wrong("it needs a base_url"))?;
    let key = match &given.api_key_env {
        None => None,
        Some(variable) => Some(
            set(variable).ok_or_else(|| wrong(&format!("the environment variable {variable} is not set")))?,
        ),
    };
    Ok(ProviderSettings::Remote {
        api: given.api.unwrap_or(Api::Chat),
        base_url,
        key: key.map(SecretString::from),
    })
}

/// Returns the provider of a model that is named without one.
fn default_provider(file: &File, providers: &BTreeMap<String, ProviderSettings>) -> Option<String> {
    let known = KNOWN.iter().map(|known| known.name.to_owned());
    let mut candidates = known.chain(file.providers.keys().cloned());
    candidates.find(|name| providers.contains_key(name))
}

/// Reads names of models.
struct Naming {
    providers: BTreeMap<String, ProviderSettings>,
    default: Option<String>,
}

impl Naming {
    /// Reads `PROVIDER/MODEL`, or a model of the first provider that is set up. A model's own name may have slashes.
    fn read(&mut self, setting: &'static str, written: &str) -> Result<ModelName, SettingsError> {
        if let Some(path) = written.strip_prefix(REPLAY_PREFIX) {
            let replay = ProviderSettings::Replay { path: PathBuf::from(path) };
            self.providers.insert(REPLAY.to_owned(), replay);
            return Ok(named(REPLAY, path));
        }
        if written == REHEARSAL {
            return Ok(named(REHEARSAL, REHEARSAL));
        }
        if let Some((provider, model)) = written.split_once('/')
            && self.providers.contains_key(provider)
        {
            return Ok(named(provider, model));
        }
        let unknown = || SettingsError::ModelUnknown { setting, name: written.to_owned() };
        self.default.as_deref().map(|provider| named(provider, written)).ok_or_else(unknown)
    }

    /// Returns the model that is asked when nobody names one.
    fn unnamed(&self, set: &impl Fn(&str) -> Option<String>) -> ModelName {
        let Some(provider) = &self.default else { return named(REHEARSAL, REHEARSAL) };
        let known = KNOWN.iter().find(|known| known.name == provider);
        let model = known.and_then(|known| set(&format!("{}_MODEL", known.variables)));
        ModelName { provider: provider.clone(), model, effort: None }
    }
}

fn named(provider: &str, model: &str) -> ModelName {
    ModelName { provider: provider.to_owned(), model: Some(model.to_owned()), effort: None }
}

#[cfg(test)]
mod tests;
