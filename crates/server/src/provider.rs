//! The provider that the settings ask for.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use model::Provider;
use model::openai::{OpenAi, OpenAiConfig};
use model::rehearsal::{REHEARSAL, Rehearsal};

use crate::settings::ProviderSettings;

/// A provider and the model to ask it for.
pub(crate) struct Chosen {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) model: String,
}

/// Makes the provider; a model that nobody named is the only one that the server has.
pub(crate) async fn choose(settings: &ProviderSettings) -> anyhow::Result<Chosen> {
    match settings {
        ProviderSettings::Rehearsal { pace_ms } => {
            let provider = Arc::new(Rehearsal::new(Duration::from_millis(*pace_ms)));
            Ok(Chosen { provider, model: REHEARSAL.to_owned() })
        }
        ProviderSettings::OpenAi { base_url, key, model } => {
            let mut config = OpenAiConfig::new(base_url.clone());
            config.key.clone_from(key);
            let provider = OpenAi::new(config)?;
            let model = match model {
                Some(model) => model.clone(),
                None => only_model(&provider, base_url).await?,
            };
            Ok(Chosen { provider: Arc::new(provider), model })
        }
    }
}

async fn only_model(provider: &OpenAi, base_url: &str) -> anyhow::Result<String> {
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
