//! The models that the settings ask for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agent::{Models, RoleRoute, Route};
use anyhow::{Context, anyhow, bail};
use model::Provider;
use model::rehearsal::Rehearsal;
use model::remote::{Remote, RemoteConfig};
use model::replay::Replay;

use crate::settings::{ModelName, ModelSettings, ProviderSettings};

/// A provider, with what only servers can be asked.
struct Prepared {
    provider: Arc<dyn Provider>,
    remote: Option<(Remote, String)>,
}

/// Prepares every provider that is named; a model that nobody named is the only one that its server has.
pub(crate) async fn choose(settings: &ModelSettings) -> anyhow::Result<Models> {
    let mut prepared = BTreeMap::new();
    for (name, provider) in &settings.providers {
        prepared.insert(name.as_str(), prepare(name, provider)?);
    }
    let main = route(&settings.main, &prepared).await?;
    let fallback = match &settings.fallback {
        Some(name) => Some(route(name, &prepared).await?),
        None => None,
    };
    let mut roles = BTreeMap::new();
    for (role, set) in &settings.roles {
        let route = match &set.model {
            Some(name) => Some(route(name, &prepared).await?),
            None => None,
        };
        roles.insert(*role, RoleRoute { route, effort: set.effort });
    }
    let providers =
        prepared.iter().map(|(name, prepared)| ((*name).to_owned(), Arc::clone(&prepared.provider)));
    Ok(Models { main, fallback, roles, providers: providers.collect(), modes: BTreeMap::new() })
}

fn prepare(name: &str, settings: &ProviderSettings) -> anyhow::Result<Prepared> {
    match settings {
        ProviderSettings::Rehearsal { pace_ms } => {
            let provider = Arc::new(Rehearsal::new(Duration::from_millis(*pace_ms)));
            Ok(Prepared { provider, remote: None })
        }
        ProviderSettings::Replay { path } => {
            Ok(Prepared { provider: Arc::new(Replay::open(path)?), remote: None })
        }
        ProviderSettings::Remote { api, base_url, key } => {
            let config = RemoteConfig {
                name: name.to_owned(),
                key: key.clone(),
                ..RemoteConfig::new(*api, base_url.clone())
            };
            let remote = Remote::new(config)?;
            let provider = Arc::new(remote.clone());
            Ok(Prepared { provider, remote: Some((remote, base_url.clone())) })
        }
    }
}

async fn route(name: &ModelName, prepared: &BTreeMap<&str, Prepared>) -> anyhow::Result<Route> {
    let found = prepared.get(name.provider.as_str());
    let Prepared { provider, remote } =
        found.ok_or_else(|| anyhow!("no provider is called {}", name.provider))?;
    let model = match (&name.model, remote) {
        (Some(model), _) => model.clone(),
        (None, Some((remote, base_url))) => only_model(remote, base_url).await?,
        (None, None) => name.provider.clone(),
    };
    Ok(Route { effort: name.effort, ..Route::new(Arc::clone(provider), model) })
}

async fn only_model(provider: &Remote, base_url: &str) -> anyhow::Result<String> {
    let listed = provider.models().await;
    let models = listed
        .with_context(|| format!("cannot ask {base_url} which models it has; name one with --model"))?;
    match models.as_slice() {
        [model] => Ok(model.clone()),
        [] => bail!("{base_url} lists no model; name one with --model"),
        several => {
            let shown = several.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            bail!("{base_url} has {} models ({shown}, …); name one with --model", several.len())
        }
    }
}
