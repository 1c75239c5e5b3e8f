use secrecy::ExposeSecret;

use super::*;

/// Puts settings together from `--model`, a configuration file and variables.
fn resolved(model: Option<&str>, file: &str, variables: &[(&str, &str)]) -> Result<ModelSettings, String> {
    let cli = Cli { model: model.map(str::to_owned), ..Cli::default() };
    let file: File = toml::from_str(file).map_err(|error| error.to_string())?;
    let find =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    resolve(&cli, &file, &find).map_err(|error| error.to_string())
}

fn main_of(model: Option<&str>, file: &str, variables: &[(&str, &str)]) -> (String, Option<String>) {
    let main = resolved(model, file, variables).unwrap().main;
    (main.provider, main.model)
}

fn is(provider: &str, model: &str) -> (String, Option<String>) {
    (provider.to_owned(), Some(model.to_owned()))
}

/// Returns API, address and key of a server.
fn server(settings: &ModelSettings, name: &str) -> (Api, String, Option<String>) {
    match &settings.providers[name] {
        ProviderSettings::Remote { api, base_url, key } => {
            (*api, base_url.clone(), key.as_ref().map(|key| key.expose_secret().to_owned()))
        }
        other => panic!("{name} is no server: {other:?}"),
    }
}

const LOCAL: (&str, &str) = ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
const KEY: (&str, &str) = ("ANTHROPIC_API_KEY", "secret");

#[test]
fn without_a_provider_the_rehearsal_model_answers() {
    assert_eq!(main_of(None, "", &[]), is("rehearsal", "rehearsal"));
    let settings = resolved(None, "", &[]).unwrap();
    let pace = &settings.providers["rehearsal"];
    assert!(matches!(pace, ProviderSettings::Rehearsal { pace_ms: REHEARSAL_PACE_MS }));
}

#[test]
fn a_base_url_or_a_key_is_enough_for_the_known_providers() {
    assert_eq!(main_of(None, "", &[LOCAL]), ("openai".to_owned(), None));
    let keyed = resolved(None, "", &[("OPENAI_API_KEY", "secret"), ("OPENAI_MODEL", "m")]).unwrap();
    assert!(!format!("{keyed:?}").contains("secret"));
    assert_eq!((keyed.main.provider.as_str(), keyed.main.model.as_deref()), ("openai", Some("m")));
    assert_eq!(server(&keyed, "openai").1, "https://api.openai.com/v1");
    let keyed = resolved(Some("anthropic/claude-x"), "", &[KEY]).unwrap();
    let expected = (Api::Messages, "https://api.anthropic.com/v1".to_owned(), Some("secret".to_owned()));
    assert_eq!(server(&keyed, "anthropic"), expected);
    assert_eq!(keyed.main, named("anthropic", "claude-x"));
    let elsewhere = resolved(None, "", &[KEY, ("ANTHROPIC_BASE_URL", "http://127.0.0.1:2/v1")]).unwrap();
    assert_eq!(server(&elsewhere, "anthropic").1, "http://127.0.0.1:2/v1");
}

#[test]
fn rehearsal_and_a_recording_are_asked_for_by_name() {
    assert_eq!(main_of(Some("rehearsal"), "", &[LOCAL]), is("rehearsal", "rehearsal"));
    let settings = resolved(Some("replay:some/file.sse"), "", &[LOCAL]).unwrap();
    assert_eq!(settings.main.provider, "replay");
    let replay = &settings.providers["replay"];
    assert!(
        matches!(replay, ProviderSettings::Replay { path } if path.ends_with("some/file.sse")),
        "{replay:?}"
    );
}

#[test]
fn several_providers_stand_side_by_side_and_a_model_names_its_own() {
    let file = "model = \"box/qwen/3\"\nfallback = \"anthropic/claude-x\"\n\
                [providers.box]\nbase_url = \"http://127.0.0.1:3/v1\"\napi_key_env = \"BOX_KEY\"\n\
                [providers.openai]\napi = \"responses\"\n";
    let variables = [KEY, LOCAL, ("BOX_KEY", "k")];
    let settings = resolved(None, file, &variables).unwrap();
    assert_eq!(settings.main, named("box", "qwen/3"));
    assert_eq!(settings.fallback, Some(named("anthropic", "claude-x")));
    assert_eq!(
        server(&settings, "box"),
        (Api::Chat, "http://127.0.0.1:3/v1".to_owned(), Some("k".to_owned()))
    );
    assert_eq!(server(&settings, "openai").0, Api::Responses);
    assert_eq!(
        main_of(Some("meta/llama"), file, &variables),
        is("openai", "meta/llama"),
        "a slash of the model's own"
    );
}

#[test]
fn what_is_not_set_up_whole_is_refused_with_advice() {
    let told = |model, file: &str| resolved(model, file, &[]).unwrap_err();
    assert_eq!(told(None, "[providers.box]\n"), "providers.box is not set up: it needs a base_url");
    let unset = told(None, "[providers.box]\nbase_url = \"http://x\"\napi_key_env = \"BOX_KEY\"\n");
    assert_eq!(unset, "providers.box is not set up: the environment variable BOX_KEY is not set");
    assert!(told(None, "[providers.rehearsal]\nbase_url = \"http://x\"\n").contains("another name"));
    assert!(told(None, "[providers.box]\napi_key = \"k\"\n").contains("unknown field"));
    assert!(told(Some("gpt-x"), "").contains("no provider is set up that could have it"));
    assert!(told(None, "fallback = \"gpt-x\"\n").starts_with("fallback is"));
}

#[test]
fn roles_have_models_and_efforts_of_their_own() {
    let file =
        "[roles.main]\neffort = \"high\"\n[roles.judge]\nmodel = \"anthropic/claude-x\"\neffort = \"low\"\n";
    let settings = resolved(Some("m"), file, &[KEY, LOCAL]).unwrap();
    assert_eq!(settings.main.effort, Some(Effort::High));
    let judge = RoleSettings { model: Some(named("anthropic", "claude-x")), effort: Some(Effort::Low) };
    assert_eq!(settings.roles[&Role::Judge], judge);
    let told = |file| resolved(None, file, &[]).unwrap_err();
    assert_eq!(
        told("[roles.cook]\n"),
        "roles.cook is no role; there are main, plan, summary, judge and title"
    );
    assert!(told("[roles.plan]\neffort = \"huge\"\n").contains("unknown variant `huge`"));
}
