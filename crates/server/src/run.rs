//! The server from start to stop.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use agent::{ModeTextError, ModeTexts, Models, Modes, Outfit};
use anyhow::{Context, anyhow};
use gateway::{About, Access, Gateway, GatewayLimits};
use secrecy::ExposeSecret;
use sessions::SystemClock;
use store::{Log, Options, SegmentLog};
use tokio::net::TcpListener;
use tools::{Registry, Sandbox, SandboxKind};

use crate::log_command::{Socket, open_socket};
use crate::provider::choose;
use crate::readings;
use crate::{Engine, Parts, Settings};

/// Serves until Ctrl-C or SIGTERM. Prints one line with the address and the token once everything is ready.
///
/// # Errors
///
/// When the address is taken, the data folder is in use or damaged, or the provider is not usable; each says what
/// to do.
pub async fn run(settings: Settings) -> anyhow::Result<()> {
    let listener = bind(&settings).await?;
    let address = listener.local_addr().context("cannot tell the address listened on")?;
    let models = choose(&settings.models).await?;
    let sandbox = tokio::task::spawn_blocking(|| Sandbox::probe(std::env::current_exe().ok())).await?;
    warn_of_missing(&sandbox);
    let folder = settings.data.clone();
    let segments =
        tokio::task::spawn_blocking(move || SegmentLog::open(&folder, Options::default())).await??;
    let segments = Arc::new(segments);
    let socket = socket(&settings, &segments);
    let log: Arc<dyn Log> = segments.clone();
    let access = Access::open(&settings.data, log.id())
        .with_context(|| format!("cannot use the keys in {}", settings.data.display()))?;
    let engine = Engine::start(parts(&settings, (&models, &sandbox), Arc::clone(&log))?).await?;
    let about = about(&settings, &models, &log);
    let (access, shown) = sign_in(access, &settings);
    let gateway = Gateway {
        sessions: Arc::clone(engine.sessions()),
        about,
        access,
        limits: GatewayLimits::default(),
        hosts: settings.hosts.clone(),
        readings: Some(readings::begin()?),
    };
    let (workspace, model) = (settings.workspace.display(), &models.main.model);
    println!("waymark: http://{address}/{shown}  (workspace: {workspace}, model: {model})");
    gateway::serve(listener, gateway, interrupted()).await.context("the server stopped")?;
    drop(socket);
    engine.stop().await;
    refuse_poisoned(segments.poisoned())
}

/// Makes a stop a failure when the log wrote nothing any more: whoever watches the process should hear of it.
fn refuse_poisoned(reason: Option<&str>) -> anyhow::Result<()> {
    let Some(reason) = reason else { return Ok(()) };
    Err(anyhow!("the log stopped writing after an error ({reason}); check the disk, then start again"))
}

/// Returns who is let in, and what the printed address carries for it: a secret that somebody chose is not printed.
fn sign_in(access: Access, settings: &Settings) -> (Access, String) {
    match &settings.launch_token {
        Some(token) => (access.with_launch_token(token.expose_secret().to_owned()), String::new()),
        None => {
            let shown = format!("?token={}", access.launch_token());
            (access, shown)
        }
    }
}

/// Opens the socket for log commands; a server without one is a server all the same.
fn socket(settings: &Settings, log: &Arc<SegmentLog>) -> Option<Socket> {
    let opened = open_socket(&settings.data, Arc::clone(log));
    opened.inspect_err(|error| tracing::warn!(%error, "log commands cannot reach this server")).ok()
}

/// What this machine cannot give is said, never silently left out.
fn warn_of_missing(sandbox: &Sandbox) {
    if sandbox.kind() == SandboxKind::None {
        eprintln!(
            "waymark: no sandbox works here, so a model's commands run with your rights, and none run in plan mode; \
             install bubblewrap, or use a Linux with Landlock"
        );
    }
}

async fn bind(settings: &Settings) -> anyhow::Result<TcpListener> {
    let address = settings.listen;
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            anyhow!("cannot listen on {address}: address in use; choose another with --port")
        }
        _ => anyhow!("cannot listen on {address}: {error}; choose another with --listen or --port"),
    })
}

/// Returns the tools as the settings want them.
fn registry(settings: &Settings) -> Registry {
    match settings.limits.allow_parallel_in_progress {
        true => Registry::standard(),
        false => Registry::standard().with_todos_in_sequence(),
    }
}

/// Returns what a model is told of its mode.
fn modes(settings: &Settings, of_model: &ModeTexts, registry: &Registry) -> Result<Modes, ModeTextError> {
    let modes = Modes::new(of_model, &settings.mode_texts, registry)?;
    match settings.limits.questions_in_default_mode {
        true => Ok(modes),
        false => Ok(modes.without_questions_in_default()),
    }
}

/// Returns what single models are told, whoever is asked now: a slip shows at the start, not when the model is changed.
fn model_modes(settings: &Settings, registry: &Registry) -> anyhow::Result<BTreeMap<String, Arc<Modes>>> {
    let of_model = |(name, texts): (&String, &ModeTexts)| {
        let modes = modes(settings, texts, registry).with_context(|| format!("models.\"{name}\""))?;
        Ok((name.clone(), Arc::new(modes)))
    };
    settings.model_mode_texts.iter().map(of_model).collect()
}

fn parts(
    settings: &Settings,
    (models, sandbox): (&Models, &Sandbox),
    log: Arc<dyn Log>,
) -> anyhow::Result<Parts> {
    let registry = registry(settings);
    let protected: Vec<PathBuf> =
        [Some(settings.data.clone()), settings.config_folder.clone()].into_iter().flatten().collect();
    let outfit = Outfit {
        models: Models { modes: model_modes(settings, &registry)?, ..models.clone() },
        retry: settings.retry,
        chance: rand::random,
        modes: Arc::new(modes(settings, &ModeTexts::default(), &registry)?),
        registry: Arc::new(registry),
        protected,
        sandbox: sandbox.clone(),
    };
    let Settings { limits, residency, .. } = *settings;
    Ok(Parts { log, clock: Arc::new(SystemClock), limits, residency, outfit })
}

fn about(settings: &Settings, models: &Models, log: &Arc<dyn Log>) -> About {
    About {
        log: log.id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        provider: models.main.provider.name().to_owned(),
        model: models.main.model.clone(),
        workspace: settings.workspace.display().to_string(),
    }
}

/// Returns at Ctrl-C or SIGTERM.
async fn interrupted() {
    let ctrl_c = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminated) = signal(SignalKind::terminate()) else { return drop(ctrl_c.await) };
        tokio::select! {
            _ = ctrl_c => {}
            _ = terminated.recv() => {}
        }
    }
    #[cfg(not(unix))]
    drop(ctrl_c.await);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_stopped_writing_makes_the_stop_a_failure() {
        assert!(refuse_poisoned(None).is_ok());
        let refused = refuse_poisoned(Some("writing segment 3: input/output error"));
        let told = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("writing segment 3: input/output error"), "{told}");
    }
}
